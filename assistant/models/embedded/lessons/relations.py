"""What a relation of a relation is: "A mother's brother is an uncle.", applied over and over along a chain.

A rule also holds of the counterparts of its words, as a guess; one that was learnt for just these words comes first,
and a guess that turned out right is known. An answer rests on as many guesses as what is known speaks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.models.embedded.lessons.chains import Chains
from assistant.models.embedded.lessons.counterparts import counterpart, usual
from assistant.models.embedded.lessons.family import Noted, Solved
from assistant.models.embedded.lessons.guesses import Guesses, Known, Pair, guess
from assistant.models.embedded.phrases import say, voice

_VOWELS = "aeiou"
_MOST_SPEAKING = 6  # so many rules speak for as many guesses as a chain may need


@dataclass(frozen=True, slots=True)
class _Span:
    """What a part of a chain comes to, with the places of the rules that say so, and what only a counterpart says."""

    relation: str
    rests_on: tuple[int, ...] = ()
    by_counterpart: tuple[tuple[Pair, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Relations:
    """A `Family`."""

    chains: Chains

    def is_about(self, question: str) -> bool:
        return len(self.chains.asked(question)) > 1

    def solve(self, question: str, lessons: Sequence[Noted]) -> Solved | None:
        steps = self.chains.asked(question)
        known = self._known(lessons) if len(steps) > 1 else {}
        guesses = Guesses.of(known)
        spans = _spans(steps, known, guesses.most) if known else {}
        if whole := spans.get((0, len(steps))):
            speaking = guesses.speaking if len(whole.by_counterpart) > 1 else ()
            return Solved(whole.relation, whole.rests_on, beside=speaking[:_MOST_SPEAKING])
        named = {word for step in steps for word in (step, usual(step), counterpart(usual(step)))}
        about = tuple(at for pair, (_, at) in known.items() if not named.isdisjoint(pair))
        if not about:
            return None
        till, voiced = max(at for at in range(1, len(steps)) if (0, at) in spans), self._voice(question)
        first = _with_article(spans[0, till].relation, voiced)
        return Solved("", about, say("relative", voiced, first=first, last=steps[till]))

    def explain(self, question: str, answer: str, lessons: Sequence[Noted]) -> Noted | None:
        steps = self.chains.asked(question)
        result = self.chains.relation(answer, steps) if len(steps) > 1 else ""
        if not result:
            return None
        known = self._known(lessons)
        spans = _spans(steps, known, Guesses.of(known).most)
        if whole := spans.get((0, len(steps))):
            # What a counterpart told, and turned out right, is known from now on.
            new = whole.by_counterpart[:1] if whole.relation == result else ()
            return next((self._noted(question, *pair, told) for pair, told in new), None)
        for at in range(len(steps) - 1, 0, -1):
            first, second = spans.get((0, at)), spans.get((at, len(steps)))
            if first and second:
                return self._noted(question, first.relation, second.relation, result)
        return None

    def _noted(self, question: str, first: str, last: str, result: str) -> Noted:
        at = self._voice(question)
        said = {"first": _with_article(first, at), "last": last, "result": _with_article(result, at)}
        rule = say("relation", at, **said)
        return Noted(f"{first}, {last}", rule[:1].upper() + rule[1:])

    def _voice(self, question: str) -> int:
        return voice(self.chains.reasoner.languages.language(question), question)

    def _known(self, lessons: Sequence[Noted]) -> Known:
        known: dict[Pair, tuple[str, int]] = {}
        for at, lesson in enumerate(lessons):
            if (rule := self.chains.rule(lesson.rule)) and len(rule.steps) == 2:
                known.setdefault((rule.steps[0], rule.steps[1]), (rule.result, at))
        return known


def _spans(steps: Sequence[str], known: Known, most_guesses: int) -> dict[tuple[int, int], _Span]:
    """What each part of a chain comes to, in whichever order its relations can be put together."""
    found = {(at, at + 1): _Span(step) for at, step in enumerate(steps)}
    for length in range(2, len(steps) + 1):
        for start in range(len(steps) - length + 1):
            parts = ((start, at, start + length) for at in range(start + length - 1, start, -1))
            made = [_together(found.get((a, b)), found.get((b, c)), known) for a, b, c in parts]
            fit = [span for span in made if span and len(span.by_counterpart) <= most_guesses]
            if whole := min(fit, key=_doubtful, default=None):
                found[start, start + length] = whole
    return found


def _doubtful(span: _Span) -> tuple[int, int]:
    """How little can be relied on what a part of a chain comes to: the most trusted rules have the first places."""
    return len(span.by_counterpart), max(span.rests_on, default=0)


def _together(first: _Span | None, second: _Span | None, known: Known) -> _Span | None:
    """By a rule about just these two, else by a guess."""
    if first is None or second is None:
        return None
    pair = (first.relation, second.relation)
    told = known.get(pair) or known.get((usual(pair[0]), usual(pair[1])))
    guessed = None if told else guess(pair, known)
    if (found := told or guessed) is None:
        return None
    by_counterpart = (*first.by_counterpart, *second.by_counterpart, *([(pair, found[0])] if guessed else []))
    return _Span(found[0], (*first.rests_on, *second.rests_on, found[1]), by_counterpart)


def _with_article(word: str, at: int) -> str:
    return word if at else f"{'an' if word[:1] in _VOWELS else 'a'} {word}"
