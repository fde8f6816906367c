"""Random actions of two users and a curator: each user reads only their own and shared entries.

After every step, the index equals the ledger.
"""

import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from assistant.errors import NotedError
from assistant.sharing import OfferState
from assistant.types import Entry, Key, KeyOrigin, Question, Scope, Turn
from memory_store.retrieval.retriever import IndexRetriever
from memory_store.store import Store
from memory_store.vectors.index import IndexUnavailable
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.store import ANN, BOB, assert_same_keys, clarification, ledger_memory, read_keys, small_store

pytestmark = pytest.mark.promise("sharing-never-leaks")

PEOPLE = (ANN, BOB)
_CHANGES = ("edit", "retract", "forget", "key", "helped", "hurt")
_SECRET = re.compile(r"secret\d+")


class TwoPeople(RuleBasedStateMachine):
    """Two stores with caches over one ledger, as in two processes; each sees the other's changes.

    Every text contains a unique word, which reveals its owner wherever it appears.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.stores = [small_store(self.folder), small_store(self.folder)]
        self.read: dict[Scope, Mapping[str, Entry]] = {person: {} for person in PEOPLE}
        self.secrets: dict[Scope, set[str]] = {person: set() for person in (*PEOPLE, CURATOR)}
        self.entries: list[str] = []
        self.offers: dict[str, str] = {}  # entry to offer
        self.shared: dict[str, set[str]] = {}  # offer to the secrets of its copy
        self.number = 0

    def secret(self, person: Scope) -> str:
        self.number += 1
        self.secrets[person].add(f"secret{self.number}")
        return f"secret{self.number}"

    @property
    def store(self) -> Store:
        """Return the two stores in turn."""
        self.stores.reverse()
        return self.stores[0]

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        shutil.rmtree(self.folder)

    @rule(person=st.sampled_from(PEOPLE), which=st.integers(0, 99), supersedes=st.booleans())
    def remember(self, person: Scope, which: int, *, supersedes: bool) -> None:
        further = [Key(f"about {self.secret(person)}", KeyOrigin.MODEL)]
        draft = clarification(f"what about {self.secret(person)}", f"I meant {self.secret(person)}", "", further)
        old = self.entries[which % len(self.entries)] if supersedes and self.entries else None
        with suppress(NotedError):
            self.entries.append(self.store.memory.remember(replace(draft, supersedes=old), person).id)
            self.shared.pop(self.offers.get(old or "", ""), None)

    @precondition(lambda self: self.entries)
    @rule(person=st.sampled_from(PEOPLE), which=st.integers(0, 99), what=st.sampled_from(_CHANGES))
    def change(self, person: Scope, which: int, what: str) -> None:
        store, entry = self.store, self.entries[which % len(self.entries)]
        with suppress(NotedError):
            if what == "edit":
                self.entries.append(store.memory.edit(entry, f"I meant {self.secret(person)}", person).id)
            elif what == "retract":
                store.memory.retract(entry, person)
            elif what == "forget":
                store.memory.forget(entry, person)
            elif what == "key":
                store.memory.replace_keys(entry, [], [Key(f"key {self.secret(person)}", KeyOrigin.PERSON)], person)
            else:
                store.turn_store.record(Turn(f"t{which}", "c", person.person, "asked"), person)
                store.memory.count(entry, what, f"t{which}", person)
            if what in {"edit", "retract", "forget"}:
                self.shared.pop(self.offers.get(entry, ""), None)

    @precondition(lambda self: self.entries)
    @rule(person=st.sampled_from(PEOPLE), which=st.integers(0, 99), withdraw=st.booleans())
    def offer(self, person: Scope, which: int, *, withdraw: bool) -> None:
        entry = self.entries[which % len(self.entries)]
        sharing = self.store.sharing(RULES)
        with suppress(NotedError):
            if withdraw:
                sharing.withdraw(entry, person)
                self.shared.pop(self.offers[entry], None)
            else:
                self.offers[entry] = sharing.offer(entry, person).id

    @precondition(lambda self: self.offers)
    @rule(which=st.integers(0, 99), edited=st.booleans(), decline=st.booleans())
    def decide(self, which: int, *, edited: bool, decline: bool) -> None:
        sharing = self.store.sharing(RULES)
        curator = sharing.curator(CURATOR)
        waiting = {offered.offer.id: offered for offered in sharing.offers(curator)}
        offer = sorted(self.offers.values())[which % len(self.offers)]
        with suppress(NotedError):
            if decline:
                sharing.decline(offer, "no", curator)
                self.shared.pop(offer, None)
                return
            seen = waiting.get(offer)
            if seen is None or seen.offer.state is not OfferState.OFFERED:
                return
            words = f"Everyone means {self.secret(CURATOR)}" if edited else None
            sharing.accept(offer, curator, words)
            self.shared[offer] = set(_SECRET.findall(f"{seen.copy.question} {words or seen.copy.shown}"))

    @rule(how=st.sampled_from(["catch up", "start again", "rebuild"]))
    def follow(self, how: str) -> None:
        if how == "start again":
            self.stores.pop().close()
            self.stores.append(small_store(self.folder))
        indexer = self.store.indexer
        indexer.rebuild() if how == "rebuild" else indexer.catch_up()

    @invariant()
    def each_reads_their_own_and_what_is_shared(self) -> None:
        store = self.store
        memory = store.memory
        everyones = set().union(*self.shared.values())
        for person in (*PEOPLE, CURATOR):
            own = self.secrets[person] if person in PEOPLE else set()
            keys = read_keys(store, person)
            entries = memory.entries_by_id({*self.entries, *(key.entry_id for key in keys)}, person)
            recall = IndexRetriever(store.index, memory, None, lambda: False)
            recalled = [found.entry for found in recall(Question("what about secret"), person)]
            texts = [f"{entry.question} {entry.text}" for entry in (*entries.values(), *recalled)]
            read = set(_SECRET.findall(" ".join([*texts, *(key.text for key in keys)])))
            assert read - own <= everyones
            assert everyones <= read
            listed = memory.entries(person)
            assert set(_SECRET.findall(repr(listed))) <= own
            others = {other.person for other in PEOPLE} - {person.person}
            assert {entry.owner for entry in (*entries.values(), *recalled)}.isdisjoint(others)

    @invariant()
    def both_stores_say_what_the_ledger_says(self) -> None:
        for person in PEOPLE:
            read = ledger_memory(self.stores[0].ledger).entries_by_id(self.entries, person)
            for store in self.stores:
                kept = {name: entry for name, entry in read.items() if name in self.read[person]}
                assert store.memory.entries_by_id(kept, person) == kept
                assert store.memory.entries_by_id(self.entries, person) == read
            self.read[person] = read

    @invariant()
    def the_index_holds_the_same(self) -> None:
        store = self.store
        if store.index.sequence < 0:
            return
        with suppress(IndexUnavailable):  # the other store may have rebuilt it
            store.index.refresh()
        store.indexer.catch_up()
        assert_same_keys(store, *PEOPLE)


TestTwoPeople = TwoPeople.TestCase
TestTwoPeople.settings = settings(max_examples=3, stateful_step_count=15, suppress_health_check=list(HealthCheck))
