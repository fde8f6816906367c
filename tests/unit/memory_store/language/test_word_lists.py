"""The word lists, and the file that is made of them."""

from pathlib import Path

from assistant.language.text_table import save_tables
from memory_store.language.word_translation import KEPT
from tools.lists.build_word_lists import tables


def test_built_file_is_of_the_lists(tmp_path: Path) -> None:
    save_tables(tmp_path / "lists", tables())
    is_same = (tmp_path / "lists").read_bytes() == KEPT.read_bytes()
    assert is_same, "run `python -m tools.lists.build_word_lists`"
