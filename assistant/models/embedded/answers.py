"""Requests and their answers, with both worded in the language of the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.induction import Demonstration
from assistant.models.embedded.operations import LANGUAGES, NAMED, Subject, WordOperation, definitions, plain
from assistant.models.embedded.phrases import LATIN, phrases_for, phrases_in, say, script_of, voice, wanted
from assistant.models.embedded.relations import name_sense

_OF_MEANING = frozenset({"synonym", "antonym", "general", "special", "definition"})  # valid in any language
_BY_LETTERS = frozenset({"without", "count_of"})
_CARRIED = 3  # answers to translate, since the word lists are coarse
_SHOWN = {"rhyme": 3}  # answers, if not one
_MISSING = {
    "antonym": "no_opposite", "synonym": "no_synonym", "homophone": "no_homophone", "letters_at": "no_position",
    "unscrambled": "no_word", "unrotated": "no_word", "without_symbols": "no_letters",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordRequest:
    """An operation on a subject, with the wanted form of the answer."""

    operation: WordOperation
    subject: Subject
    likely: float = 1.0  # probability
    demo: Demonstration | None = None  # the example to follow
    skip: int = 0  # number of rejected answers
    most: int = 0  # maximum number of answers; 0 if not named
    language: str = ""  # of the answer, if named
    given: str = ""  # the answer that the user gave

    @property
    def name(self) -> str:
        """Return the name of its first operation, empty if it was learnt from examples."""
        return next(iter(self.operation.names), "")


class Answers:
    """Answerer of requests, with a cache. Thread-safe."""

    def __init__(self, languages: Languages) -> None:
        self._languages = languages
        self._known = lru_cache(maxsize=1_024)(self._solved)

    def all(self, question: str, operation: WordOperation, subject: Subject) -> Sequence[str]:
        """Return all answers of an operation on a subject, best first, in the language of the question."""
        return self._known(operation, subject, self._languages.language(question), script_of(question))

    def wanted(self, question: str, request: WordRequest) -> Sequence[str]:
        """Return the answers to a request, if any."""
        if request.given:
            return [request.given]
        most = request.most or _SHOWN.get(request.name, 1)
        found = self.all(question, request.operation, request.subject)[request.skip :][:most]
        return [self._translated(each, question, request.language) for each in found] if request.language else found

    def said(self, question: str, request: WordRequest) -> str:
        """Return the answer as a text, or the reason why there is none."""
        if found := self.wanted(question, request):
            return ", ".join(found)
        word = request.subject.word
        is_unknown = not plain(request.operation) and lexicon().find(word) is None
        name = "unknown" if is_unknown else _MISSING.get(request.name, "nothing")
        return say(name, voice(self._languages.language, question), word=word)

    def understood(self, question: str, request: WordRequest) -> str:
        """Return the understanding: that of the example, with the new word, else one from the phrase table."""
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
        """Return the first English translation of a word that the lexicon has, else an empty text."""
        english = self._languages.english(word)
        return next((each for each in english.split() if lexicon().find(each)), "") if english != word else ""

    def _solved(self, operation: WordOperation, subject: Subject, language: str, script: str) -> Sequence[str]:
        """Compute all answers. Words of other languages are translated to English first."""
        in_latin = script == LATIN

        def native(english: str, other: str = language) -> str:
            return english if other == "en" else self._languages.native(english, other, in_latin=in_latin)

        phrases = replace(phrases_in(script), english=self.english, native_in=native)
        if not in_latin and language != "en":
            phrases = replace(phrases, native=native)
        is_known, name = lexicon().find(subject.word) is not None, next(iter(operation.names), "")
        if not in_latin and is_known and name == "definition":
            words = (subject.word.lower(), *NAMED["synonym"].solve(subject, phrases))
            own = next(filter(None, map(native, words)), "")
            return [f"{subject.word}: {own}"] if own else operation.solve(subject, phrases_in(LATIN))
        found = operation.solve(subject, phrases)
        if found or is_known or name not in _OF_MEANING:
            return found
        english = self.english(subject.word)
        if not english or name == "definition":
            return [f"{subject.word}: {english}"] if english else []
        translated = map(native, operation.solve(replace(subject, word=english), phrases)[:_CARRIED])
        return [word for word in dict.fromkeys(translated) if word and word != subject.word]

    def _translated(self, answer: str, question: str, language: str) -> str:
        """Translate an answer; unchanged if there is no translation."""
        english = answer if lexicon().find(answer) else self.english(answer) or answer
        in_latin = script_of(question) == LATIN
        return english if language == "en" else self._languages.native(english, language, in_latin=in_latin) or answer
