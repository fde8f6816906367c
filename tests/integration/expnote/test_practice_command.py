"""`python app.py practice`: a bad line refuses the file, Ctrl-C keeps what was learnt, and the same command goes on."""

import os
import signal
from pathlib import Path

import pytest

from tests.support.commands import Commands
from tests.support.memory.loop import reply
from tests.support.servers.chat_server import ChatServer

pytestmark = pytest.mark.promise("practice-continues", "practice-files-are-checked")

LINES = [
    "Who is a mama?\tuncle",
    "Who is a bua?\taunt",
    "Who is a bhatija?\tnephew",
    "So who is a mama?\tuncle",
    "So who is a bhatija?\tnephew",
]


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path / "home")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "family.tsv"
    path.write_text("\n".join(["question\tanswer", *LINES]), encoding="utf-8")
    return path


def test_what_is_learnt_is_shown_kept_and_thrown_away(commands: Commands, file: Path) -> None:
    done = commands.run("practice", str(file))
    assert "4 questions to learn from, 1 held out" in done.stderr
    assert "Right while learning: 1 of 4; in its parts 0% 0% 0% 100%" in done.stdout
    assert "Held out, 1: 0 right without the lessons, 1 with them" in done.stdout
    assert "wrong to right 1, right to right 0, right to wrong 0" in done.stdout
    assert 'For "mama" it is "uncle".' in done.stdout
    assert not commands.run("ask", "Who is a mama?").stdout.rstrip().endswith("uncle")
    assert commands.run("practice", str(file)).stdout == done.stdout
    assert "used from now on" in commands.run("practice", str(file), "--keep").stderr
    assert commands.run("ask", "Who is a mama?").stdout.rstrip().endswith("uncle")
    lessons = len(commands.json("practice", str(file))["lessons"])
    assert f"{lessons} lessons" in commands.run("practice", str(file), "--forget").stderr
    assert commands.run("memory", "list").stdout == ""
    assert commands.json("practice", str(file))["curve"] == [0, 0, 0, 1]


def test_cases_that_disagree_with_what_was_learnt_are_told(commands: Commands, file: Path) -> None:
    lines = (
        "question,answer",
        "Who is a mama?,uncle",
        "So who is a mama?,nephew",
        "a?,b",
    )
    file.write_text("\n".join(lines), encoding="utf-8")
    said = commands.run("practice", str(file)).stdout
    assert "Cases that disagree with what was learnt before: 1\n" in said
    assert "So who is a mama?: your answer nephew, by what was learnt uncle\n" in said
    (told,) = commands.json("practice", str(file))["disagreeing"]
    assert told == {"question": "So who is a mama?", "answer": "nephew", "learnt": "uncle"}


def test_two_files_of_one_name_are_two_practices(commands: Commands, tmp_path: Path) -> None:
    lines = ('What does "brb" mean?,be right back', 'What does "afk" mean?,away from keyboard')
    files = [tmp_path / folder / "words.csv" for folder in ("one", "other")]
    for file, line in zip(files, lines, strict=True):
        file.parent.mkdir()
        file.write_text(f"question,answer\n{line}", encoding="utf-8")
        assert len(commands.json("practice", str(file))["lessons"]) == 1
    assert "1 lesson." in commands.run("practice", str(files[0]), "--forget").stderr
    assert "away from keyboard" in commands.run("memory", "list").stdout
    assert "1 lesson." in commands.run("practice", str(files[1]), "--forget").stderr


def test_file_is_practised_whole_or_refused(commands: Commands, file: Path) -> None:
    lines = ["Frage\tAntwort", *LINES]
    file.write_text("\n".join([*lines, "no answer"]), encoding="utf-8")
    refused = commands.run("practice", str(file), status=1)
    assert (refused.stdout, "Line 7: Please give one question and its answer." in refused.stderr) == ("", True)
    file.write_bytes("\r\n".join([*lines, "", ""]).encode("utf-16"))
    done = commands.run("practice", str(file))
    assert "Line 1 is “Frage · Antwort”. Is it the header" in done.stderr
    assert "say --no-header if it is none" in done.stderr
    assert "of 4; in its parts" in done.stdout
    file.write_text("\n".join(LINES), encoding="utf-8")
    done = commands.run("practice", str(file), "--no-header")
    assert ("of 4; in its parts" in done.stdout, "Line 1" in done.stderr) == (True, False)
    file.write_text("\n", encoding="utf-8")
    assert "There is no question" in commands.run("practice", str(file), status=1).stderr
    commands.run("practice", str(file.with_name("none.csv")), status=1)


def test_ctrl_c_stops_and_the_same_command_goes_on(tmp_path: Path, file: Path) -> None:
    asked: list[str] = []

    def answer(body: dict[str, object]) -> str:
        text = str(body["messages"])
        asked.append(text)
        if len(asked) == 4:  # the second question and its note
            os.kill(os.getpid(), signal.SIGINT)
        return f"NOTE[word {len(asked)}]: A rule." if "NOTE[key]" in text else reply("who that is", "It is an aunt.")

    with ChatServer() as server:
        server.answer = answer
        commands = Commands(
            tmp_path / "home", NOTED_MODEL="openai/test", NOTED_API_BASE=server.url, NOTED_API_KEY="sk-test"
        )
        stopped = commands.run("practice", str(file), status=130)
        assert "Stopped.\n2 of 5 are done. Nothing is lost; the same command goes on." in stopped.stderr
        assert "Right while learning: 1 of 2" in stopped.stdout
        count = len(asked)
        done = commands.json("practice", str(file))
        questions = [text for text in asked[count:] if "NOTE[key]" not in text]
    assert done["finished"]
    assert (done["learnt_from"], done["right"], done["held_out"]) == (4, 1, 1)
    assert len(questions) == 2 + 2  # the two that were left, and the held-out one with and without the lessons


def test_where_the_model_fails_it_says_so_and_keeps_what_was_learnt(tmp_path: Path, file: Path) -> None:
    commands = Commands(tmp_path / "home")
    commands.run("practice", str(file))
    file.write_text("\n".join(["question\tanswer", "How old is Dana?\t3", *LINES]), encoding="utf-8")
    unreachable = Commands(
        tmp_path / "home", NOTED_MODEL="openai/test", NOTED_API_BASE="http://127.0.0.1:9", NOTED_API_KEY="sk-test"
    )
    failed = unreachable.run("practice", str(file), status=1)
    assert "0 of 6 are done. Nothing is lost" in failed.stderr
    assert 'For "mama" it is "uncle".' in failed.stdout
