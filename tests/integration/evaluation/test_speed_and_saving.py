"""`python -m evaluation speed`: the store it fills, the times it takes, and what it says of bad input."""

from __future__ import annotations

import json
from itertools import islice
from math import ceil
from pathlib import Path

import numpy
import pytest
from typer.testing import CliRunner

from assistant.types import Scope
from evaluation.command_line import command_line
from evaluation.costs.speed_filling import ASKER, KEYS_PER_ENTRY, CheapVectors, among_others, fill
from evaluation.costs.synthetic import questions
from evaluation.store_filling import settings_in
from memory_store.language.readings import READINGS
from memory_store.ledger.indexed_keys import IndexedKey, Role
from memory_store.recall.recall import HybridRecall
from memory_store.store import Store, open_store
from tests.support.sizes import size
from tests.support.store import LetterPairs, indexed


def test_questions_are_many_different_and_the_same_again() -> None:
    first = list(islice(questions(1), 5_000))
    assert first == list(islice(questions(1), 5_000))
    assert len(set(first)) > 4_000
    assert not set("{}") & set("".join(first))
    assert {"hai", "ਦਾ", "में", "what"} <= {word for text in first for word in text.split()}


def test_cheap_vectors_are_unit_repeatable_and_near_a_real_one() -> None:
    texts = list(islice(questions(2), 300))
    cheap = CheapVectors(LetterPairs(), texts[:20])
    vectors = cheap.encode(texts)
    assert (vectors.shape, vectors.dtype) == ((300, 16), numpy.float32)
    assert numpy.allclose(numpy.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors == cheap.encode(texts)).all()
    assert (vectors @ LetterPairs().encode(texts[:20]).T).max(axis=1).min() > 0.5
    assert cheap.fingerprint == LetterPairs().fingerprint


def keys_of(store: Store, person: Scope) -> list[IndexedKey]:
    return [row for row in indexed(store.index, person) if row.role not in {Role.WITH_FEEDBACK, Role.WITH_MISREADING}]


@pytest.mark.parametrize("number", size([2, 100], [2, 100, 2_600]))
def test_the_store_has_so_many_keys_and_the_asker_sees_theirs_and_shared_ones(tmp_path: Path, number: int) -> None:
    settings, layout = settings_in(tmp_path), among_others(number)
    fill(settings, layout, LetterPairs(), seed=1)
    fill(settings, layout, LetterPairs(), seed=1)  # after a stop it goes on, and saves nothing twice
    store = open_store(settings.ledger, settings.index, LetterPairs(), READINGS)
    store.indexer.catch_up()
    try:
        readable = keys_of(store, ASKER)
        assert len(readable) == layout.own + layout.shared == min(2_000, number)
        assert sum(key.owner == ASKER.person for key in readable) == layout.own
        assert len({row.entry_id for row in readable}) == ceil(layout.own / KEYS_PER_ENTRY) + ceil(
            layout.shared / KEYS_PER_ENTRY
        )
        assert len(keys_of(store, Scope("person 0"))) == layout.shared + layout.others
        held = {row.key_id for row in indexed(store.index, ASKER)}
        assert held == {row.key_id for row in store.memory.keys(ASKER)}
        assert HybridRecall(store.index, store.memory, READINGS, LetterPairs())("what", ASKER)
    finally:
        store.close()


def test_the_command_measures_each_size(tmp_path: Path) -> None:
    report = tmp_path / "R"
    line = ["speed", "--keys", "40,16", "--questions", "3", "--report", str(report)]
    result = CliRunner().invoke(command_line(), line, env={"NOTED_EMBEDDER": "none"})
    assert result.exit_code == 0, result.output
    runs = json.loads(report.read_text(encoding="utf-8"))["runs"]
    assert [(run["keys"], run["layout"]) for run in runs] == [
        (keys, layout) for keys in (16, 40) for layout in ("own", "among others")
    ]
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
