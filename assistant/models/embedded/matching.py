"""Which operation a question, or what was said about it, asks for: the nearest definition or example, with a margin.

Both are compared by wording and by meaning, the word asked about left out. An example beats a definition where the
question is asked as it is; what no operation does is defined too, so that a question that is nearer to it is declined.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from assistant.language.languages import Languages
from assistant.models.embedded.demonstrations import Demonstration
from assistant.models.embedded.operations import NAMED, OUTSIDE, Operation, definitions, plain
from assistant.models.embedded.similarity import Known, Likeness, without

# By wording alone so near a text is, beside the next, that nothing else need be asked.
_SAME_WORDING = 0.8
# How near the nearest has to be, and how much nearer than the next: of a question, and of what was said to put it
# right, which is about a word as a rule. The second number is where no meaning can be compared.
_LEAST_ASKED = (0.75, 0.5)
_LEAST_SAID = (0.5, 0.3)
_MARGIN = 0.03
_SHOWN = 0.05  # an operation that the examples show is so much nearer
_UNFIT = 0.1  # one that finds no answer is so much farther
_FURTHER = 0.5  # how near, by wording, the rest of a text names a second operation


@dataclass(frozen=True, slots=True)
class Match:
    """What was found: an operation, and the example that is followed, if it was one."""

    operation: Operation
    demo: Demonstration | None = None


def _defined() -> tuple[Known, ...]:
    return tuple(
        Known(each.name, text, has_meaning=text in each.english)
        for each in definitions().values()
        for text in (*each.english, *each.others)
    )


class Matcher:
    """See the module."""

    def __init__(self, languages: Languages, likeness: Likeness) -> None:
        self._languages = languages
        self._likeness = likeness
        self._defined = _defined()
        self._english = tuple(each for each in self._defined if each.label in NAMED)

    def named(self, text: str) -> Operation | None:
        """The operation that a text names in the words of its definition, if any."""
        near, label = self._likeness.best_by_wording(self._likeness.tokens(text), self._defined)
        return NAMED.get(label) if near >= _FURTHER else None

    def asked(self, text: str, demos: Sequence[Demonstration], unfit: Collection[str]) -> Match | None:
        """What a question asks for, the word in it replaced; `unfit`: operations that find no answer."""
        if (demo := self._same(text, demos)) is not None:
            return Match(demo.operation, demo) if demo.operation else None
        known = [Known(_label(demo, number), demo.frame) for number, demo in enumerate(demos) if not demo.said]
        return self._nearest(text, (*self._defined, *known), demos, unfit, _LEAST_ASKED)

    def said(self, text: str, demos: Sequence[Demonstration], unfit: Collection[str]) -> Match | None:
        """What was meant, by what was said about it."""
        known = [Known(_label(demo, at), said) for at, demo in enumerate(demos) for said in demo.said if demo.operation]
        return self._nearest(text, (*self._defined, *known), demos, unfit, _LEAST_SAID)

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
        least: tuple[float, float],
    ) -> Match | None:
        scores = self._likeness.scores(text, known)
        if not scores:
            return None
        shown = {_label(demo, number) for number, demo in enumerate(demos)}
        for label in scores:
            scores[label] += _SHOWN * (label in shown) - _UNFIT * (label in unfit)
        best, *others = sorted(scores, key=lambda label: -scores[label])
        margin = scores[best] - max((scores[label] for label in others), default=0.0)
        if scores[best] < least[not self._likeness.has_meaning] or margin < _MARGIN or best == OUTSIDE:
            return None
        if best in NAMED:
            return Match(self._with_further(text, NAMED[best]))
        demo = demos[int(best)]
        return Match(demo.operation, demo) if demo.operation else None

    def _with_further(self, text: str, operation: Operation) -> Operation:
        """What the rest of the text names besides: "the opposite, in capitals"; what is about the meaning goes first."""
        name = operation.names[0]
        explained = {token for each in self._defined if each.label == name for token in self._likeness.tokens(each.text)}
        rest = without(self._likeness.tokens(text), explained)
        if not rest:
            return operation
        near, label = self._likeness.best_by_wording(rest, self._english)
        if near < _FURTHER or label == name or not (plain(NAMED[label]) or plain(operation)):
            return operation
        first, second = sorted((operation, NAMED[label]), key=plain)
        return first.then(second)


def _label(demo: Demonstration, number: int) -> str:
    """An example of a defined operation stands for that; any other for itself."""
    operation = demo.operation
    return operation.names[0] if operation and len(operation.names) == 1 else str(number)
