"""The files of the decision benchmark: what is read, and what is said about files that cannot be."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.cases import EVERYBODY, Case
from evaluation.reading import BadInput, read_benchmark

ENTRY = {"id": "a", "question": "what is akin to quick ?", "wrong_understanding": "", "feedback": "same", "lang": "en"}
QUESTION = {"question": "what is akin to slow ?", "applies": "a", "kind": "yes", "lang": "en"}
KEYS = {"id": "a", "keys": ["a word that means the same"]}


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
    questions = written("Q", QUESTION, {**QUESTION, "applies": None, "kind": "look-alike", "lang": "hi"})
    benchmark = read_benchmark(entries, questions, written("K", {**KEYS, "other": 1}))
    first, second = benchmark.entries
    assert (first.id, first.questions, first.feedback) == ("a", ("what is akin to quick ?",), "same")
    assert (first.keys, second.keys, second.id) == (("a word that means the same",), (), 7)
    assert first.owner == EVERYBODY
    assert benchmark.questions[0] == Case("what is akin to slow ?", "a", "yes", "en")
    assert benchmark.questions[1].applies is None


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault(tmp_path: Path) -> None:
    for name, line in (("E", ENTRY), ("Q", QUESTION)):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + json.dumps(line).encode() + b"\r\n")
    assert len(read_benchmark(tmp_path / "E", tmp_path / "Q").entries) == 1


def without(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key != name}


def with_one_fault() -> Iterator[tuple[list[Any], list[Any], list[Any], str]]:
    """Entries, questions and keys, one of them with a fault, and what is said of it."""
    lines: dict[str, Any] = {"E": ENTRY, "Q": QUESTION, "K": KEYS}

    def faulty(file: str, said: str, *instead: Any) -> tuple[list[Any], list[Any], list[Any], str]:
        entries, questions, keys = (list(instead) if name == file else [line] for name, line in lines.items())
        return entries, questions, keys, f"{file}{said}"

    for file, line in lines.items():
        yield faulty(file, " is empty.", "", "  ")
        yield faulty(file, ", line 2: Invalid JSON", line, "{")
        yield faulty(file, ", line 2: Input should be an object", line, "3")
        for name in line:
            yield faulty(file, f", line 1: {name}: Field required", without(line, name))
    for wrong_id in (True, "", None, ["a"]):
        yield faulty("E", ", line 1: id", {**ENTRY, "id": wrong_id})
    yield faulty("E", ", line 1: Invalid JSON", "[" * 100_000)
    yield faulty("E", ', line 2: the id "1" is there twice.', {**ENTRY, "id": 1}, {**ENTRY, "id": "1"})
    yield faulty("K", ', line 2: the id "a" is there twice.', KEYS, KEYS)
    for name, wrong in (("question", 3), ("question", " "), ("question", "x" * 8_001), ("feedback", "x" * 2_001)):
        yield faulty("E", f", line 1: {name}: ", {**ENTRY, name: wrong})
    yield faulty("Q", ', line 1: no entry has the id "b".', {**QUESTION, "applies": "b"})
    yield faulty("K", ': no entry has the id "b".', {**KEYS, "id": "b"})
    for wrong_keys in ("x", [1], [" "]):
        yield faulty("K", ", line 1: keys", {**KEYS, "keys": wrong_keys})


@pytest.mark.parametrize(("entries", "questions", "keys", "said"), [*with_one_fault()])
def test_what_is_wrong_is_said_with_file_and_line(
    written: Callable[..., Path], entries: list[Any], questions: list[Any], keys: list[Any], said: str
) -> None:
    with pytest.raises(BadInput) as error:
        read_benchmark(written("E", *entries), written("Q", *questions), written("K", *keys))
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
        read_benchmark(path, path)
    assert str(error.value).startswith(str(path)) or str(path) in str(error.value)
