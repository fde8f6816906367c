"""Apply a correction to the request of a question, if its effect is clear.

Every word of a correction must be understood: an unexplained one ("show me how to write a loop in it") leaves the
answer unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain

from assistant.feedback.corrections import parse_correction
from assistant.feedback.values import DENIES, find_new_value, remove_denied
from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import MARKED, find_repeated_places, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.answers import WordRequest
from assistant.models.embedded.induction import Demonstration, mask_word
from assistant.models.embedded.operations import LANGUAGES, NAMED, Subject
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.reader import RequestReader
from assistant.models.embedded.relations import SensePicker
from assistant.models.embedded.tasks import OUTSIDE, TaskFinder, stem_of

# Minimum probability of a task, and minimum ratio to the next label: for a question without an answer, with a word of
# the task or without one; and for a question with a good answer.
_LEAST_NAMED, _LEAST_SAID, _LEAST_CHANGED = (0.35, 1.1), (0.39, 1.3), (0.6, 2.0)
_LEAST_FORM = (0.45, 1.5)  # the same for another form of an answer
_MOST_NEW = 1  # unexplained words of a correction
_RESTATED, _MOST_RESTATED = 0.6, 6  # minimum probability, and maximum words, of a question about another word
_LEAST_KIND, _LEAST_GIVEN = 0.3, 0.1  # minimum probabilities: of a kind of correction, of a given answer
_LEAST_SENSE, _CLEAR_SENSE = 0.1, 0.6  # minimum probability that a correction picks a sense, or cosine of the sense
_SPELLED_ALIKE = 0.65  # minimum similarity of a word and its misspelling, with the same first letter
_SURELY_OUTSIDE = 0.97  # probability of no task from which corrections are ignored
_LONGEST_SAID = 400  # characters
_MOST_WORDS = 7  # of a question that was not understood and may ask about one of them
_SHORTEST_INITIALS = 3  # letters; shorter ones are ambiguous
_MORE = 3  # additional answers
_CONTENT = "content"  # kind of content words
_BEGINS = frozenset({"start", "begin"})
_SCRIPTS = {"gurmukhi": False, "devanagari": False, "devnagri": False, "roman": True}  # name: is Latin
_LETTERS = frozenset({"letter", "alphabet", "script"})
_OF_FORM = frozenset({"upper", "lower"})
_FORMS = frozenset({"plural", "singular", "past", "ing", "comparative", "superlative"})
_BY_SENSE = frozenset({"definition", "synonym", "antonym"})


@dataclass(frozen=True, slots=True)
class CorrectionCase:
    asked: PromptQuestion
    about: str  # the question that the correction was given for
    whole: str  # the full correction
    said: str  # without quotes, denials, and repetitions of the question
    subject: Subject
    told: Subject  # the same with the letters and places that the correction names
    words: Sequence[str]  # possible subjects of the question
    alone: WordRequest | None  # the request of the question without the correction
    likely: Mapping[str, float]  # probability of each task or kind of correction, highest first
    demos: Sequence[Demonstration]
    new: Sequence[str]  # content words that neither explain a task nor occur in the question


class CorrectionReader:
    """Reader of corrections. Thread-safe."""

    def __init__(self, languages: Languages, tasks: TaskFinder, senses: SensePicker, reader: RequestReader) -> None:
        self._languages, self._tasks, self._senses, self._reader = languages, tasks, senses, reader

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
        first = (way(case) for way in (self._as_shown, self._spelled_out, self._both))
        changes = (self._offered, self._spelled_alike, self._other_letters, self._in_script, self._reformed, self._task)
        further = (self._other_word, self._more, self._of_sense, self._given)
        then = (way(case, alone) for way in (*changes, *further)) if alone else map(self._named, [case])
        found = filter(None, chain(first, then))
        return next((one for one in found if self._reader.answers.wanted(asked.question, one)), None)

    def names_task(self, text: str) -> bool:
        """Return True if a correction names a task by itself."""
        text = text[:_LONGEST_SAID]
        return bool(self._asked_for(text, self._tasks.said(text)))

    def is_of_form(self, text: str) -> bool:
        """Return True if a correction asks for the same answer in another language or in other letters."""
        name = _clearest(self._tasks.said(text[:_LONGEST_SAID]), *_LEAST_FORM)
        return name in _OF_FORM or name.startswith("in_")

    def _case(
        self, asked: PromptQuestion, said: str, about: str, alone: WordRequest | None, demos: Sequence[Demonstration]
    ) -> CorrectionCase | None:
        corrected = parse_correction(said)
        whole = corrected.meant if corrected else said
        text, words = remove_denied(self._without_question(whole, (asked.question, about))), self._words(asked, demos)
        is_outside = not alone and self._tasks.asked(asked.question, asked.question)[OUTSIDE] >= _SURELY_OUTSIDE
        if not text or is_outside or not (alone or words):
            return None
        subject = alone.subject if alone else self._reader.subject(asked, words[0])
        told = self._reader.subject(asked, subject.word, text)
        likely = self._tasks.said(mask_word(text, subject.word))
        if alone:  # only a named task may replace a good answer
            likely = self._reader.fitting(asked, likely, told)
            is_named = self._reader.subjects.names
            likely = {name: near for name, near in likely.items() if name not in NAMED or is_named(whole, name)}
        new = self._reader.new_words(text, (asked.question, about, *DENIES))
        return CorrectionCase(asked, about, whole, text, subject, told, words, alone, likely, demos, new)

    def _words(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> list[str]:
        """Return possible subjects of a question; without a certain one, no words that explain tasks."""
        found = self._reader.words(asked, demos)
        if 1.0 in found.values():
            return [*found]
        further = [word for word in words_in(asked.question) if (known := lexicon().find(word)) and known.parts]
        words = [word for word in dict.fromkeys((*found, *further)) if not self._reader.subjects.explains(word)]
        return words if len(words_in(asked.question)) <= _MOST_WORDS else []

    def _without_question(self, said: str, questions: Sequence[str]) -> str:
        """Remove quotes and a repeated question; keep only the text after them if that names a task."""
        *before, behind = MARKED.split(said)
        words, start = words_in(" ".join((*before, behind))), len(words_in(" ".join(before)))
        told = self._reader.subjects.folded(words)
        asked = (self._reader.subjects.folded(words_in(text)) for text in questions)
        if repeated := next(filter(None, (find_repeated_places(one, told) for one in asked)), None):
            words, start = [*words[: repeated.start], *words[repeated.stop :]], repeated.start
        behind = " ".join(words[start:])
        is_enough = start > 0 and any(self._reader.subjects.names(behind, name) for name in NAMED)
        if not repeated and not before:
            return said
        return behind if is_enough else " ".join(words) or said

    def _as_shown(self, case: CorrectionCase) -> WordRequest | None:
        """Return the operation of the example with the same correction."""
        said = mask_word(self._without_question(case.whole, (case.asked.question, case.about)), case.subject.word)
        for demo in case.demos:
            if demo.operation and any(said.casefold() == one.casefold() for one in demo.said):
                return WordRequest(demo.operation, case.subject, demo=demo)
        return None

    def _both(self, case: CorrectionCase) -> WordRequest | None:
        """Return the composition of two operations that a correction names in sequence."""
        both = self._tasks.composed(mask_word(case.said, case.subject.word))
        return WordRequest(both, case.told) if both else None

    def _spelled_out(self, case: CorrectionCase) -> WordRequest | None:
        """Return the words that an abbreviation stands for: "be right back" for "brb"."""
        words = words_in(case.whole)
        asked = [case.subject.word] if case.alone else words_in(case.asked.question)
        for word in (each.casefold() for each in asked if len(each) >= _SHORTEST_INITIALS):
            for run in (words[at : at + len(word)] for at in range(len(words) - len(word) + 1)):
                if "".join(each[0] for each in run).casefold() == word:
                    meant = replace(case.subject, word=word)
                    return WordRequest(NAMED["definition"], meant, given=" ".join(run))
        return None

    def _offered(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the request for the sense that a correction names as `answers.by_sense` offers it."""
        return self._reader.answers.by_sense(case.asked.question, alone).get(case.whole)

    def _spelled_alike(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the same request about a word of the correction with a similar spelling."""
        word = case.subject.word
        if alone.name in _FORMS:
            return None
        answers = self._reader.answers.all(case.asked.question, alone.operation, alone.subject)
        known = {*words_in(case.asked.question), *answers}
        new = (each for each in self._told_words(case) if lexicon().find(each) and each not in known)
        others = [each for each in new if each[0] == word[0] and not (each.startswith(word) or word.startswith(each))]
        alike = get_close_matches(word, others, n=1, cutoff=_SPELLED_ALIKE)
        return replace(alone, subject=replace(alone.subject, word=alike[0])) if alike else None

    def _told_words(self, case: CorrectionCase) -> list[str]:
        """Return the known content words of a correction, in any language."""
        content = (word.written.strip("*") for word in self._languages.words(case.said) if str(word.kind) == _CONTENT)
        return [word for word in content if lexicon().find(word) or self._reader.answers.english(word)]

    def _other_word(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the same request about another word: "not cat, dog"; or a new one: "no wait, plural of cactus"."""
        if len(words_in(case.whole)) > _MOST_RESTATED:
            return None
        word, explains = case.subject.word, self._reader.subjects.explains
        told = [each for each in self._told_words(case) if not explains(each)]
        if len(told) == 1 and word in words_in(case.whole) and word not in words_in(case.said):
            return replace(alone, subject=replace(alone.subject, word=told[0]))
        restated = self._reader.alone(PromptQuestion(case.whole), case.demos)
        if restated is None or restated.likely < _RESTATED or case.new != [restated.subject.word]:
            return None
        return restated if lexicon().find(restated.subject.word) else None

    def _other_letters(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the same request about other letters or places."""
        told = case.told
        if alone.name in {"count", "count_of"} and len(told.letters) == 1 and told.letters != alone.subject.letters:
            return replace(alone, operation=NAMED["count_of"], subject=told)
        if alone.name == "letters_at" and (places := told.places[len(alone.subject.places) :]):
            return replace(alone, subject=replace(told, places=places))
        return None

    def _in_script(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the same request in another script, or with another first letter."""
        stems = {stem_of(self._languages, word) for word in words_in(case.said)}
        told, name = self._languages.in_plain_english(case.said).lower(), next(iter(case.likely))
        in_latin = next((is_latin for word, is_latin in _SCRIPTS.items() if word in told), None)
        if in_latin is None and stems & _LETTERS and name.startswith("in_"):
            in_latin = name == "in_english"
        if in_latin is not None:
            return replace(alone, in_latin=in_latin)
        letters = letters_in(case.said) if stems & _BEGINS else ()
        return replace(alone, begins=letters[-1]) if letters else None

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
        if not (name := self._asked_for(case.said, case.likely)):
            return None
        tried = [WordRequest(NAMED[name], replace(case.told, word=word), case.likely[name]) for word in case.words]
        return next((one for one in tried if self._reader.answers.wanted(case.asked.question, one)), tried[0])

    def _asked_for(self, text: str, likely: Mapping[str, float]) -> str:
        """Return the task that a text asks for, for a question without an answer; empty if unclear."""
        # Upper and lower case need an answer.
        likely = {
            name: near for name, near in likely.items() if (name in NAMED and name not in _OF_FORM) or name == OUTSIDE
        }
        name = _clearest(likely, *_LEAST_NAMED)
        is_named = name and self._reader.subjects.names(text, name)
        return name if is_named else _clearest(likely, *_LEAST_SAID)

    def _more(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the request for further answers."""
        kind = next(iter(case.likely))
        if kind != "another" or case.likely[kind] < _LEAST_KIND or alone.name == "definition":
            return None
        count = numbers_in(self._languages.english(case.said))[1]
        skip = len(self._reader.answers.wanted(case.asked.question, alone))
        return replace(alone, skip=skip, most=count or _MORE)

    def _given(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the request with the answer that the user gave in a few words: "it's cold"."""
        is_of_this = self._languages.fold(case.about) == self._languages.fold(case.asked.question)
        if alone.name == "definition" or not is_of_this:
            return None
        if any(self._reader.subjects.names(case.said, name) for name in NAMED):
            return None
        answers, words = self._reader.answers.wanted(case.asked.question, alone), words_in(case.said)
        if any(answer in words for answer in answers):
            return alone
        kind, near = next(iter(case.likely.items()))
        is_other = kind not in {"gives", "wrong"} and near >= _LEAST_KIND
        is_given = not is_other and (case.likely.get("gives", 0.0) >= _LEAST_GIVEN or len(words) == 1)
        given = find_new_value(case.said, "", case.asked.question, self._languages) if is_given else ""
        is_word = lexicon().find(given) or self._reader.answers.english(given) or not answers
        return replace(alone, given=given) if given and is_word else None

    def _of_sense(self, case: CorrectionCase, alone: WordRequest) -> WordRequest | None:
        """Return the request for the sense of the word that a correction picks or explains."""
        word = case.subject.word
        if alone.name not in _BY_SENSE or word not in words_in(case.about):
            return None
        sense, near = self._senses.pick(word, case.said)
        answers = {"antonym": sense.antonyms, "synonym": sense.synonyms} if sense else {}
        if not {*words_in(case.said)}.isdisjoint(answers.get(alone.name, ())):
            return None  # the correction names an answer, not a sense
        is_meant = near >= _CLEAR_SENSE or case.likely.get("sense", 0.0) >= _LEAST_SENSE
        return replace(alone, subject=replace(alone.subject, sense=sense)) if sense and is_meant else None


def _clearest(likely: Mapping[str, float], least: float, ahead: float) -> str:
    """Return the first label if it is a task with at least `least` and `ahead` times the next; else an empty text."""
    (name, near), (_, second) = [*likely.items(), ("", 0.0), ("", 0.0)][:2]
    return name if name in NAMED and near >= max(least, ahead * second) else ""
