"""Which operation a question, or what was said about it, asks for: the nearest definition or example, with a margin.

Both are compared by wording and by meaning, the word asked about left out. An example beats a definition where the
question is asked as it is; what no operation does is defined too, so that a question that is nearer to it is declined.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from assistant.language.arguments import NUMBER, numbers_in
from assistant.language.languages import Languages
from assistant.models.embedded.demonstrations import Demonstration
from assistant.models.embedded.likeness.similarity import Likeness
from assistant.models.embedded.likeness.wording import Known
from assistant.models.embedded.operations import (
    NAMED,
    OUTSIDE,
    Definition,
    Operation,
    Subject,
    definitions,
    plain,
    said,
)
from assistant.models.embedded.phrases import phrases_for
from assistant.models.embedded.subjects import PLACE

_LEAST, _LEAST_BY_WORDING = 0.87, 0.5  # how near a question has to be; the latter where no meaning can be compared
_LITTLE = 0.006  # so much nearer than the next it is, too, or what names it in what was said
_OUTSIDE = 0.2  # so much nearer to a question is what no operation does
_OUTSIDE_SAID = 0.1  # and so much less what was said about it
_LEAST_SAID, _AHEAD = 0.1, 0.05  # how much what was said has to be of one operation, and how much more than of the next
_IS_NAMED = 0.1  # so much more it is of the one operation that it names
_BEFORE = 0.2  # so much less it is of what the question asks for by itself: that was wrong
_DEFINED = 10.0  # so much more a definition is trusted than what somebody said
_SHOWN = 8  # how much more the nearest of what examples say counts
_ALL_BUT_LITTLE = 0.8  # of what the words of a definition tell
_SAME_WORDING = 0.8  # so near by wording a text says the same
_VERY_WORDS, _APART = 0.9, 0.2  # these are its words, and by so much no other's
_NAMED = 0.5  # and so near it names an operation
_UNFIT = 0.2  # one that finds no answer is so much farther
_MOST_TOLD = 2  # words of an answer that is said in the place of a meaning
_UNEXPLAINED = 0.25  # so much nearer a question has to be for each word that has nothing to do with words
_INSTANCE = 0.3  # so much nearer is an operation that leads from one word of a text to another, as from day to night
_INSTANCES = ("antonym", "homophone")
_ENGLISH = phrases_for("")
_AT_A_TIME = 16  # definitions that are encoded
_CONTENT = "content"
_TELLING = frozenset({_CONTENT, "asking", "common"})


@dataclass(frozen=True, slots=True)
class Match:
    """What was found: an operation, and the example that is followed, if it was one."""

    operation: Operation
    demo: Demonstration | None = None
    near: float = math.inf  # by how much it is nearer than it has to be
    others: tuple[Operation, ...] = ()  # that are near enough too and can be done; the nearest first


def _known(defined: Iterable[Definition]) -> tuple[Known, ...]:
    return tuple(Known(each.name, text) for each in defined for text in (*each.english, *each.others))


class Matcher:
    """See the module."""

    def __init__(self, languages: Languages, likeness: Likeness) -> None:
        defined = definitions().values()
        self._languages = languages
        self._likeness = likeness
        self._defined = _known(defined)
        plain_texts = (replace(known, trust=_DEFINED) for known in self._defined)
        self.told = (*plain_texts, *(Known(name, text) for name, text in said()))
        says = [Known(each.name, text.format(it=PLACE, n=NUMBER)) for each in defined for text in each.says]
        self._operations = tuple(each for each in self._defined if each.label in NAMED)
        self._naming = (*self._defined, *says)
        self._explaining = frozenset(text for each in self._defined for text in each.text.split())

    def warm(self) -> None:
        """Have all definitions, and all that people say, encoded."""
        for at in range(0, len(self._defined), _AT_A_TIME):
            self._likeness.scores("", self._defined[at : at + _AT_A_TIME])
        self._likeness.read(self.told)

    def named(self, text: str) -> Operation | None:
        """The operation that a text names in the words of its definition, or as an understanding does, if any."""
        near, label = self._likeness.best_by_wording(text, self._naming)
        return NAMED.get(label) if near >= _NAMED else None

    def _worded(self, text: str) -> str:
        """The operation in whose words a text asks, as in no other's, so that no meaning has to be compared."""
        (near, name), (next_near, _) = self._likeness.two_by_wording(text, self._operations)
        return name if near >= max(_VERY_WORDS, next_near + _APART) else ""

    def telling(self, clauses: Sequence[str]) -> str:
        """The clause that says just what a definition does: "not the meaning, a synonym"; empty where none does."""
        near, clause = max((self._likeness.best_by_wording(each, self._operations)[0], each) for each in clauses)
        return clause if near >= _SAME_WORDING else ""

    def both(self, text: str) -> Operation | None:
        """Two operations that a text names, of which the second is one on any text: "the opposite, in capitals"."""
        labels = self._likeness.pair_by_wording(text, self._operations)
        first, second = sorted((NAMED[label] for label in labels), key=plain) if labels else (None, None)
        return first.then(second) if first and second and plain(second) else None

    def asked(self, text: str, whole: str, demos: Sequence[Demonstration], unfit: Collection[str]) -> Match | None:
        """What a question asks for, the word in it replaced; `unfit`: operations that find no answer.

        `whole` is the question as it is, which may ask for just what no operation does: "tell me a joke".
        """
        frames = tuple(Known(str(at), demo.frame) for at, demo in enumerate(demos) if not demo.said)
        near, label = self._likeness.best_by_wording(text, frames)
        if near >= _SAME_WORDING:
            demo = demos[int(label)]
            return Match(demo.operation, demo) if demo.operation else None
        near, label = self._likeness.best_by_wording(whole, self._defined)
        if text.strip() in {"", PLACE} or (label == OUTSIDE and near >= _SAME_WORDING):
            return None
        if (name := self._worded(text)) and name not in unfit:
            return Match(NAMED[name])
        known = tuple(Known(_label(demos[int(each.label)], each.label), each.text) for each in frames)
        unexplained = self._unexplained(text, [demo.frame for demo in demos if demo.subject])
        least = (_LEAST if self._likeness.has_meaning else _LEAST_BY_WORDING) + _UNEXPLAINED * unexplained
        if both := self.both(text):
            return Match(both, near=1 - least)
        scores = self._likeness.scores(text, (*self._defined, *known))
        scores[OUTSIDE] += _OUTSIDE
        self._weighed(scores, text, unfit)
        return self._match(scores, demos, unfit, least)

    def said(self, text: str, demos: Sequence[Demonstration], unfit: Collection[str], before: str = "") -> Match | None:
        """What was meant, by what was said about it; `before`: what the question was taken for without that."""
        denial, comma, rest = text.partition(",")  # of what was understood before: "no no, …"
        if comma and not any(word.kind in _TELLING for word in self._languages.words(denial)):
            text = rest
        if self.is_answer(text, demos):
            return None
        if both := self.both(text):
            return Match(both)
        scores = self._likeness.separated(text, self.told)
        numbered = enumerate(demos)
        shown = [Known(_label(demo, str(at)), said) for at, demo in numbered for said in demo.said if demo.operation]
        for label, near in self._likeness.scores(text, tuple(shown)).items():
            scores[label] = scores.get(label, 0.0) + math.exp(_SHOWN * (near - self._likeness.most))
        named = self._likeness.named_in(text, self._operations, _ALL_BUT_LITTLE)
        if len(named) == 1:
            scores[next(iter(named))] += _IS_NAMED
        scores[OUTSIDE] -= _OUTSIDE_SAID
        if before in scores.keys() - named:
            scores[before] -= _BEFORE
        best, ahead = self._weighed(scores, text, unfit)
        if ahead < (_AHEAD if self._likeness.has_meaning else _LITTLE) and named != {best}:
            return None
        return self._match(scores, demos, unfit, _LEAST_SAID)

    def _weighed(self, scores: dict[str, float], text: str, unfit: Collection[str]) -> tuple[str, float]:
        """The nearest label, and by how much; instances and what can be done at all count too, and are put in."""
        for label in [label for label in scores if label in unfit and _lacks(label)]:
            del scores[label]
        instances = self._instances(text)
        for label in scores:
            scores[label] += _INSTANCE * (label in instances) - _UNFIT * (label in unfit)
        best, *others = sorted(scores, key=scores.__getitem__, reverse=True)
        return best, scores[best] - next(scores[label] for label in others if label != OUTSIDE)

    def _match(
        self, scores: Mapping[str, float], demos: Sequence[Demonstration], unfit: Collection[str], least: float
    ) -> Match | None:
        best, *others = sorted(scores, key=scores.__getitem__, reverse=True)
        if best == OUTSIDE or scores[best] < least or scores[best] - scores[others[0]] < _LITTLE:
            return None
        demo = None if best in NAMED else demos[int(best)]
        operation = demo.operation if demo else NAMED[best]
        within = (NAMED[label] for label in others if label in NAMED.keys() - unfit and scores[label] >= least)
        return Match(operation, demo, scores[best] - least, tuple(within)) if operation else None

    def ranked(self, text: str, unfit: Collection[str]) -> Mapping[Operation, float]:
        """How near a question is to each operation that can be done, in [0, 1], the nearest first; there is no bar."""
        scores = self._likeness.scores(text, self._operations)
        named = sorted(scores.keys() - unfit, key=scores.__getitem__, reverse=True)
        return {NAMED[name]: min(1.0, max(0.0, scores[name])) for name in named}

    def _unexplained(self, text: str, frames: Sequence[str]) -> int:
        """How many words of a question nobody asks with who asks about a word."""
        words = frozenset(word for frame in frames for word in frame.split()) | self._explaining
        known = self._likeness.tokens(" ".join(sorted(words))).keys()
        return sum(
            word.kind == _CONTENT
            and known.isdisjoint(self._likeness.tokens(word.written))
            and not any(numbers_in(word.written))
            for word in self._languages.words(text)
        )

    def is_answer(self, text: str, demos: Sequence[Demonstration]) -> bool:
        """Whether all that was said is a word or two that say nothing about words: "uncle" is no meaning, but told."""
        said = len(self._languages.words(text))
        return 0 < said <= _MOST_TOLD and self._unexplained(text, [one for demo in demos for one in demo.said]) == said

    def _instances(self, text: str) -> frozenset[str]:
        """The relations of which a text gives an instance: "like day and night"."""
        words = self._languages.words(self._languages.english(text))
        content = [word.written.lower() for word in words if word.kind == _CONTENT]
        pairs = [(Subject(one), two) for one, two in combinations(content, 2) if not {one, two} <= self._explaining]
        return frozenset(name for name in _INSTANCES if any(NAMED[name].explains(*pair, _ENGLISH) for pair in pairs))


def _lacks(label: str) -> bool:
    """Whether an operation that finds no answer lacks what it is about, or an argument, and cannot be meant."""
    return label in NAMED and (definitions()[label].takes != "" or definitions()[label].on != "word")


def _label(demo: Demonstration, otherwise: str) -> str:
    """An example of a defined operation stands for that; any other for itself."""
    operation = demo.operation
    return operation.names[0] if operation and len(operation.names) == 1 else otherwise
