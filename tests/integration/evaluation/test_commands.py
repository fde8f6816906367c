"""The commands on the real app: a small run of each paper, continued runs, decisions, and unusable input."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evaluation.command_line import command_line
from evaluation.harness.report import Report, Table, read_report
from tests.support.servers.chat_server import ChatServer


@pytest.fixture(autouse=True)
def by_wording_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTED_EMBEDDER", "none")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("NOTED_API_KEY", "sk-test")
    with ChatServer() as server:
        monkeypatch.setenv("NOTED_API_BASE", server.url)
        yield server


def invoke(*line: object) -> Result:
    return CliRunner().invoke(command_line(), [*map(str, line)])


def ran(out: Path, *line: object) -> Report:
    done = invoke("run", *line, "--out", out)
    assert done.exit_code == 0, done.output
    assert done.stdout.strip().endswith(f"{out}/report.json")
    return read_report(out)


def number(table: Table, row: str, column: str) -> float:
    cell = table.cells(row)[column]
    assert isinstance(cell, int | float)
    return cell


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


ENTRIES: list[dict[str, Any]] = [
    {"id": "syn", "question": "what is akin to quick ?", "feedback": "a word with the same meaning", "lang": "en"},
    {"id": 2, "question": "kal match kab hai", "feedback": "kal means yesterday here", "lang": "hinglish"},
    {"id": 3, "question": "kal match kab hai ?", "feedback": "kal means yesterday here", "lang": "hinglish"},
]
QUESTIONS: list[dict[str, Any]] = [
    {"question": "What's akin to enormous?", "applies": "syn", "kind": "yes", "lang": "en"},
    {"question": "kal ka match kab tha", "applies": 2, "kind": "yes", "lang": "hinglish"},
    {"question": "what is akin to living abroad?", "applies": None, "kind": "look-alike", "lang": "en"},
    {"question": "how many moons has Jupiter", "applies": None, "kind": "everyday", "lang": "en"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    written(tmp_path / "x_entries.jsonl", *({"wrong_understanding": "", **entry} for entry in ENTRIES))
    written(tmp_path / "x_questions.jsonl", *QUESTIONS)
    written(tmp_path / "x_keys.jsonl", {"id": 2, "keys": ["when was the match played"]})
    return tmp_path


def lines(out: Path) -> list[dict[str, Any]]:
    text = (out / "decisions.jsonl").read_text(encoding="utf-8")
    return [{**json.loads(line), "reason": ""} for line in text.splitlines()]


def test_decisions_are_counted_and_the_same_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = ran(data / "a", "decisions", "x", "--data", data)
    assert ran(data / "b", "decisions", "x", "--data", data) == again
    assert lines(data / "a") == lines(data / "b")
    first, second, *_ = lines(data / "a")
    assert first["used"] == ["syn"]
    assert second["ranked"][0] in {2, 3}
    assert second.keys() == {"question", "ranked", "offered", "used", "probability", "reason"}
    assert [*again.table("x: methods").rows] == ["Noted"]  # baselines need an embedder
    noted = again.table("x: methods").cells("Noted")
    assert (noted["questions"], noted["R@1"]) == (4, 1)  # the store merges 2 and 3, so both are right
    monkeypatch.delenv("NOTED_EMBEDDER")
    methods = ran(data / "c", "decisions", "x", "--data", data).table("x: methods").rows
    assert {"Noted", "MemPrompt, cosine > 0.9", "embedding search", "plain sum"} <= methods.keys()
    compared = invoke("compare", data / "a", data / "c")
    assert "numbers differ" in compared.output
    assert invoke("report", data / "a").exit_code == 0


def test_memprompt_gets_better_with_a_memory(tmp_path: Path) -> None:
    line = ("memprompt", "--task", "lexical", "--lang", "en", "--length", 26, "--brackets", "all")
    table = ran(tmp_path, *line, "--memory", "none,grow,noted").table("lexical, en, p = 1")
    assert number(table, "noted", "Acc(u)") > number(table, "none", "Acc(u)")
    assert number(table, "none", "corrections") == number(table, "noted", "wrong note") == 0
    assert number(table, "grow", "against none") > 1.1 > number(table, "noted", "against none")


def test_expnote_learns_and_goes_on(tmp_path: Path) -> None:
    line = ("expnote", "--seeds", 1, "--cases", 20, "--tests", 10, "--task", "table")
    report = ran(tmp_path, *line)
    right = report.table("table: share of tests right")
    assert number(right, "both", "all") == number(right, "negative", "all") > number(right, "disabled", "all")
    steps = (tmp_path / "answers.jsonl").read_bytes()
    assert ran(tmp_path, *line) == report
    assert (tmp_path / "answers.jsonl").read_bytes() == steps


def test_memllm_edits_a_sheet(tmp_path: Path) -> None:
    for split, names in (("train", ("peru", "chile")), ("val", ("kenya",))):
        asked = [
            {"question": text.format(name), "answers": [f"of {name}"], "topic": name, "path": ["/country/money"]}
            for name in names
            for text in ("what money is used in {}?", "in {}, which money is used?")
        ]
        written(tmp_path / f"{split}.jsonl", *asked)
    line = ("memllm", "--data", tmp_path, "--edits", 2, "--model", "embedded")
    table = ran(tmp_path / "out", *line).table("2 edits; 2 reworded, 2 unrelated")
    assert table.cells("without a model")["REL"] == 1
    assert "embedded" in table.rows


def test_selection_has_questions_written_once(tmp_path: Path, server: ChatServer) -> None:
    pytest.importorskip("rouge_score")
    line = {"story": "s", "sections": ["1"], "text": "Dana found it.", "question": "Who found it?", "answers": ["Dana"]}
    written(tmp_path / "val.jsonl", line)
    server.answer = lambda _body: "<question>Who found it?</question><answer>Dana</answer>"
    command = ("selection", "--data", tmp_path, "--model", "openai/test", "--samples", 2)
    report = ran(tmp_path / "out", *command)
    assert report.tables[0].cells("greedy")["ROUGE-L"] == 1.0
    asked = len(server.requests)
    assert ran(tmp_path / "out", *command) == report
    assert len(server.requests) == asked


def test_perf_measures_memories_and_prompts(tmp_path: Path) -> None:
    done = invoke("perf", "memory", "prompts", "--memories", 6, "--questions", 1, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    table = read_report(tmp_path).table("6 memories")
    assert table.cells("retriever and gate by embedding alone, processor, ms")["against"] is None
    assert table.cells("first question after a save by a steady one, processor, ms")["at most"] == 1.3
    assert number(table, "resident memory after 20 turns, MB", "ours") > 50
    prompts = read_report(tmp_path).table("prompts")
    assert prompts.cells("connected model, without notes, tokens")["at most"] == 900


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["run", "nothing"], "No such command"),
        (["run", "memprompt", "--lang", "xx"], "no language xx"),
        (["run", "decisions", "chess"], "There is no file"),
        (["perf", "memory", "--memories", "many"], "--memories"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(tmp_path: Path, line: list[str], said: str) -> None:
    result = invoke(*line, *(["--out", tmp_path] if line[1] != "nothing" else []))
    assert result.exit_code == 2
    assert said in result.output
