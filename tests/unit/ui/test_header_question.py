"""The commands that read a table ask at a terminal whether its first line is the header."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.text.tables import read_table
from ui.terminal.files import read_table_in

pytestmark = pytest.mark.promise("editors-files-are-read")


@pytest.mark.parametrize(("typed", "lines"), [(b"y\n", [2]), (b"n\n", [1, 2]), (b"\n", [1, 2])])
def test_terminal_is_asked_for_the_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: bytes, lines: list[int]
) -> None:
    file = tmp_path / "family.csv"
    file.write_text("What was asked?,What is right\nWho is it?,Bo\n", encoding="utf-8")
    terminal, other_end = os.openpty()
    with os.fdopen(other_end) as stdin, os.fdopen(os.dup(other_end), "w") as stderr:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(sys, "stderr", stderr)
        os.write(terminal, typed)
        rows = read_table_in(file, None, lambda text, header: read_table(text, ("question", "answer"), header=header))
    shown = b""
    with suppress(OSError):  # at its end
        while piece := os.read(terminal, 1000):
            shown += piece
    os.close(terminal)
    assert [row.number for row in rows] == lines
    assert "Line 1 is “What was asked? · What is right”. Is it the header of the table? [y/N]" in shown.decode()
