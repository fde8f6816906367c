"""What a question asks for, and of what; and what a correction changes of that. Below a margin nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache

from assistant.feedback.corrections import correction_in
from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import MARKED, repeated_places, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.demonstrations import Demonstration, Demonstrations, masked
from assistant.models.embedded.operations import LANGUAGES, NAMED, Operation, Subject, definitions, plain
from assistant.models.embedded.phrases import LATIN, phrases_for, phrases_in, script_of, voice, wanted
from assistant.models.embedded.prompt_reader import PromptQuestion, reply_pairs
from assistant.models.embedded.relations import tell_sense
from assistant.models.embedded.senses import SensePicker
from assistant.models.embedded.small_talk import SMALL_TALK
from assistant.models.embedded.subjects import SubjectFinder
from assistant.models.embedded.tasks import OUTSIDE, TaskFinder
from assistant.sentences import Sentence
from assistant.types import Message

NOT_UNDERSTOOD = str(Sentence("embedded.not_understood"))
_NO_EXAMPLES = frozenset({NOT_UNDERSTOOD, *SMALL_TALK})
# How likely a question has to ask for a task, and one that has the words of just one definition.
_LEAST_ASKED, _LEAST_NAMED = 0.35, 0.05
# How likely a correction has to name a task, and how much likelier than the next: where there is no answer, and where
# a good one may be lost. Half as likely is enough where it has the words of just one definition.
_LEAST_SAID, _LEAST_CHANGED = (0.3, 1.2), (0.4, 1.5)
_RESTATED = 0.6  # how likely a correction is a question about another word
_MOST_OUTSIDE, _CLEAR_SENSE = 0.6, 0.6  # so surely it asks for something else, unless a sense is so near
_CLEARLY = 1.3  # so much likelier a word is that is less likely asked about by its place
_UNFIT = 0.3  # so much less likely is one that finds no answer
# The kind of a correction that names another word, and how likely it is where a slip speaks for it.
_OTHER_WORD, _LEAST_OTHER = "other_word", 0.1
_ALIKE = 0.5  # share of the letters of a word and a slip for it
_CLAUSES = re.compile(r"[.,;!?।]")
_SAME_WORDING = 0.75  # share of the letters that two spellings of a word have in common
_LONGEST_SAID = 400  # characters
_TRIED = 3  # words that a question may ask about
_MOST_GIVEN = 3  # words of an answer that a person gives
_MOST_CONTENT = 4  # words of content of a question that may ask about one of them
_SHORTEST_INITIALS = 3  # letters; fewer are those of many words
_MORE = 3  # further answers, where more are wanted
_OF_MEANING = frozenset({"synonym", "antonym", "general", "special", "definition"})  # what holds in any language
_OF_FORM = frozenset({"upper", "lower", "capitalised"})  # how an answer is written
_COUNTED = frozenset({"beginning", "ending"})
_BY_SENSE = frozenset({"definition", "synonym", "antonym"})  # what a sense changes
_MISSING = {
    "antonym": "no_opposite", "synonym": "no_synonym", "homophone": "no_homophone", "letters_at": "no_position",
    "unscrambled": "no_word", "unrotated": "no_word", "without_symbols": "no_letters",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for, and how it is to be answered."""

    operation: Operation
    subject: Subject
    likely: float = 1.0
    demo: Demonstration | None = None  # the example that is followed
    skip: int = 0  # answers that were not wanted
    most: int = 1  # answers that are wanted
    language: str = ""  # of the answer, where one is named
    given: str = ""  # the answer as the person gave it

    @property
    def name(self) -> str:
        """Name of its first operation; empty where examples show it."""
        return next(iter(self.operation.names), "")


class RequestReader:
    """Safe to share between threads."""

    def __init__(self, languages: Languages, tasks: TaskFinder, senses: SensePicker) -> None:
        words = (text for each in definitions().values() for text in (*each.english, *each.others))
        explaining = frozenset(word.folded for text in words for word in languages.words(text))
        self._languages, self._tasks, self._senses = languages, tasks, senses
        self.subjects = SubjectFinder(languages, explaining)
        self._demonstrations = Demonstrations(self.subjects, self._named)
        self._answers = lru_cache(maxsize=1_024)(self._solved)

    def demos(self, messages: Sequence[Message]) -> list[Demonstration]:
        """Return the examples of a prompt, but for those that were declined or are small talk."""
        return [demo for demo in self._demonstrations(reply_pairs(messages)) if demo.understanding not in _NO_EXAMPLES]

    def alone(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> Request | None:
        """Return what a question asks for by itself; None where that is not clear enough."""
        best: Request | None = None
        for word in self.words(asked, demos)[:_TRIED] or [""]:
            found = self._asked(asked, word, demos)
            if found and (best is None or found.likely > _CLEARLY * best.likely):
                best = found
            if found and found.likely == 1.0:
                break
        return best

    def words(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> list[str]:
        """Return what a question may ask about, the likeliest first."""
        frames = [demo.frame for demo in demos if demo.subject and not demo.said]
        return [_spelled(word, asked.about) for word in self.subjects.find(asked, self.phrasing(demos), frames)]

    def followed(
        self, asked: PromptQuestion, said: str, about: str, alone: Request | None, demos: Sequence[Demonstration]
    ) -> Request | None:
        """Return what a question asks for after a correction; None where it is not clear what that changes."""
        corrected = correction_in(said)
        meant = self._undenied((corrected.meant if corrected else said)[:_LONGEST_SAID])
        words = self.words(asked, demos)
        subject = alone.subject if alone else self._subject(asked, words[0]) if words else None
        content = [word for word in self._languages.words(asked.question) if str(word.kind) == "content"]
        if subject is None or (alone is None and len(content) > _MOST_CONTENT):
            return None
        if (alone is None or alone.name == "definition") and _spells_out(meant, subject.word):
            return replace(alone or Request(NAMED["definition"], subject), given=meant.strip(" .!"))
        is_typo = next(iter(self._tasks.said(meant)), "") == _OTHER_WORD
        restated = self.alone(PromptQuestion(meant), demos) if alone and not is_typo else None
        if restated and restated.likely >= _RESTATED and self._asks_of_another(meant, restated.subject.word, asked):
            return restated
        meant = MARKED.sub(" ", meant).strip() or meant  # what is quoted only repeats the question
        last = meant.rpartition(",")[2]  # "when I ask that way, I want a synonym"
        is_last = len(self._tasks.named(last)) == 1 and not self._tasks.both(meant, {})
        texts = (last if is_last else "", self._without_question(meant, (asked.question, about)), meant)
        for text in filter(None, dict.fromkeys(texts)):
            if request := self._told(asked, text, subject, alone, demos):
                others = (replace(request, subject=replace(request.subject, word=word)) for word in words if not alone)
                return next(
                    (one for one in (request, *others) if self.has_answer(asked, one)), None if alone else request
                )
        is_same = self._languages.fold(about) == self._languages.fold(asked.question)
        return self._changed(asked, meant, subject, alone) if is_same or subject.word in words_in(about) else None

    def others(self, asked: PromptQuestion, request: Request) -> Iterator[Request]:
        """Yield what else a question may ask for, the likeliest first."""
        likely = self._tasks.asked(masked(asked.question, request.subject.word), asked.question)
        for name in likely:
            if (
                name in NAMED
                and name not in request.operation.names
                and self.solved(asked, NAMED[name], request.subject)
            ):
                yield Request(NAMED[name], request.subject, likely[name])

    def solved(self, asked: PromptQuestion, operation: Operation, subject: Subject) -> Sequence[str]:
        """Return all answers of an operation about what a question asks, the best first."""
        return self._answers(operation, subject, self._languages.language(asked.question), script_of(asked.question))

    def answer(self, asked: PromptQuestion, request: Request) -> str:
        """Return the answer, or why there is none."""
        if request.given:
            return request.given
        found = self.solved(asked, request.operation, request.subject)[request.skip : request.skip + request.most]
        if request.language:
            found = [self._in_language(self._english(each) or each, request.language) or each for each in found]
        if found:
            return ", ".join(found)
        phrases, word = phrases_for(asked.question), request.subject.word
        is_unknown = not plain(request.operation) and lexicon().find(word) is None
        return phrases.say("unknown" if is_unknown else _MISSING.get(request.name, "nothing"), word=word)

    def has_answer(self, asked: PromptQuestion, request: Request) -> bool:
        """Return True if there is something to answer with."""
        found = self.solved(asked, request.operation, request.subject)[request.skip :]
        return bool(request.given or found)

    def understood(self, asked: PromptQuestion, request: Request) -> str:
        """Return that of the example which is followed, about the new word; else in words of its own."""
        names, demo, subject = request.operation.names, request.demo, request.subject
        if demo and demo.subject and (not names or script_of(demo.understanding) == script_of(asked.question)):
            return demo.understanding.replace(demo.subject.word, subject.word, 1)
        at = voice(self._languages.language(asked.question), asked.question)
        thing = f'"{subject.word}"'
        if subject.sense:
            thing += f" ({tell_sense(subject.sense, phrases_for(asked.question))})"
        told = map(str, subject.letters if {"without", "count_of"} & {*names} else subject.places or [subject.count])
        listed = phrases_for(asked.question).say("and").join(told)
        for name in names:
            thing = definitions()[name].says[at].format(it=thing, n=listed)
        if request.language:
            name = next(name for name, language in LANGUAGES.items() if language == request.language)
            thing = definitions()[f"in_{name}"].says[at].format(it=thing)
        return wanted(thing, at)

    def phrasing(self, demos: Sequence[Demonstration]) -> frozenset[str]:
        """Return the words, folded, with which examples about a word ask."""
        return frozenset(word for demo in demos if demo.subject for word in self.subjects.folded(words_in(demo.frame)))

    def names_task(self, text: str) -> bool:
        """Return True if a correction tells by itself what is wanted."""
        likely = self._tasks.said(text[:_LONGEST_SAID])
        return bool(self._tasks.both(text, likely) or _clearest(likely, *_LEAST_SAID))

    def _named(self, text: str) -> Operation | None:
        return next((NAMED[name] for name in self._tasks.named(text)), None)

    def _asked(self, asked: PromptQuestion, word: str, demos: Sequence[Demonstration]) -> Request | None:
        """Return what a question asks for if it is about this word."""
        subject, text = self._subject(asked, word), masked(asked.question, word)
        for demo in demos:
            is_alike = demo.frame == text.casefold() or self._tasks.likeness(text, demo.frame) >= _SAME_WORDING
            if not demo.said and demo.operation and is_alike:
                return Request(demo.operation, subject, demo=demo)
        if not word:
            return None
        likely = self._fitting(asked, self._tasks.asked(text, asked.question), subject)
        if both := self._tasks.both(text, likely):
            return Request(both, subject)
        name = next(iter(likely), OUTSIDE)
        if name not in NAMED or likely[name] < _LEAST_ASKED:
            named = sorted(self._tasks.named(text), key=lambda each: likely.get(each, 0.0), reverse=True)
            is_named = likely.get(OUTSIDE, 0.0) < _MOST_OUTSIDE and (len(named) == 1 or _is_near(likely, named))
            name = named[0] if named and is_named and likely.get(named[0], 0.0) >= _LEAST_NAMED else OUTSIDE
        if name == OUTSIDE:
            return None
        return Request(NAMED[name], self._for(asked, NAMED[name], subject), likely[name])

    def _fitting(self, asked: PromptQuestion, likely: Mapping[str, float], subject: Subject) -> dict[str, float]:
        """Return the tasks, those less likely that have no answer for the word."""
        of_places = _COUNTED if len(subject.places) > 1 else frozenset[str]()  # "letters 1 and 3" are no beginning

        def fits(name: str) -> bool:
            if name not in NAMED or name in of_places:
                return name not in of_places
            return bool(self.solved(asked, NAMED[name], self._for(asked, NAMED[name], subject)))

        found = {name: near if fits(name) else near * _UNFIT for name, near in likely.items()}
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def _told(
        self, asked: PromptQuestion, text: str, subject: Subject, alone: Request | None, demos: Sequence[Demonstration]
    ) -> Request | None:
        """Return the task that a correction names."""
        said = masked(text, subject.word)
        told = self._subject(asked, subject.word, text)
        for demo in demos:
            if demo.operation and any(said.casefold() == one.casefold() for one in demo.said):
                return Request(demo.operation, subject, demo=demo)
        likely = self._fitting(asked, self._tasks.said(said), told)
        if both := self._tasks.both(said, likely):
            return Request(both, told)
        least, words = _LEAST_CHANGED if alone else _LEAST_SAID, self._tasks.named(said)
        named = [name for name in words if likely.get(name, 0.0) >= (least[0] / 2 if alone else _LEAST_NAMED)]
        name = _clearest(likely, *least) or (named[0] if len(named) == 1 else "")
        if alone and (changed := self._changed_task(alone, name, told, is_named=alone.name in words)):
            return changed
        if name and alone and likely[name] < likely.get(OUTSIDE, 0.0):
            return None
        return Request(NAMED[name], self._for(asked, NAMED[name], told), likely[name]) if name else None

    def _changed_task(self, alone: Request, name: str, told: Subject, *, is_named: bool) -> Request | None:
        """Return what a question asks for by itself, with what a correction adds to that: a form, or a letter."""
        if not name and is_named:
            return alone  # it says once more what the question asks for
        if alone.name in {"count", "count_of"} and told.letters[-1:] and told.letters != alone.subject.letters:
            return replace(alone, operation=NAMED["count_of"], subject=replace(told, letters=told.letters[-1:]))
        if alone.name == "letters_at" and (places := told.places[len(alone.subject.places) :]):
            return replace(alone, subject=replace(told, places=places))
        if name.startswith("in_") and alone.name not in {"", "definition", name}:
            return replace(alone, language=LANGUAGES[name.removeprefix("in_")])
        if name in _OF_FORM and name not in alone.operation.names:
            return replace(alone, operation=alone.operation.at_best().then(NAMED[name]))
        return None

    def _changed(self, asked: PromptQuestion, said: str, subject: Subject, alone: Request | None) -> Request | None:
        """Return the request as a correction changes it that names no task."""
        likely = self._tasks.said(masked(said, subject.word))
        kind = next(iter(likely), "")
        if likely.get(_OTHER_WORD, 0.0) >= _LEAST_OTHER and self._alike(asked, said, subject):
            kind = _OTHER_WORD
        if likely.get("gives", 0.0) >= _LEAST_OTHER and kind == "wrong" and self._given(asked, said):
            kind = "gives"  # "wrong. it's mean"
        found = self._of_kind(kind, asked, said, alone) if alone else None
        if found is None and (alone or self._asks_of_one_word(asked)):
            sense, near = self._senses.pick(subject.word, said)
            request = alone or Request(NAMED["definition"], subject)
            is_meant = sense and (near >= _CLEAR_SENSE or likely.get(OUTSIDE, 0.0) <= _MOST_OUTSIDE)
            if is_meant and request.name in _BY_SENSE:
                found = replace(request, subject=replace(request.subject, sense=sense))
        return found if found and self.has_answer(asked, found) else None

    def _undenied(self, said: str) -> str:
        """Return what is said without clauses that deny something: "not money, side of a river"."""
        clauses = [clause.strip() for clause in said.split(",") if clause.strip()]
        left = [one for one in clauses if all(str(word.kind) != "negation" for word in self._languages.words(one))]
        return ", ".join(left) if left else said

    def _alike(self, asked: PromptQuestion, said: str, subject: Subject) -> list[str]:
        """Return the word of a correction that is spelled like the one that was asked about: "affect", "effect"."""
        new = [word for word in words_in(said) if lexicon().find(word) and word not in words_in(asked.question)]
        return get_close_matches(subject.word, new, n=1, cutoff=_ALIKE)

    def _asks_of_one_word(self, asked: PromptQuestion) -> bool:
        """Return True if a question may want the meaning of its one word: it asks neither who, where nor when."""
        words = self._languages.words(asked.question)
        asks = {name for word in words for kind, name in word.groups if kind == "question"}
        return sum(str(word.kind) == "content" for word in words) == 1 and asks <= {"what", "how"}

    def _of_kind(self, kind: str, asked: PromptQuestion, said: str, alone: Request) -> Request | None:
        """Return the request as a correction of a kind changes it, but for one that picks a sense."""
        is_definition = alone.name == "definition"
        if kind == _OTHER_WORD:
            words = (*self._alike(asked, said, alone.subject), *self.subjects.likeliest(said, ()))
            best = next((word for word in words if lexicon().find(word) and word not in words_in(asked.question)), "")
            return replace(alone, subject=replace(alone.subject, word=best)) if best else None
        if kind in {"wrong", "another"} and not is_definition:
            return replace(alone, skip=1, most=1 if kind == "wrong" else _MORE)
        if kind == "shorter" and is_definition and not alone.subject.sense:
            return replace(
                alone, subject=replace(alone.subject, sense=next(iter(lexicon().senses(alone.subject.word)), None))
            )
        if kind == "gives" and (given := self._given(asked, said)):
            return replace(alone, given=given)
        return None

    def _asks_of_another(self, said: str, word: str, asked: PromptQuestion) -> bool:
        return self.subjects.is_linked(said, word) and word not in words_in(asked.question)

    def _given(self, asked: PromptQuestion, said: str) -> str:
        """Return the answer that a person gives, if it is a word or a few."""
        said = [clause for clause in _CLAUSES.split(said) if clause.strip()][-1]  # "wrong. it's cold"
        known = {word.folded for word in self._languages.words(asked.question)}
        words = [
            word for word in self._languages.words(said) if str(word.kind) == "content" and word.folded not in known
        ]
        words = [word for word in words if lexicon().find(word.written)] or words
        return " ".join(word.written for word in words) if 0 < len(words) <= _MOST_GIVEN else ""

    def _without_question(self, said: str, questions: Sequence[str]) -> str:
        """Return what is said beside a repeated question: "when I say …, I want a synonym"."""
        words = words_in(said)
        told = self.subjects.folded(words)
        asked = (self.subjects.folded(words_in(text)) for text in questions)
        repeated = next(filter(None, (repeated_places(words, told) for words in asked)), None)
        return said if repeated is None else " ".join([*words[: repeated.start], *words[repeated.stop :]])

    def _subject(self, asked: PromptQuestion, word: str, said: str = "") -> Subject:
        told = f"{masked(asked.question, word)} {said}"
        return Subject(word, *numbers_in(self._languages.english(told)), letters_in(told))

    def _for(self, asked: PromptQuestion, operation: Operation, subject: Subject) -> Subject:
        """Return the phrase around the word, where an operation is about a phrase."""
        on = definitions()[operation.names[0]].on if operation.names else ""
        return replace(subject, word=self.subjects.phrase(asked.question, subject.word)) if on == "phrase" else subject

    def _solved(self, operation: Operation, subject: Subject, language: str, script: str) -> Sequence[str]:
        """Work out all answers. A word of another language is taken by what it says in English."""
        is_own = script != LATIN
        phrases = replace(phrases_in(script), english=self._english, native_in=self._native(in_latin=not is_own))
        if is_own and language != "en":
            phrases = replace(phrases, native=lambda english: self._in_language(english, language, in_latin=False))
        is_known = lexicon().find(subject.word) is not None
        if is_own and is_known and operation.names[:1] == ("definition",):
            words = (subject.word.lower(), *NAMED["synonym"].solve(subject, phrases))
            native = next(filter(None, (self._in_language(word, language, in_latin=False) for word in words)), "")
            return [f"{subject.word}: {native}"] if native else operation.solve(subject, phrases_in(LATIN))
        found = operation.solve(subject, phrases)
        if found or is_known or _OF_MEANING.isdisjoint(operation.names[:1]):
            return found
        english = self._english(subject.word)
        if operation.names[0] == "definition":
            return [f"{subject.word}: {english}"] if english else []
        solved = operation.solve(replace(subject, word=english), phrases) if english else ()
        own = [self._in_language(each, language, in_latin=not is_own) for each in solved]
        return [word for word in own if word and word != subject.word]

    def _english(self, word: str) -> str:
        """Return the first English word that a word of another language stands for; empty where nobody knows."""
        english = self._languages.english(word)
        return next((each for each in english.split() if lexicon().find(each)), "") if english != word else ""

    def _native(self, *, in_latin: bool) -> Callable[[str, str], str]:
        return lambda english, language: self._in_language(english, language, in_latin=in_latin)

    def _in_language(self, english: str, language: str, *, in_latin: bool = True) -> str:
        """Return an English word in a language, if that word leads back to it."""
        if language == "en":
            return english
        word = self._languages.native(english, language, in_latin=in_latin)
        return word if word and english in self._languages.english(word).split() else ""


def _spells_out(said: str, word: str) -> bool:
    """Return True if the words of what is said begin with the letters of a word: "be right back" of "brb"."""
    initials = "".join(each[0] for each in words_in(said)).casefold()
    return len(word) >= _SHORTEST_INITIALS and initials == word.casefold()


def _is_near(likely: Mapping[str, float], named: Sequence[str]) -> bool:
    """Return True if the first of some tasks that a question names is nearly likely enough by itself."""
    return bool(named) and likely.get(named[0], 0.0) >= _LEAST_ASKED - _LEAST_NAMED


def _clearest(likely: Mapping[str, float], least: float, ahead: float) -> str:
    """Return the likeliest label if it is a task, likely enough and so much likelier than the next; else nothing."""
    (name, near), (_, second) = [*likely.items(), ("", 0.0), ("", 0.0)][:2]
    return name if name in NAMED and near >= max(least, ahead * second) else ""


def _spelled(word: str, questions: Sequence[str]) -> str:
    """Return what is no word as an earlier question spells it that was put right: "genrous" after "generous"."""
    if lexicon().find(word):
        return word
    known = [other for question in questions for other in words_in(question) if lexicon().find(other)]
    return next(iter(get_close_matches(word, known, n=1, cutoff=_SAME_WORDING)), word)
