"""Whatever two people and a curator do in whatever order, each reads their own, what is shared, and nothing else."""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from assistant.errors import NotedError
from assistant.sharing import OfferState
from assistant.types import Scope
from memory_store.recall.recall import HybridRecall
from memory_store.store import Store
from tests.support.sharing import CURATOR, RULES
from tests.support.sizes import size
from tests.support.store import ANN, BOB, PLAIN, clarification, indexed, small_store

PEOPLE = (ANN, BOB)
_SECRET = re.compile(r"secret\d+")


class TwoPeople(RuleBasedStateMachine):
    """Every text holds a word that no other has, so that whose it is can be told wherever it turns up."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.store: Store = small_store(self.folder)
        self.secrets: dict[Scope, set[str]] = {person: set() for person in (*PEOPLE, CURATOR)}
        self.entries: list[str] = []
        self.offers: dict[str, str] = {}  # entry to offer
        self.shared: dict[str, set[str]] = {}  # offer to the secrets of its copy
        self.number = 0

    def secret(self, person: Scope) -> str:
        self.number += 1
        self.secrets[person].add(f"secret{self.number}")
        return f"secret{self.number}"

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    @rule(person=st.sampled_from(PEOPLE))
    def remember(self, person: Scope) -> None:
        draft = clarification(f"what about {self.secret(person)}", f"I meant {self.secret(person)}")
        self.entries.append(self.store.memory.remember(draft, person).id)

    @precondition(lambda self: self.entries)
    @rule(person=st.sampled_from(PEOPLE), which=st.integers(0, 99), what=st.sampled_from(["edit", "retract", "forget"]))
    def change(self, person: Scope, which: int, what: str) -> None:
        entry = self.entries[which % len(self.entries)]
        with suppress(NotedError):
            if what == "edit":
                edited = self.store.memory.edit(entry, f"I meant {self.secret(person)}", person)
                self.entries.append(edited.id)
            elif what == "retract":
                self.store.memory.retract(entry, person)
            else:
                self.store.memory.forget(entry, person)
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
            self.shared[offer] = set(_SECRET.findall(f"{seen.question} {words or seen.text}"))

    @rule(restart=st.booleans())
    def follow(self, *, restart: bool) -> None:
        if restart:
            self.store.close()
            self.store = small_store(self.folder)
        self.store.indexer.catch_up()

    @invariant()
    def each_reads_their_own_and_what_is_shared(self) -> None:
        memory = self.store.memory
        everyones = set().union(*self.shared.values())
        for person in (*PEOPLE, CURATOR):
            own = self.secrets[person] if person in PEOPLE else set()
            keys = memory.keys(person)
            entries = memory.entries_by_id({*self.entries, *(key.entry_id for key in keys)}, person)
            recall = HybridRecall(self.store.index, memory, PLAIN, None, lambda: False)
            recalled = [found.entry for found in recall("what about secret", person)]
            texts = [f"{entry.question} {entry.text}" for entry in (*entries.values(), *recalled)]
            read = set(_SECRET.findall(" ".join([*texts, *(key.text for key in keys)])))
            assert read - own <= everyones
            assert everyones <= read
            listed = memory.entries(person)
            assert set(_SECRET.findall(repr(listed))) <= own
            others = {other.person for other in PEOPLE} - {person.person}
            assert {entry.owner for entry in (*entries.values(), *recalled)}.isdisjoint(others)

    @invariant()
    def the_index_holds_the_same(self) -> None:
        if self.store.index.sequence < 0:
            return
        self.store.indexer.catch_up()
        everyones = set().union(*self.shared.values())
        for person in PEOPLE:
            read = set(_SECRET.findall(" ".join(row.text for row in indexed(self.store.index, person))))
            assert read - self.secrets[person] == everyones - self.secrets[person]


TestTwoPeople = TwoPeople.TestCase
TestTwoPeople.settings = settings(
    max_examples=size(3, 100), stateful_step_count=size(15, 40), suppress_health_check=list(HealthCheck)
)
