"""Keys judged by look-alikes: which are dropped, what an entry is not for, and what is spliced at a recall."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.cases import Benchmark, Case, Outcome, Stored
from evaluation.decisions.ablation import remembered_vectors
from evaluation.decisions.metrics import JudgedCase
from evaluation.gate.fitting import bundled
from evaluation.reading import DATA, BadInput
from evaluation.selection.keys import look_alikes_at, measured, only_for, read_watched, with_kept_keys
from evaluation.selection.texts import Vectors

DEGREES = {"what is a jumper": 0, "my jumper": 20, "puff pastry": 60, "jumper cables": 90, "pastry": 65, "a jump": 8}


class Angles:
    """Implements `Embedder` in a plane: the cosine of two texts is that of the angle between them."""

    name, fingerprint, dimension, loaded = "angles", "angles", 2, True

    def start(self) -> None: ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        turns = np.radians([DEGREES[text] for text in texts])
        return np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)


VECTORS = Vectors(Angles(), DEGREES)
ENTRY = Stored("j", ("what is a jumper",), "a pullover", keys=("my jumper", "puff pastry"))
BENCHMARK = Benchmark((ENTRY,), ())


# cos 20° = .94 and cos 40° = .77 to the next text of the entry; to the look-alike cos 45° = .71 and cos 5° = 1.
@pytest.mark.parametrize(
    ("look_alikes", "margin", "kept"),
    [
        (["pastry"], 0.0, ("my jumper",)),
        (["pastry"], 0.2, ("my jumper",)),
        (["pastry"], 0.25, ()),
        (["jumper cables"], -0.11, ("my jumper", "puff pastry")),
        ([], 0.1, ("my jumper", "puff pastry")),
    ],
)
def test_a_key_is_kept_that_is_nearer_to_its_entry_than_to_a_look_alike(
    look_alikes: list[str], margin: float, kept: tuple[str, ...]
) -> None:
    (entry,) = with_kept_keys(BENCHMARK, {"j": look_alikes}, margin, VECTORS).entries
    assert entry.keys == kept
    assert (entry.questions, entry.feedback) == (ENTRY.questions, ENTRY.feedback)


def judged(question: str, score: float, applies: str | None = None, kind: str = "look-alike") -> JudgedCase:
    return JudgedCase(Case(question, applies, kind), Outcome(("j",), ("j",), scores={"j": score}))


def test_an_entry_is_not_for_what_is_nearer_to_a_look_alike() -> None:
    asked = [judged("a jump", 0.9, "j"), judged("jumper cables", 0.9), judged("pastry", 0.9)]
    rest = only_for(asked, BENCHMARK, {"j": ["jumper cables"]}, VECTORS)
    assert [one.outcome.ranked for one in rest] == [("j",), (), ("j",)]
    assert [one.outcome.best for one in rest] == [0.9, None, 0.9]
    assert only_for(asked, BENCHMARK, {}, VECTORS) == asked


def test_look_alikes_are_counted_at_the_strictest_threshold_with_the_recall() -> None:
    asked = [judged("a", 0.9, "j"), judged("b", 0.8), judged("c", 0.7, "j"), judged("d", 0.6), judged("e", 0.5, "j")]
    everyday = judged("f", 0.95, kind="everyday")
    counted = [look_alikes_at([*asked, everyday], wanted) for wanted in (0.3, 1 / 3, 0.5, 1.0)]
    assert counted == [0.0, 0.0, 0.5, 1.0]
    assert look_alikes_at([*asked, JudgedCase(Case("g", "j"), Outcome())], 1.0) is None


def written(folder: Path, look_alikes: list[str]) -> None:
    entry = {"id": 1, "question": "what is a jumper", "wrong_understanding": "", "feedback": "a pullover", "lang": "en"}
    need = {"question": "how do i wash a jumper", "applies": 1, "kind": "reworded", "near": 1, "lang": "en"}
    other = {"question": "where do jumper cables go", "applies": None, "kind": "look-alike", "near": 1, "lang": "en"}
    lines: dict[str, list[Any]] = {
        "entries": [entry],
        "keys": [{"id": 1, "keys": ["a jumper that bobbles", "where do i put jumper cables"]}],
        "questions": [need, other],
        "lookalikes": [{"id": 1, "lookalikes": look_alikes}],
    }
    for name, some in lines.items():
        (folder / f"tiny_{name}.jsonl").write_text("\n".join(map(json.dumps, some)), encoding="utf-8")


def test_what_the_set_asks_itself_is_told_apart(tmp_path: Path) -> None:
    written(tmp_path, ["Where do jumper cables go?!", "where do the jumper cables go", "who invented basketball"])
    watched = read_watched(tmp_path, "tiny")
    assert watched.own == {1: ["where do jumper cables go"]}
    assert len(watched.written[1]) == 3
    assert watched.unasked == {1: ["who invented basketball"]}
    (tmp_path / "tiny_lookalikes.jsonl").unlink()
    with pytest.raises(BadInput, match="no file"):
        read_watched(tmp_path, "tiny")


def test_every_way_is_measured_on_a_set(tmp_path: Path) -> None:
    written(tmp_path, ["where do jumper cables go", "who invented basketball"])
    with remembered_vectors():
        found = dict(measured(read_watched(tmp_path, "tiny"), bundled()))
    assert len(found) == 9
    assert {tuple(numbers) for numbers in found.values()} == {tuple(found["all keys"])}
    shares = [numbers["keys"] for numbers in found.values()]
    assert (shares[0], shares[1], shares[-1]) == (1.0, 0.5, 1.0)
    assert found["not for written look-alikes"]["at 0.800"] == 0.0


@pytest.mark.parametrize("name", ["second", "third"])
def test_each_entry_has_four_look_alikes(name: str) -> None:
    watched = read_watched(DATA, name)
    assert [entry.id for entry in watched.benchmark.entries] == list(watched.written)
    assert {len(set(texts)) for texts in watched.written.values()} == {4}
