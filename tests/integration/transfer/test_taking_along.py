"""Export and import: a round trip changes nothing, works once, and imports only for the importing user."""

import hashlib
import json
import shutil
from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.errors import InputError, NotFound
from assistant.model_usage import Usage
from assistant.reports.listing import EntryFilter
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Key, KeyOrigin, Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.store import Store
from memory_store.transfer.export_format import build_manifest, export
from tests.support.memory.store import (
    ANN,
    BOB,
    clarification,
    run_import,
    share,
    small_store,
    unrelated_clarification,
)

pytestmark = pytest.mark.promise("export-round-trip")

ROUNDS = 4
TEXT = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), min_size=1, max_size=60
) | st.sampled_from(["क्या आप ठीक हैं?", "ਕੀ ਹਾਲ ਹੈ", "a\u2028b\r\n\x85c", '"}\n{"', "\u202eabc", "👩‍👩‍👧", "�"])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "edit", "retract", "key", "ask", "name", "share", "again"]),
        TEXT,
        st.integers(0, 9),
    ),
    max_size=12,
)


def lines(store: Store, person: Scope) -> list[bytes]:
    return [line.encode() for line in export(store.ledger, person, "letters")]


def take_in(store: Store, exported: list[bytes], person: Scope) -> tuple[dict[str, int], dict[str, int], int]:
    done = run_import(store.take_in, exported, person)
    return dict(done.new), dict(done.known), done.outdated


def live(store: Store, steps: list[tuple[str, str, int]]) -> None:
    """Perform random steps of a user on a memory."""
    for number, (step, text, which) in enumerate(steps):
        known = store.memory.entries(ANN)
        if step == "say":
            keys = [Key(f"like {text}", KeyOrigin.MODEL)]
            store.memory.remember(clarification(f"{text} {number}", text, f"key {number}", keys), ANN)
        elif step == "ask":
            entry = known[which % len(known)] if known else None
            reason = plain(text)
            decided = () if entry is None else (Decision(Candidate(entry, entry.keys[0]), Action.USE, 0.5, reason),)
            turn = Turn(f"t{number}", f"c{which}", "ann", text, decisions=decided, state=TurnState.ANSWERED)
            fields: dict[str, Any] = {"notes": (1,), "because": (text,), "other": {"which": which}}
            said = Reply.of(text, text, text, ReplyStatus.OK, **fields)
            turn = replace(turn, reply=said, ms={"recall": 0.5})
            usage = Usage(which, 2, told=True, dollars=0.1 * which) if which else None
            store.turn_store.record(replace(turn, used=(entry.id,) if entry else (), usage=usage), ANN)
            if entry:
                store.memory.count(entry.id, "used", turn.id, ANN)
        elif step == "name":
            with suppress(NotFound):
                store.conversations.rename(f"c{which}", text, ANN)
        elif known:
            entry = known[which % len(known)]
            if step == "edit":
                store.memory.edit(entry.id, f"{text} {number}", ANN)
            elif step == "retract":
                store.memory.retract(entry.id, ANN)
            elif step == "share":
                share(store, entry.id)
            elif step == "key":
                store.memory.replace_keys(entry.id, [], [Key(f"{text} {number}", KeyOrigin.PERSON)], ANN)
            else:
                store.memory.count(entry.id, "hurt", "x", ANN)
                store.memory.pause(entry.id, ANN)
                store.memory.resume(entry.id, ANN)
                store.memory.pause(entry.id, ANN)


@settings(max_examples=ROUNDS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_export_comes_back_the_same_and_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("taken")
    one, other = small_store(folder / "one"), small_store(folder / "other")
    live(one, steps)
    exported = lines(one, ANN)
    number = json.loads(exported[0])["counts"]["entry"]
    for turn in (record for record in map(json.loads, exported) if record.get("type") == "turn"):
        assert [decision["entry_id"] for decision in turn["decisions"]] == turn["used"]
    assert take_in(other, exported, ANN) == ({"entries": number} if number else {}, {}, 0)
    again = lines(other, ANN)[1:]
    memories = (line for line in exported[1:] if json.loads(line)["type"] in {"entry", "event"})
    assert [_taken_along(line) for line in again] == [_taken_along(line) for line in memories]
    assert take_in(other, exported, ANN)[0] == {}
    assert lines(other, ANN)[1:] == again
    before, after = one.memory.entries(ANN), other.memory.entries(ANN)
    assert [replace(entry, sequence=0, shared=False) for entry in before] == [replace(e, sequence=0) for e in after]
    for store in (one, other):
        store.close()
    shutil.rmtree(folder)


def _taken_along(line: bytes) -> object:
    return {**json.loads(line), "sha256": "", "shared": False, "idempotency_key": ""}


@pytest.mark.promise("hostile-turns")
def test_import_belongs_to_the_person_who_asks(store: Store, elsewhere: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    share(store, entry.id)
    live(store, [("ask", "what?", 0)])
    exported = lines(store, ANN)
    assert b'"ann"' not in b"".join(exported)
    for target in (store, elsewhere):
        assert take_in(target, exported, BOB)[0] == {"entries": 1}
        assert take_in(target, exported, BOB)[1] == {"entries": 1}
        (mine,) = target.memory.entries(BOB)
        assert (mine.owner, mine.shared, mine.used) == (BOB.person, False, 1)
        assert target.turn_store.turns("c0", BOB) == [], "conversations stay behind"
    assert store.memory.entry(entry.id, ANN).owner == "ann"


def test_forgotten_entry_can_be_imported_again(store: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    exported = lines(store, ANN)
    store.memory.forget(entry.id, ANN)
    for _ in range(2):
        take_in(store, exported, ANN)
        (back,) = store.memory.entries(ANN)
        assert (back.question, back.id == entry.id) == ("q", False)


def test_bad_file_is_refused_in_a_sentence(store: Store) -> None:
    live(store, [("say", "one", 0), ("say", "two", 0), ("ask", "what?", 0), ("edit", "three", 1)])
    good = lines(store, ANN)
    entry = json.loads(good[1])
    bad = {
        "damaged": [[good[0], good[1][:-9] + b"\n", *good[2:]], [good[0].replace(b"1", b"2"), *good[1:]]],
        "in the wrong order": [good[:-1], [*good, good[1]], [good[0], good[2], good[1], *good[3:]], good[:1]],
        "not an export": [[], [b"PK\x03\x04"], [b"{}"], [b'{"format": "chat"}'], good[1:], [b"\xff\xfe"]],
        "another version": [[_sealed(json.loads(good[0]) | {"version": 2}), *good[1:]]],
        "Shorten it to 2,000": [_file(entry | {"text": "a" * 2_001})],
        "Line 2 of this file can’t be imported": map(_file, (
            *(entry | changed for changed in (
                {"question": ""}, {"keys": list[str]()}, {"keys": "q"}, {"kind": "belief"}, {"status": "erased"},
                {"id": "' OR 1=1 --"}, {"created": "2025-01-01"}, {"created": "0001-01-01T00:00:00+14:00"},
                {"supersedes": entry["id"]}, {"supersedes": "later"}, {"text": 7},
                {"text": "![x](https://evil.example/x.png)"}, {"keys": [{"text": "a", "origin": "question"}] * 501},
            )),
            {"type": "event", "kind": "erased", "entry_id": "e", "turn_id": None, "created": entry["created"]},
            {"type": "secret"}, {"type": 7},
        )),
    }  # fmt: skip
    for sentence, files in bad.items():
        for file in files:
            with pytest.raises(InputError, match=sentence) as refused:
                take_in(store, file, BOB)
            assert str(refused.value).count("\n") == 0
    assert json.loads(lines(store, BOB)[0])["counts"] == {"entry": 0, "turn": 0, "title": 0, "event": 0}


def _sealed(record: dict[str, object]) -> bytes:
    # As docs/export-format.md specifies, by another program: with all non-ASCII characters escaped.
    text = json.dumps({name: value for name, value in record.items() if name != "sha256"})
    return f'{text[:-1]},"sha256":"{hashlib.sha256(text.encode()).hexdigest()}"}}\n'.encode()


def _file(record: dict[str, object]) -> list[bytes]:
    line = _sealed(record)
    return [build_manifest([line.decode().rstrip("\n")], "").encode() + b"\n", line]


def test_damage_at_any_byte_is_noticed(store: Store) -> None:
    live(store, [("say", "one", 0), ("ask", "what?", 0)])
    whole = b"".join(lines(store, ANN))
    for place in range(0, len(whole), 53):
        damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        with pytest.raises(InputError):
            take_in(store, damaged.splitlines(keepends=True), BOB)


def many(store: Store) -> list[bytes]:
    """Return the export of many entries."""
    store.memory.remember_all([unrelated_clarification(f"{place}") for place in range(300)], ANN)
    return lines(store, ANN)


@pytest.mark.slow
@pytest.mark.promise("imports-let-others-in")
def test_others_save_during_an_import(store: Store, elsewhere: Store) -> None:
    done = list[int]()
    for step in elsewhere.take_in(many(store), ANN):  # holds no lock between two steps
        elsewhere.memory.remember(clarification(f"question {len(done)}"), BOB)
        done.append(step.done)
    assert done == sorted(set(done))
    assert len(done) > 3
    assert elsewhere.memory.find(BOB, EntryFilter(""), 1).total == len(done)


@pytest.mark.slow
@pytest.mark.promise("imports-let-others-in")
def test_stopped_import_can_be_continued(store: Store, elsewhere: Store, tmp_path: Path) -> None:
    steps = ["say", "ask", "say", "again", "edit", "name", "ask", "retract", "say", "again", "key", "edit", "ask"]
    live(store, [(step, f"text {place}", place) for place, step in enumerate(steps * 4)])
    file = lines(store, ANN)
    taking = elsewhere.take_in(file, ANN)
    for _ in range(10):
        next(taking, None)
    assert isinstance(taking, Generator)
    taking.close()
    run_import(elsewhere.take_in, file, ANN)
    at_once = small_store(tmp_path / "at once")
    run_import(at_once.take_in, file, ANN)
    assert lines(elsewhere, ANN)[1:] == lines(at_once, ANN)[1:]
    assert run_import(elsewhere.take_in, file, ANN).new == {}


@pytest.mark.slow
@pytest.mark.promise("imports-let-others-in")
def test_forgetting_everything_ends_the_import(store: Store, elsewhere: Store) -> None:
    steps = elsewhere.take_in(many(store), ANN)
    while not next(steps).new:
        pass
    elsewhere.memory.forget_all(ANN)
    with pytest.raises(InputError, match="deleted the imported memories"):
        list(steps)
    assert elsewhere.memory.entries(ANN) == []
