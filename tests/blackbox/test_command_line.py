"""The command line with each command in its own process."""

import json
from pathlib import Path

from tests.blackbox.noted import parse_lines, run


def test_correct_export_forget_and_import(tmp_path: Path) -> None:
    home, other, file = tmp_path / "home", tmp_path / "other", tmp_path / "export.jsonl"
    asked = json.loads(run(home, "ask", "What does light mean?", "--json").stdout)
    again = run(home, "clarify", "I want the opposite word", "--reach", "way")
    assert again.returncode == 0, again.stderr
    assert "heavy" in again.stdout.lower()
    later = json.loads(run(home, "ask", "What does early mean?", "--json").stdout)
    assert "late" in later["answer"].lower()
    assert asked["conversation"] != later["conversation"]
    assert run(home, "export", str(file)).returncode == 0
    exported = parse_lines(file.read_text(encoding="utf-8"))
    assert exported[0]["format"] == "noted export"
    (entry,) = [one["id"] for one in exported[1:] if one["type"] == "entry" and one["kind"] == "clarification"]
    forgotten = run(home, "forget", entry, "--yes")
    assert forgotten.returncode == 0, forgotten.stderr
    assert run(other, "import", str(file)).returncode == 0
    listed = json.loads(run(other, "list", "--json").stdout)
    assert "I want the opposite word" in [entry["text"] for entry in listed["entries"]]


def test_chat_takes_lines_from_a_pipe(tmp_path: Path) -> None:
    lines = "What does light mean?\nno, I mean the opposite\nWhat does early mean?\n"
    talked = run(tmp_path, "chat", text=lines)
    assert talked.returncode == 0, talked.stderr
    assert "heavy" in talked.stdout.lower()


def test_wrong_use_is_one_sentence(tmp_path: Path) -> None:
    unknown = run(tmp_path, "forget", "nothing-like-this", "--yes")
    assert unknown.returncode == 1
    assert "Traceback" not in unknown.stderr
    assert len(unknown.stderr.strip().splitlines()) == 1
