"""Whatever was decided, one shared entry at most gets into a prompt, and one's own stays as it was."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.gate.gate import FittedGate
from assistant.sentences import plain
from assistant.sharing import ANOTHER_SHARED, at_most_one_shared
from assistant.types import Action, Candidate, Decision, Entry, Key, Scope
from tests.support.memory.entries import an_entry

pytestmark = pytest.mark.promise("one-shared-entry")

ANN = Scope("ann")


def entry(number: int, *, shared: bool, **said: str) -> Entry:
    texts = {"question": f"question {number}", "text": f"text {number}"} | said
    return an_entry(**texts, id=str(number), owner="" if shared else ANN.person, shared=shared, sequence=number)


def decided(kinds: list[tuple[bool, Action]]) -> list[Decision]:
    return [
        Decision(Candidate(entry(number, shared=shared), Key("q")), action, 0.9, plain("because"))
        for number, (shared, action) in enumerate(kinds)
    ]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(Action)), max_size=12))
def test_prompt_gets_one_shared_entry_at_most(kinds: list[tuple[bool, Action]]) -> None:
    before = decided(kinds)
    after = at_most_one_shared(before)
    assert [decision.entry for decision in after] == [decision.entry for decision in before]
    shared = [decision for decision in after if decision.entry.shared and decision.action is not Action.SKIP]
    wanted = [action for is_shared, action in kinds if is_shared and action is not Action.SKIP]
    best = min(wanted, key=[Action.USE, Action.OFFER, Action.SHOW].index, default=None)
    assert [decision.action for decision in shared] == ([] if best is None else [best])
    for old, new in zip(before, after, strict=True):
        if not old.entry.shared or old.action is Action.SKIP or new in shared:
            assert new == old
        else:
            assert (new.action, new.reason) == (Action.SKIP, ANOTHER_SHARED)


@pytest.mark.parametrize("meaning", [0.45, 0.9])
def test_own_entry_goes_before_a_nearer_shared_one(meaning: float) -> None:
    texts = {"text": "the same", "question": "the same"}
    scores = {"meaning": meaning, "letters": meaning, "near": meaning, "relevance": 0.1, "same": 1.0}
    own = Candidate(entry(2, shared=False, **texts), Key("q"), scores)
    near = {"meaning": 0.95, "letters": 1.0, "near": 0.98, "way": 1.0, "relevance": 0.9}
    for alike in (texts, {"text": "the same"}, {"question": "the same"}, {}):
        shared = Candidate(entry(1, shared=True, **alike), Key("q"), near)
        first, second = FittedGate.from_file()([shared, own], ANN)
        assert (first.entry.id, second.entry.id) == ("2", "1")
        assert first.action is not Action.SKIP
        if alike:
            assert second.action is Action.SKIP
