"""The gate: what becomes of each entry that recall found. The combiner C of MemPrompt (section 3.2), made a decision.

A calibration (`assistant.choose.calibration`) turns the named features of a candidate into the probability that its
entry is wanted for this question. `gate.json` holds them: one per name that kinds of entries give, per embedder (and
one for none), and per evidence. It also says how they were found (`python -m tools.gate.fit_gate`). A wrong splice
costs more than a missed one, so `use` needs near certainty; what is only likely is offered, and the model chooses.
Pure.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from assistant.choose.calibration import Calibration, Evidence
from assistant.types import Action, Candidate, Decision, Scope

DATA = Path(__file__).with_name("gate.json")
NO_EMBEDDER = "none"

_SAME_FRAME = 0.8
_VERY_SAME_FRAME = 0.97
_SAME_WAY = 0.9  # of the frame and of the word in it
_SLOT, _SLOT_FOR_PEOPLE = "▢", "…"
_LONGEST_QUOTE = 80
# One "leave it out" for a question like this one, or two for any. Then it is offered at most.
_LEFT_OUT = {"hurt_like": 0.3, "hurt": 0.6}


_SIMILARITIES = {  # feature to the words that name it; the key follows
    "meaning": "Close in meaning to",
    "with_feedback": "Close to what you said about",
    "second_meaning": "Close in meaning to several keys, first of all",
    "middle_meaning": "Close in meaning to several keys, first of all",
    "second_ngrams": "Shares words with several keys, first of all",
    "surface": "Spelled much like",
    "ngrams": "Spelled much like",
    "filler": "Worded like",
    "substitution": "Worded like",
    "further_meaning": "Close in meaning to a key of the model:",
    "further_meaning_mean": "Close in meaning to the keys of the model, first of all",
    "further_ngrams": "Shares words with the keys of the model, first of all",
}

Calibrations = Mapping[Evidence, Calibration]


@dataclass(frozen=True, slots=True)
class Gate:
    """Decides for every candidate. Implements the port `Choose`."""

    calibrations: Mapping[str, Calibrations]  # for candidates that the embedder has seen
    without_meaning: Mapping[str, Calibrations]  # for candidates without the feature `meaning`
    most_uses: int = 2  # entries to splice for one question
    most_offers: int = 5  # entries to offer for one question

    @classmethod
    def from_file(cls, embedder: str = NO_EMBEDDER, path: Path = DATA) -> Self:
        """The gate for one embedder, by its name. One that was never calibrated counts by surface form alone."""
        data = json.loads(path.read_text(encoding="utf-8"))
        known: dict[str, Calibrations] = {}
        plain: dict[str, Calibrations] = {}
        for name, embedders in data["calibrations"].items():
            plain[name] = _calibrations(embedders[NO_EMBEDDER])
            known[name] = _calibrations(embedders.get(embedder, embedders[NO_EMBEDDER]))
        return cls(known, plain, most_uses=data["most_uses"], most_offers=data["most_offers"])

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        """One decision per candidate that the person may read: the person's own first, each the likeliest first.

        A candidate of a kind that the gate knows nothing about is no business of it and gets none.
        """
        known = (found for found in candidates if found.entry.kind.calibration in self.calibrations)
        judged = [(found, *self._judged(found)) for found in known if scope.may_read(found.entry)]
        decisions: list[Decision] = []
        for candidate, calibration, probability in sorted(judged, key=lambda one: _order(one[0], one[2])):
            action, reason = self._decide(candidate, calibration, probability, decisions)
            decisions.append(Decision(candidate, action, probability, reason))
        return decisions

    def _judged(self, candidate: Candidate) -> tuple[Calibration, float]:
        """How it is judged by its evidence; the same way of asking as a question alone if that says more.

        Else one odd key that a model wrote would hide what is plain.
        """
        scores = candidate.scores
        by_name = self.calibrations if "meaning" in scores else self.without_meaning
        known = by_name[candidate.entry.kind.calibration]
        fitting = [known[Evidence.of(scores)]]
        if scores.get("filler", 0.0) >= _SAME_WAY:
            fitting.append(known[Evidence.QUESTION])
        judged = [(calibration, calibration.probability(scores)) for calibration in fitting]
        return max(judged, key=lambda one: one[1])

    def _decide(
        self, candidate: Candidate, calibration: Calibration, probability: float, before: Sequence[Decision]
    ) -> tuple[Action, str]:
        if probability < calibration.offer:
            sure, least = f"{probability:.0%}", f"{calibration.offer:.0%}"
            return Action.LEAVE, f"Left out: it does not seem to apply ({sure} sure, {least} needed)."
        used = [decision.candidate for decision in before if decision.action is Action.USE]
        if any(_is_same_kind(candidate, other) for other in used):
            return Action.LEAVE, "Left out: another note for the same kind of question is used."
        offered = [decision.candidate for decision in before if decision.action is Action.OFFER]
        if candidate.entry.shared and any(_is_same_kind(candidate, other) for other in offered):
            return Action.LEAVE, "Left out: a note of your own is for the same kind of question."
        reason = _reason(candidate, calibration)
        was_left_out = any(candidate.scores.get(name, 0.0) >= most for name, most in _LEFT_OUT.items())
        if probability >= calibration.use and len(used) < self.most_uses and not was_left_out:
            return Action.USE, reason
        if len(offered) < self.most_offers:
            return Action.OFFER, f"{reason} {_who_left_out(candidate)}" if was_left_out else reason
        return Action.LEAVE, f"Left out: {self.most_offers} others are nearer."


def _calibrations(data: Mapping[str, Mapping[str, Any]]) -> dict[Evidence, Calibration]:
    return {Evidence(evidence): Calibration(**values) for evidence, values in data.items()}


def _order(candidate: Candidate, probability: float) -> tuple[bool, float, float, int, str]:
    """One's own before what is shared, then the likeliest first, then the nearest, then the newest."""
    entry = candidate.entry
    return entry.shared, -probability, -candidate.scores.get("relevance", 0.0), -entry.sequence, entry.id


def _who_left_out(candidate: Candidate) -> str:
    by_person = not candidate.entry.shared or any(not reaction.helped for reaction in candidate.entry.reactions)
    return "You left it out before." if by_person else "Others left it out before."


def _is_same_kind(first: Candidate, second: Candidate) -> bool:
    same_frame = min(first.scores.get("frame", 0.0), second.scores.get("frame", 0.0)) >= _SAME_FRAME
    return same_frame or first.entry.text == second.entry.text or first.entry.question == second.entry.question


def _reason(candidate: Candidate, calibration: Calibration) -> str:
    scores, key = candidate.scores, _quoted(candidate.key.text)
    if scores.get("surface", 0.0) == 1.0:
        return f"The same question as {key}."
    if scores.get("frame", 0.0) >= _VERY_SAME_FRAME:
        return f"Same wording as {key}, only the word asked about differs."
    if scores.get("frame", 0.0) >= _SAME_FRAME:
        return f"Nearly the same wording as {key}."
    strongest = calibration.strongest(_SIMILARITIES, scores)
    return f"{_SIMILARITIES[strongest]} {key} ({scores.get(strongest, 0.0):.0%})."


def _quoted(text: str) -> str:
    line = " ".join(text.replace(_SLOT, _SLOT_FOR_PEOPLE).split())
    return f'"{line}"' if len(line) <= _LONGEST_QUOTE else f'"{line[: _LONGEST_QUOTE - 1]}…"'
