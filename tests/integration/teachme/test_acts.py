"""What is said of the reasons for an answer: each act is remembered, answers again at once, and can be taken back."""

import pytest

from assistant.errors import InputError, ModelUnavailable, NotFound
from assistant.papers.teachme.facts import fact as told
from assistant.papers.teachme.teaching import Act
from assistant.sharing import SharingRules
from assistant.types import Turn, TurnState
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER, last
from tests.support.memory.sharing import CURATOR
from tests.support.memory.teaching import CLAIM, COPPER, METALS, NO, PENNY, QUESTION, YES, TaughtLoop, reasons

pytestmark = pytest.mark.promise("reasons-can-be-corrected")


TOLD: dict[Act, tuple[int, str, list[dict[str, str]]]] = {
    Act.WRONG: (2, COPPER, [{"not true": PENNY}, {"true": COPPER}]),
    Act.DOES_NOT_MATTER: (1, "", [{"does not matter here": METALS}]),
    Act.DOES_NOT_FOLLOW: (0, "", [{"does not follow": CLAIM, "from": METALS}]),
    Act.MISSING: (0, COPPER, [{"true": COPPER}]),
    Act.ANSWER: (0, "It cannot.", [{"true": "It cannot.", "as": "the answer"}]),
    Act.TRUE: (2, "", [{"true": PENNY}]),
}
"""The premise and the words of an act, and what then stands in the prompt."""


def offered(loop: TaughtLoop) -> list[dict[str, str | int]]:
    """Return the notes of the last prompt, but for their number and question."""
    return [{name: row[name] for name in row if name not in {"note", "about"}} for row in loop.rows("offered")]


@pytest.fixture
def loop(store: Store) -> TaughtLoop:
    return TaughtLoop(store, YES, reasons(METALS, doubted=[PENNY]))


@pytest.fixture
def asked(loop: TaughtLoop) -> Turn:
    turn = loop.ask(QUESTION)
    loop.why(turn)
    return turn


@pytest.mark.parametrize("act", Act)
def test_act_answers_again_and_is_undone(act: Act, loop: TaughtLoop, asked: Turn) -> None:
    loop.model.enqueue(NO)
    premise, words, told = TOLD[act]
    entries, again = loop.dispute(asked, act, premise, words)
    assert loop.dispute(asked, act, premise, words) == (entries, again)  # sent twice
    assert {(entry.owner, entry.question, entry.turn) for entry in entries} == {(ME.person, QUESTION, asked.id)}
    assert (again.reply.answer, again.question, again.answers_again) == ("No.", QUESTION, asked.id)
    assert offered(loop) == told
    assert loop.assistant.turn(asked.id, ME).corrected_by == entries[0].id
    changed = loop.teaching.undo(entries[-1].id, ME)
    assert {turn.id for turn in changed} == {asked.id, again.id}
    before, undone = loop.assistant.turns("c", ME)
    assert (before.state, before.corrected_by, undone.state) == (TurnState.ANSWERED, None, TurnState.UNDONE)
    assert not loop.store.memory.entries(ME)


def test_own_wrong_fact_goes_until_undone(loop: TaughtLoop, asked: Turn) -> None:
    loop.model.enqueue(YES, reasons(COPPER), NO)
    (told,), again = loop.dispute(asked, Act.MISSING, words=COPPER)
    loop.why(again)
    (denial, instead), denied = loop.dispute(again, Act.WRONG, 1, "A penny is made of zinc.")
    assert loop.facts() == [("A penny is made of zinc.", False), (COPPER, True)]
    assert (denial.supersedes, instead.supersedes) == (told.id, None)
    assert [decision.entry.id for decision in denied.decisions] == [denial.id, instead.id]
    loop.teaching.undo(denial.id, ME)
    assert loop.facts() == [(COPPER, False)]
    assert loop.assistant.turn(again.id, ME).state is TurnState.ANSWERED


def test_denied_fact_is_true_after_all(loop: TaughtLoop, asked: Turn) -> None:
    loop.model.enqueue(NO, reasons("Iron is magnetic.", doubted=[METALS]), YES)
    _, again = loop.dispute(asked, Act.WRONG, 1)
    doubted = loop.why(again).premises[1]
    assert (doubted.text, doubted.opposed) == (METALS, True)
    loop.dispute(again, Act.TRUE, 2)
    assert loop.facts() == [(METALS, False)]


def test_wrong_shared_fact_stays_with_others(store: Store) -> None:
    loop = TaughtLoop(store, YES, reasons(METALS), NO)
    theirs = store.memory.remember(told(Turn("", "", OTHER.person, QUESTION), METALS, told_at=QUESTION), OTHER)
    sharing = store.sharing(SharingRules(frozenset({CURATOR.person})))
    sharing.accept(sharing.offer(theirs.id, OTHER).id, sharing.curator(CURATOR))
    turn = loop.ask(QUESTION)
    assert [premise.source for premise in loop.why(turn).premises] == ["shared"]
    _, again = loop.dispute(turn, Act.WRONG, 1)
    assert offered(loop) == [{"not true": METALS}]
    assert len(again.left_out) == 1
    assert [entry.shown for entry in store.memory.entries(OTHER)] == [METALS]


def test_fact_that_does_not_matter_is_left_out_here_only(loop: TaughtLoop, asked: Turn) -> None:
    loop.model.enqueue(YES, reasons(COPPER), NO, NO, NO, reasons(COPPER))
    (told,), again = loop.dispute(asked, Act.MISSING, words=COPPER)
    loop.why(again)
    _, without = loop.dispute(again, Act.DOES_NOT_MATTER, 1)
    assert offered(loop) == [{"does not matter here": COPPER}]
    _, further = loop.dispute(without, Act.MISSING, words="Copper is a metal.")
    assert told.id in without.left_out
    assert told.id in further.left_out
    assert {"true": "Copper is a metal."} in offered(loop)
    elsewhere = loop.ask(QUESTION, "another conversation")
    assert {"true": COPPER} in offered(loop)
    assert loop.why(elsewhere).proves


def test_blocked_step_is_known_again(loop: TaughtLoop, asked: Turn) -> None:
    loop.model.enqueue(NO, YES, reasons(METALS.lower()), YES, reasons(METALS, PENNY))
    loop.dispute(asked, Act.DOES_NOT_FOLLOW)
    same = loop.why(loop.ask(QUESTION, "another conversation"))
    assert (same.proves, same.verdict.code) == (False, "why.blocked")
    assert loop.why(loop.ask(QUESTION, "a third")).proves


def test_given_answer_asks_back_for_its_reason(loop: TaughtLoop, asked: Turn) -> None:
    loop.model.enqueue(NO, NO)
    _, again = loop.dispute(asked, Act.ANSWER, words="No, it cannot.")
    assert str(loop.teaching.asks_back(again)).startswith("Which fact did I miss?")
    _, further = loop.dispute(again, Act.MISSING, words=COPPER)
    assert loop.teaching.asks_back(further) is None
    assert [row["true"] for row in offered(loop)] == [COPPER, "No, it cannot."]


def test_told_fact_is_kept_where_the_model_fails(loop: TaughtLoop, asked: Turn) -> None:
    loop.model.enqueue(ModelUnavailable(), NO)
    (entry,), failed = loop.dispute(asked, Act.MISSING, words=COPPER)
    assert failed.state is TurnState.FAILED
    assert loop.facts() == [(COPPER, False)]
    assert last(loop.assistant.retry(failed.id, ME)).clarified_with == entry.id
    assert COPPER in loop.model.asked[-1][-1].content


@pytest.mark.parametrize(("act", "premise", "words"), [
    (Act.WRONG, 0, ""), (Act.WRONG, 3, ""), (Act.WRONG, -1, ""), (Act.MISSING, 1, " \u200b"),
    (Act.ANSWER, 0, "\n"), (Act.MISSING, 0, "a" * 2_001),
])  # fmt: skip
def test_incomplete_act_does_nothing(act: Act, premise: int, words: str, loop: TaughtLoop, asked: Turn) -> None:
    with pytest.raises(InputError):
        list(loop.teaching.dispute(asked.id, act, ME, premise, words))
    assert not loop.store.memory.entries(ME)
    assert len(loop.model.asked) == 2


def test_unasked_reasons_and_foreign_answers_take_no_act(store: Store) -> None:
    loop = TaughtLoop(store, YES)
    turn = loop.ask(QUESTION)
    for act in (Act.WRONG, Act.TRUE, Act.DOES_NOT_MATTER, Act.DOES_NOT_FOLLOW):
        with pytest.raises(InputError):
            loop.dispute(turn, act, 1)
    with pytest.raises(NotFound):
        loop.dispute(turn, Act.MISSING, words=COPPER, scope=OTHER)
