"""Apply a correction to the request of a question, if its effect is clear.

Every word of a correction must be understood: an unexplained one ("show me how to write a loop in it") leaves the
answer unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from assistant.feedback.corrections import parse_correction
from assistant.feedback.values import DENIES, find_new_value, remove_denied
from assistant.language.arguments import numbers_in
from assistant.language.asked_word import MARKED, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.answers import WordRequest
from assistant.models.embedded.induction import Demonstration, mask_word
from assistant.models.embedded.operations import LANGUAGES, NAMED, Subject
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.reader import RequestReader
from assistant.models.embedded.relations import SensePicker
from assistant.models.embedded.tasks import OUTSIDE, TaskFinder

# Minimum probability of a task, and minimum ratio to the next label: for a question without an answer, for one with a
# good answer, and for another form of an answer.
_LEAST_SAID, _LEAST_CHANGED, _LEAST_FORM = (0.39, 1.3), (0.6, 2.0), (0.45, 1.5)
_MOST_NEW = 1  # unexplained words of a correction
_MOST_RESTATED = 6  # words of a correction that names another word
_LEAST_KIND, _LEAST_GIVEN = 0.3, 0.1  # minimum probabilities: of a kind of correction, of a given answer
_LEAST_SENSE, _CLEAR_SENSE = 0.1, 0.6  # minimum probability that a correction picks a sense, or cosine of the sense
_SPELLED_ALIKE = 0.65  # minimum similarity of a word and the one that was meant
_LONGEST_SAID = 400  # characters
_MOST_WORDS = 7  # of a question that was not understood and may ask about one of them
_MORE = 3  # additional answers
_OF_FORM = frozenset({"upper", "lower"})
_BY_SENSE = frozenset({"definition", "synonym", "antonym"})


@dataclass(frozen=True, slots=True)
class CorrectionCase:
    asked: PromptQuestion
    about: str  # the question that the correction was given for
    whole: str  # the full correction
    said: str  # without quotes and denials
    told: Subject  # the subject, with the letters and places that the correction names
    words: Sequence[str]  # possible subjects of the question
    likely: Mapping[str, float]  # probability of each task or kind of correction, highest first
    new: Sequence[str]  # content words that neither explain a task nor occur in the question


class CorrectionReader:
    """Reader of corrections. Thread-safe."""

    def __init__(self, languages: Languages, tasks: TaskFinder, senses: SensePicker, reader: RequestReader) -> None:
        self._languages, self._tasks, self._senses, self._reader = languages, tasks, senses, reader
        self._answers, self._subjects = reader.answers, reader.subjects

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
        if (case := self._case(asked, said[:_LONGEST_SAID], about, alone, demos)) is None:
            return None
        if alone is None:
            return self._named(case)
        found = filter(None, self._changes(case, alone))
        return next((one for one in found if self._answers.wanted(asked.question, one)), None)

    def _changes(self, case: CorrectionCase, alone: WordRequest) -> Iterator[WordRequest | None]:
        """Yield what a correction may make of a request, surest first."""
        yield self._reader.offered(case.asked, alone).get(case.whole)
        yield self._reformed(case, alone)
        yield self._task(case, alone)
        yield self._other_word(case, alone)
        yield self._more(case, alone)
        yield self._of_sense(case, alone)
        yield self._given(case, alone)

    def names_task(self, text: str) -> bool:
        """Return True if a correction names a task by itself."""
        text = text[:_LONGEST_SAID]
        return bool(self._asked_for(self._tasks.said(text)))

    def is_of_form(self, text: str) -> bool:
        """Return True if a correction asks for the same answer in another language or in other letters."""
        name = _clearest(self._tasks.said(text[:_LONGEST_SAID]), *_LEAST_FORM)
        return name in _OF_FORM or name.startswith("in_")

    def _case(
        self, asked: PromptQuestion, said: str, about: str, alone: WordRequest | None, demos: Sequence[Demonstration]
    ) -> CorrectionCase | None:
        corrected = parse_correction(said)
        whole = corrected.meant if corrected else said
        text = remove_denied(MARKED.sub(" ", whole).strip() or whole)
        words = [alone.subject.word] if alone else self._words(asked, demos)
        if not (text and words):
            return None
        told = self._reader.subject(asked, words[0], text)
        likely = self._tasks.said(mask_word(text, words[0]))
        if alone:  # only a named task may replace a good answer
            is_named = self._subjects.names
            likely = {name: near for name, near in likely.items() if name not in NAMED or is_named(whole, name)}
        new = self._reader.new_words(text, (asked.question, about, *DENIES))
        return CorrectionCase(asked, about, whole, text, told, words, likely, new)

    def _words(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> list[str]:
        """Return possible subjects of a question; of a long one only a certain one."""
        found = self._reader.words(asked, demos)
        return [*found] if 1.0 in found.values() or len(words_in(asked.question)) <= _MOST_WORDS else []

    def _reformed(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the same request in another language, in capitals, or for one sense only."""
        name = _clearest(case.likely, *_LEAST_FORM)
        if len(case.new) > _MOST_NEW or name == alone.name:
            return None
        if name.startswith("in_"):
            is_instead = alone.name.startswith("in_") or alone.name in {"", "definition"}
            language = LANGUAGES[name.removeprefix("in_")]
            return replace(alone, operation=NAMED[name]) if is_instead else replace(alone, language=language)
        if name in _OF_FORM:
            return replace(alone, operation=alone.operation.at_best().then(NAMED[name]))
        if case.likely.get("shorter", 0.0) < _LEAST_KIND or alone.name != "definition" or alone.subject.sense:
            return None
        sense = next(iter(lexicon().senses(alone.subject.word)), None)
        return replace(alone, subject=replace(alone.subject, sense=sense))

    def _task(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the request for the task that a correction names; unchanged if it repeats the task."""
        name = _clearest(case.likely, *_LEAST_CHANGED)
        if not name or len(case.new) > _MOST_NEW or name.startswith("in_"):
            return None
        return alone if name in alone.operation.names else WordRequest(NAMED[name], case.told, case.likely[name])

    def _named(self, case: CorrectionCase) -> WordRequest | None:
        """Return the request for the task that a correction names, for a question that was not understood."""
        if not (name := self._asked_for(case.likely)):
            return None
        tried = (WordRequest(NAMED[name], replace(case.told, word=word), case.likely[name]) for word in case.words)
        return next((one for one in tried if self._answers.wanted(case.asked.question, one)), None)

    def _asked_for(self, likely: Mapping[str, float]) -> str:
        """Return the task that a text asks for, for a question without an answer; empty if unclear."""
        # Upper and lower case need an answer.
        likely = {
            name: near for name, near in likely.items() if (name in NAMED and name not in _OF_FORM) or name == OUTSIDE
        }
        return _clearest(likely, *_LEAST_SAID)

    def _other_word(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the same request about another word: "not cat, dog"."""
        word, words = alone.subject.word, words_in(case.whole)
        told = [each for each in case.new if lexicon().find(each) and not self._subjects.explains(each)]
        if len(words) > _MOST_RESTATED or len(told) != 1:
            return None
        is_alike = told[0][0] == word[0] and get_close_matches(word, told, n=1, cutoff=_SPELLED_ALIKE)
        is_denied = word in words and word not in words_in(case.said)
        if is_denied or (is_alike and told[0] not in self._answers.wanted(case.asked.question, alone)):
            return replace(alone, subject=replace(alone.subject, word=told[0]))
        return None

    def _more(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the request for further answers."""
        kind = next(iter(case.likely))
        if kind != "another" or case.likely[kind] < _LEAST_KIND or alone.name == "definition":
            return None
        count = numbers_in(self._languages.english(case.said))[1]
        skip = len(self._answers.wanted(case.asked.question, alone))
        return replace(alone, skip=skip, most=count or _MORE)

    def _of_sense(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the request for the sense of the word that a correction picks or explains."""
        word = alone.subject.word
        if alone.name not in _BY_SENSE or word not in words_in(case.about):
            return None
        sense, near = self._senses.pick(word, case.said)
        answers = {"antonym": sense.antonyms, "synonym": sense.synonyms} if sense else {}
        if not {*words_in(case.said)}.isdisjoint(answers.get(alone.name, ())):
            return None  # the correction names an answer, not a sense
        is_meant = near >= _CLEAR_SENSE or case.likely.get("sense", 0.0) >= _LEAST_SENSE
        return replace(alone, subject=replace(alone.subject, sense=sense)) if sense and is_meant else None

    def _given(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the request with the answer that the user gave in a few words: "it's cold"."""
        is_of_this = self._languages.fold(case.about) == self._languages.fold(case.asked.question)
        if alone.name == "definition" or not is_of_this or any(self._subjects.names(case.said, name) for name in NAMED):
            return None
        answers, words = self._answers.wanted(case.asked.question, alone), words_in(case.said)
        if any(answer in words for answer in answers):
            return alone
        kind, near = next(iter(case.likely.items()))
        is_other = kind not in {"gives", "wrong"} and near >= _LEAST_KIND
        is_given = not is_other and (case.likely.get("gives", 0.0) >= _LEAST_GIVEN or len(words) == 1)
        given = find_new_value(case.said, "", case.asked.question, self._languages) if is_given else ""
        return replace(alone, given=given) if lexicon().find(given) or self._answers.english(given) else None


def _clearest(likely: Mapping[str, float], least: float, ahead: float) -> str:
    """Return the first label if it is a task with at least `least` and `ahead` times the next; else an empty text."""
    (name, near), (_, second) = [*likely.items(), ("", 0.0), ("", 0.0)][:2]
    return name if name in NAMED and near >= max(least, ahead * second) else ""
