"""The gate, fitted on its data: what stands in `gate.json`, and any variant of it.

For each kind of evidence (letters alone, the questions that an entry was given for, keys that a model wrote) a logistic
regression is fitted on the nearest candidate of every question (`evaluation.gate.regression`). The thresholds follow
from costs: `use` where a wrong splice, `offer` where a useless note, would cost less than a miss.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.gate.gate import Evidence
from assistant.limits import Limits
from assistant.types import Draft, Question, Scope
from evaluation.decisions.benchmark import EVERYBODY, Stored
from evaluation.decisions.run import draft_of, filled
from evaluation.gate.data import Remembered, decisions, intents, ways_to_ask, word_pairs
from evaluation.gate.regression import Judged, Pairs, fit
from memory_store.embedding.embedder import NONE

FEATURES: Mapping[Evidence, Sequence[str]] = {
    Evidence.LETTERS: ("near", "way"),
    Evidence.ASKED: ("near", "way"),
    Evidence.WRITTEN: ("middle", "all_letters", "copied", "spelling"),
}
"""What the gate looks at; see docs/decisions/0052 for what others are worth."""
# Set so that on held-out entries one in twenty look-alikes gets a splice.
COSTS = {"wrong splice": 3.6, "miss": 1.0, "useless note": 0.09}
BY_HAND = {"same": 8.0, "own": 0.3, "helped": 1.0, "helped_like": 2.0}
"""What no data says yet, where the feature is 1: the very same question is a sure match."""
INTENTS_ASKED = 900
WAYS_SEEDS = (1, 2, 3, 4)  # which ways were not understood at all is a matter of chance, and differs much
EMBEDDERS = {Evidence.LETTERS: NONE, Evidence.ASKED: None, Evidence.WRITTEN: None}


def memories(clinc150: Path) -> dict[Evidence, list[Remembered]]:
    """Return the data for each kind of evidence; CLINC150 is the file dev.json of its folder."""
    written = intents(clinc150, 5, INTENTS_ASKED, further=True)
    asked = [
        *(decisions(name, keys=False) for name in ("first", "second")),
        word_pairs().weighing(2.0),
        *(ways_to_ask(seed).weighing(3.0) for seed in WAYS_SEEDS),
        intents(clinc150, 1, INTENTS_ASKED),
    ]
    keys = [
        *(decisions(name, keys=True).weighing(2.0) for name in ("first", "second")),
        ways_to_ask(1, keys=True).weighing(0.3),
        *(written.only(needing=True).weighing(0.5), written.only(needing=False)),
    ]
    return {Evidence.LETTERS: asked, Evidence.ASKED: asked, Evidence.WRITTEN: keys}


def fitted(data: Mapping[Evidence, Sequence[Remembered]]) -> dict[str, Any]:
    """Return a regression for each kind of evidence, as they stand in the file."""
    found = {}
    for evidence, some in data.items():
        judged = (one for memory in some for one in candidates_of(memory, EMBEDDERS[evidence]))
        found[evidence.value] = regression(*fit(Pairs.of(FEATURES[evidence], judged)))
    return found


def regression(intercept: float, curves: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return one regression, as it stands in the file."""
    use, offer = (COSTS[name] / (COSTS[name] + COSTS["miss"]) for name in ("wrong splice", "useless note"))
    by_hand = {name: (0.0, height) for name, height in BY_HAND.items()}
    rounded = {name: [round(height, 3) for height in curve] for name, curve in {**curves, **by_hand}.items()}
    intercept -= BY_HAND["own"]  # all entries of the data are one's own
    return {"intercept": round(intercept, 3), "curves": rounded, "use": round(use, 3), "offer": round(offer, 3)}


def candidates_of(
    memory: Remembered, embedder: str | None, draft: Callable[[Stored, int, Limits], Draft] = draft_of, most: int = 1
) -> Iterator[Judged]:
    """Yield for each question what the retriever of the app finds nearest, at most so many.

    Args:
        memory: Its entries are stored by an app of their own.
        embedder: As a setting: None for the bundled one, or `none`.
        draft: Returns what is stored of an entry.
        most: Candidates of a question.
    """
    scope = Scope(EVERYBODY)
    with filled(memory.entries, embedder=embedder, draft=draft) as app:
        for case in app.same_in(memory.questions):
            found = app.services.parts.recall(Question(case.question), scope)[:most]
            yield Judged(case, memory.weight, {app.names[one.entry.id]: one.scores for one in found})
