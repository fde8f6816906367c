"""What is held in memory grows with each write, and then says what it would say if all were read anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from assistant.types import Scope
from memory_store.index import loading, matrix_cache
from memory_store.index.following import FollowingCache
from memory_store.index.key_matrix import KeyMatrix
from memory_store.language.word_translation import READINGS
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairs,
    assert_same_keys,
    change_and_index,
    clarification,
    recall_on,
    share,
    small_store,
)
from tests.support.servers.processes import FORKED

WORDS = ("quick", "kal", "ਕੱਲ੍ਹ", "bank", "doubt", "उल्टा", "light")
QUESTIONS = [f"what is {how} {word}?" for how in ("akin to", "the meaning of") for word in WORDS]
ASKED = ("what is akin to quick", "kal ka matlab", "what is the meaning of doubt?")
PEOPLE = st.sampled_from([ANN, BOB])


class Growing(RuleBasedStateMachine):
    """Two people save, change and erase, and what is asked after each step is answered from what is held."""

    @initialize(small=st.integers(0, 8), most=st.sampled_from([3, 12, 100]))
    def begin(self, small: int, most: int) -> None:
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(matrix_cache, "_SMALL", small)
        for module in (matrix_cache, loading):
            self.patch.setattr(module, "MOST_ROWS", most)
        self.erased: set[str] = set()
        self.folder = TemporaryDirectory()
        embedder = LetterPairs()
        self.store = small_store(Path(self.folder.name), embedder)
        self.recall = recall_on(self.store, embedder, READINGS)
        for person in (ANN, BOB):
            self.store.memory.remember(clarification("where is the bank?", "the edge of the river"), person)

    @rule(person=PEOPLE, question=st.sampled_from(QUESTIONS), text=st.sampled_from(["a synonym", "an antonym", "soon"]))
    def remember(self, person: Scope, question: str, text: str) -> None:
        self.store.memory.remember(clarification(question, text, key=f"{question} {text}"), person)

    @rule(person=PEOPLE, number=st.integers(0, 5), how=st.sampled_from(["edit", "retract", "forget", "share", "tidy"]))
    def change(self, person: Scope, number: int, how: str) -> None:
        entries = self.store.memory.entries(person)
        if how == "tidy":
            self.store.index.rewrite()
        elif entries:
            entry_id = entries[number % len(entries)].id
            changes: dict[str, Callable[[], object]] = {
                "edit": lambda: self.store.memory.edit(entry_id, f"another {number}", person),
                "retract": lambda: self.store.memory.retract(entry_id, person),
                "forget": lambda: self.store.memory.forget(entry_id, person),
                "share": lambda: share(self.store, entry_id),
            }
            changes[how]()
        if how == "forget":
            self.erased |= {entry.id for entry in entries} - {entry.id for entry in self.store.memory.entries(person)}

    @rule(how=st.sampled_from(["save", "edit", "forget"]), number=st.integers(0, 2))
    def somebody_else_writes(self, how: str, number: int) -> None:
        before = {entry.id for entry in self.store.memory.entries(ANN)}
        process = FORKED.Process(target=change_and_index, args=(Path(self.folder.name), how, number))
        process.start()
        process.join()
        assert process.exitcode == 0
        if how == "forget":
            self.erased |= before - {entry.id for entry in self.store.memory.entries(ANN)}

    @invariant()
    def what_is_held_says_what_is_true(self) -> None:
        if not hasattr(self, "store"):
            return
        grown = self.candidates()
        shown = [matrix for matrices in self.store.index._cache._held.values() for matrix in matrices or ()]
        assert self.erased.isdisjoint(key.entry_id for matrix in shown for key in cast("KeyMatrix", matrix).rows)
        assert_same_keys(self.store, ANN, BOB)
        held, self.store.index._cache = self.store.index._cache, FollowingCache(self.store.ledger.changes)
        anew = self.candidates()
        self.store.index._cache = held
        assert grown.keys() == anew.keys()
        for name, features in anew.items():
            assert grown[name] == pytest.approx(features, abs=1e-5)

    def candidates(self) -> dict[tuple[str, str, str], Mapping[str, float]]:
        """What is found for each question and person: the features of each entry."""
        return {
            (question, person.person, candidate.entry.id): candidate.scores
            for question in ASKED
            for person in (ANN, BOB)
            for candidate in self.recall(question, person)
        }

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.folder.cleanup()
            self.patch.undo()


TestGrowing = Growing.TestCase
TestGrowing.settings = settings(max_examples=5, stateful_step_count=12, deadline=None)
