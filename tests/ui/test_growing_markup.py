"""The markup of an answer while it grows is that of the whole text, at each step."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ui.markup import GrowingMarkup, safe_markup

PIECES = st.sampled_from([
    "\n", "\n\n", "a ", "**b** ", "- x", "1. y", "```\n", "    c", "> q", "# h\n", "===\n", "---\n", "$$", "\\[", "\\]",
    "| a | b |\n|---|---|\n", "[z](http://q.w)", "[z]", "\\", "`", "\r\n",
    "```", "1", ". y", "-", " x", "|",
])  # fmt: skip


@settings(deadline=None, max_examples=400)
@given(st.lists(PIECES, max_size=20))
def test_the_markup_of_a_growing_text_is_that_of_the_whole(pieces: list[str]) -> None:
    growing = GrowingMarkup()
    for end in range(1, len(pieces) + 1):
        text = "".join(pieces[:end])
        assert growing(text) == safe_markup(text)


def test_an_address_that_is_still_being_written_is_not_kept() -> None:
    text = "[a]: http://x.example/long\n\nsee [a]\n\nand [a]\n\nend"
    growing = GrowingMarkup()
    for end in range(1, len(text)):
        growing(text[:end])
    assert growing(text) == safe_markup(text)
    assert 'href="http://x.example/long"' in growing(text)
