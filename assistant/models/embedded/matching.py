"""Which operation a question, or what was said about it, asks for: the nearest definition or example, with a margin.

Both are compared by wording and by meaning, the word asked about left out. An example beats a definition where the
question is asked as it is; what no operation does is defined too, so that a question that is nearer to it is declined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from assistant.language.languages import Languages
from assistant.models.embedded.demonstrations import Demonstration
from assistant.models.embedded.operations import NAMED, OUTSIDE, Definition, Operation, Subject, definitions, plain
from assistant.models.embedded.phrases import phrases_for
from assistant.models.embedded.similarity import NUMBER, Known, Likeness, without
from assistant.models.embedded.subjects import PLACE, numbers_in

# By wording alone so near a text is, beside the next, that nothing else need be asked.
_SAME_WORDING = 0.8
_APART = 0.1  # and where it is by so much nearer than any other, it goes before them
_INSTANCE = 0.3  # so much nearer is an operation that leads from one word of the text to another
_BETWEEN = 4  # words from one to the other at most


class _Bar(NamedTuple):
    """How near the nearest has to be, and how much nearer than the next."""

    least: float
    least_by_wording: float  # where no meaning can be compared
    margin: float
    shown: float  # so much nearer is an operation that the examples show
    outside: float  # and what no operation does


_ASKED = _Bar(0.75, 0.5, 0.03, 0.1, 0.05)
_SAID = _Bar(0.5, 0.25, 0.01, 0.2, -0.1)  # what puts a question right is about a word as a rule
_UNFIT = 0.1  # one that finds no answer is so much farther
_UNEXPLAINED = 0.25  # so much nearer it has to be for each word that has nothing to do with words
_SHOWN_BY_WORDS = ("antonym", "homophone", "rhyme", "plural", "past", "comparative")
_PAIR = 2
_CONTENT = "content"
_TELLING = frozenset({_CONTENT, "asking", "common"})
_ENGLISH = phrases_for("")
_FURTHER = 0.5  # how near, by wording, the rest of a text names a second operation


@dataclass(frozen=True, slots=True)
class Match:
    """What was found: an operation, and the example that is followed, if it was one."""

    operation: Operation
    demo: Demonstration | None = None


def _known(defined: Iterable[Definition | None]) -> tuple[Known, ...]:
    return tuple(Known(each.name, text) for each in defined if each for text in (*each.english, *each.others))


class Matcher:
    """See the module."""

    def __init__(self, languages: Languages, likeness: Likeness) -> None:
        self._languages = languages
        self._likeness = likeness
        self._defined = _known(definitions().values())
        self._told = (*self._defined, *_known(each.told for each in definitions().values()))
        said = [
            Known(each.name, text.format(it=PLACE, n=NUMBER)) for each in definitions().values() for text in each.says
        ]
        self._naming = (*self._defined, *said)
        self._explaining = frozenset(text for each in self._defined for text in each.text.split())
        self._english = tuple(each for each in self._defined if each.label in NAMED)

    def named(self, text: str) -> Operation | None:
        """The operation that a text names in the words of its definition, or as an understanding does, if any."""
        near, label = self._likeness.best_by_wording(self._likeness.tokens(text), self._naming)
        return NAMED.get(label) if near >= _FURTHER else None

    def both(self, text: str) -> Operation | None:
        """Two operations, of which each stands in a part of its own: "its plural, backwards"."""
        named = [self.named(part) for part in text.split(",")]
        if len(named) != _PAIR or None in named:
            return None
        first, second = sorted(filter(None, named), key=plain)
        return first.then(second) if plain(second) and first.names != second.names else None

    def asked(self, text: str, whole: str, demos: Sequence[Demonstration], unfit: Collection[str]) -> Match | None:
        """What a question asks for, the word in it replaced; `unfit`: operations that find no answer.

        `whole` is the question as it is, which may ask for just what no operation does: "tell me a joke".
        """
        if (demo := self._same(text, demos)) is not None:
            return Match(demo.operation, demo) if demo.operation else None
        near, label = self._likeness.best_by_wording(self._likeness.tokens(whole), self._defined)
        if text.strip() in {"", PLACE} or (label == OUTSIDE and near >= _SAME_WORDING):
            return None
        known = [Known(_label(demo, number), demo.frame) for number, demo in enumerate(demos) if not demo.said]
        unexplained = self._unexplained(text, [demo.frame for demo in demos if demo.subject])
        bar = _ASKED._replace(least=_ASKED.least + _UNEXPLAINED * unexplained)
        return self._nearest(text, (*self._defined, *known), demos, unfit, bar)

    def said(self, text: str, demos: Sequence[Demonstration], unfit: Collection[str]) -> Match | None:
        """What was meant, by what was said about it."""
        denial, comma, rest = text.partition(",")  # of what was understood before: "no no, …"
        if comma and not any(word.kind in _TELLING for word in self._languages.words(denial)):
            text = rest
        known = [Known(_label(demo, at), said) for at, demo in enumerate(demos) for said in demo.said if demo.operation]
        return self._nearest(text, (*self._told, *known), demos, unfit, _SAID)

    def _same(self, text: str, demos: Sequence[Demonstration]) -> Demonstration | None:
        """The example that asks in the same words."""
        asked = tuple(Known(str(number), demo.frame) for number, demo in enumerate(demos) if not demo.said)
        if not asked:
            return None
        near, label = self._likeness.best_by_wording(self._likeness.tokens(text), asked)
        return demos[int(label)] if near >= _SAME_WORDING else None

    def _nearest(
        self,
        text: str,
        known: tuple[Known, ...],
        demos: Sequence[Demonstration],
        unfit: Collection[str],
        bar: _Bar,
    ) -> Match | None:
        if both := self.both(text):
            return Match(both)
        scores = self._likeness.scores(text, known)
        if not scores:
            return None
        scores = {label: score for label, score in scores.items() if label not in unfit or not _lacks(label)}
        instances = self._instances(text)
        shown = {_label(demo, number) for number, demo in enumerate(demos)}
        for label in scores:
            scores[label] += bar.shown * (label in shown) - _UNFIT * (label in unfit) + bar.outside * (label == OUTSIDE)
            scores[label] += _INSTANCE * (label in instances)
        first = self._defined_so(text)
        best, *others = sorted(scores, key=lambda label: (label != first, -scores[label]))
        margin = bar.margin if best == first else scores[best] - max((scores[label] for label in others), default=0.0)
        least = bar.least if self._likeness.has_meaning else bar.least_by_wording
        if scores[best] < least or margin < bar.margin or best == OUTSIDE:
            return None
        if best in NAMED:
            return Match(self._with_further(text, NAMED[best], unfit))
        demo = demos[int(best)]
        return Match(demo.operation, demo) if demo.operation else None

    def _unexplained(self, text: str, frames: Sequence[str]) -> int:
        """How many words of a question nobody asks with who asks about a word."""
        words = frozenset(word for frame in frames for word in frame.split()) | self._explaining
        known = {word.folded for word in self._languages.words(" ".join(sorted(words)))}
        return sum(
            word.kind == _CONTENT and word.folded not in known and not numbers_in(word.written, self._languages)
            for word in self._languages.words(text)
        )

    def _defined_so(self, text: str) -> str:
        """The operation of which a definition has nearly the words of a text, as no other's has; else empty."""
        tokens = self._likeness.tokens(text)
        near, best = self._likeness.best_by_wording(tokens, self._defined)
        others, _ = self._likeness.best_by_wording(tokens, tuple(each for each in self._told if each.label != best))
        return best if near >= max(_SAME_WORDING, others + _APART) else ""

    def _instances(self, text: str) -> frozenset[str]:
        """The relations of which a text gives an instance: "like day and night"."""
        words = self._languages.words(self._languages.english(text))
        content = [(at, word.written.lower()) for at, word in enumerate(words) if word.kind == _CONTENT]
        near = [(one, two) for (at, one), (to, two) in combinations(content, 2) if to - at <= _BETWEEN]
        return frozenset(
            name
            for one, two in near
            if not {one, two} <= self._explaining
            for name in _SHOWN_BY_WORDS
            if two in NAMED[name].solve(Subject(one), _ENGLISH)
        )

    def _with_further(self, text: str, operation: Operation, unfit: Collection[str]) -> Operation:
        """What the rest of a text names besides: "the opposite, in capitals"; what is about the meaning goes first."""
        name = operation.names[0]
        explained = {
            token for each in self._defined if each.label == name for token in self._likeness.tokens(each.text)
        }
        rest = without(self._likeness.tokens(text), explained)
        if not rest:
            return operation
        near, label = self._likeness.best_by_wording(rest, self._english)
        known = tuple(each for each in self._english if each.label == name)
        own, _ = self._likeness.best_by_wording(self._likeness.tokens(text), known)
        if (
            min(own, near) < _FURTHER
            or label in unfit
            or label == name
            or not (plain(NAMED[label]) or plain(operation))
        ):
            return operation
        first, second = sorted((operation, NAMED[label]), key=plain)
        return first.then(second)


def _lacks(label: str) -> bool:
    """Whether an operation that finds no answer lacks what it is about, or an argument, and cannot be meant."""
    return label in NAMED and (definitions()[label].takes != "" or definitions()[label].on != "word")


def _label(demo: Demonstration, number: int) -> str:
    """An example of a defined operation stands for that; any other for itself."""
    operation = demo.operation
    return operation.names[0] if operation and len(operation.names) == 1 else str(number)
