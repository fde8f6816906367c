"""The gate: decide to use, offer or skip each candidate. The combiner C of MemPrompt (section 3.2).

A logistic regression over piecewise linear curves (a generalized additive model; Hastie and Tibshirani, 1986) gives the
probability that an entry applies. `python -m evaluation.gate.fitting` fits the curves in `gate.json`. A wrong note
costs more than a missing one, so `use` needs near certainty; likely entries are offered to the model.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Self

from assistant.ports import Gate
from assistant.sentences import Sentence
from assistant.sharing import find_exclusion
from assistant.types import Action, Candidate, Decision, Entry, Scope

DATA = Path(__file__).with_name("gate.json")
NOT_CERTAIN = Sentence("left_out.not_certain")
ANOTHER_NEARER = Sentence("left_out.another_nearer")
JUST_TOLD = Sentence("counts.just_told")
CHOSEN = Sentence("counts.chosen")
LEFT_OUT = Sentence("left_out.by_you")
SAME_WAY = 0.95
"""Least value of the feature `way` for the same question about another word."""
_MOST_COPIED = 0.3
_LIKELY = 0.2  # in `only_likeliest`: three of four such notes were right (docs/measurements.md)
_SURE_FACT = 0.8  # in `only_likeliest`: a small model takes any fact in its prompt for the answer
_LONGEST_QUOTE = 80
_FOUND_BY = {"meaning": "found.meaning", "letters": "found.spelling"}  # feature to message code


class Evidence(StrEnum):
    """Kind of similarity that a candidate was found by."""

    LETTERS = "letters"  # spelling alone, without an embedder
    ASKED = "asked"  # the questions that it was given for
    WRITTEN = "written"  # also keys that a model wrote


@dataclass(frozen=True, slots=True)
class Logistic:
    """Logistic regression over piecewise linear curves, with decision thresholds."""

    intercept: float  # log odds if every feature is 0
    curves: Mapping[str, Sequence[float]]  # log odds of each feature at evenly spaced values from 0 to 1
    use: float  # least probability to use an entry
    offer: float  # least probability to offer it
    show: float = 0.02  # the same for a model that can decline every note (docs/decisions/0029)

    def probability(self, scores: Mapping[str, float]) -> float:
        """Return the probability that an entry with these features applies."""
        odds = self.intercept
        for name, curve in self.curves.items():
            at = scores.get(name, 0.0) * (len(curve) - 1)
            left = min(int(at), len(curve) - 2)
            odds += curve[left] + (at - left) * (curve[left + 1] - curve[left])
        return 1 / (1 + math.exp(-odds))


@dataclass(frozen=True, slots=True)
class FittedGate:
    """Gate with fitted regressions. Implements the port `Gate`.

    Example:
        gate = FittedGate.from_file().only_offering()
        for decision in gate(candidates, scope):
            print(decision.action, f"{decision.probability:.0%}", decision.entry.shown)
    """

    regressions: Mapping[str, Mapping[Evidence, Logistic]]  # by calibration name of the entry type, as in `gate.json`
    most_uses: int = 2  # entries to use per question
    most_offers: int = 5  # entries to offer per question
    most_facts: int = 5  # facts to offer in addition
    least_fact: float = 0.0  # least probability to offer a fact, if that is more than its regression says

    @classmethod
    def from_file(cls, path: Path = DATA) -> Self:
        """Load the regressions and limits of a gate, by default the bundled ones."""
        data = json.loads(path.read_text(encoding="utf-8"))
        regressions = {
            name: {Evidence(evidence): Logistic(**values) for evidence, values in by_evidence.items()}
            for name, by_evidence in data["regressions"].items()
        }
        return cls(regressions, **{name: data[name] for name in ("most_uses", "most_offers", "most_facts")})

    def only_offering(self) -> Self:
        """Return the gate for a model that can decline notes: it uses none and offers more."""
        gate = self._with(lambda _, one: replace(one, offer=min(one.offer, one.show)))
        return replace(gate, most_uses=0)

    def only_certain(self) -> Self:
        """Return the gate for a model that cannot decline notes: it uses one certain note, and offers only facts."""
        return replace(self, most_uses=1, most_offers=0)

    def only_likeliest(self) -> Self:
        """Return the gate for a small language model: it uses one note that is likely by meaning, and sure facts."""
        gate = self._with(lambda by, one: one if by is Evidence.LETTERS else replace(one, use=min(one.use, _LIKELY)))
        return replace(gate.only_certain(), least_fact=_SURE_FACT)

    def _with(self, change: Callable[[Evidence, Logistic], Logistic]) -> Self:
        """Return the gate with each regression changed."""
        regressions = {
            name: {evidence: change(evidence, one) for evidence, one in by_evidence.items()}
            for name, by_evidence in self.regressions.items()
        }
        return replace(self, regressions=regressions)

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        """Return one decision per readable candidate of a type with a regression, own and most probable first."""
        known = (found for found in candidates if found.entry.kind.calibration in self.regressions)
        judged = [(found, *self._judged(found)) for found in known if scope.may_read(found.entry)]
        decisions: list[Decision] = []
        for candidate, regression, probability in sorted(judged, key=self._order):
            action, reason = self._decide(candidate, regression, probability, decisions)
            decisions.append(Decision(candidate, action, probability, reason))
        return decisions

    def _order(self, judged: tuple[Candidate, Logistic, float]) -> tuple[float | str, ...]:
        """Return the sort key: own before shared, then same question, probability, similarity and recency.

        Among certain candidates with the same wording, the newest comes first (docs/decisions/0050).
        """
        candidate, regression, probability = judged
        entry, scores = candidate.entry, candidate.scores
        is_certain = self.most_uses > 0 and probability >= regression.use
        is_same_way = is_certain and scores.get("way", 0.0) >= SAME_WAY
        first = -float(entry.sequence) if is_same_way else -probability
        nearest = -scores.get("relevance", 0.0), -entry.sequence, entry.id
        return entry.shared, not scores.get("its_question"), not is_same_way, first, *nearest

    def _judged(self, candidate: Candidate) -> tuple[Logistic, float]:
        """Return the regression for the evidence of a candidate, and its probability.

        For the same wording, the regression for asked questions applies if it gives a higher probability. A note for
        this exact question is certain; a note about one of its words is at least offered.
        """
        scores, by_evidence = candidate.scores, self.regressions[candidate.entry.kind.calibration]
        evidence = Evidence.WRITTEN if "middle" in scores else Evidence.ASKED
        regression = by_evidence[evidence if "meaning" in scores else Evidence.LETTERS]
        if scores.get("way", 0.0) >= SAME_WAY and scores.get("copied", 0.0) <= _MOST_COPIED:
            regression = max(regression, by_evidence[Evidence.ASKED], key=lambda one: one.probability(scores))
        least = regression.use if scores.get("its_question") else regression.offer if scores.get("its_word") else 0.0
        return regression, max(least, regression.probability(scores))

    def _decide(
        self, candidate: Candidate, regression: Logistic, probability: float, before: Sequence[Decision]
    ) -> tuple[Action, Sentence]:
        """Return action and reason for a candidate, given the decisions `before` it. Facts are offered, never used."""
        is_fact = candidate.entry.kind.asserts
        if probability < max(regression.offer, self.least_fact if is_fact else 0.0):
            return Action.SKIP, Sentence("left_out.does_not_apply")
        beside = [one for one in before if one.entry.kind.asserts is is_fact]
        used = [one.candidate for one in beside if one.action is Action.USE]
        offered = [one.candidate for one in beside if one.action is Action.OFFER]
        if why_left := find_exclusion(candidate) or _said_already(candidate, used, offered):
            return Action.SKIP, why_left
        if not is_fact and probability >= regression.use and len(used) < self.most_uses:
            return Action.USE, _reason(candidate)
        if not is_fact and self.most_offers == 0:
            return Action.SKIP, ANOTHER_NEARER if used else NOT_CERTAIN
        most = self.most_facts if is_fact else self.most_offers
        if len(offered) < most:
            return Action.OFFER, _reason(candidate)
        return Action.SKIP, Sentence("left_out.others_nearer", {"count": most})


def use_stated(entry: Entry) -> Decision:
    """Return the decision to use a clarification that was just given for this question."""
    return Decision(Candidate(entry, entry.keys[0]), Action.USE, 1.0, JUST_TOLD)


@dataclass(frozen=True, slots=True)
class OfferRule:
    """Mark of a retriever on candidates that apply by their content, with the maximum number to offer."""

    feature: str  # of a candidate: confidence that it applies, 0 to 1
    reason: Sentence
    most: int
    beside: Callable[[Candidate, Sequence[Decision]], bool] | None = None  # True if it applies, given the decisions


@dataclass(frozen=True, slots=True)
class OfferByRules:
    """Implements `Gate`: offer marked candidates, most confident first, and let `gate` decide the others."""

    gate: Gate
    rules: Sequence[OfferRule]

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        """Decide by independent marks, then by the gate, then by marks that depend on the decisions."""
        decisions = list[Decision]()
        readable = [one for one in candidates if scope.may_read(one.entry) and not find_exclusion(one)]
        for rule in (rule for rule in self.rules if not rule.beside):
            decisions += _offer_marked(rule, readable, decisions)
        later = [rule for rule in self.rules if rule.beside]
        decided = {one.entry.id for one in decisions}
        rest = [one for one in candidates if one.entry.id not in decided]
        decisions += self.gate([one for one in rest if not any(rule.feature in one.scores for rule in later)], scope)
        for rule in later:
            decisions += _offer_marked(rule, rest, decisions)
        return decisions


def _offer_marked(rule: OfferRule, candidates: Sequence[Candidate], before: Sequence[Decision]) -> list[Decision]:
    decided = {one.entry.id for one in before}
    marked = [one for one in candidates if rule.feature in one.scores and one.entry.id not in decided]
    bearing = [one for one in marked if rule.beside is None or rule.beside(one, before)]
    surest = sorted(bearing, key=lambda one: -one.scores[rule.feature])[: rule.most]
    return [Decision(one, Action.OFFER, one.scores[rule.feature], rule.reason) for one in surest]


def _said_already(candidate: Candidate, used: Sequence[Candidate], offered: Sequence[Candidate]) -> Sentence | None:
    """Return the reason to skip a candidate that repeats an earlier candidate, or None."""

    def says_the_same(other: Candidate) -> bool:
        if candidate.entry.text == other.entry.text:
            return True
        is_same_way = min(candidate.scores.get("way", 0.0), other.scores.get("way", 0.0)) >= SAME_WAY
        is_same = is_same_way or candidate.entry.question == other.entry.question
        return is_same and not candidate.entry.kind.asserts

    if any(map(says_the_same, used)):
        return Sentence("left_out.another_used")
    is_own_there = candidate.entry.shared and any(map(says_the_same, offered))
    return Sentence("left_out.your_own") if is_own_there else None


def _reason(candidate: Candidate) -> Sentence:
    scores, key = candidate.scores, " ".join(candidate.key.text.split())
    key = key if len(key) <= _LONGEST_QUOTE else f"{key[: _LONGEST_QUOTE - 1]}…"
    if scores.get("its_question"):
        return Sentence("found.same_question", {"key": key})
    if scores.get("way", 0.0) >= SAME_WAY:
        return Sentence("found.same_wording", {"key": key})
    strongest = max(_FOUND_BY, key=lambda name: scores.get(name, 0.0))
    return Sentence(_FOUND_BY[strongest], {"key": key, "sure": scores.get(strongest, 0.0)})
