"""The files of the decision benchmark: what is read, and what is said about files that cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.cases import EVERYBODY, Case, each_with_an_owner
from evaluation.reading import BadInput, read_benchmark, read_entries

ENTRY = {"id": "a", "question": "what is akin to quick ?", "wrong_understanding": "", "feedback": "same", "lang": "en"}
QUESTION = {"question": "what is akin to slow ?", "applies": "a", "kind": "yes", "lang": "en"}
KEYS = {"id": "a", "keys": ["a word that means the same"]}


def without(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key != name}


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, *lines: object) -> Path:
        path = tmp_path / name
        texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        path.write_text("\n".join(texts), encoding="utf-8", errors="surrogatepass")
        return path

    return write


def test_what_is_read(written: Callable[..., Path]) -> None:
    entries = written("E", {**ENTRY, "other": [1]}, "", {**ENTRY, "id": 7})
    questions = written("Q", QUESTION, {**QUESTION, "applies": None, "near": 7, "kind": "look-alike", "lang": "hi"})
    benchmark = read_benchmark(entries, questions, written("K", {**KEYS, "other": 1}))
    first, second = benchmark.entries
    assert (first.id, first.questions, first.feedback) == ("a", ("what is akin to quick ?",), "same")
    assert (first.keys, second.keys, second.id) == (("a word that means the same",), (), 7)
    assert first.owner == EVERYBODY
    assert benchmark.questions[0] == Case("what is akin to slow ?", "a", "yes", "en")
    assert (benchmark.questions[1].applies, benchmark.questions[1].near) == (None, 7)


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "E"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(ENTRY).encode() + b"\r\n")
    assert len(read_entries(path)) == 1


@pytest.mark.parametrize(
    ("entries", "questions", "keys", "said"),
    [
        ([], [QUESTION], None, "E is empty; it must hold at least one entry."),
        (["", "  "], [QUESTION], None, "E is empty"),
        ([ENTRY], [], None, "Q is empty"),
        ([ENTRY], [QUESTION], [], "K is empty"),
        ([ENTRY, "{"], [QUESTION], None, "E, line 2: this is not JSON."),
        (["[" * 100_000], [QUESTION], None, "E, line 1: this is not JSON."),
        ([ENTRY, "3"], [QUESTION], None, "E, line 2: this is JSON, but not an object in braces."),
        ([ENTRY, ENTRY], [QUESTION], None, 'E, line 2: the id "a" is there twice.'),
        ([{**ENTRY, "id": 1}, {**ENTRY, "id": "1"}], [QUESTION], None, 'E, line 2: the id "1" is there twice.'),
        ([{**ENTRY, "id": True}], [QUESTION], None, 'E, line 1: "id" must be a text or a whole number.'),
        ([{**ENTRY, "id": ""}], [QUESTION], None, 'E, line 1: "id" must be'),
        ([{**ENTRY, "id": None}], [QUESTION], None, 'E, line 1: "id" must be'),
        ([without(ENTRY, "id")], [QUESTION], None, 'E, line 1: the field "id" is missing.'),
        ([without(ENTRY, "question")], [QUESTION], None, 'the field "question" is missing.'),
        ([without(ENTRY, "feedback")], [QUESTION], None, 'the field "feedback" is missing.'),
        ([without(ENTRY, "lang")], [QUESTION], None, 'the field "lang" is missing.'),
        ([without(ENTRY, "wrong_understanding")], [QUESTION], None, 'the field "wrong_understanding" is missing.'),
        ([{**ENTRY, "question": 3}], [QUESTION], None, 'E, line 1: "question" must be a text.'),
        ([{**ENTRY, "question": " \u200b"}], [QUESTION], None, 'E, line 1: "question" holds no text.'),
        ([{**ENTRY, "question": "x" * 10_000}], [QUESTION], None, '"question" is longer than 8,000 characters.'),
        ([{**ENTRY, "feedback": "x" * 3_000}], [QUESTION], None, '"feedback" is longer than 2,000 characters.'),
        ([ENTRY], [QUESTION, "no"], None, "Q, line 2: this is not JSON."),
        ([ENTRY], [without(QUESTION, "applies")], None, 'Q, line 1: the field "applies" is missing.'),
        ([ENTRY], [without(QUESTION, "question")], None, 'Q, line 1: the field "question" is missing.'),
        ([ENTRY], [without(QUESTION, "kind")], None, 'Q, line 1: the field "kind" is missing.'),
        ([ENTRY], [without(QUESTION, "lang")], None, 'Q, line 1: the field "lang" is missing.'),
        ([ENTRY], [{**QUESTION, "applies": "b"}], None, 'Q, line 1: "applies" is "b", and no entry has this id.'),
        ([ENTRY], [{**QUESTION, "applies": ["a"]}], None, 'Q, line 1: "applies" must be a text or a whole number.'),
        ([ENTRY], [{**QUESTION, "near": "b"}], None, 'Q, line 1: "near" is "b", and no entry has this id.'),
        ([ENTRY], [QUESTION], [{**KEYS, "id": "b"}], 'K, line 1: no entry has the id "b".'),
        ([ENTRY], [QUESTION], [KEYS, KEYS], 'K, line 2: the id "a" is there twice.'),
        ([ENTRY], [QUESTION], [{**KEYS, "keys": "x"}], 'K, line 1: "keys" must be a list of texts.'),
        ([ENTRY], [QUESTION], [{**KEYS, "keys": [1]}], 'K, line 1: "keys" must be a list of texts.'),
        ([ENTRY], [QUESTION], [{**KEYS, "keys": [" "]}], 'K, line 1: "keys" holds no text.'),
        ([ENTRY], [QUESTION], [without(KEYS, "keys")], 'K, line 1: the field "keys" is missing.'),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(
    written: Callable[..., Path], entries: list[Any], questions: list[Any], keys: list[Any] | None, said: str
) -> None:
    paths = (written("E", *entries), written("Q", *questions), None if keys is None else written("K", *keys))
    with pytest.raises(BadInput) as error:
        read_benchmark(*paths)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(written: Callable[..., Path], tmp_path: Path) -> None:
    questions = written("Q", QUESTION)
    with pytest.raises(BadInput, match=r"There is no file .*nowhere"):
        read_benchmark(tmp_path / "nowhere", questions)
    with pytest.raises(BadInput, match="cannot be read"):
        read_benchmark(tmp_path, questions)
    (tmp_path / "bytes").write_bytes(json.dumps(ENTRY).encode() + b"\n\xff\xfe")
    with pytest.raises(BadInput, match=r"bytes, line 2: this is not UTF-8 text\."):
        read_benchmark(tmp_path / "bytes", questions)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_in_one_sentence(tmp_path: Path, noise: bytes) -> None:
    path = tmp_path / "noise"
    path.write_bytes(noise)
    with pytest.raises(BadInput) as error:
        read_entries(path)
    assert str(error.value).startswith(str(path)) or str(path) in str(error.value)


def test_each_entry_gets_an_owner_and_each_question_an_asker(written: Callable[..., Path]) -> None:
    entries = written("E", *({**ENTRY, "id": name} for name in "abc"))
    everyday = {**QUESTION, "applies": None, "kind": "everyday"}
    near = {**QUESTION, "applies": None, "kind": "look-alike", "near": "b"}
    questions = written("Q", {**QUESTION, "applies": "c"}, near, *[everyday] * 40)
    benchmark = each_with_an_owner(read_benchmark(entries, questions), seed=3)
    owners = {entry.id: entry.owner for entry in benchmark.entries}
    assert len(set(owners.values())) == 3
    assert [asked.person for asked in benchmark.questions[:2]] == [owners["c"], owners["b"]]
    assert {asked.person for asked in benchmark.questions[2:]} == set(owners.values())
    assert each_with_an_owner(read_benchmark(entries, questions), seed=3) == benchmark


@pytest.mark.parametrize("written_as", ["look-alike", "Look_Alike", "look alike", "lookalike"])
def test_ways_to_write_look_alike(written_as: str) -> None:
    assert Case("?", None, written_as).is_look_alike
    assert not Case("?", None, written_as).is_unrelated


@pytest.mark.parametrize("written_as", ["everyday", "Everyday", "unrelated"])
def test_ways_to_write_unrelated(written_as: str) -> None:
    assert Case("?", None, written_as).is_unrelated
