"""Apply a correction to the request of a question, if its effect is clear.

Every word of a correction must be understood: an unexplained one ("show me how to write a loop in it") leaves the
answer unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain, islice

from assistant.feedback.corrections import DENIES, find_new_value, parse_correction, remove_denied
from assistant.language.asked_word import MARKED, numbers_in, words_in
from assistant.language.lexicon import Sense, lexicon
from assistant.models.embedded.operations import LANGUAGES, NAMED, Demonstration, Subject
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.reader import RequestReader, WordRequest
from assistant.models.embedded.tasks import OUTSIDE, encode, mask_word

# Thresholds for a task: its minimum probability, and its minimum ratio to the next label. For a question without an
# answer, for one with a good answer, and for the same answer in another form.
_LEAST_SAID, _LEAST_CHANGED, _LEAST_FORM = (0.39, 1.3), (0.6, 2.0), (0.45, 1.5)
_MOST_NEW = 1  # unexplained words of a correction
_MOST_RESTATED = 6  # words of a correction that names another word
_LEAST_KIND, _LEAST_GIVEN = 0.3, 0.1  # minimum probabilities: of a kind of correction, of a given answer
_LEAST_SENSE, _CLEAR_SENSE = 0.1, 0.6  # to pick a sense of the word: minimum probability, or minimum cosine
_LEAST_COSINE, _AHEAD = 0.45, 0.03  # minimum cosine of a sense, and minimum lead over the next one
_SPELLED_ALIKE = 0.65  # minimum similarity of a word and the one that was meant
_LONGEST_SAID = 400  # characters
_MOST_WORDS = 7  # of a question that was not understood and may ask about one of them
_MORE = 3  # additional answers
_OF_FORM = frozenset({"upper", "lower"})
_BY_SENSE = frozenset({"definition", "synonym", "antonym"})
_SAYS_LITTLE = frozenset(
    {"the", "a", "an", "i", "mean", "meant", "one", "as", "in", "it", "of", "kind", "is", "my", "with"}
)


class CorrectionReader:
    """Reader of corrections. Thread-safe."""

    def __init__(self, reader: RequestReader) -> None:
        self._reader, self._tasks, self._languages = reader, reader.tasks, reader.languages

    def followed(
        self, asked: PromptQuestion, said: str, about: str, alone: WordRequest | None, demos: Sequence[Demonstration]
    ) -> WordRequest | None:
        """Return the request of a question after a correction; None if its effect is unclear.

        Args:
            asked: the question.
            said: the correction.
            about: the question that the correction was given for.
            alone: the request of the question without it; None if that was not understood.
            demos: the examples of the prompt.
        """
        corrected = parse_correction(said[:_LONGEST_SAID])
        whole = corrected.meant if corrected else said[:_LONGEST_SAID]
        text = remove_denied(MARKED.sub(" ", whole).strip() or whole)
        words = [alone.subject.word] if alone else [*self._reader.words(asked, demos)]
        if not (text and words):
            return None
        told, likely = self._reader.subject(asked, words[0], text), self._tasks.said(mask_word(text, words[0]))
        if alone is None:
            # In a long question, only a certain subject is taken for the word that the correction is about.
            is_short = len(words_in(asked.question)) <= _MOST_WORDS or self._reader.words(asked, demos)[words[0]] == 1
            name = self._asked_for(likely) if is_short else ""
            tried = [WordRequest(NAMED[name], replace(told, word=word)) for word in words] if name else []
            return next((one for one in tried if self._reader.wanted(asked.question, one)), None)
        changes = chain(
            [self._reader.offered(asked, alone).get(whole)],
            self._other_tasks(asked.question, about, whole, text, alone, told),
            self._other_answers(asked.question, about, text, alone),
        )
        return next((one for one in changes if one and self._reader.wanted(asked.question, one)), None)

    def names_task(self, text: str) -> bool:
        """Return True if a correction names a task by itself."""
        return bool(self._asked_for(self._tasks.said(text[:_LONGEST_SAID])))

    def is_of_form(self, text: str) -> bool:
        """Return True if a correction asks for the same answer in another language or in other letters."""
        name = _clearest(self._tasks.said(text[:_LONGEST_SAID]), *_LEAST_FORM)
        return name in _OF_FORM or name in LANGUAGES

    def _asked_for(self, likely: Mapping[str, float]) -> str:
        """Return the task that a text asks for, for a question without an answer; empty if unclear."""
        tasks = {*NAMED, OUTSIDE} - _OF_FORM  # upper and lower case need an answer
        return _clearest({name: near for name, near in likely.items() if name in tasks}, *_LEAST_SAID)

    def _other_tasks(
        self, question: str, about: str, whole: str, text: str, alone: WordRequest, told: Subject
    ) -> Iterator[WordRequest]:
        """Yield requests for another form of the answer, another task and another word, surest first."""
        word, names = alone.subject.word, self._reader.subjects.names
        # Only a named task may replace a good answer.
        found = self._tasks.said(mask_word(text, word))
        likely = {name: near for name, near in found.items() if name not in NAMED or names(whole, name)}
        new = self._reader.new_words(text, (question, about, *DENIES))
        name = _clearest(likely, *_LEAST_FORM)
        if len(new) <= _MOST_NEW and name != alone.name:
            if name in LANGUAGES and alone.name in {*LANGUAGES, "", "definition"}:
                yield replace(alone, operation=NAMED[name])
            elif name in LANGUAGES:
                yield replace(alone, language=LANGUAGES[name])
            elif name in _OF_FORM:
                yield replace(alone, operation=alone.operation.then(NAMED[name]))
            elif likely.get("shorter", 0.0) >= _LEAST_KIND and alone.name == "definition" and not alone.subject.sense:
                yield replace(alone, subject=replace(alone.subject, sense=next(iter(lexicon().senses(word)), None)))
        name = _clearest(likely, *_LEAST_CHANGED)
        if name and len(new) <= _MOST_NEW and name not in LANGUAGES:
            yield alone if name in alone.operation.names else WordRequest(NAMED[name], told)
        # The same task for another word: "not cat, dog", or a word that is spelled alike.
        words = words_in(whole)
        others = [each for each in new if lexicon().find(each) and not self._reader.subjects.explains(each)]
        if len(words) <= _MOST_RESTATED and len(others) == 1:
            is_alike = others[0][0] == word[0] and get_close_matches(word, others, n=1, cutoff=_SPELLED_ALIKE)
            is_denied = word in words and word not in words_in(text)
            if is_denied or (is_alike and others[0] not in self._reader.wanted(question, alone)):
                yield replace(alone, subject=replace(alone.subject, word=others[0]))

    def _other_answers(self, question: str, about: str, text: str, alone: WordRequest) -> Iterator[WordRequest]:
        """Yield requests for further answers, for one sense of the word, and with the answer that the user gave."""
        word, names = alone.subject.word, self._reader.subjects.names
        likely, answers = self._tasks.said(mask_word(text, word)), self._reader.wanted(question, alone)
        named = [name for name in NAMED if names(text, name)]
        kind = next(name for name in likely if name not in NAMED or name in named)
        if kind == "another" and likely[kind] >= _LEAST_KIND and alone.name != "definition":
            count = numbers_in(self._languages.english(text))[1]
            yield replace(alone, skip=len(answers), most=count or _MORE)
        words = words_in(text)
        if alone.name in _BY_SENSE and word in words_in(about):
            sense, near = self._pick_sense(word, text)
            own = {"antonym": sense.antonyms, "synonym": sense.synonyms}.get(alone.name, ()) if sense else ()
            is_meant = near >= _CLEAR_SENSE or likely.get("sense", 0.0) >= _LEAST_SENSE
            if sense and is_meant and {*words}.isdisjoint(own):  # else the correction names an answer, not a sense
                yield replace(alone, subject=replace(alone.subject, sense=sense))
        is_same_question = self._languages.fold(about) == self._languages.fold(question)
        if alone.name == "definition" or not is_same_question or named:
            return
        if any(answer in words for answer in answers):
            yield alone
        is_other = kind not in {"gives", "wrong"} and likely[kind] >= _LEAST_KIND
        if not is_other and (likely.get("gives", 0.0) >= _LEAST_GIVEN or len(words) == 1):
            given = find_new_value(text, "", question, self._languages)
            if lexicon().find(given) or self._reader.english(given):
                yield replace(alone, given=given)

    def _pick_sense(self, word: str, said: str) -> tuple[Sense | None, float]:
        """Return the sense that a text means, and their cosine; None if unclear, or without an embedder."""
        english = self._languages.in_plain_english(said).lower().split()
        text = " ".join(each for each in english if each not in {word, *_SAYS_LITTLE} and lexicon().find(each))
        senses = lexicon().senses(word)
        if "to" not in english:  # "of a tree" names a thing, "to strip" an action
            senses = tuple(sense for sense in senses if sense.part != "v") or senses
        texts = [[", ".join((*sense.words, *sense.hints)), *sense.words, *sense.hints] for sense in senses]
        vectors = (
            encode(self._tasks.embedder, [text, *chain.from_iterable(texts)]) if len(senses) > 1 and text else None
        )
        if vectors is None:
            return None, 0.0
        cosines = iter([float(vectors[0] @ vector) for vector in vectors[1:]])
        near = [[*islice(cosines, len(each))] for each in texts]
        # The mean of two cosines: with all words of the sense together, and with the nearest one.
        scores = [(each[0] + max(each)) / 2 for each in near]
        best = scores.index(max(scores))
        # Senses that share a word with the best one are no rivals.
        rivals = (at for at, sense in enumerate(senses) if set(sense.words).isdisjoint(senses[best].words))
        is_ahead = scores[best] - max((scores[at] for at in rivals), default=0.0) >= _AHEAD
        return (senses[best] if is_ahead and max(near[best]) >= _LEAST_COSINE else None), max(near[best])


def _clearest(likely: Mapping[str, float], least: float, ahead: float) -> str:
    """Return the first label if it is a task with at least `least` and `ahead` times the next; else an empty text."""
    (name, near), (_, second) = [*likely.items(), ("", 0.0), ("", 0.0)][:2]
    return name if name in NAMED and near >= max(least, ahead * second) else ""
