"""`python -m evaluation speed` and `start`: the stores they fill, what they time, and what they say of bad input."""

import json
import tempfile
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy
import pytest
from typer.testing import CliRunner

from assistant.types import Question
from evaluation.command_line import command_line
from evaluation.costs.filling import CheapVectors, fill
from evaluation.costs.processes import DidNotStart, process, server
from evaluation.costs.speed import ASKER
from evaluation.costs.synthetic import clarifications, questions
from evaluation.costs.timing import Row
from evaluation.store_filling import settings_in
from memory_store.language.word_translation import READINGS
from memory_store.retrieval.retriever import IndexRetriever
from memory_store.store import open_store
from tests.support.memory.store import LetterPairs, indexed, keys_of


def test_cheap_vectors_are_unit_repeatable_and_near_a_real_one() -> None:
    texts = list(islice(questions(2), 300))
    cheap = CheapVectors(LetterPairs(), texts[:20])
    vectors = cheap.encode(texts)
    assert vectors.shape == (300, 16)
    assert vectors.dtype == numpy.float32
    assert numpy.allclose(numpy.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors == cheap.encode(texts)).all()
    assert (vectors @ LetterPairs().encode(texts[:20]).T).max(axis=1).min() > 0.5
    assert cheap.fingerprint == LetterPairs().fingerprint


@pytest.mark.parametrize("number", [1, 60])
def test_the_store_has_so_many_memories_with_the_keys_of_the_app(tmp_path: Path, number: int) -> None:
    settings, memories = settings_in(tmp_path), list(islice(clarifications(1, ASKER.person), number))
    fill(settings, memories, LetterPairs(), seed=1)
    fill(settings, memories, LetterPairs(), seed=1)  # after a stop it goes on, and saves nothing twice
    with closing(open_store(settings.ledger, settings.index, LetterPairs(), READINGS)) as store:
        store.indexer.catch_up()
        held = indexed(store, ASKER)
        assert len({key_id.split("/")[0] for key_id in held}) == number
        assert held.keys() == {key.key_id for key in keys_of(store, ASKER)}
        by_itself = {entry.question: len(entry.keys) for entry in store.memory.entries(ASKER, limit=number)}
        assert set(by_itself) == {memory.questions[0] for memory in memories}
        assert IndexRetriever(store.index, store.memory, READINGS, LetterPairs())(Question("what"), ASKER)


def test_a_row_keeps_its_bar_by_its_ratio_or_alone() -> None:
    assert [Row("", 3.0, 2.0, bar).is_kept for bar in (1.5, 1.4, None)] == [True, False, None]
    assert [Row("", 3.0, bar=bar).is_kept for bar in (3.0, 2.9)] == [True, False]
    assert Row("it", 3.0, 2.0, 1.5).as_json() == {
        "what": "it", "ours": 3.0, "against": 2.0, "bar": 1.5, "unit": "ms", "value": 1.5, "is_kept": True,
    }  # fmt: skip


def test_the_command_measures_each_size_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary, report = tmp_path / "temporary", tmp_path / "R"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    line = ["speed", "--memories", "6", "--questions", "1", "--report", str(report)]
    result = CliRunner().invoke(command_line(), line, env={"NOTED_EMBEDDER": "none"})
    assert result.exit_code == 0, result.output
    runs = json.loads(report.read_text(encoding="utf-8"))["runs"]
    assert [run["memories"] for run in runs] == [6]
    for run in runs:
        rows = {row["what"]: row for row in run["rows"]}
        assert all(row["ours"] > 0 for row in rows.values())
        assert all(what in result.stdout for what in rows)
        assert rows["recall and gate by embedding alone, processor"]["against"] is None  # nothing is embedded
        for change in ("a save", "an edit", "an erasure"):
            row = rows[f"first question after {change} by a steady one, processor"]
            assert row["bar"] == 1.3
            assert row["is_kept"] is (row["ours"] / row["against"] <= 1.3)
        assert rows["first answer after a restart by one of an empty home, wall"]["bar"] == 2.0
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--memories", "many"], "--memories must be whole numbers"),
        (["--memories", "0"], "--memories must be from 1 to"),
        (["--memories", ""], "--memories must be whole numbers"),
        (["--beside", "python"], "--beside compares with the same embedder"),
    ],
)
def test_bad_input_is_one_sentence(options: list[str], said: str) -> None:
    result = CliRunner().invoke(command_line(), ["speed", *options], env={"NOTED_EMBEDDER": "none"})
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_process_is_measured_from_its_beginning_until_its_end() -> None:
    busy = "print(sum(range(10**7))); held = b'x' * 50_000_000; print(len(held), flush=True); input()"
    with process(["-c", busy], {}) as started:
        assert [started.stdout.readline() for _ in range(2)] == ["49999995000000\n", "50000000\n"]
        assert 50 < started.megabytes() < 150
        assert 0.02 < started.processor() < started.seconds


def test_a_server_that_does_not_start_is_said_to() -> None:
    with pytest.raises(DidNotStart), server(["-c", "raise SystemExit"], {}):
        pass


@pytest.mark.slow
def test_starts_are_measured(tmp_path: Path) -> None:
    report = tmp_path / "R"
    line = ["start", "--times", "1", "--report", str(report)]
    result = CliRunner().invoke(command_line(), line, env={"NOTED_EMBEDDER": "none"})
    assert result.exit_code == 0, result.output
    rows = json.loads(report.read_text(encoding="utf-8"))["rows"]
    assert len([row for row in rows if row["bar"]]) == 6
    assert all(row["ours"] > 0 and row["what"] in result.stdout for row in rows)


def test_the_peer_of_this_project_is_none_of_its_dependencies() -> None:
    project = Path(__file__).parents[3]
    assert "mem0" not in (project / "pyproject.toml").read_text(encoding="utf-8")
