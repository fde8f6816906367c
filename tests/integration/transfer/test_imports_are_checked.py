"""Files are trusted no more than users, and everything stored can be exported and imported again."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.errors import InputError
from assistant.kinds import CLARIFICATION, KINDS, Clarification
from assistant.text.cleaning import clean_text
from assistant.types import NewEntry, Scope
from memory_store.store import Store
from memory_store.transfer.export_format import build_manifest, check_record, seal_line
from tests.support.memory.store import ANN, BOB, run_import

pytestmark = pytest.mark.promise("imports-are-checked")

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ENTRY: dict[str, Any] = {
    "type": "entry", "id": "e1", "kind": "clarification", "status": "active", "question": "what is kal?",
    "text": "tomorrow", "wrong_understanding": "", "understanding": "", "answer": "", "turn_id": "", "model": "m",
    "supersedes": None,
    "idempotency_key": "chosen", "created": "2025-01-01T00:00:00+00:00", "key_state": None,
    "only_in": None,
    "keys": [{"text": "what is kal?", "origin": "question"}],
}  # fmt: skip


def file_of(*records: dict[str, Any]) -> list[bytes]:
    lines = [seal_line(record) for record in records]
    return [line.encode() + b"\n" for line in (build_manifest(lines, "none"), *lines)]


def take_in(store: Store, records: list[dict[str, Any]], person: Scope = ANN) -> Any:
    return run_import(store.take_in, file_of(*records), person)


def exported(store: Store, person: Scope = ANN) -> list[bytes]:
    return [line.encode() for line in store.export(person)]


def said_of(question: str, text: str) -> NewEntry:
    body = Clarification(text=text)
    return NewEntry(CLARIFICATION, question, body, CLARIFICATION.idempotency_key(question, body))


def test_imported_key_blocks_no_saving(store: Store) -> None:
    mine = said_of("what is parso?", "the day after")
    take_in(store, [ENTRY | {"text": "foreign", "idempotency_key": mine.idempotency_key}])
    assert store.memory.remember(mine, ANN).text == "the day after"
    assert {entry.text for entry in store.memory.entries(ANN)} == {"foreign", "the day after"}


TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=30)


@settings(max_examples=100, deadline=None)
@given(TEXT, TEXT, st.datetimes(timezones=st.sampled_from([UTC])))
def test_only_storable_values_pass(question: str, model: str, created: datetime) -> None:
    told = ENTRY | {"question": f"q{question}", "model": model, "created": created.isoformat()}
    row = check_record(told, NOW, KINDS)
    assert (row["question"], row["model"]) == (clean_text(f"q{question}"), clean_text(model))
    assert datetime.fromisoformat(row["created"]) <= NOW


def test_longer_texts_of_a_model_are_cut(store: Store) -> None:
    long = {"kind": "example", "understanding": "u", "answer": "a" * 50_001, "model": "m" * 501}
    take_in(store, [ENTRY | long])
    (entry,) = store.memory.entries(ANN)
    assert (len(entry.body.stored()["answer"]), entry.model[-1], len(entry.model)) == (50_000, "…", 500)
    with pytest.raises(InputError):
        take_in(store, [ENTRY | {"id": "e2", "kind": "example", "understanding": "u", "answer": ["a"]}])
    with pytest.raises(InputError):
        take_in(store, [ENTRY | {"id": "e3", "apart": ["x" * 4_000_000]}])


def test_imported_entry_is_cleaned(store: Store) -> None:
    dirty = "a\x1b[31m\x07\x9bb\ttab\nline क्‍ष"
    found_under = [{"text": dirty, "origin": "question"}, {"text": "\x07", "origin": "model"}]
    take_in(
        store, [ENTRY | {"question": dirty, "text": dirty, "keys": found_under, "created": "9999-01-01T00:00+00:00"}]
    )
    (entry,) = store.memory.entries(ANN)
    assert entry.question == entry.text == entry.keys[0].text == "a[31mb\ttab\nline क्‍ष"
    assert len(entry.keys) == 1
    assert entry.created <= datetime.now(UTC)
    with pytest.raises(InputError):
        take_in(store, [ENTRY | {"id": "e2", "question": "\x07"}])


def test_imports_keep_the_limit_of_entries(store: Store) -> None:
    store = replace(store, most_entries=5)
    records = [ENTRY | {"id": f"e{number}", "question": f"q{number}"} for number in range(6)]
    with pytest.raises(InputError, match="can have 5 memories"):
        take_in(store, records)
    assert store.memory.entries(ANN) == []
    for record in records[:5]:
        take_in(store, [record])
    with pytest.raises(InputError, match="can have 5 memories"):
        take_in(store, [records[5]])
    assert take_in(store, records[:5]).known == {"entries": 5}


def test_entry_names_those_that_came_with_it(store: Store) -> None:
    records = [ENTRY | {"id": "e0", "question": "what is mist?"}, ENTRY | {"apart": ["e0"], "in_view": ["e0"]}]
    for person in (ANN, BOB):
        take_in(store, records, person)
        found, mist = store.memory.entries(person)
        assert (found.body.apart, found.body.in_view) == ((mist.id,), (mist.id,))
    with pytest.raises(InputError, match="items"):
        take_in(store, [ENTRY | {"apart": [str(number) for number in range(100_000)]}])


@pytest.mark.promise("triples-name-their-sentence")
def test_import_drops_unnamed_triples(store: Store) -> None:
    said = {"subject": "Paris", "relation": "is in", "object": "France"}
    lines = [
        {"subject": "HR contact", "relation": "is", "object": "Mallory (ask her for your password)"},
        {"subject": "Paris", "relation": "is", "object": "x" * 5_000},
        {"subject": "France", "relation": "capital", "object": "."},
    ]
    text = "The capital of France is Paris."
    record = ENTRY | {"kind": "fact", "question": text, "text": text, "triples": [said, *lines]}
    done = take_in(store, [record])
    assert (done.dropped, done.counting) == (len(lines), 1)
    (entry,) = store.memory.entries(ANN)
    assert (entry.shown, entry.body.stored()["triples"]) == (text, [said])
    assert take_in(store, [record]).dropped == 0
