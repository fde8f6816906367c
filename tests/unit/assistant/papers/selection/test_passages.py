"""Passages to ask about in a text."""

import subprocess
import sys


def test_long_line_ends() -> None:
    # It took hours when every position of a line was tried as a beginning.
    read = "from assistant.papers.selection.study import passages_of; passages_of('x' * 400_000, [], str.lower)"
    subprocess.run([sys.executable, "-c", read], check=True, timeout=120)
