"""Fits the gate: `python -m tools.fit_gate` writes assistant/gate.json and prints how good it is on held-out entries.

The data (tools/data/gate_pairs.jsonl): stored clarifications, each with questions that need it (`yes`: other wording,
other word asked about, other spelling or script) and look-alikes that do not, and everyday questions that need none.
All clarifications stand in one shared memory, so each question is a pair with each of them; entries of one `group` say
the same about other wordings, and such a pair is neither right nor wrong. A logistic regression without negative
weights (a likeness never speaks against an entry) is fitted on the pairs, once per embedder; the table is made by
cross-validation in which all questions of an entry are held out together with it. The thresholds follow from costs:
`use` where a wrong splice, `offer` where a useless note, would cost less than a miss.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from assistant.gate import DATA, NO_EMBEDDER
from assistant.types import Entry, Key, KeyOrigin, Kind, Status
from memory_store.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.features import compare, likeness
from memory_store.frames import mask_slot

PAIRS = Path(__file__).parent / "data" / "gate_pairs.jsonl"
SIMILARITIES = ("frame", "same_frame", "filler", "surface", "wording", "ngrams", "phrase", "meaning")
COSTS = {"wrong splice": 12.0, "useless note": 0.04, "miss": 1.0}
BY_HAND = {"own": 0.3, "helped": 1.0, "hurt": -12.0}  # no data yet; one "leave it out" takes a sure match to an offer
LEAST = {"frame": 0.3}  # of two notes that are wanted alike, the one with the nearer frame goes first
FOLDS = 8
PENALTY = 0.02
MOST_USES, MOST_OFFERS = 2, 5

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """A question of the data: its text, the place of the entry that it needs (-1 for none), and its group."""

    text: str
    applies: int
    group: int
    kind: str
    also: frozenset[int] = frozenset()  # entries that say the same about another wording: neither wanted nor wrong


def read(path: Path) -> tuple[list[Entry], list[Question]]:
    """Entries and questions. Everyday questions get groups of their own."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    stored = [row for row in rows if "everyday" not in row]
    entries: list[Entry] = []
    questions: list[Question] = []
    for row in rows:
        if "everyday" in row:
            questions.append(Question(row["everyday"], -1, len(entries) + len(questions), "everyday"))
            continue
        place = len(entries)
        entries.append(_entry(row))
        also = frozenset(number for number, other in enumerate(stored) if other["group"] == row["group"]) - {place}
        questions += [Question(text, place, place, "yes", also) for text in row["yes"]]
        questions += [Question(text, -1, place, "look-alike", also) for text in row["look_alikes"]]
    return entries, questions


def _entry(row: dict[str, str]) -> Entry:
    # Either understanding may name the word asked about; the right one is there only after the corrected answer.
    hints = (row["wrong_understanding"], row.get("understanding", ""))
    masked = {mask_slot(row["question"], hint, row["feedback"]): None for hint in hints}
    keys = [Key(row["question"]), *(Key(text, KeyOrigin.RULE) for text in masked if text)]
    return Entry(
        id=row["id"],
        kind=Kind.CLARIFICATION,
        owner="somebody",
        shared=False,
        status=Status.ACTIVE,
        question=row["question"],
        text=row["feedback"],
        sequence=0,
        created=datetime(2000, 1, 1, tzinfo=UTC),
        keys=tuple(keys),
        wrong_understanding=row["wrong_understanding"],
    )


def features(entries: Sequence[Entry], questions: Sequence[Question], embedder: SentenceEmbedder | None) -> Floats:
    """Shape (questions, entries, len(SIMILARITIES)): the features of each pair under the nearest key of the entry."""
    keys = [(place, key.text) for place, entry in enumerate(entries) for key in entry.keys]
    cosines = None
    if embedder is not None:
        cosines = embedder.encode([q.text for q in questions]) @ embedder.encode([text for _, text in keys]).T
    table = np.zeros((len(questions), len(entries), len(SIMILARITIES)))
    for row, question in enumerate(questions):
        best = [-1.0] * len(entries)
        for column, (place, text) in enumerate(keys):
            meaning = None if cosines is None else float(cosines[row, column])
            scores = compare(question.text, text, entries[place], meaning)
            if likeness(scores) > best[place]:
                best[place] = likeness(scores)
                table[row, place] = [scores.get(name, 0.0) for name in SIMILARITIES]
    return table


def fit(rows: Floats, labels: Floats) -> Floats:
    """Intercept and weights (none below `LEAST`) of the logistic regression with the least penalized loss."""

    def loss(parameters: Floats) -> tuple[float, Floats]:
        odds = parameters[0] + rows @ parameters[1:]
        error = 1 / (1 + np.exp(-odds)) - labels
        penalty = PENALTY * parameters[1:]
        value = np.logaddexp(0, odds).sum() - labels @ odds + penalty @ parameters[1:] / 2
        return float(value), np.concatenate([[error.sum()], rows.T @ error + penalty])

    bounds = [(None, None)] + [(LEAST.get(name, 0.0), None) for name in SIMILARITIES[: rows.shape[1]]]
    start = np.array([least or 0.0 for least, _ in bounds])
    found: Floats = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 2000}).x
    return found


def probabilities(parameters: Floats, table: Floats) -> Floats:
    """Shape of `table` without its last axis."""
    result: Floats = 1 / (1 + np.exp(-parameters[0] - table @ parameters[1:]))
    return result


def held_out(table: Floats, questions: Sequence[Question]) -> Floats:
    """Probability of each pair by a fit that saw neither the question nor anything else of its entry."""
    labels = _labels(table, questions)
    folds = np.array([question.group % FOLDS for question in questions])
    entry_folds = np.arange(table.shape[1]) % FOLDS
    result = np.zeros(labels.shape)
    for fold in range(FOLDS):
        seen = np.ix_(folds != fold, entry_folds != fold)
        counts = ~np.isnan(labels[seen])
        parameters = fit(table[seen][counts], labels[seen][counts])
        result[folds == fold] = probabilities(parameters, table[folds == fold])
    return result


def _labels(table: Floats, questions: Sequence[Question]) -> Floats:
    """Shape (questions, entries): 1 wanted, 0 not, NaN for what counts as neither."""
    labels = np.zeros(table.shape[:2])
    for row, question in enumerate(questions):
        labels[row, list(question.also)] = np.nan
        if question.applies >= 0:
            labels[row, question.applies] = 1
    return labels


def thresholds() -> tuple[float, float]:
    """Where the expected costs of doing it and of leaving it are the same, for `use` and `offer`."""
    use = COSTS["wrong splice"] / (COSTS["wrong splice"] + COSTS["miss"])
    offer = COSTS["useless note"] / (COSTS["useless note"] + COSTS["miss"])
    return round(use, 3), round(offer, 3)


def report(predicted: Floats, questions: Sequence[Question], use: float, offer: float) -> dict[str, float]:
    """What the decisions would have been: the best entry is used where it is certain, the likely ones are offered."""
    best = predicted.argmax(axis=1)
    used = predicted.max(axis=1) >= use
    applies = np.array([question.applies for question in questions])
    kinds = np.array([question.kind for question in questions])
    right = used & (best == applies)
    order = np.argsort(-predicted, axis=1)[:, :MOST_OFFERS]
    among = np.array([applies[row] in order[row] for row in range(len(questions))])
    likely = np.array([predicted[row, applies[row]] >= offer for row in range(len(questions))])
    needed = applies >= 0
    return {
        "precision of use": right.sum() / max(1, used.sum()),
        "recall of use": right.sum() / needed.sum(),
        "look-alikes spliced": used[kinds == "look-alike"].mean(),
        "everyday spliced": used[kinds == "everyday"].mean(),
        "right entry first": (best == applies)[needed].mean(),
        "right entry among five": among[needed].mean(),
        "right entry used or offered": (right | (among & likely))[needed].mean(),
        "notes shown per question": np.minimum((predicted >= offer).sum(axis=1), MOST_OFFERS).mean(),
        "calibration error (10 bins)": calibration_error(
            predicted, np.nan_to_num(_labels(predicted, questions)), offer
        ),
    }


def calibration_error(predicted: Floats, labels: Floats, least: float) -> float:
    """Expected calibration error over the pairs that the gate shows to anybody (the others are trivially near 0)."""
    shown = predicted >= least
    bins = np.minimum((predicted[shown] * 10).astype(int), 9)
    gaps = [
        (bins == number).mean() * abs(predicted[shown][bins == number].mean() - labels[shown][bins == number].mean())
        for number in range(10)
        if (bins == number).any()
    ]
    return float(sum(gaps))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=DATA, help="the file to write (default: the gate's own)")
    parser.add_argument("--errors", action="store_true", help="list the held-out mistakes")
    arguments = parser.parse_args()
    entries, questions = read(PAIRS)
    use, offer = thresholds()
    calibrations, quality = {}, {}
    for name, embedder in ((NO_EMBEDDER, None), (BUNDLED, SentenceEmbedder(choose_embedder(BUNDLED)))):
        table = features(entries, questions, embedder)
        names = SIMILARITIES if embedder is not None else SIMILARITIES[:-1]
        table = table[..., : len(names)]
        labels = _labels(table, questions)
        counts = ~np.isnan(labels)
        parameters = fit(table[counts], labels[counts])
        weights = {feature: round(float(weight), 3) for feature, weight in zip(names, parameters[1:], strict=True)}
        calibrations[name] = {
            "intercept": round(float(parameters[0]), 3),
            "weights": weights | BY_HAND,
            "use": use,
            "offer": offer,
        }
        predicted = np.where(counts, held_out(table, questions), 0.0)
        quality[name] = {key: round(float(value), 3) for key, value in report(predicted, questions, use, offer).items()}
        print(f"\n{name}: {weights}")
        for key, value in quality[name].items():
            print(f"  {key:<30}{value:>7.3f}")
        if arguments.errors:
            _print_errors(predicted, entries, questions, use)
    numbers = {kind: sum(question.kind == kind for question in questions) for kind in ("yes", "look-alike", "everyday")}
    how = {
        "command": "python -m tools.fit_gate",
        "entries": len(entries),
        "questions": numbers,
        "costs": COSTS,
        "by_hand": sorted(BY_HAND),
        "held_out": quality,
    }
    data = {"how": how, "most_uses": MOST_USES, "most_offers": MOST_OFFERS, "calibrations": calibrations}
    arguments.out.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _print_errors(predicted: Floats, entries: Sequence[Entry], questions: Sequence[Question], use: float) -> None:
    for row, question in enumerate(questions):
        best = int(predicted[row].argmax())
        wrong = predicted[row, best] >= use and best != question.applies
        missed = question.applies >= 0 and predicted[row, question.applies] < use
        if wrong or missed:
            entry = entries[best if wrong else question.applies]
            chance = predicted[row, best if wrong else question.applies]
            print(f"  {'WRONG' if wrong else 'missed'} {chance:.2f}  {question.text!r} for {entry.question!r}")


if __name__ == "__main__":
    main()
