"""Passages to ask about in a text."""

import subprocess
import sys

from assistant.papers.selection.study import passages_of
from memory_store.language.languages import LANGUAGES


def test_long_line_ends() -> None:
    # It took hours when every position of a line was tried as a beginning.
    read = "from assistant.papers.selection.study import passages_of; passages_of('x' * 400_000, [], str.lower)"
    subprocess.run([sys.executable, "-c", read], check=True, timeout=120)


def test_context_is_the_text_around_the_sentence() -> None:
    text = " ".join(f"This is sentence {number}." for number in range(1_000))
    passages = passages_of(text, ["0", "500", "999"], LANGUAGES.fold)
    assert all(one.sentence in one.context and len(one.context) == 6_000 for one in passages)
    assert passages[0].context == text[:6_000]
    assert passages[2].context == text[-6_000:]
    assert passages_of("Dana found the ring. Kim slept.", ["Kim"], LANGUAGES.fold)[0].context.startswith("Dana")
