"""`python -m evaluation decisions`: on the default embedder, with a model over HTTP, and stopped."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evaluation.cases import Benchmark, Case, Stored
from evaluation.command_line import command_line
from evaluation.decisions.running import by_gate, by_model, decide_all
from evaluation.decisions.running import run as run_benchmark
from evaluation.store_filling import filled
from tests.support.memory.keys import wait_until
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer

ENTRIES: list[dict[str, Any]] = [
    {"id": "syn", "question": "what is akin to quick ?", "feedback": "a word with the same meaning", "lang": "en"},
    {"id": 2, "question": "kal match kab hai", "feedback": "kal means yesterday here", "lang": "hinglish"},
    {"id": "opp", "question": "ਗਰਮ ਦਾ ਉਲਟਾ ਦੱਸੋ", "feedback": "the opposite word", "lang": "pa"},
]
QUESTIONS: list[dict[str, Any]] = [
    {"question": "What's akin to enormous?", "applies": "syn", "kind": "yes", "lang": "en"},
    {"question": "kal ka match kab tha", "applies": 2, "kind": "yes", "lang": "hinglish"},
    {"question": "what is akin to living abroad?", "applies": None, "kind": "look-alike", "lang": "en"},
    {"question": "how many moons has Jupiter", "applies": None, "kind": "everyday", "lang": "en"},
]
KEYS: list[dict[str, Any]] = [{"id": 2, "keys": ["when was the match played"]}]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    rows = {"E": [{"wrong_understanding": "", **entry} for entry in ENTRIES], "Q": QUESTIONS, "K": KEYS}
    for name, some in rows.items():
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in some), encoding="utf-8")
    return {name: tmp_path / name for name in ("E", "Q", "K", "P", "R")}


def arguments(files: dict[str, Path], *more: str) -> list[str]:
    return ["decisions", "--entries", str(files["E"]), "--questions", str(files["Q"]), "--out", str(files["P"]), *more]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_run_on_the_default_embedder(files: dict[str, Path]) -> None:
    done = CliRunner().invoke(command_line(), arguments(files, "--keys", str(files["K"]), "--report", str(files["R"])))
    assert (done.exit_code, done.stderr) == (0, "")
    written = lines(files["P"])
    assert [line["question"] for line in written] == [question["question"] for question in QUESTIONS]
    for line in written:
        assert line.keys() == {"question", "ranked", "offered", "used", "probability", "reason", "ms"}
        assert line["ms"].keys() == {"recall", "gate"}
        assert set(line["ranked"]) <= {"syn", 2, "opp"}
        assert line["probability"].keys() == set(map(str, line["ranked"]))
        assert all(0.0 <= chance <= 1.0 for chance in line["probability"].values())
        assert line["ranked"][: len(line["used"])] == line["used"]
        assert line["reason"].keys() == line["probability"].keys()
    assert written[0]["used"] == ["syn"]
    assert written[1]["ranked"][0] == 2
    report = json.loads(files["R"].read_text(encoding="utf-8"))
    assert [method["name"] for method in report["methods"]][:2] == ["Noted", "Meaning > 0.9 (MemPrompt)"]
    assert len(report["methods"]) == 6
    assert all(name in done.stdout for name in ("Noted", "MemPrompt", "hinglish"))


def test_it_decides_the_same_again(files: dict[str, Path]) -> None:
    runs = []
    for _ in range(2):
        result = CliRunner().invoke(command_line(), arguments(files), env={"NOTED_EMBEDDER": "none"})
        assert result.exit_code == 0, result.output
        runs.append([{name: value for name, value in line.items() if name != "ms"} for line in lines(files["P"])])
    assert runs[0] == runs[1]


def test_entries_that_the_store_makes_one_are_as_right_as_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTED_EMBEDDER", "none")
    questions = {"a": "What is akin to quick?", "b": "what is akin to quick", "c": "when is the next match?"}
    entries = tuple(Stored(name, (question,), "I want a synonym") for name, question in questions.items())
    asked = tuple(Case(question, name) for name, question in questions.items())
    with filled(entries) as app:
        assert dict(app.same) == {"a": {"a", "b"}, "b": {"a", "b"}, "c": {"c"}}
    noted = run_benchmark("twice the same", Benchmark(entries, asked)).methods[0].summary
    assert (noted.questions, noted.recall_at[1]) == (3, 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"E": "nowhere"}, "There is no file nowhere."),
        ({"P": "no/such/folder"}, "cannot be written: there is no folder"),
        ({"P": "."}, "cannot be written: it is a folder"),
        ({"P": "Q"}, "is named twice; it would be overwritten"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(files: dict[str, Path], change: dict[str, str], said: str) -> None:
    changed = {**files, **{name: files.get(to, Path(to)) for name, to in change.items()}}
    done = CliRunner().invoke(command_line(), arguments(changed))
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(lines(files["Q"])) == len(QUESTIONS)


def test_what_the_model_names_is_what_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = (Stored("a", ("when is the next match?",), "kal means yesterday", "the day before tomorrow"),)
    some = ["match", "next match", "and when is the next final match", "when is the match", "when is the next game"]
    questions = [Case(question, "a") for question in some]
    reply = "<notes>{}</notes>\n<understanding>u</understanding>\n<answer>y</answer>"
    monkeypatch.setenv("NOTED_EMBEDDER", "none")
    with filled(entries) as plain:
        decided = zip(questions, decide_all(questions, plain, by_gate), strict=True)
        asked = next(one for one, outcome in decided if outcome.offered)
    with ChatServer() as server:
        monkeypatch.setenv("NOTED_API_BASE", server.url)
        monkeypatch.setenv("NOTED_API_KEY", "sk-test")
        server.replies(reply.format(1), reply.format("none"))
        with filled(entries, "openai/any") as app:
            named, unnamed = decide_all([asked, asked], app, by_model)
    assert (named.offered, named.used) == (("a",), ("a",))
    assert (unnamed.offered, unnamed.used) == (("a",), ())
    assert named.ms.keys() >= {"recall", "gate", "first_token", "total"}


def test_a_model_that_fails_is_told_and_ends_the_run(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as server:
        server.replies(*[faults.status(401)] * 20)
        environment = {"NOTED_EMBEDDER": "none", "NOTED_API_BASE": server.url, "NOTED_API_KEY": "sk-test"}
        result = CliRunner().invoke(command_line(), arguments(files, "--model", "openai/any"), env=environment)
    assert result.exit_code == 1
    assert "failed at 3 questions in a row" in result.stderr
    assert [bool(line["error"]) for line in lines(files["P"])] == [True] * 3


def test_replies_that_were_written_decide_and_none_may_be_missing(files: dict[str, Path], tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    asked = arguments(files, "--replies", str(replies))
    done = CliRunner().invoke(command_line(), asked)
    assert done.exit_code == 2
    assert "have no reply in" in done.stderr
    written = []
    for missing in lines(replies.with_suffix(".missing.jsonl")):
        question = missing["messages"][-1]["content"]
        assert "<offered " in question, "a reply is wanted where there is nothing to choose from"
        notes = "1" if "enormous" in question else "none"
        reply = f"<notes>{notes}</notes><understanding>u</understanding><answer>a</answer>"
        written.append({"prompt": missing["prompt"], "reply": reply})
    replies.write_text("".join(json.dumps(line) + "\n" for line in written), encoding="utf-8")
    done = CliRunner().invoke(command_line(), asked)
    assert (done.exit_code, done.stderr) == (0, "")
    assert [line["used"] for line in lines(files["P"])] == [["syn"], [], [], []]


def test_the_embedded_model_decides_by_the_whole_loop(files: dict[str, Path]) -> None:
    environment = {"NOTED_EMBEDDER": "none"}
    result = CliRunner().invoke(command_line(), arguments(files, "--model", "embedded"), env=environment)
    assert result.exit_code == 0, result.output
    assert lines(files["P"])[0]["used"] == ["syn"]
    assert all(line["offered"] == [] for line in lines(files["P"]))


def test_stopping_leaves_whole_lines(files: dict[str, Path]) -> None:
    files["Q"].write_text("".join(json.dumps(QUESTIONS[0]) + "\n" for _ in range(20_000)), encoding="utf-8")

    def interrupt() -> None:
        wait_until(lambda: files["P"].exists() and files["P"].stat().st_size > 0, seconds=60)
        os.kill(os.getpid(), signal.SIGINT)

    with ThreadPoolExecutor(1) as person:
        person.submit(interrupt)
        result = CliRunner().invoke(command_line(), arguments(files), env={"NOTED_EMBEDDER": "none"})
    assert result.exit_code == 130
    assert "Stopped." in result.stderr
    assert result.stderr.count("\n") == 1
    assert 0 < len(lines(files["P"])) < 20_000


def test_data_sets_run_from_a_folder(tmp_path: Path) -> None:
    names = ("play_music", "set_alarm", "weather")
    split = [[f"{name} number {number} please", name] for name in names for number in range(6)]
    splits = {"train": split, "val": split[::3], "oos_train": [["who are you", "oos"]], "oos_val": [["hm", "oos"]]}
    (tmp_path / "dev.json").write_text(json.dumps(splits), encoding="utf-8")
    rows = [f"{text}\tkripya {text}\t[IN:{name.upper()} [SL:X {text} ] ]\t-\td" for text, name in split]
    for name in ("train.tsv", "validation.tsv"):
        (tmp_path / name).write_text("\n".join(["en_query\tcs_query\ten_parse\tcs_parse\tdomain", *rows]) + "\n")
    kept = tmp_path / "R"
    for command, runs in (("clinc150", 2), ("hinglish-top", 4)):
        line = [command, "--data", str(tmp_path), "--report", str(kept)]
        more = ["--entries", "9"] if command == "hinglish-top" else []
        result = CliRunner().invoke(command_line(), [*line, *more], env={"NOTED_EMBEDDER": "none"})
        assert result.exit_code == 0, result.output
        reports = json.loads(kept.read_text(encoding="utf-8"))["runs"]
        assert len(reports) == runs
        assert all(report["methods"][0]["recall_at"]["10"] == 1 for report in reports)
        assert result.output.count("MemPrompt") == runs
