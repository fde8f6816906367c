import pytest

from memory_store.retrieval.shared_words import shared_words


@pytest.mark.parametrize(("question", "found_by", "shared"), [
    ("Which bank is best for a “picnic”?", "Which bank should I use for a picnic?", ["bank", "picnic"]),
    ("kaunsa bank best rahega picnic ke liye?", "Which bank for a picnic?", ["bank", "picnic"]),
    ("मेरा मैनेजर कौन है?", "my manager is Dana", ["मैनेजर"]),
    ("what does light mean", "What does crane mean?", ["what", "does", "mean"]),  # found by the way of asking
    ("Where is the hospital?", "clinic", []),
])  # fmt: skip
def test_shared_words_are_marked(question: str, found_by: str, shared: list[str]) -> None:
    assert [question[start:end] for start, end in shared_words(question, found_by)] == shared
