"""The gate: what becomes of each entry that recall found. The combiner C of MemPrompt (section 3.2), made a decision.

A calibration (`assistant.choose.calibration`) turns the named features of a candidate into the probability that its
entry is wanted for this question. `gate.json` holds them: one per name that kinds of entries give, per embedder (and
one for none, and one for any other, which reads standardised similarities), and per evidence. It also says how they
were found (`python -m tools.gate.fit_gate`). A wrong splice costs more than a missed one, so `use` needs near
certainty; what is only likely is offered, and the model chooses.
Pure.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from assistant.bounds import out_of_bounds
from assistant.choose.calibration import Calibration, Evidence
from assistant.ports import Choose
from assistant.sentences import Sentence
from assistant.types import Action, Candidate, Decision, Scope

DATA = Path(__file__).with_name("gate.json")
NO_EMBEDDER = "none"
ANY_EMBEDDER = "any"
NOT_CERTAIN = Sentence("left_out.not_certain")
ANOTHER_NEARER = Sentence("left_out.another_nearer")

_SAME_FRAME = 0.8
_VERY_SAME_FRAME = 0.97
_SAME_WAY = 0.9  # of the frame and of the word in it
_SLOT, _SLOT_FOR_PEOPLE = "▢", "…"
_LONGEST_QUOTE = 80
# One "leave it out" for a question like this one, or two for any. People are reminded of it; it counted there only.
_LEFT_OUT = {"hurt_like": 0.3, "hurt": 0.6}

_SIMILARITIES = {  # feature to the code of the sentence that names it
    "meaning": "found.meaning",
    "with_feedback": "found.feedback",
    "second_meaning": "found.several_meanings",
    "middle_meaning": "found.several_meanings",
    "second_ngrams": "found.several_words",
    "surface": "found.spelling",
    "ngrams": "found.spelling",
    "filler": "found.wording",
    "substitution": "found.wording",
    "further_meaning": "found.model_meaning",
    "further_meaning_mean": "found.model_meanings",
    "further_ngrams": "found.model_words",
}

Calibrations = Mapping[Evidence, Calibration]
Fitted = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Name of what kinds of entries give to its calibrations by evidence, as in `gate.json`."""
NOT_FITTED: Fitted = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Gate:
    """Decides for every candidate. Implements the port `Choose`."""

    calibrations: Mapping[str, Calibrations]  # for candidates that the embedder has seen
    without_meaning: Mapping[str, Calibrations]  # for candidates without the feature `meaning`
    # the same of embedders that candidates name
    before: Mapping[str, Mapping[str, Calibrations]] = field(default_factory=lambda: MappingProxyType({}))
    most_uses: int = 2  # entries to splice for one question
    most_offers: int = 5  # entries to offer for one question
    most_facts: int = 5  # facts to offer beside them

    @classmethod
    def from_file(cls, embedder: str = NO_EMBEDDER, path: Path = DATA, fitted: Fitted = NOT_FITTED) -> Self:
        """The gate for one embedder, by its name; for one that was never calibrated, that which was fitted on several.

        `fitted` is what was fitted for this embedder elsewhere, and goes before the file.
        """
        data = json.loads(path.read_text(encoding="utf-8"))
        known: dict[str, Calibrations] = {}
        plain: dict[str, Calibrations] = {}
        for name, embedders in data["calibrations"].items():
            plain[name] = _calibrations(embedders[NO_EMBEDDER])
            known[name] = _calibrations(fitted.get(name) or embedders.get(embedder) or embedders[ANY_EMBEDDER])
        return cls(known, plain, **{name: data[name] for name in ("most_uses", "most_offers", "most_facts")})

    def beside(self, before: Mapping[str, Self]) -> Self:
        """The same, for candidates too of which an embedder compared meanings that was in use before, by its name."""
        return replace(self, before={name: gate.calibrations for name, gate in before.items()})

    def only_offering(self) -> Self:
        """The same for a model that chooses: every note can be declined, so none is spliced, and more are shown."""
        before = {name: _showing_more(calibrations) for name, calibrations in self.before.items()}
        return replace(self, calibrations=_showing_more(self.calibrations), before=before, most_uses=0)

    def only_certain(self) -> Choose:
        """The same for a model that cannot choose among notes: what is not certain is left, but for facts.

        It goes by one note, so no other is used beside that. Facts never stand for an answer: such a model reads them
        as what is so, and takes those that settle a question.
        """
        return partial(_only_certain, replace(self, most_uses=1))

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        """One decision per candidate that the person may read: the person's own first, each the likeliest first.

        A candidate of a kind that the gate knows nothing about is no business of it and gets none.
        """
        known = (found for found in candidates if found.entry.kind.calibration in self.calibrations)
        judged = [(found, *self._judged(found)) for found in known if scope.may_read(found.entry)]
        decisions: list[Decision] = []
        for candidate, calibration, probability in sorted(judged, key=self._order):
            bound = out_of_bounds(candidate) if probability >= calibration.offer else None
            decide = self._decide_fact if candidate.entry.kind.asserts else self._decide
            decided = decide(candidate, calibration, probability, decisions)
            action, reason = (Action.LEAVE, bound) if bound else decided
            decisions.append(Decision(candidate, action, probability, reason))
        return decisions

    def _order(self, judged: tuple[Candidate, Calibration, float]) -> tuple[bool, bool, bool, float, float, int, str]:
        """One's own before what is shared, then what was said of this question, the likeliest, the nearest, the newest.

        Of what is certain by the same way of asking the newest: who says again what they mean was not helped before.
        """
        candidate, calibration, probability = judged
        entry, scores = candidate.entry, candidate.scores
        is_certain = self.most_uses > 0 and probability >= calibration.use
        is_same_way = is_certain and scores.get("frame", 0.0) >= _VERY_SAME_FRAME
        first = -float(entry.sequence) if is_same_way else -probability
        nearest = -scores.get("relevance", 0.0), -entry.sequence, entry.id
        return entry.shared, not scores.get("its_question"), not is_same_way, first, *nearest

    def _judged(self, candidate: Candidate) -> tuple[Calibration, float]:
        """How it is judged by its evidence; the same way of asking as a question alone if that says more.

        Else one odd key that a model wrote would hide what is plain.
        """
        scores = candidate.scores
        with_meaning = self.before.get(candidate.embedder, self.calibrations)
        by_name = with_meaning if "meaning" in scores else self.without_meaning
        known = by_name[candidate.entry.kind.calibration]
        fitting = [known[Evidence.of(scores)]]
        if scores.get("filler", 0.0) >= _SAME_WAY:
            fitting.append(known[Evidence.QUESTION])
        judged = [(one, max(_least(one, scores), one.probability(scores))) for one in fitting]
        return max(judged, key=lambda one: one[1])

    def _decide(
        self, candidate: Candidate, calibration: Calibration, probability: float, before: Sequence[Decision]
    ) -> tuple[Action, Sentence]:
        if probability < calibration.offer:
            return Action.LEAVE, Sentence("left_out.does_not_apply")
        used = [decision.candidate for decision in before if decision.action is Action.USE]
        if any(_is_same_kind(candidate, other) for other in used):
            return Action.LEAVE, Sentence("left_out.another_used")
        offered = _offered(before, facts=False)
        if candidate.entry.shared and any(_is_same_kind(candidate, other) for other in offered):
            return Action.LEAVE, Sentence("left_out.your_own")
        reason = _reason(candidate, calibration)
        if probability >= calibration.use and len(used) < self.most_uses:
            return Action.USE, reason
        if len(offered) < self.most_offers:
            return Action.OFFER, reason
        return Action.LEAVE, Sentence("left_out.others_nearer", {"count": self.most_offers})

    def _decide_fact(
        self, candidate: Candidate, calibration: Calibration, probability: float, before: Sequence[Decision]
    ) -> tuple[Action, Sentence]:
        """A fact says nothing of how a question is meant, so it is never spliced; and several may bear on one."""
        if probability < calibration.offer:
            return Action.LEAVE, Sentence("left_out.does_not_apply")
        offered = _offered(before, facts=True)
        if candidate.entry.shared and any(candidate.entry.text == other.entry.text for other in offered):
            return Action.LEAVE, Sentence("left_out.your_own")
        if len(offered) < self.most_facts:
            return Action.OFFER, _reason(candidate, calibration)
        return Action.LEAVE, Sentence("left_out.others_nearer", {"count": self.most_facts})


def _offered(before: Sequence[Decision], *, facts: bool) -> list[Candidate]:
    offered = (decision.candidate for decision in before if decision.action is Action.OFFER)
    return [candidate for candidate in offered if candidate.entry.kind.asserts is facts]


def _only_certain(gate: Gate, candidates: Sequence[Candidate], scope: Scope) -> list[Decision]:
    decisions = gate(candidates, scope)
    is_used = any(decision.action is Action.USE for decision in decisions)
    return [
        replace(decision, action=Action.LEAVE, reason=ANOTHER_NEARER if is_used else NOT_CERTAIN)
        if decision.action is Action.OFFER and not decision.entry.kind.asserts
        else decision
        for decision in decisions
    ]


def _calibrations(data: Mapping[str, Mapping[str, Any]]) -> dict[Evidence, Calibration]:
    return {Evidence(evidence): Calibration(**values) for evidence, values in data.items()}


def _showing_more(by_name: Mapping[str, Calibrations]) -> dict[str, Calibrations]:
    return {
        name: {evidence: replace(one, offer=min(one.offer, one.show)) for evidence, one in calibrations.items()}
        for name, calibrations in by_name.items()
    }


def _least(calibration: Calibration, scores: Mapping[str, float]) -> float:
    """The question that it was given for is sure of it; one with the word that it explains may be meant."""
    if scores.get("its_question"):
        return calibration.use
    return calibration.offer if scores.get("its_word") else 0.0


def _left_out_before(candidate: Candidate, reason: Sentence) -> Sentence:
    by_person = not candidate.entry.shared or any(not reaction.helped for reaction in candidate.entry.reactions)
    return Sentence("left_out.by_you_before" if by_person else "left_out.by_others_before", {"reason": reason})


def _is_same_kind(first: Candidate, second: Candidate) -> bool:
    same_frame = min(first.scores.get("frame", 0.0), second.scores.get("frame", 0.0)) >= _SAME_FRAME
    return same_frame or first.entry.text == second.entry.text or first.entry.question == second.entry.question


def _reason(candidate: Candidate, calibration: Calibration) -> Sentence:
    found_by = _found_by(candidate, calibration)
    left_out = any(candidate.scores.get(name, 0.0) >= most for name, most in _LEFT_OUT.items())
    return _left_out_before(candidate, found_by) if left_out else found_by


def _found_by(candidate: Candidate, calibration: Calibration) -> Sentence:
    scores, key = candidate.scores, _shortened(candidate.key.text)
    if scores.get("surface", 0.0) == 1.0 or scores.get("its_question"):
        return Sentence("found.same_question", {"key": key})
    if scores.get("frame", 0.0) >= _VERY_SAME_FRAME:
        return Sentence("found.same_wording", {"key": key})
    if scores.get("frame", 0.0) >= _SAME_FRAME:
        return Sentence("found.similar_wording", {"key": key})
    strongest = calibration.strongest(_SIMILARITIES, scores)
    return Sentence(_SIMILARITIES[strongest], {"key": key, "sure": scores.get(strongest, 0.0)})


def _shortened(text: str) -> str:
    line = " ".join(text.replace(_SLOT, _SLOT_FOR_PEOPLE).split())
    return line if len(line) <= _LONGEST_QUOTE else f"{line[: _LONGEST_QUOTE - 1]}…"
