from dataclasses import replace

from assistant.kinds import CLARIFICATION, EXAMPLE, Kind
from assistant.prompt.examples import LONGEST_EXAMPLE, NearestExamples
from assistant.types import Candidate, Question, Scope
from tests.support.memory.entries import an_entry

ANN = Scope("ann")


def found(name: str, near: float = 0.9, kind: Kind = EXAMPLE, owner: str = "ann", answer: str = "a") -> Candidate:
    shared = owner != "ann"
    entry = an_entry(name, "", id=name, kind=kind, owner=owner, shared=shared, understanding="u", answer=answer)
    return Candidate(entry, entry.keys[0], {"words": near, "letters": near})


def chosen(*candidates: Candidate, left_out: tuple[str, ...] = ()) -> list[str]:
    return [
        decision.entry.id
        for decision in NearestExamples(most=3, least=0.5)(candidates, Question("asked", left_out=left_out), ANN)
    ]


def test_nearest_examples_are_shown_nearest_last() -> None:
    four = [found("far", 0.6), found("near", 0.9), found("nearest", 0.95), found("farther", 0.55)]
    assert chosen(*four) == ["far", "near", "nearest"]


def test_unfit_example_is_not_shown() -> None:
    assert chosen(found("far", 0.4)) == []
    assert chosen(found("x"), left_out=("x",)) == []
    assert chosen(found("long", answer="a" * LONGEST_EXAMPLE)) == []
    assert chosen(found("said", kind=CLARIFICATION)) == []


def test_own_examples_come_before_shared() -> None:
    shared = [found(f"shared {number}", 0.99, owner="bob") for number in range(3)]
    assert chosen(*shared, found("mine", 0.6), found("mine too", 0.7)) == ["mine", "mine too", "shared 0"]


def test_foreign_private_example_is_not_shown() -> None:
    theirs = found("theirs", owner="bob")
    assert chosen(replace(theirs, entry=replace(theirs.entry, shared=False))) == []
