"""What is asked for as a request, its answers, and how both are said in the language of the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.induction import Demonstration
from assistant.models.embedded.operations import LANGUAGES, NAMED, Operation, Subject, definitions, plain
from assistant.models.embedded.phrases import LATIN, phrases_for, phrases_in, say, script_of, voice, wanted
from assistant.models.embedded.relations import name_sense

_OF_MEANING = frozenset({"synonym", "antonym", "general", "special", "definition"})  # hold in any language
_BY_LETTERS = frozenset({"without", "count_of"})
_CARRIED = 3  # answers that are worth giving in another language, where the list of words is coarse
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
    begins: str = ""  # the letter with which they begin
    language: str = ""  # of the answer, where one is named
    in_latin: bool | None = None  # the letters of the answer, where they are named
    given: str = ""  # the answer as the person gave it

    @property
    def name(self) -> str:
        """Name of its first operation; empty where examples show it."""
        return next(iter(self.operation.names), "")


class Answers:
    """Answers requests. Safe to share between threads."""

    def __init__(self, languages: Languages) -> None:
        self._languages = languages
        self._known = lru_cache(maxsize=1_024)(self._solved)

    def all(self, question: str, operation: Operation, subject: Subject) -> Sequence[str]:
        """Return all answers of an operation about the subject of a question, the best first."""
        return self._known(operation, subject, self._languages.language(question), script_of(question))

    def wanted(self, question: str, request: Request) -> Sequence[str]:
        """Return the answers that a request wants; none where there are none."""
        if request.given:
            return [request.given]
        found = self.all(question, request.operation, request.subject)[request.skip :]
        return [each for each in found if each.startswith(request.begins)][: request.most]

    def said(self, question: str, request: Request) -> str:
        """Return the answer, or why there is none."""
        found = self.wanted(question, request)
        if request.language or request.in_latin is not None:
            found = [self._carried(each, question, request) for each in found]
        if found:
            return ", ".join(found)
        word = request.subject.word
        is_unknown = not plain(request.operation) and lexicon().find(word) is None
        name = "unknown" if is_unknown else _MISSING.get(request.name, "nothing")
        return say(name, voice(self._languages.language, question), word=word)

    def understood(self, question: str, request: Request) -> str:
        """Return the understanding of the example that is followed, about the new word; else one of its own."""
        names, demo, subject = request.operation.names, request.demo, request.subject
        at, spoken = voice(self._languages.language, question), self._languages.language
        if demo and demo.subject and not subject.sense and (not names or voice(spoken, demo.understanding) == at):
            return demo.understanding.replace(demo.subject.word, subject.word, 1)
        thing = f'"{subject.word}"'
        if subject.sense:
            thing += f" ({name_sense(subject.sense, phrases_for(question))})"
        told = map(str, subject.letters if _BY_LETTERS & {*names} else subject.places or [subject.count])
        listed = phrases_for(question).say("and").join(told)
        tasks = [*names, *(f"in_{name}" for name, language in LANGUAGES.items() if language == request.language)]
        for name in tasks:
            thing = definitions()[name].says[at].format(it=thing, n=listed)
        return wanted(thing, at)

    def english(self, word: str) -> str:
        """Return the first English word that a word of another language stands for; empty where nobody knows."""
        english = self._languages.english(word)
        return next((each for each in english.split() if lexicon().find(each)), "") if english != word else ""

    def _solved(self, operation: Operation, subject: Subject, language: str, script: str) -> Sequence[str]:
        """Work out all answers. A word of another language is taken by what it says in English."""
        is_own = script != LATIN
        phrases = replace(phrases_in(script), english=self.english, native_in=self._native(in_latin=not is_own))
        if is_own and language != "en":
            phrases = replace(phrases, native=lambda english: self._in(english, language, in_latin=False))
        is_known = lexicon().find(subject.word) is not None
        if is_own and is_known and operation.names[:1] == ("definition",):
            words = (subject.word.lower(), *NAMED["synonym"].solve(subject, phrases))
            native = next(filter(None, (self._in(word, language, in_latin=False) for word in words)), "")
            return [f"{subject.word}: {native}"] if native else operation.solve(subject, phrases_in(LATIN))
        found = operation.solve(subject, phrases)
        if found or is_known or _OF_MEANING.isdisjoint(operation.names[:1]):
            return found
        english = self.english(subject.word)
        if operation.names[0] == "definition":
            return [f"{subject.word}: {english}"] if english else []
        solved = operation.solve(replace(subject, word=english), phrases) if english else ()
        own = (self._in(each, language, in_latin=not is_own) for each in solved[:_CARRIED])
        return [word for word in dict.fromkeys(own) if word and word != subject.word]

    def _carried(self, answer: str, question: str, request: Request) -> str:
        """Return an answer in the language and the script that are wanted; as it is where nobody knows."""
        language = request.language or LANGUAGES.get(request.name.removeprefix("in_"), "")
        word = request.subject.word if request.name.startswith("in_") else answer
        english = word if lexicon().find(word) else self.english(word) or word
        in_latin = script_of(question) == LATIN if request.in_latin is None else request.in_latin
        return self._in(english, language or self._languages.language(question), in_latin=in_latin) or answer

    def _native(self, *, in_latin: bool) -> Callable[[str, str], str]:
        return lambda english, language: self._in(english, language, in_latin=in_latin)

    def _in(self, english: str, language: str, *, in_latin: bool) -> str:
        """Return an English word in a language; empty where nobody knows."""
        return english if language == "en" else self._languages.native(english, language, in_latin=in_latin)
