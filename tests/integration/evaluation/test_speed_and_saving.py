"""`python -m evaluation speed` and `saving`: the stores they fill, what they time, and what they say of bad input."""

import json
import re
import tempfile
from contextlib import closing
from itertools import islice
from math import ceil
from pathlib import Path

import numpy
import pytest
from typer.testing import CliRunner, Result

from assistant.types import Question
from evaluation.command_line import command_line
from evaluation.costs.speed import ASKER, KEYS_PER_ENTRY, CheapVectors, fill
from evaluation.costs.synthetic import questions
from evaluation.store_filling import settings_in
from memory_store.language.word_translation import READINGS
from memory_store.ledger.indexed_keys import TextRole
from memory_store.recall.recall import HybridRecall
from memory_store.store import open_store
from tests.support.memory.store import LetterPairs, indexed
from tests.support.sizes import size


def test_cheap_vectors_are_unit_repeatable_and_near_a_real_one() -> None:
    texts = list(islice(questions(2), 300))
    cheap = CheapVectors(LetterPairs(), texts[:20])
    vectors = cheap.encode(texts)
    assert (vectors.shape, vectors.dtype) == ((300, 16), numpy.float32)
    assert numpy.allclose(numpy.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors == cheap.encode(texts)).all()
    assert (vectors @ LetterPairs().encode(texts[:20]).T).max(axis=1).min() > 0.5
    assert cheap.fingerprint == LetterPairs().fingerprint


@pytest.mark.parametrize("number", size([1, 100], [1, 100, 2_600]))
def test_the_store_has_so_many_keys(tmp_path: Path, number: int) -> None:
    settings = settings_in(tmp_path)
    fill(settings, number, LetterPairs(), seed=1)
    fill(settings, number, LetterPairs(), seed=1)  # after a stop it goes on, and saves nothing twice
    with closing(open_store(settings.ledger, settings.index, LetterPairs(), READINGS)) as store:
        store.indexer.catch_up()
        held = indexed(store.index, ASKER)
        keys = [row for row in held if row.role not in {TextRole.WITH_FEEDBACK, TextRole.WITH_MISREADING}]
        assert (len(keys), len({row.entry_id for row in keys})) == (number, ceil(number / KEYS_PER_ENTRY))
        assert {row.key_id for row in held} == {row.key_id for row in store.memory.keys(ASKER)}
        assert HybridRecall(store.index, store.memory, READINGS, LetterPairs())(Question("what"), ASKER)


def test_the_command_measures_each_size(tmp_path: Path) -> None:
    report = tmp_path / "R"
    line = ["speed", "--keys", "40,16", "--questions", "3", "--report", str(report)]
    result = CliRunner().invoke(command_line(), line, env={"NOTED_EMBEDDER": "none"})
    assert result.exit_code == 0, result.output
    runs = json.loads(report.read_text(encoding="utf-8"))["runs"]
    assert [run["keys"] for run in runs] == [16, 40]
    assert all(run["recall"]["p50"] <= run["recall"]["p95"] for run in runs)
    assert all(run["ratio"] is None and run["cpu_ratio"] is None for run in runs)  # nothing is embedded


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--keys", "many"], "--keys must be whole numbers"),
        (["--keys", "1"], "--keys must be from 2 to"),
        (["--keys", ""], "--keys must be whole numbers"),
    ],
)
def test_bad_input_is_one_sentence(options: list[str], said: str) -> None:
    result = CliRunner().invoke(command_line(), ["speed", *options])
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which everything temporary is made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def run(*options: str) -> Result:
    return CliRunner().invoke(command_line(), ["saving", *options], env={"NOTED_EMBEDDER": "none"})


def is_shown(value: float, result: Result) -> bool:
    """Whether the tables have it, with two places."""
    return any(abs(float(shown) - value) <= 0.0051 for shown in re.findall(r"\d+\.\d\d", result.stdout))


SMALL = ("--entries", "12", "--saves", "4")


def test_the_report_holds_what_is_shown_and_nothing_else_is_left(tmp_path: Path, temporary: Path) -> None:
    report = tmp_path / "R.json"
    result = run(*SMALL, "--report", str(report))
    assert result.exit_code == 0, result.output
    kept = json.loads(report.read_text(encoding="utf-8"))
    assert [(run["entries"], run["saves"]) for run in kept["saved"]] == [(0, 4), (12, 4), (12, 4)]
    for column in kept["saved"]:
        assert column["ratio"] == pytest.approx(column["saved"]["p50"] / column["commit"]["p50"], rel=0.01)
        assert is_shown(column["ratio"], result)
        for name in ("saved", "commit", "saved_cpu", "commit_cpu"):
            spread = column[name]
            assert 0 < spread["p50"] <= spread["p95"]
            assert is_shown(spread["p50"], result)
            assert is_shown(spread["p95"], result)
    assert list(temporary.iterdir()) == []
