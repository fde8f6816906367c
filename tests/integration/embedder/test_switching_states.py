"""Whatever is saved, erased, switched and killed, in whatever order: what is found is what one embedder finds alone."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from assistant.types import Scope
from memory_store.index.switching import making
from tests.support.damage.remains import remains
from tests.support.memory.store import ANN, BOB, closing_stores, unlike
from tests.support.memory.switching import NAMES, assert_found_by_one, go_on, made, store_with

pytestmark = pytest.mark.promise("embedder-switch-resumes", "embedder-switch-forgets")

PEOPLE = st.sampled_from([ANN, BOB])
NUMBERS = st.integers(0, 11)


class Switching(RuleBasedStateMachine):
    """Two people, three embedders of which two have vectors of one length, and one home."""

    @initialize(batch=st.integers(1, 4))
    def begin(self, batch: int) -> None:
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(making, "_BATCH", batch)
        self.folder = TemporaryDirectory()
        self.stores = closing_stores()
        self.stores.__enter__()
        self.there = [made(name) for name in NAMES]
        self.erased: set[str] = set()
        self.saved = 0
        self.open("one")
        for person in (ANN, BOB):
            for number in range(3):
                self.remember(person, number)

    def open(self, name: str) -> None:
        (embedder,) = (each for each in self.there if each.name == name)
        self.store = store_with(Path(self.folder.name), embedder, *self.there)

    @rule(person=PEOPLE, number=NUMBERS)
    def remember(self, person: Scope, number: int) -> None:
        self.saved += 1
        self.store.memory.remember(unlike(f"{person.person} {number} {self.saved}"), person)

    @rule(person=PEOPLE, number=NUMBERS, how=st.sampled_from(["edit", "retract", "forget"]))
    def change(self, person: Scope, number: int, how: str) -> None:
        entries = self.store.memory.entries(person)
        if not entries:
            return
        entry = entries[number % len(entries)]
        if how == "edit":
            self.saved += 1
            self.store.memory.edit(entry.id, unlike(f"edited {self.saved}").text, person)
        elif how == "retract":
            self.store.memory.retract(entry.id, person)
        else:
            assert self.store.memory.forget(entry.id, person).is_complete
            self.erased |= {entry.id, entry.text}

    @rule(name=st.sampled_from(sorted(NAMES)), is_killed=st.booleans())
    def switch(self, name: str, is_killed: bool) -> None:
        if not is_killed:
            self.store.close()
        self.open(name)  # the one before is left as it is, as by whoever is killed

    @rule(batches=st.integers(1, 4))
    def read_anew(self, batches: int) -> None:
        for _ in range(batches):
            go_on(self.store)

    @rule()
    def rebuild(self) -> None:
        self.store.indexer.rebuild()
        assert self.store.indexer.serving is self.store.index

    @invariant()
    def what_is_found_is_what_one_finds(self) -> None:
        if not hasattr(self, "store"):
            return
        self.store.indexer.catch_up()  # a question would not wait for all of it
        for person in (ANN, BOB):
            for question in (unlike("ann 0 1").question, "0123456789abcdef"):
                assert_found_by_one(self.store, question, person, self.there)
        assert remains(Path(self.folder.name) / "index", self.erased) == []

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.indexer.catch_up()
            while not go_on(self.store):
                pass
            for person in (ANN, BOB):
                assert assert_found_by_one(self.store, "0123", person, self.there) == self.store.embedder_name
            assert self.store.indexer.verify(lambda _line: None) == ([], True)
            self.stores.__exit__(None, None, None)
            self.folder.cleanup()
            self.patch.undo()


TestSwitching = Switching.TestCase
TestSwitching.settings = settings(max_examples=4, stateful_step_count=10, deadline=None)
