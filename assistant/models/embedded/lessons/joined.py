"""Something done with each word that a question names, and what comes of it joined: the letters at given places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from assistant.language.arguments import NTH, NUMBER
from assistant.language.asked_word import marked_words, words_in
from assistant.models.embedded.lessons.family import Noted, Solved
from assistant.models.embedded.lessons.named_words import NamedWord, NamedWords
from assistant.models.embedded.likeness.similarity import Likeness
from assistant.models.embedded.operations import NAMED, Operation, Subject, definitions
from assistant.models.embedded.phrases import VOICES, phrases_for, say, voice

_SIGNS = ("", " ", "-", ", ", ",", "+", "_", "/", ".")


@dataclass(frozen=True, slots=True)
class _Rule:
    operation: Operation
    sign: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A `Family`."""

    named: NamedWords
    likeness: Likeness

    def is_about(self, question: str) -> bool:
        return bool(self.named(question))

    def solve(self, question: str, lessons: Sequence[Noted]) -> Solved | None:
        rules = {at: rule for at, lesson in enumerate(lessons) if (rule := _rule(lesson.rule))}
        for words in self._ways(question) if rules else ():
            asked = self._told(question, words)
            near = {at: len(asked & self._told(self._about(lessons[at], rule), ())) for at, rule in rules.items()}
            for at in sorted(filter(near.get, near), key=lambda at: -near[at]):
                if all(made := [_made(rules[at].operation, word) for word in words]):
                    return Solved(rules[at].sign.join(made), (at,))
        return None

    def explain(self, question: str, answer: str, lessons: Sequence[Noted]) -> Noted | None:
        wanted = answer.strip().casefold()
        for words in [] if self.solve(question, lessons) else self._ways(question):
            for name, operation in NAMED.items():
                made = [_made(operation, word) for word in words]
                sign = next((sign for sign in _SIGNS if all(made) and sign.join(made).casefold() == wanted), None)
                if sign is not None:
                    return Noted(self._key(question, words), self._said(name, sign, question))
        return None

    def _ways(self, question: str) -> list[tuple[NamedWord, ...]]:
        """The words with which something may be done: those that it names, or those of the phrase that it names."""
        return self.named(question) or self.named.of_phrase(question)

    def _said(self, name: str, sign: str, question: str) -> str:
        at = voice(self.named.languages.language(question), question)
        return say("joined", at, thing=_thing(name, at), between=say("between", at, sign=sign) if sign else "")

    def _key(self, question: str, words: Sequence[NamedWord]) -> str:
        """How it was asked, without the words and numbers."""
        named = {word.casefold() for word, _ in words}
        told = (word.casefold() for word in words_in(question))
        return ", ".join(dict.fromkeys(word for word in told if word not in named and self._told(word, ())))

    def _about(self, lesson: Noted, rule: _Rule) -> str:
        """All that a rule is asked for by: in its own words, and as people explain what it does."""
        return " ".join((lesson.key, lesson.rule, *definitions()[rule.operation.names[0]].english))

    def _told(self, text: str, words: Sequence[NamedWord]) -> set[str]:
        """The stems of the words that say what is to be done, without those that are named."""
        named = {stem for word, _ in words for stem in self.likeness.tokens(word)}
        told = self.likeness.tokens(text).items()
        return {stem for stem, tells in told if tells >= 1 and stem.isalpha() and stem not in {NUMBER, NTH}} - named


def _made(operation: Operation, word: NamedWord) -> str:
    text, number = word
    subject = Subject(text, (number,) if number else (), max(0, number))
    return next(iter(operation.solve(subject, phrases_for(text))), "")


@cache
def _rule(text: str) -> _Rule | None:
    """The operation whose words a rule has, and the sign that it says stands between."""
    things = {thing: name for thing, name in _things() if thing in text}
    if not things:
        return None
    longest = max(things, key=len)
    return _Rule(NAMED[things[longest]], next(iter(marked_words(text.partition(longest)[2])), ""))


def _things() -> Iterator[tuple[str, str]]:
    for name in NAMED:
        for at in range(len(VOICES)):
            yield _thing(name, at), name


def _thing(name: str, at: int) -> str:
    return definitions()[name].says[at].format(it=say("each", at), n="n")
