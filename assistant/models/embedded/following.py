"""Apply a correction to the request of a question about a word.

An answer changes only if the correction is followed with certainty: it names a sense of the word, a task, another word,
a language or a form, and the answer then differs. Otherwise the earlier answer stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain, islice

from assistant.feedback.corrections import DENIES, find_new_value, parse_correction, remove_denied
from assistant.language.asked_word import MARKED, limit_in, numbers_in, words_in
from assistant.language.lexicon import Sense, lexicon
from assistant.models.embedded.operations import CASES, LANGUAGES, NAMED, Demonstration, Subject, told_senses
from assistant.models.embedded.phrases import DEFINITIONS, LATIN, script_of
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.reader import RequestReader, WordRequest
from assistant.models.embedded.tasks import OUTSIDE, encode, mask_word, stems_of

# Minimum probability of a task, and minimum ratio to the next label: for a question without an answer, for one with a
# good answer, and for another form of an answer.
_LEAST_SAID, _LEAST_CHANGED, _LEAST_FORM = (0.39, 1.3), (0.6, 2.0), (0.45, 1.5)
_LEAST_KIND, _LEAST_GIVEN = 0.3, 0.5  # minimum probabilities: of a kind of correction, of a given answer
_LEAST_WORD = 0.15  # minimum probability of the subject of a question that was not understood
_LEAST_SENSE, _CLEAR_SENSE = 0.1, 0.6  # minimum probability that a correction picks a sense, or cosine of the sense
_LEAST_COSINE, _AHEAD_SENSE = 0.45, 0.03  # of a sense, and minimum lead over the next
_SPELLED_ALIKE = 0.65  # minimum similarity of a word and the one that was meant
_MOST_NEW = 1  # unexplained words of a correction
_MOST_RESTATED = 6  # words of a correction that names another word
_MOST_WORDS = 7  # of a question that was not understood and may ask about one of them
_MORE = 3  # additional answers
_LONGEST = 400  # characters of a correction
_LETTER = "letter"  # stem of words for letters in any language
_BY_SENSE = frozenset({"definition", "synonym", "antonym"})
_BRIEFER = frozenset({"shorter", "simpler"})
_TELLING = frozenset({"content", "common"})  # kinds of words
_PARTS = {"noun": "n", "verb": "v", "action": "v", "adjective": "a", "adverb": "r"}


@dataclass(frozen=True, slots=True)
class _Heard:
    """A correction of a request."""

    whole: str
    text: str  # without the words that it denies
    likely: Mapping[str, float]  # probabilities of tasks and kinds
    about: str  # the question that it was given for


class CorrectionFollower:
    """Reader of corrections. Thread-safe."""

    def __init__(self, reader: RequestReader) -> None:
        self._reader, self._tasks = reader, reader.tasks
        self._languages, self._subjects = reader.languages, reader.subjects

    def names_task(self, text: str) -> bool:
        """Return True if a correction names a task by itself."""
        return bool(self._asked_for(self._tasks.said(text[:_LONGEST])))

    def is_of_form(self, text: str) -> bool:
        """Return True if a correction asks for the same answer in another form: a language, capitals, shorter."""
        likely = self._tasks.said(text[:_LONGEST])
        name, kind = _clearest(likely, *_LEAST_FORM), next(iter(likely))
        is_brief = kind in _BRIEFER and likely[kind] >= _LEAST_KIND
        return is_brief or name in CASES or name in LANGUAGES or bool(self._count(text))

    def followed(
        self, asked: PromptQuestion, said: str, about: str, alone: WordRequest | None, demos: Sequence[Demonstration]
    ) -> WordRequest | None:
        """Return the request of a question after a correction; None if it does not surely change the answer.

        Args:
            asked: the question.
            said: the correction.
            about: the question that the correction was given for.
            alone: the request of the question without it; None if that was not understood.
            demos: the examples of the prompt.
        """
        said = said[:_LONGEST]
        corrected = parse_correction(said) or parse_correction(f"no, {said}")  # "I was asking about the game"
        whole = corrected.meant if corrected else said
        text = remove_denied(MARKED.sub(" ", whole).strip() or whole)
        if alone is None:
            return self._understood(asked, text, demos) if text else None
        heard = _Heard(whole, text, self._tasks.said(mask_word(text, alone.subject.word)), about)
        named = self._named_sense(alone, heard)
        before = self._reader.wanted(asked.question, alone)
        for changed in filter(None, self._changes(asked, heard, alone, named)):
            if changed == alone:
                return None  # it asks for what was answered
            answers = self._reader.wanted(asked.question, changed)
            if answers and (answers != before or changed.subject.sense is named is not None):
                return changed
        return None

    def _understood(self, asked: PromptQuestion, text: str, demos: Sequence[Demonstration]) -> WordRequest | None:
        """Return the request of a question that only its correction explains, even if it has no answer."""
        words = self._reader.words(asked, demos)
        word = next(iter(words), "")
        # Of a long question, only its surely first word may be meant.
        if not word or (len(words_in(asked.question)) > _MOST_WORDS and words[word] < 1):
            return None
        name = self._asked_for(self._tasks.said(mask_word(text, word)))
        # Unclear words may ask for more than a meaning, and "the first one" for no letter.
        is_unknown = name == "definition" and not lexicon().find(word)
        is_vague = is_unknown and len(self._reader.new_words(text, [word])) > _MOST_NEW
        names_letters = _LETTER in stems_of(self._languages, text)
        if is_vague or not name or ("takes" in DEFINITIONS[name] and not names_letters):
            return None
        subject = self._reader.subject(asked, word, text)
        likeliest = [each for each, near in words.items() if near >= _LEAST_WORD]
        tried = [WordRequest(NAMED[name], replace(subject, word=each)) for each in likeliest]
        answered = (one for one in tried if self._reader.wanted(asked.question, one))
        is_task = name in _BY_SENSE and bool(lexicon().find(word))
        return next(answered, tried[0] if is_task else None)

    def _asked_for(self, likely: Mapping[str, float]) -> str:
        """Return the task that a text asks for, for a question without an answer; empty if unclear."""
        tasks = {*NAMED, OUTSIDE} - CASES  # upper and lower case need an answer
        return _clearest({name: near for name, near in likely.items() if name in tasks}, *_LEAST_SAID)

    def _changes(
        self, asked: PromptQuestion, heard: _Heard, alone: WordRequest, named: Sense | None
    ) -> Iterator[WordRequest | None]:
        """Yield the requests that a correction may ask for, surest first; `alone` if it asks for that again."""
        yield self._reader.offered(asked, alone).get(heard.whole)
        yield _of_sense(alone, named)
        new = self._reader.new_words(heard.text, (asked.question, heard.about, *DENIES))
        if len(new) <= _MOST_NEW:
            yield from self._forms(heard, alone)
            yield self._other_task(asked, heard, alone)
        yield self._other_word(heard, alone, new)
        yield from self._other_answers(asked, heard, alone)
        yield _of_sense(alone, self._nearest_sense(alone, self._senses(alone, heard), heard))

    def _forms(self, heard: _Heard, alone: WordRequest) -> Iterator[WordRequest | None]:
        """Yield requests for the same answer in another language, in capitals, or shorter."""
        name, kind = _clearest(heard.likely, *_LEAST_FORM), next(iter(heard.likely))
        count = self._count(heard.text)
        if name in LANGUAGES and alone.name in {*LANGUAGES, "", "definition"}:
            yield replace(alone, operation=NAMED[name], demo=None)
        elif name in LANGUAGES:
            yield replace(alone, language=LANGUAGES[name], in_script=script_of(heard.whole) != LATIN)
            yield replace(alone, language=LANGUAGES[name], in_script=True)
        elif name in CASES and name not in alone.operation.names:
            yield replace(alone, case=name)
        elif alone.name == "definition" and (count == 1 or (kind in _BRIEFER and heard.likely[kind] >= _LEAST_KIND)):
            yield from (_of_sense(alone, sense) for sense in told_senses(alone.subject.word)[:1])
        elif count:
            yield replace(alone, most=count)
            yield alone

    def _count(self, text: str) -> int:
        """Return the number of answers that a text asks for and nothing else: "just one", "give me three"."""
        count, small = limit_in(self._languages.in_plain_english(text))
        said = [stem for word in self._reader.content_words(text) for stem in stems_of(self._languages, word)]
        return count if small.issuperset(said) else 0

    def _other_task(self, asked: PromptQuestion, heard: _Heard, alone: WordRequest) -> WordRequest | None:
        """Return the request for a named task; only that may replace a good answer."""
        named = {
            name: near
            for name, near in heard.likely.items()
            if name not in NAMED or self._subjects.names(heard.whole, name)
        }
        name = _clearest(named, *_LEAST_CHANGED)
        if not name or name in LANGUAGES:
            return None
        told = self._reader.subject(asked, alone.subject.word, heard.text)
        return alone if name in alone.operation.names else WordRequest(NAMED[name], told)

    def _other_word(self, heard: _Heard, alone: WordRequest, new: Sequence[str]) -> WordRequest | None:
        """Return the request for another word: "not cat, dog", or one that is spelled alike."""
        word, words = alone.subject.word, words_in(heard.whole)
        others = [each for each in new if lexicon().find(each) and not self._subjects.explains(each)]
        if len(words) > _MOST_RESTATED or len(others) != 1:
            return None
        is_alike = others[0][0] == word[0] and get_close_matches(word, others, n=1, cutoff=_SPELLED_ALIKE)
        is_denied = word in words and word not in words_in(heard.text)
        is_other = is_denied or (is_alike and others[0] not in alone.operation.solve(alone.subject))
        return replace(alone, subject=Subject(others[0])) if is_other else None

    def _other_answers(self, asked: PromptQuestion, heard: _Heard, alone: WordRequest) -> Iterator[WordRequest]:
        """Yield requests for further answers, and with the answer that the user gave for this question."""
        known = self._reader.wanted(asked.question, alone)
        named = [name for name in NAMED if self._subjects.names(heard.text, name)]
        kind = next(name for name in heard.likely if name not in NAMED or name in named)
        if kind == "another" and heard.likely[kind] >= _LEAST_KIND and alone.name != "definition":
            count = numbers_in(self._languages.english(heard.text))[1]
            yield replace(alone, skip=len(known), most=count or _MORE)
        if alone.name == "definition" or self._languages.fold(heard.about) != self._languages.fold(asked.question):
            return
        said = words_in(heard.text.lower())
        if any(answer in said for answer in known):
            yield alone
        solved = self._reader.answers(asked.question, alone.operation, alone.subject)
        yield from (replace(alone, given=answer) for answer in solved if answer in said)
        if kind == "gives" and heard.likely[kind] >= _LEAST_GIVEN and not named:
            given = find_new_value(heard.text, "", asked.question, self._languages)
            if lexicon().find(given) or self._reader.english(given):
                yield replace(alone, given=given)

    def _senses(self, alone: WordRequest, heard: _Heard) -> Sequence[Sense]:
        """Return the senses of the word that a correction may pick: "of a tree" names a thing, "to strip" an action."""
        if alone.name not in _BY_SENSE or alone.subject.word not in words_in(heard.about):
            return []
        senses = told_senses(alone.subject.word)
        stems = stems_of(self._languages, heard.text)
        if parts := {_PARTS[stem] for stem in stems & _PARTS.keys()}:
            return [sense for sense in senses if sense.part in parts]
        return senses if "to" in stems else [sense for sense in senses if sense.part != "v"] or senses

    def _named_sense(self, alone: WordRequest, heard: _Heard) -> Sense | None:
        """Return the sense with a relation to a word of the correction, or of its part of speech; None if unclear."""
        said, senses = self._telling_stems(heard.text, alone), self._senses(alone, heard)
        denied = self._telling_stems(heard.whole, alone) - said if alone.name != "antonym" else set()
        opposed = [sense for sense in senses if denied & _stems_in(sense.antonyms)]
        if opposed or stems_of(self._languages, heard.text) & _PARTS.keys():
            return next(iter(opposed or senses), None)
        related = [len(said & _stems_in((*sense.words, *sense.hints))) for sense in senses]
        most = max(related, default=0)
        best = [sense for sense, shared in zip(senses, related, strict=True) if shared == most > 0]
        return self._nearest_sense(alone, best, heard) or next(iter(best), None)

    def _telling_stems(self, text: str, alone: WordRequest) -> set[str]:
        """Return the stems of the telling words of a text, except for those that explain a task, and the word."""
        telling = (each.written for each in self._languages.words(text) if each.kind in _TELLING)
        words = [each for each in telling if not self._subjects.explains(each)]
        return {stem for each in words for stem in stems_of(self._languages, each)} - {alone.subject.word.lower()}

    def _nearest_sense(self, alone: WordRequest, senses: Sequence[Sense], heard: _Heard) -> Sense | None:
        """Return the sense whose words mean nearly the same as a text; None if unclear, or without an embedder."""
        text = " ".join(sorted(self._telling_stems(heard.text, alone)))
        texts = [[", ".join((*sense.words, *sense.hints)), *sense.words, *sense.hints] for sense in senses]
        if len(senses) < 2 or not text:
            return None
        vectors = encode(self._tasks.embedder, [text, *chain.from_iterable(texts)])
        if vectors is None:
            return None
        cosines = iter([float(vectors[0] @ vector) for vector in vectors[1:]])
        near = [[*islice(cosines, len(each))] for each in texts]
        # The mean of two cosines: with all words of the sense together, and with the nearest one.
        scores = [(each[0] + max(each)) / 2 for each in near]
        best = scores.index(max(scores))
        own = {*senses[best].words}
        # Senses that share a word with the best one are no rivals.
        rivals = [score for score, sense in zip(scores, senses, strict=True) if own.isdisjoint(sense.words)]
        is_ahead = scores[best] - max(rivals, default=0.0) >= _AHEAD_SENSE
        is_meant = max(near[best]) >= _CLEAR_SENSE or heard.likely.get("sense", 0.0) >= _LEAST_SENSE
        return senses[best] if is_ahead and is_meant and max(near[best]) >= _LEAST_COSINE else None


def _of_sense(request: WordRequest, sense: Sense | None) -> WordRequest | None:
    return replace(request, subject=replace(request.subject, sense=sense)) if sense else None


def _stems_in(phrases: Sequence[str]) -> set[str]:
    """Return the base forms of the words of phrases."""
    words = re.findall("[a-z]+", " ".join(phrases).lower())
    return {known.base or known.text if (known := lexicon().find(word)) else word for word in words}


def _clearest(likely: Mapping[str, float], least: float, ahead: float) -> str:
    """Return the first label if it is a task with at least `least` and `ahead` times the next; else an empty text."""
    (name, near), (_, second) = [*likely.items(), ("", 0.0), ("", 0.0)][:2]
    return name if name in NAMED and near >= max(least, ahead * second) else ""
