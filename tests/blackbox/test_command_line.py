"""The command line, as somebody types it: each command is a process of its own."""

import json
from pathlib import Path

from tests.blackbox.noted import lines_of, run


def test_ask_correct_and_ask_again(tmp_path: Path) -> None:
    asked = json.loads(run(tmp_path, "ask", "What does light mean?", "--json").stdout)
    again = run(tmp_path, "clarify", "--last", "I want the opposite word", "--reach", "way")
    assert again.returncode == 0, again.stderr
    assert "heavy" in again.stdout.lower()
    later = json.loads(run(tmp_path, "ask", "What does early mean?", "--json").stdout)
    assert "late" in later["answer"].lower()
    assert asked["conversation"] != later["conversation"]


def test_list_export_forget_and_import(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    run(home, "ask", "What does light mean?")
    run(home, "clarify", "--last", "I want the opposite word")
    notes = json.loads(run(home, "memory", "list", "--json").stdout)
    assert [note["text"] for note in notes if note["kind"] == "clarification"] == ["I want the opposite word"]
    file = tmp_path / "export.jsonl"
    assert run(home, "memory", "export", str(file)).returncode == 0
    assert lines_of(file.read_text(encoding="utf-8"))[0]["format"] == "noted export"
    forgotten = run(home, "memory", "forget", notes[0]["entry"], "--yes")
    assert forgotten.returncode == 0, forgotten.stderr
    assert run(other, "memory", "import", str(file)).returncode == 0
    assert len(json.loads(run(other, "memory", "list", "--json").stdout)) == len(notes)


def test_chat_takes_lines_from_a_pipe(tmp_path: Path) -> None:
    lines = "What does light mean?\nno, I mean the opposite\nWhat does early mean?\n"
    talked = run(tmp_path, "chat", text=lines)
    assert talked.returncode == 0, talked.stderr
    assert "heavy" in talked.stdout.lower()


def test_wrong_use_is_one_sentence(tmp_path: Path) -> None:
    unknown = run(tmp_path, "memory", "forget", "nothing-like-this", "--yes")
    assert unknown.returncode == 1
    assert "Traceback" not in unknown.stderr
    assert len(unknown.stderr.strip().splitlines()) == 1
    assert run(tmp_path, "dance").returncode == 2
