"""What a correction changes of what a question asks for; nothing where that is not clear."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from assistant.feedback.corrections import correction_in
from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import MARKED, repeated_places, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.answers import Request
from assistant.models.embedded.induction import Demonstration, masked
from assistant.models.embedded.operations import LANGUAGES, NAMED, Subject
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.reader import RequestReader
from assistant.models.embedded.relations import SensePicker
from assistant.models.embedded.tasks import OUTSIDE, TaskFinder, stem_of

# How likely a correction has to ask for a task, and how much likelier than the next label: where there is no answer,
# by a word of the task or without one, and where a good answer may be lost.
_LEAST_NAMED, _LEAST_SAID, _LEAST_CHANGED = (0.35, 1.1), (0.45, 1.3), (0.6, 2.0)
_RESTATED, _MOST_RESTATED = 0.6, 6  # how likely a correction is a question about another word, of so many words
_LEAST_SENSE, _CLEAR_SENSE = 0.1, 0.6  # how likely a correction picks a sense, unless one is so near
_SURE = 0.6  # how likely a part of a correction has to be of a label to count for all of it
_LEAST_KIND = 0.3  # how likely a correction is of a kind
_ALIKE = 0.5  # share of the letters of a word and a slip for it
_LONGEST_SAID = 400  # characters
_MOST_GIVEN = 3  # words of an answer that a person gives
_MOST_WORDS = 7  # of a question that was not understood and may ask about one of them
_SHORTEST_INITIALS = 3  # letters; fewer are those of many words
_MORE = 3  # further answers, where more are wanted
_CLAUSES = re.compile(r"[.,;!?।]")
_BREAKS = re.compile(r"[,;.!।]|\bbut\b|(?<=\w )(?=I want)")  # between clauses
_DENIES = frozenset(
    {"not", "no", "didn't", "didnt", "isn't", "don't", "nahi", "nahin", "nhi", "nai", "ni", "नहीं", "ਨਹੀਂ"}
)
_BEGINS = frozenset({"start", "begin"})
_SCRIPTS = frozenset({"gurmukhi", "devanagari", "devnagri", "devanagri"})
_OF_FORM = frozenset({"upper", "lower", "capitalised"})
_ANSWERED_BY_WORD = frozenset({"antonym", "synonym", "homophone", "rhyme", "general", "special"})
_BY_SENSE = frozenset({"definition", "synonym", "antonym"})


@dataclass(frozen=True, slots=True)
class Case:
    """A correction of a question."""

    asked: PromptQuestion
    whole: str  # as it was said
    said: str  # without quotes, and what it only repeats of the question
    subject: Subject
    words: Sequence[str]  # that the question may ask about
    alone: Request | None  # what it asks for by itself
    likely: Mapping[str, float]  # tasks and kinds that the correction may be of, the likeliest first
    demos: Sequence[Demonstration]
    others: Sequence[str]  # words that may take the place of the one that was asked about, the likeliest first
    is_same: bool  # it was said about this question, or one with its word


class CorrectionReader:
    """Safe to share between threads."""

    def __init__(self, languages: Languages, tasks: TaskFinder, senses: SensePicker, reader: RequestReader) -> None:
        self._languages, self._tasks, self._senses, self._reader = languages, tasks, senses, reader

    def followed(
        self, asked: PromptQuestion, said: str, about: str, alone: Request | None, demos: Sequence[Demonstration]
    ) -> Request | None:
        """Return what a question asks for after a correction; None where it is not clear what that changes.

        Args:
            asked: the question.
            said: the correction.
            about: the question that it was said about.
            alone: what the question asks for by itself; None where that was not understood.
            demos: the examples of the prompt.
        """
        case = self._case(asked, said[:_LONGEST_SAID], about, alone, demos)
        if case is None:
            return None
        first = (self._spelled_out, self._restated, self._as_shown, self._other_letters)
        ways = (*first, self._reformed, self._task, self._changed, self._repeated)
        found = (request for way in ways if (request := way(case)))
        return next((one for one in found if self._reader.answers.wanted(asked.question, one)), None)

    def names_task(self, text: str) -> bool:
        """Return True if a correction tells by itself what is wanted."""
        text = text[:_LONGEST_SAID]
        return bool(self._asked_for(text, self._tasks.said(text)))

    def _asked_for(self, text: str, likely: Mapping[str, float]) -> str:
        """Return the task that a text asks for where nothing was answered; empty where that is not clear."""
        name = _clearest(_tasks(likely), *_LEAST_NAMED)
        is_named = name and self._reader.subjects.names(text, name)
        return name if is_named else _clearest(_tasks(likely), *_LEAST_SAID)

    def speaks_of_tasks(self, text: str) -> bool:
        """Return True if a text has a word with which tasks are explained: "letter", "opposite", "Punjabi"."""
        return any(self._reader.subjects.names(text, name) for name in NAMED)

    def _case(
        self, asked: PromptQuestion, said: str, about: str, alone: Request | None, demos: Sequence[Demonstration]
    ) -> Case | None:
        corrected = correction_in(said)
        whole = corrected.meant if corrected else said
        texts = self._readings(whole, (asked.question, about))
        words = self._words(asked, demos)
        if not alone and not words:
            return None
        subject = alone.subject if alone else self._reader.subject(asked, words[0])
        told = self._reader.subject(asked, subject.word, texts[0])
        others = self._other_words(texts[0], asked.question, subject.word)
        readings = [self._tasks.said(masked(text, subject.word)) for text in texts]
        surest = max(readings, key=lambda one: max(one.values()))
        likely = next((one for one in readings[1:] if max(one.values()) >= _SURE), surest)
        likely = {name: near for name, near in likely.items() if others or name != "other_word"}
        is_same = self._languages.fold(about) == self._languages.fold(asked.question) or subject.word in words_in(about)
        likely = self._reader.fitting(asked, likely, told) if alone else likely
        if alone:  # a good answer is only given up for a task that is named
            named = " ".join(texts)
            is_named = self._reader.subjects.names
            likely = {name: near for name, near in likely.items() if name not in NAMED or is_named(named, name)}
        return Case(asked, whole, texts[0], subject, words, alone, likely, demos, others, is_same)

    def _words(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> list[str]:
        """Return what a question that is not understood may ask about: no word that explains tasks, unless told."""
        found = self._reader.words(asked, demos)
        if 1.0 in found.values():
            return [*found]
        further = [word for word in words_in(asked.question) if (known := lexicon().find(word)) and known.parts]
        words = [word for word in dict.fromkeys((*found, *further)) if not self._reader.subjects.explains(word)]
        return words if len(words_in(asked.question)) <= _MOST_WORDS else []

    def _readings(self, said: str, questions: Sequence[str]) -> list[str]:
        """Return what is said without quotes and a repeated question; also without denials, and the end behind it."""
        *_, end = MARKED.split(said)
        end = end if end != said else ""
        said = MARKED.sub(" ", said).strip() or said
        words = words_in(said)
        told = self._reader.subjects.folded(words)
        asked = (self._reader.subjects.folded(words_in(text)) for text in questions)
        repeated = next(filter(None, (repeated_places(words, told) for words in asked)), None)
        rest = said
        if repeated is not None:
            end = " ".join(words[repeated.stop :])
            rest = " ".join([*words[: repeated.start], end]).strip() or said
        return [*dict.fromkeys(text for text in (rest, _undenied(rest), end.strip()) if text)]

    def _other_words(self, said: str, question: str, word: str) -> list[str]:
        """Return the words of a correction that may take the place of the asked one, those spelled like it first."""
        known, subjects = {*words_in(question), *_DENIES}, self._reader.subjects
        new = [each for each in subjects.likely(said) if each not in known and not subjects.explains(each)]
        uncommon = [each for each in new if not self._tasks.is_common(each)]
        nameable = [each for each in uncommon if lexicon().find(each) or self._reader.answers.english(each)]
        spelled = [each for each in words_in(said) if lexicon().find(each) and each not in known]
        return [*dict.fromkeys((*get_close_matches(word, spelled, n=1, cutoff=_ALIKE), *nameable))]

    def _spelled_out(self, case: Case) -> Request | None:
        """Return the words of which an abbreviation is made: "be right back" of "brb"."""
        initials = "".join(word[0] for word in words_in(case.said)).casefold()
        word = case.subject.word.casefold()
        is_meaning = case.alone is None or case.alone.name == "definition"
        if not is_meaning or len(word) < _SHORTEST_INITIALS or initials != word:
            return None
        return replace(case.alone or Request(NAMED["definition"], case.subject), given=case.said.strip(" .!"))

    def _restated(self, case: Case) -> Request | None:
        """Return what a correction asks that is a question about another word: "plural of cactus"."""
        is_short = len(words_in(case.whole)) <= _MOST_RESTATED
        restated = self._reader.alone(PromptQuestion(case.whole), case.demos) if case.alone and is_short else None
        if restated is None or restated.likely < _RESTATED:
            return None
        word = restated.subject.word
        return restated if word in case.others and lexicon().find(word) else None

    def _as_shown(self, case: Case) -> Request | None:
        """Return the operation of the example in which the same was said."""
        said = masked(case.said, case.subject.word).casefold()
        for demo in case.demos:
            if demo.operation and any(said == one.casefold() for one in demo.said):
                return Request(demo.operation, case.subject, demo=demo)
        return None

    def _reformed(self, case: Case) -> Request | None:
        """Return what was asked for in another form: a language, a script, capitals, a first letter."""
        alone, name = case.alone, _clearest(case.likely, *_LEAST_CHANGED)
        if alone is None:
            return None
        is_translated = alone.name.startswith("in_")
        letters = letters_in(case.said) if self._stems(case.said) & _BEGINS else ()
        if letters:
            return replace(alone, begins=letters[-1])
        if is_translated and {*words_in(case.said.lower())} & _SCRIPTS:
            return replace(alone, own_script=True)
        if name in alone.operation.names:
            return None
        if name.startswith("in_"):
            instead = replace(alone, operation=NAMED[name])
            is_instead = is_translated or alone.name in {"", "definition"}
            return instead if is_instead else replace(alone, language=LANGUAGES[name.removeprefix("in_")])
        then = alone.operation.at_best().then(NAMED[name]) if name in _OF_FORM else None
        return replace(alone, operation=then) if then else None

    def _other_letters(self, case: Case) -> Request | None:
        """Return what was asked of the letters of a word, of other letters or places."""
        alone, told = case.alone, self._reader.subject(case.asked, case.subject.word, case.said)
        is_one = len(told.letters) == 1 and told.letters != (alone and alone.subject.letters)
        if alone and alone.name in {"count", "count_of"} and is_one:
            return replace(alone, operation=NAMED["count_of"], subject=told)
        if alone and alone.name == "letters_at" and (places := told.places[len(alone.subject.places) :]):
            return replace(alone, subject=replace(told, places=places))
        return None

    def _task(self, case: Case) -> Request | None:
        """Return the task that a correction names."""
        told = self._reader.subject(case.asked, case.subject.word, case.said)
        if both := self._tasks.composed(masked(_undenied(case.said), case.subject.word)):
            return Request(both, told)
        name = _clearest(case.likely, *_LEAST_CHANGED) if case.alone else self._asked_for(case.said, case.likely)
        done = case.alone.operation.names if case.alone else ()
        is_form = name.startswith("in_") and bool(done)  # the same in another language is another form of it
        if not name or name in done or is_form:
            return None
        request = Request(NAMED[name], told, case.likely[name])
        words = () if case.alone else case.words
        others = (replace(request, subject=replace(told, word=word)) for word in words)
        wanted = self._reader.answers.wanted
        return next((one for one in (request, *others) if wanted(case.asked.question, one)), request)

    def _repeated(self, case: Case) -> Request | None:
        """Return the request itself where a correction only says once more what was asked for."""
        name = _clearest(case.likely, *_LEAST_CHANGED)
        return case.alone if case.alone and name in case.alone.operation.names else None

    def _changed(self, case: Case) -> Request | None:
        """Return the request as a correction changes it that names no task: another word, sense or answer."""
        if not case.alone or not case.is_same:
            return None
        kind, near = next(iter(case.likely.items()))
        alike = get_close_matches(case.subject.word, case.others[:1], n=1, cutoff=_ALIKE)
        is_word = len(words_in(case.said)) == 1 and case.alone.name in _ANSWERED_BY_WORD
        if alike and (kind == "wrong" or case.likely.get("other_word", 0.0) >= _LEAST_KIND / 3):
            kind, near = "other_word", 1.0
        elif is_word or (kind == "wrong" and case.likely.get("gives", 0.0) >= _LEAST_KIND / 3):
            kind, near = ("gives", 1.0) if self._given(case) else (kind, near)
        return (self._of_kind(kind, case, case.alone) if near >= _LEAST_KIND else None) or self._of_sense(case, kind)

    def _of_sense(self, case: Case, kind: str) -> Request | None:
        """Return the request about the sense of the word that a correction picks or explains."""
        alone, said = case.alone, _undenied(case.said)
        if alone is None or alone.name not in _BY_SENSE:
            return None
        sense, near = self._senses.pick(case.subject.word, said)
        if sense and (near >= _CLEAR_SENSE or case.likely.get("sense", 0.0) >= _LEAST_SENSE):
            return replace(alone, subject=replace(alone.subject, sense=sense))
        is_wrong = said != case.said or not self._reader.answers.wanted(case.asked.question, alone)
        is_own = is_wrong and kind == "sense" and alone.name == "definition"
        is_own = is_own and not lexicon().senses(case.subject.word)
        return replace(alone, given=f"{case.subject.word}: {said.strip(' .!')}") if is_own else None

    def _of_kind(self, kind: str, case: Case, alone: Request) -> Request | None:
        """Return the request as a correction of a kind changes it, but for one that picks a sense."""
        is_definition = alone.name == "definition"
        if kind == "other_word":
            word = next(iter(case.others), "")
            return replace(alone, subject=replace(alone.subject, word=word)) if word else None
        if kind in {"wrong", "another"} and not is_definition:
            count = numbers_in(self._languages.english(case.said))[1]
            without = frozenset(words_in(case.said.lower()))
            return replace(alone, skip=1, without=without, most=1 if kind == "wrong" else count or _MORE)
        if kind == "shorter" and is_definition and not alone.subject.sense:
            sense = next(iter(lexicon().senses(alone.subject.word)), None)
            return replace(alone, subject=replace(alone.subject, sense=sense))
        if kind == "gives" and (given := self._given(case)):
            return replace(alone, given=given)
        return None

    def _given(self, case: Case) -> str:
        """Return the answer that a person gives, if it is a word or a few."""
        clauses = [clause for clause in _CLAUSES.split(case.said) if clause.strip()]  # "wrong. it's cold"
        known = {*self._reader.subjects.folded(words_in(case.asked.question))}
        likely = self._reader.subjects.likely(clauses[-1]) if clauses else {}
        words = [word for word in likely if self._languages.fold(word) not in known]
        words = [word for word in words_in(clauses[-1] if clauses else "") if word in words]
        return " ".join(words) if 0 < len(words) <= _MOST_GIVEN else ""

    def _stems(self, text: str) -> frozenset[str]:
        return frozenset(stem_of(self._languages, word) for word in words_in(text))


def _undenied(said: str) -> str:
    """Return what is said without clauses that deny something: "not money, side of a river"."""
    clauses = [clause.strip() for clause in _BREAKS.split(said) if clause.strip()]
    return ", ".join(one for one in clauses if _DENIES.isdisjoint(words_in(one.lower()))) or said


def _tasks(likely: Mapping[str, float]) -> Mapping[str, float]:
    """Return the labels that are no kinds of change: where there is no answer, there is none to change."""
    return {name: near for name, near in likely.items() if name in NAMED or name == OUTSIDE}


def _clearest(likely: Mapping[str, float], least: float, ahead: float) -> str:
    """Return the likeliest label if it is a task, likely enough and so much likelier than the next; else nothing."""
    (name, near), (_, second) = [*likely.items(), ("", 0.0), ("", 0.0)][:2]
    return name if name in NAMED and near >= max(least, ahead * second) else ""
