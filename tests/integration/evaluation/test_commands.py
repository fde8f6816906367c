"""The commands on the real app: a small run of each paper, continued runs, decisions, and unusable input."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from assistant.prompt.envelope import read_blocks
from evaluation.command_line import command_line
from evaluation.harness.report import Report, Share, Table, read_report
from tests.support.memory.loop import reply
from tests.support.servers import faults
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
    value = cell.value if isinstance(cell, Share) else cell
    assert isinstance(value, int | float)
    return value


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


def test_decisions_are_counted_and_the_same_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = ran(data / "a", "decisions", "x", "--data", data)
    assert ran(data / "b", "decisions", "x", "--data", data) == again
    assert [*again.table("x: methods").rows] == ["Noted"]  # baselines need an embedder
    noted = again.table("x: methods").cells("Noted")
    assert (noted["questions"], noted["R@1"]) == (4, 1)  # the store merges 2 and 3, so both are right
    monkeypatch.delenv("NOTED_EMBEDDER")
    methods = ran(data / "c", "decisions", "x", "--data", data).table("x: methods").rows
    assert {"Noted", "MemPrompt, cosine > 0.9", "embedding search", "plain sum"} <= methods.keys()
    compared = invoke("compare", data / "a", data / "c")
    assert "numbers differ" in compared.output
    assert invoke("report", data / "a").exit_code == 0


def test_labelled_sets_are_counted(tmp_path: Path) -> None:
    report = ran(tmp_path, "labelled", "same", "told")
    assert [table.title for table in report.tables] == ["same", "told"]
    same = report.table("same").cells("dev, the same")["taken for the same"]
    assert isinstance(same, Share)
    assert 50 < same.hits < same.of == 120
    assert len(report.notes) == 2


def test_memprompt_gets_better_with_a_memory(tmp_path: Path) -> None:
    line = ("memprompt", "--task", "lexical", "--lang", "en", "--length", 50, "--memory", "none,grow,noted")
    report = ran(tmp_path, *line)
    table = report.table("lexical, en")
    assert number(table, "noted", "Acc(u)") > number(table, "none", "Acc(u)")
    assert number(table, "none", "corrections") == number(table, "noted", "wrong note") == 0
    assert number(table, "grow", "prompt tokens") > number(table, "noted", "prompt tokens")
    steps = (tmp_path / "steps.jsonl").read_bytes()
    assert ran(tmp_path, *line) == report
    assert (tmp_path / "steps.jsonl").read_bytes() == steps
    _refuse_the_folder_of_another_run(tmp_path, *line)


def _refuse_the_folder_of_another_run(folder: Path, *line: object) -> None:
    """Go on with other arguments, from another commit, and where no arguments were written."""
    other = invoke("run", *line, "--seeds", 2, "--out", folder)
    assert (other.exit_code, "has steps of another run (seeds)" in other.output) == (2, True)
    run = json.loads((folder / "run.json").read_text())
    for written_before, named in (({**run, "commit": "0123456789ab"}, "(commit)"), (None, "(commit, ")):
        (folder / "run.json").unlink()
        if written_before:
            (folder / "run.json").write_text(json.dumps(written_before))
        refused = invoke("run", *line, "--out", folder)
        assert (refused.exit_code, named in refused.output) == (2, True)


def test_memprompt_asks_a_small_model_everyday_questions(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(body: dict[str, Any]) -> str:
        said = re.findall(r'I meant "(.*?)"\. ', str(body["messages"][-1]["content"]))
        return f"Understanding: You want it, and mean {', '.join(said)}\nAnswer: Yes."

    monkeypatch.setenv("NOTED_PROMPT", "short")
    server.answer = answer
    stream = ("--task", "everyday", "--lang", "en", "--length", 8)
    done = invoke("run", "memprompt", *stream, "--memory", "none,grow", "--model", "openai/test", "--out", tmp_path)
    assert "The first of 16 questions took 1 calls" in done.stderr
    groups = read_report(tmp_path).table("everyday, en")
    assert number(groups, "none", "again") == number(groups, "none", "first time") == 0
    assert number(groups, "grow", "again") > 0
    assert number(groups, "grow", "needs no note") < 1 == number(groups, "none", "needs no note")


def test_expnote_learns(tmp_path: Path) -> None:
    line = ("expnote", "--seeds", 1, "--cases", 20, "--tests", 10, "--task", "table")
    right = ran(tmp_path, *line).table("table: share of tests right")
    assert number(right, "both", "all") == number(right, "negative", "all") > number(right, "disabled", "all")


def test_expnote_with_a_connected_model_notes_its_own_lessons(tmp_path: Path, server: ChatServer) -> None:
    def answer(body: dict[str, object]) -> str:
        text = str(body["messages"])
        if "NOTE[key]" in text:
            return "THINK: by places\nNOTE[splice, letter]: Take the letter at each place, and join them."
        return reply("the letters, spliced", "It is xyz", notes="1" if '"lesson"' in text else "")

    server.answer = answer
    line = ("expnote", "--task", "letters", "--seeds", 1, "--cases", 1, "--tests", 2, "--model", "openai/test")
    assert ran(tmp_path, *line).table("letters: lessons").cells("both")["lessons"] == 1
    assert '"lesson": "Take the letter at each place, and join them."' in (tmp_path / "answers.jsonl").read_text()


class Student:
    """A model that chooses the first option, unless it was told the facts for the right one."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def __call__(self, body: dict[str, Any]) -> str:
        content = str(body["messages"][-1]["content"]) + "\n"
        blocks = {block.name: block.rows for block in read_blocks(content)[0]}
        if "asked" in blocks:
            options = [row["answer"] for row in blocks["options"]]
            number = str(blocks["asked"][0]["question"]).partition("number ")[2][0]
            said = "".join(f"<statement>{option} is number {number}</statement>" for option in options)
            return f"<understanding>which one it is</understanding>{said}"
        if "claim" in blocks:
            return "<because>Everybody says so.</because>"
        if "premises" in blocks:
            told = [str(row["says"]) for row in blocks["premises"] if "told" in row]
            sure = 99 if str(blocks["conclusion"][0]["statement"]) in told else 50
            return "\n".join(
                [
                    *(f"<premise>{row['premise']} yes 90</premise>" for row in blocks["premises"]),
                    f"<step>yes {sure}</step>",
                ]
            )
        self.calls["direct"] += 1
        return reply("which one it is", "(A)")


def test_teachme_teaches_goes_on_where_the_model_failed_and_asks_nothing_twice(
    tmp_path: Path, server: ChatServer
) -> None:
    asked = [
        {"question": f"Which metal is number {at}{way}?", "answer": metal, "core": [f"{metal} is number {at}"]}
        for at, metal in enumerate(("iron", "copper"))
        for way in ("", " of all")
    ]
    written(tmp_path / "dev.jsonl", *asked)
    student, line = Student(), ("teachme", "--data", tmp_path, "--model", "openai/test")
    server.answer = student
    server.replies(reply("which one it is", "(A)"), faults.status(401))
    assert invoke("run", *line, "--out", tmp_path / "out").exit_code == 1
    report = ran(tmp_path / "out", *line)
    requests = len(server.requests)
    assert ran(tmp_path / "out", *line) == report
    assert len(server.requests) == requests
    right = report.table("questions right")
    shares = {way: number(right, way, "all") for way in right.rows}
    assert shares["upper bound"] == shares["taught ones, asked again"] == 1
    assert shares["before teaching"] < shares["after teaching 100%"]


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


def test_selection_compares_questions(tmp_path: Path, server: ChatServer) -> None:
    pytest.importorskip("rouge_score")
    line = {"story": "s", "sections": ["1"], "text": "Dana found it.", "question": "Who found it?", "answers": ["Dana"]}
    written(tmp_path / "val.jsonl", line)
    server.answer = lambda _body: "<question>Who found it?</question><answer>Dana</answer>"
    command = ("selection", "--data", tmp_path, "--model", "openai/test", "--samples", 2)
    assert ran(tmp_path / "out", *command).tables[0].cells("greedy")["ROUGE-L"] == 1.0


def test_perf_measures_memories(tmp_path: Path) -> None:
    done = invoke("perf", "memory", "--memories", 6, "--questions", 1, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    table = read_report(tmp_path).table("6 memories")
    assert table.cells("retriever and gate by embedding alone, ms")["against"] is None
    assert table.cells("first question after a save by a steady one, ms")["at most"] == 1.3
    assert number(table, "resident memory after 20 turns, MB", "ours") > 50


@pytest.mark.slow
def test_perf_measures_starts_and_readers(tmp_path: Path) -> None:
    done = invoke("perf", "start", "page", "--times", 1, "--people", 3, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    page = read_report(tmp_path).table("page")
    assert page.cells("of 3 readers without a whole answer, readers")["ours"] == 0
    assert page.cells("words that reached another reader, words")["ours"] == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["run", "nothing"], "No such command"),
        (["run", "memprompt", "--lang", "xx"], "no language xx"),
        (["run", "decisions", "chess"], "cannot be read"),
        (["perf", "memory", "--memories", "many"], "--memories"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(tmp_path: Path, line: list[str], said: str) -> None:
    result = invoke(*line, *(["--out", tmp_path] if line[1] != "nothing" else []))
    assert result.exit_code == 2
    assert said in result.output


def test_list_names_every_experiment_with_its_data() -> None:
    listed = invoke("list").output
    for name in ("memprompt", "teachme", "memllm", "expnote", "selection", "facts-shown", "CC BY 4.0"):
        assert name in listed
