"""Tables of words in a file, and the word that a question asks about."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from assistant.language.lexicon import TextTable, open_tables, save_tables

# Lone surrogates and NUL cannot be in a file, but can be looked up.
KEYS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)
TABLE = st.dictionaries(KEYS, st.text(max_size=5), max_size=8)
ANY = st.text(st.characters(codec=None), max_size=5)


@given(TABLE, TABLE, st.lists(ANY, max_size=5))
def test_tables_hold_exactly_their_texts(ours: dict[str, str], theirs: dict[str, str], others: list[str]) -> None:
    with TemporaryDirectory() as folder:
        save_tables(Path(folder) / "tables", {"ours": ours, "our": theirs})
        file = open_tables(Path(folder) / "tables")
    for name, put in (("ours", ours), ("our", theirs)):
        table = TextTable(file, name)
        for text in [*ours, *theirs, *others]:
            assert table.get(text) == put.get(text)
            assert (text in table) == (text in put)
