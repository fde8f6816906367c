"""Thinking a question through, step by step against Algorithm 1 of the paper, with a scripted model as the student."""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from assistant.conversation import Assistant
from assistant.errors import ModelUnavailable, NoKey, SpendUsedUp
from assistant.events import AnswerText
from assistant.model_usage import Usage
from assistant.papers.teachme.facts import fact as told
from assistant.papers.teachme.teaching import Act
from assistant.papers.teachme.thinking import most_calls
from assistant.types import Message, NewEntry, Scope, Turn, TurnState
from memory_store.store import Store
from tests.support.memory.erasure import find_turns_with_text
from tests.support.memory.loop import ME, last, reply
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.teaching import TaughtLoop, read_block
from ui.server.rate_limit import RateLimit

pytestmark = pytest.mark.promise("thinking-is-bounded")

QUESTION = "What does a magnet attract? (A) a penny (B) a paper clip"
PENNY, CLIP = "A magnet attracts a penny.", "A magnet attracts a paper clip."
COPPER, IRON = "A penny is made of copper.", "A paper clip is made of iron."
METALS, STEEL = "A magnet attracts metals.", "A magnet attracts iron."
FREE = {(PENNY, ""): [METALS], (CLIP, ""): [STEEL]}
"""Proofs without a fact."""

HYPOTHESES = (
    "<understanding>what a magnet attracts</understanding>\n"
    f"<candidate>a penny</candidate><statement>{PENNY}</statement>"
    f"<candidate>a paper clip</candidate><statement>{CLIP}</statement>"
)


@dataclass
class Student:
    """Beliefs of a model: a proof for each statement and first premise, and confidences."""

    proofs: Mapping[tuple[str, str], Sequence[str]]
    believes: Mapping[str, int] = field(default_factory=dict)  # 0 to 100, 90 by default
    failing: Mapping[str, Exception] = field(default_factory=dict)  # by the type of call, or the statement
    calls: list[str] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message]) -> str:
        call, about, said = "answer", "", reply("what it attracts", "I do not know.")
        if read_block(messages, "asked"):
            call, said = "hypotheses", HYPOTHESES
        elif claim := read_block(messages, "claim"):
            call, about = "proof", str(claim[0]["statement"])
            first = "".join(str(text) for row in read_block(messages, "first") for text in row.values())
            said = "".join(f"<because>{text}</because>" for text in self.proofs.get((about, first), ()))
        elif conclusion := read_block(messages, "conclusion"):
            call, lines = "check", read_block(messages, "premises")
            said = "".join(f"<premise>{row['premise']} {self._belief(row['says'])}</premise>" for row in lines)
            said += f"<step>{self._belief(conclusion[0]['statement'])}</step>"
        self.calls.append(call)
        for name in (call, about):
            if name in self.failing:
                raise self.failing[name]
        return said

    def _belief(self, text: str | int) -> str:
        percent = self.believes.get(str(text), 90)
        return f"yes {percent}" if percent >= 50 else f"no {100 - percent}"


class Thinker(TaughtLoop):
    """An assistant that thinks each question through."""

    def __init__(self, store: Store, student: Student, **parts: Any) -> None:
        super().__init__(store)
        self.student, self.parts = student, parts
        self.model.reply = student

    @property
    def thorough(self) -> Assistant:
        return self.assistant.with_parts(generator=replace(self.teaching.thinking(), **self.parts))

    def think(self, conversation: str = "c") -> Turn:
        return last(self.thorough.ask(QUESTION, ME, conversation))

    @property
    def checked(self) -> list[tuple[str, list[str]]]:
        """Return the statement and the premises of each proof that was checked."""
        checks = [call for call in self.model.asked if read_block(call, "conclusion")]
        return [
            (
                str(read_block(call, "conclusion")[0]["statement"]),
                [str(row["says"]) for row in read_block(call, "premises")],
            )
            for call in checks
        ]


def fact(text: str) -> NewEntry:
    return told(Turn("", "", ME.person, text), text)


@pytest.mark.promise("thinking-follows-the-paper")
def test_algorithm_1(store: Store) -> None:
    # The comments name lines of the paper.
    student = Student(
        proofs={
            (PENNY, ""): [METALS, "A penny is a metal."],
            (CLIP, ""): [METALS, "A paper clip is a metal."],
            (PENNY, COPPER): [STEEL],
            (CLIP, COPPER): ["none"],
            (PENNY, IRON): [STEEL],
            (CLIP, IRON): [STEEL],
        },
        believes={METALS: 60, PENNY: 20, STEEL: 95},
    )
    loop = Thinker(store, student)
    for text in (COPPER, IRON):
        store.memory.remember(fact(text), ME)
    turn = loop.think()
    hypotheses, *calls = loop.model.asked

    # line 4 to 6: for each choice A_i, H_i = QA2D(Q, A_i)
    assert read_block(hypotheses, "asked")[0]["question"] == QUESTION
    assert [row["answer"] for row in read_block(hypotheses, "options")] == ["a penny", "a paper clip"]
    proving = [call for call in calls if read_block(call, "claim")]
    tried = [(str(read_block(call, "claim")[0]["statement"]), read_block(call, "first")) for call in proving]

    # line 3 and 7: C = search(M, H_i), and for each C_j in C or none: one proof that begins with it, and a free one
    assert Counter(statement for statement, _ in tried) == {PENNY: 3, CLIP: 3}
    assert {(statement, str(first[0]["true"]) if first else "") for statement, first in tried} == set(student.proofs)
    assert all({str(row["true"]) for row in read_block(call, "facts")} == {COPPER, IRON} for call in proving)

    # line 9 to 12: the proof begins with C_j, and is scored by the model's belief in its premises and step
    assert sorted(loop.checked) == [
        (CLIP, [METALS, "A paper clip is a metal."]),  # 0.6 * 0.9 * 0.9
        (CLIP, [IRON, STEEL]),  # 0.95 * 0.9: the user's facts are certain
        (PENNY, [METALS, "A penny is a metal."]),  # the model believes none of the steps to this
        (PENNY, [IRON, STEEL]),
        (PENNY, [COPPER, STEEL]),
    ]

    # line 13 and 14: the answer is the conclusion of the best proof, with that as the explanation
    assert (turn.state, turn.reply.answer) == (TurnState.ANSWERED, f"(B) {CLIP}")
    assert turn.reply.fields["because"] == (IRON, STEEL)
    assert turn.reply.understanding == "what a magnet attracts"
    assert len(loop.model.asked) == 1 + 6 + 5 <= most_calls(QUESTION)


def test_proof_is_the_reason(store: Store) -> None:
    loop = Thinker(store, Student({(CLIP, IRON): [STEEL]}))
    iron, copper = (store.memory.remember(fact(text), ME) for text in (IRON, COPPER))
    turn = loop.think()
    assert turn.used == (iron.id,)
    calls = len(loop.model.asked)
    found = loop.why(turn)
    assert [(premise.text, premise.source) for premise in found.premises] == [(IRON, "yours"), (STEEL, "model")]
    assert (found.proves, len(loop.model.asked)) == (True, calls)
    store.memory.forget(copper.id, ME)  # it was in a prompt
    assert find_turns_with_text(loop.assistant.turns("c", ME)) == []


def test_denied_or_blocked_premise_rejects_a_proof(store: Store) -> None:
    student = Student({(PENNY, ""): [METALS, "A penny is a metal."], (CLIP, ""): [STEEL]}, believes={STEEL: 55})
    loop = Thinker(store, student)
    first = loop.think()
    assert first.reply.answer == f"(A) {PENNY}"
    loop.why(first)
    (denial,), second = loop.dispute(first, Act.WRONG, 1)
    assert second.reply.answer == f"(B) {CLIP}"
    assert loop.checked.count((PENNY, [METALS, "A penny is a metal."])) == 1
    loop.teaching.undo(denial.id, ME)
    student.proofs = {**student.proofs, (PENNY, ""): [METALS]}
    third = loop.think(conversation="another")
    loop.why(third)
    _, fourth = loop.dispute(third, Act.DOES_NOT_FOLLOW)
    assert fourth.reply.answer == f"(B) {CLIP}"
    assert loop.checked.count((PENNY, [METALS])) == 1


@pytest.mark.parametrize("number", [0, 7])
def test_calls_are_counted_and_bounded(number: int, store: Store) -> None:
    texts = [f"A magnet attracts thing number {n}." for n in range(number)]
    student = Student({(statement, first): [METALS] for statement in (PENNY, CLIP) for first in ("", *texts)})
    loop = Thinker(store, student)
    loop.model.usage = Usage(10, 1, told=True)
    for text in texts:
        store.memory.remember(fact(text), ME)
    turn = loop.think()
    assert len(loop.model.asked) == 1 + 2 * (1 + min(number, 5)) * 2
    assert turn.usage == Usage(10 * len(loop.model.asked), len(loop.model.asked), told=True)
    assert len(loop.model.asked) < most_calls(QUESTION)


@pytest.mark.parametrize(
    ("call", "failing"), [("hypotheses", ModelUnavailable()), ("proof", SpendUsedUp()), ("check", NoKey())]
)
def test_final_failure_ends_all_calls(call: str, failing: Exception, store: Store) -> None:
    student = Student(FREE, failing={call: failing})
    turn = (loop := Thinker(store, student)).think()
    assert (turn.state, str(turn.error)) == (TurnState.FAILED, str(failing))
    assert (loop.model.running, Counter(student.calls)["answer"]) == (0, 0)


def test_thinking_keeps_within_the_allowance(store: Store) -> None:
    student = Student({**FREE, (CLIP, IRON): [STEEL]})
    loop = Thinker(store, student, allowance=RateLimit(1, 99))
    store.memory.remember(fact(IRON), ME)
    assert loop.think().state is TurnState.ANSWERED
    assert Counter(student.calls) == {"hypotheses": 1, "proof": 2, "check": 2}  # only free proofs, without a fact
    refused = (loop := Thinker(store, student, allowance=RateLimit(0, 99))).think()
    assert (refused.state, refused.error and refused.error.code) == (TurnState.FAILED, "too_often")
    assert loop.model.running == 0


@pytest.mark.parametrize("after", [1, 4, 11])
def test_stopping_ends_every_call(after: int, store: Store) -> None:
    going = threading.Event()
    student = Student(FREE)

    def slow(messages: Sequence[Message]) -> str:
        if not read_block(messages, "asked"):
            going.wait(0.15)
        return student(messages)

    loop = Thinker(store, student)
    loop.model.reply = slow
    events = loop.thorough.ask(QUESTION, ME, "c")
    happened = [event for _, event in zip(range(after), events, strict=False)]
    events.close()  # type: ignore[attr-defined]
    assert loop.model.running == 0
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("think")]
    (turn,) = loop.assistant.turns("c", ME)
    answered = any(isinstance(event, AnswerText) for event in happened)
    assert turn.state in {TurnState.STOPPED, *([TurnState.ANSWERED] if answered else [])}


@pytest.mark.promise("one-shared-entry", "paused-is-not-used", "one-question-only")
def test_prompts_hold_facts_within_bounds(store: Store) -> None:
    other, sharing = Scope("somebody else"), store.sharing(RULES)
    for text in (METALS, STEEL):
        theirs = store.memory.remember(told(Turn("", "", other.person, ""), text), other)
        sharing.accept(sharing.offer(theirs.id, other).id, sharing.curator(CURATOR))
    store.memory.pause(store.memory.remember(fact(COPPER), ME).id, ME)
    once = told(Turn("", "", ME.person, ""), IRON, told_at="What is it made of?", only_its_question=True)
    store.memory.remember(once, ME)
    store.memory.remember(fact("A magnet attracts nails."), ME)
    loop = Thinker(store, Student({}))
    loop.think()
    facts = {str(row["true"]) for messages in loop.model.asked for row in read_block(messages, "facts")}
    assert facts - {METALS, STEEL} == {"A magnet attracts nails."}
    assert len(facts & {METALS, STEEL}) == 1
