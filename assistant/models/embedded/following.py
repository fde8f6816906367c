"""Apply a correction to the request of a question about a word.

An answer changes only if the correction is followed with certainty: it names a sense of the word, a task, a language or
a form, and the answer then differs. Otherwise the earlier answer stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from assistant.feedback.corrections import DENIES, parse_correction, remove_denied
from assistant.language.asked_word import MARKED, limit_in, numbers_in, words_in
from assistant.language.lexicon import Sense, lexicon
from assistant.models.embedded.operations import CASES, CHANGES, LANGUAGES, NAMED, told_senses
from assistant.models.embedded.phrases import DEFINITIONS, LATIN, script_of
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.reader import RequestReader, WordRequest
from assistant.models.embedded.tasks import OUTSIDE, encode, mask_word, stems_of

# Minimum probability of a task, and minimum ratio to the next label: for a question without an answer, for one with a
# good answer, and for another form of an answer.
_LEAST_SAID, _LEAST_CHANGED, _LEAST_FORM = (0.39, 1.3), (0.6, 2.0), (0.45, 1.5)
_LEAST_KIND = 0.3  # minimum probability of a kind of correction
_LEAST_WORD = 0.15  # minimum probability of the subject of a question that was not understood
_LEAST_SENSE, _CLEAR_SENSE = 0.1, 0.6  # minimum probability that a correction picks a sense, or cosine of the sense
_LEAST_COSINE, _AHEAD_SENSE = 0.45, 0.03  # of a sense, and minimum lead over the next
_MOST_NEW = 1  # unexplained words of a correction
_MOST_WORDS = 7  # of a question that was not understood and may ask about one of them
_REPEATED = 3  # words of a question that its correction quotes
_MORE = 3  # additional answers
_LONGEST = 400  # characters of a correction
_LETTER = "letter"  # stem of words for letters in any language
_BY_SENSE = frozenset({"definition", "synonym", "antonym"})
_BRIEFER = frozenset({"shorter", "simpler"})
_TELLING = frozenset({"content", "common"})  # kinds of words
_PARTS = {"noun": "n", "verb": "v", "action": "v", "adjective": "a", "adverb": "r"}


class Correction:
    """A correction of a question that is answered without it, or with an earlier one.

    Args:
        reader: reads and answers questions.
        asked: the question to answer.
        alone: its request without the correction.
        said: the correction.
        about: the question that the correction was given for.
    """

    def __init__(self, reader: RequestReader, asked: PromptQuestion, alone: WordRequest, said: str, about: str) -> None:
        self._reader, self._question, self._alone, self._about = reader, asked.question, alone, about
        self._languages, self._subjects, self._asked = reader.languages, reader.subjects, asked
        self._whole, self._text = split_correction(said)
        self._word, self._before = alone.subject.word, reader.wanted(asked.question, alone)
        self._likely = reader.tasks.said(mask_word(self._text, self._word))

    def changed(self) -> WordRequest | None:
        """Return the changed request, or the same one if the correction asks for it; None if neither is certain."""
        for change in filter(None, self._changes()):
            answers = self._reader.wanted(self._question, change)
            if change is self._alone or (answers and (change.subject.sense or answers != self._before)):
                return change
        return None

    def _changes(self) -> Iterator[WordRequest | None]:
        """Yield the requests that the correction may ask for, surest first; `alone` if it asks for that again."""
        yield self._reader.offered(self._asked, self._alone).get(self._whole)
        yield self._of_sense(self._named_sense())
        if len(self._reader.new_words(self._text, (self._question, self._about, *DENIES))) <= _MOST_NEW:
            yield from self._forms()
            yield self._other_task()
        if self._alone.name != "definition":
            yield from self._other_answers()
        yield self._of_sense(self._nearest_sense(self._senses()))

    def _of_sense(self, sense: Sense | None) -> WordRequest | None:
        return replace(self._alone, subject=replace(self._alone.subject, sense=sense)) if sense else None

    def _answers(self) -> Sequence[str]:
        return self._reader.answers(self._question, self._alone.operation, self._alone.subject)

    def _forms(self) -> Iterator[WordRequest | None]:
        """Yield requests for the same answer in another language, in capitals, or shorter."""
        alone, name = self._alone, _clearest(self._likely, *_LEAST_FORM)
        count = count_in(self._reader, self._text)
        if name in LANGUAGES and alone.name in {*LANGUAGES, "", "definition"}:
            yield replace(alone, operation=NAMED[name], demo=None)
        elif name in LANGUAGES:
            for in_latin in (script_of(self._question) == script_of(self._whole) == LATIN, False):
                given = [self._reader.translate(one, LANGUAGES[name], in_latin=in_latin) or one for one in self._before]
                yield replace(alone, given=given, form=name)
        elif name in CASES and name not in alone.operation.names:
            yield replace(alone, given=[CHANGES[name](one) for one in self._before], form=name)
        elif alone.name == "definition" and (count == 1 or _is_briefer(self._likely)):
            senses = told_senses(self._word)
            yield self._of_sense(senses[0]) if len(senses) > 1 else None
        elif count:
            yield replace(alone, given=self._answers()[:count])
            yield alone

    def _other_task(self) -> WordRequest | None:
        """Return the request for a named task."""
        name = _clearest(self._likely, *_LEAST_CHANGED)
        if not name or name in LANGUAGES:
            return None
        other = WordRequest(NAMED[name], self._reader.subject(self._asked, self._word, self._text))
        is_elsewhere = "takes" in DEFINITIONS[name] and other.subject != self._alone.subject
        return other if is_elsewhere or name not in self._alone.operation.names else self._alone

    def _other_answers(self) -> Iterator[WordRequest]:
        """Yield requests for further answers, and for one of them that the user names."""
        answers, in_text = self._answers(), words_in(self._text.lower())
        kind = next(iter(self._likely))
        if kind == "another" and self._likely[kind] >= _LEAST_KIND:
            count = numbers_in(self._languages.english(self._text))[1] or _MORE
            yield replace(self._alone, given=answers[len(self._before) :][:count])
        if self._languages.fold(self._about) == self._languages.fold(self._question):
            chosen = [answer for answer in answers if answer in in_text]
            yield from (self._alone if one in self._before else replace(self._alone, given=[one]) for one in chosen)

    def _senses(self) -> Sequence[Sense]:
        """Return the senses of the word that may be meant: "of a tree" names a thing, "to strip" an action."""
        if self._alone.name not in _BY_SENSE or self._word not in words_in(self._about):
            return []
        senses, stems = told_senses(self._word), stems_of(self._languages, self._text)
        if parts := {_PARTS[stem] for stem in stems & _PARTS.keys()}:
            return [sense for sense in senses if sense.part in parts]
        return senses if "to" in stems else [sense for sense in senses if sense.part != "v"] or senses

    def _named_sense(self) -> Sense | None:
        """Return the sense with a relation to a word of the correction, or of its part of speech; None if unclear."""
        said, senses = self._telling_stems(self._text), self._senses()
        denied = self._telling_stems(self._whole) - said if self._alone.name != "antonym" else set()
        opposed = [sense for sense in senses if denied & _stems_in(sense.antonyms)]
        if opposed or stems_of(self._languages, self._text) & _PARTS.keys():
            return next(iter(opposed or senses), None)
        related = [len(said & _stems_in((*sense.words, *sense.hints))) for sense in senses]
        most = max(related, default=0)
        best = [sense for sense, shared in zip(senses, related, strict=True) if shared == most > 0]
        return self._nearest_sense(best) or next(iter(best), None)

    def _telling_stems(self, text: str) -> set[str]:
        """Return the stems of the telling words of a text, except for those that explain a task, and the word."""
        telling = (each.written for each in self._languages.words(text) if each.kind in _TELLING)
        words = [each for each in telling if not self._subjects.explains(each)]
        return {stem for each in words for stem in stems_of(self._languages, each)} - {self._word.lower()}

    def _nearest_sense(self, senses: Sequence[Sense]) -> Sense | None:
        """Return the sense whose words mean nearly the same; None if unclear, or without an embedder."""
        text = " ".join(sorted(self._telling_stems(self._text)))
        texts = [[", ".join((*sense.words, *sense.hints)), *sense.words, *sense.hints] for sense in senses]
        if len(senses) < 2 or not text:
            return None
        vectors = encode(self._reader.tasks.embedder, [text, *chain.from_iterable(texts)])
        if vectors is None:
            return None
        cosines = iter([float(vectors[0] @ vector) for vector in vectors[1:]])
        near = [[*islice(cosines, len(each))] for each in texts]
        # The mean of two cosines: with all words of the sense together, and with the nearest one.
        scores = [(each[0] + max(each)) / 2 for each in near]
        best = scores.index(max(scores))
        own = {*senses[best].words}
        # Senses that share a word with the best sense do not compete with it.
        rivals = [score for score, sense in zip(scores, senses, strict=True) if own.isdisjoint(sense.words)]
        is_ahead = scores[best] - max(rivals, default=0.0) >= _AHEAD_SENSE
        is_meant = max(near[best]) >= _CLEAR_SENSE or self._likely.get("sense", 0.0) >= _LEAST_SENSE
        return senses[best] if is_ahead and is_meant and max(near[best]) >= _LEAST_COSINE else None


def split_correction(said: str) -> tuple[str, str]:
    """Return the intended meaning of a correction, and the same without the words that it denies."""
    said = said[:_LONGEST]
    parsed = parse_correction(said) or parse_correction(f"no, {said}")  # "I was asking about the game"
    whole = parsed.meant if parsed else said
    return whole, remove_denied(MARKED.sub(" ", whole).strip() or whole)


def understand(
    reader: RequestReader, asked: PromptQuestion, said: str, words: Mapping[str, float]
) -> WordRequest | None:
    """Return the request of a question that only its correction explains, even without an answer; None if unclear.

    `words` are its possible subjects with their probabilities, highest first.
    """
    word, told = next(iter(words), ""), split_correction(said)[1].split()
    asked_words = {reader.languages.fold(each) for text in (asked.question, *asked.about) for each in words_in(text)}
    new = [each for each in told if reader.languages.fold(each) not in asked_words]
    text = " ".join(new if len(told) - len(new) >= _REPEATED else told)  # "by lasso it past the bakery I mean …"
    # Of a long question, only its surely first word may be meant.
    if not (word and text) or (len(words_in(asked.question)) > _MOST_WORDS and words[word] < 1):
        return None
    name = _asked_for(reader.tasks.said(mask_word(text, word)))
    # Unclear words may ask for more than a meaning, and "the first one" for no letter.
    is_known = lexicon().find(word) is not None
    is_vague = name == "definition" and not is_known and len(reader.new_words(text, [word])) > _MOST_NEW
    names_letters = _LETTER in stems_of(reader.languages, text)
    if is_vague or not name or ("takes" in DEFINITIONS[name] and not names_letters):
        return None
    subject = reader.subject(asked, word, text)
    likeliest = [each for each, near in words.items() if near >= _LEAST_WORD]
    tried = [WordRequest(NAMED[name], replace(subject, word=each)) for each in likeliest]
    answered = (one for one in tried if reader.wanted(asked.question, one))
    return next(answered, tried[0] if tried and name in _BY_SENSE and is_known else None)


def names_task(reader: RequestReader, text: str) -> bool:
    """Return True if a correction names a task by itself."""
    return bool(_asked_for(reader.tasks.said(text[:_LONGEST])))


def is_of_form(reader: RequestReader, text: str) -> bool:
    """Return True if a correction asks for the same answer in another form: a language, capitals, shorter."""
    likely = reader.tasks.said(text[:_LONGEST])
    name = _clearest(likely, *_LEAST_FORM)
    return name in CASES or name in LANGUAGES or _is_briefer(likely) or bool(count_in(reader, text))


def count_in(reader: RequestReader, text: str) -> int:
    """Return the number of answers that a text asks for and nothing else: "just one", "give me three"."""
    count, small = limit_in(reader.languages.in_plain_english(text))
    said = {stem for word in reader.content_words(text) for stem in stems_of(reader.languages, word)}
    return count if said <= small else 0


def _is_briefer(likely: Mapping[str, float]) -> bool:
    kind = next(iter(likely))
    return kind in _BRIEFER and likely[kind] >= _LEAST_KIND


def _asked_for(likely: Mapping[str, float]) -> str:
    """Return the task that a text asks for, for a question without an answer; empty if unclear."""
    tasks = {*NAMED, OUTSIDE} - CASES  # upper and lower case need an answer
    return _clearest({name: near for name, near in likely.items() if name in tasks}, *_LEAST_SAID)


def _stems_in(phrases: Sequence[str]) -> set[str]:
    """Return the base forms of the words of phrases."""
    words = re.findall("[a-z]+", " ".join(phrases).lower())
    return {known.base or known.text if (known := lexicon().find(word)) else word for word in words}


def _clearest(likely: Mapping[str, float], least: float, ahead: float) -> str:
    """Return the first label if it is a task with at least `least` and `ahead` times the next; else an empty text."""
    (name, near), (_, second) = [*likely.items(), ("", 0.0), ("", 0.0)][:2]
    return name if name in NAMED and near >= max(least, ahead * second) else ""
