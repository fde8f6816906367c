"""A scripted model makes lookups during its reply: valid, malformed, repeated, endless, and stopped."""

from collections.abc import Generator
from typing import cast
from unittest.mock import Mock

import pytest

from assistant.errors import TooOften
from assistant.events import AnswerText, Event, LookupFinished, RunState
from assistant.model_usage import Usage
from assistant.papers.memllm.lookups import LONGEST_LOOKUP
from assistant.types import Action, Reaction, ReplyStatus, Turn, TurnState, Use
from memory_store.store import Store
from tests.support.memory.allowance import FROM_AFAR, LimitedAllowance
from tests.support.memory.erasure import find_turns_with_text
from tests.support.memory.lookups import DELHI, HEAD, MANAGER, QUESTION, WORKS, LookupLoop, store_facts, write_lookup
from tests.support.memory.loop import ME, OTHER, Loop, last, reply
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.triples import fact

pytestmark = pytest.mark.promise("lookups-give-one-answer", "lookups-read-own-facts", "lookups-are-bounded")

ASKED = write_lookup("Dana | manager is | ?")
BEGUN = f"{HEAD}<answer>The manager is {ASKED}"
GOES_ON = "Kim, in Delhi.</answer>"
ANSWER = "The manager is Kim, in Delhi."


@pytest.fixture
def facts(store: Store) -> Store:
    store_facts(store, ME, MANAGER, WORKS, DELHI)
    return store


def asked(loop: Loop, question: str = QUESTION, conversation: str = "c") -> tuple[list[Event], Turn]:
    events = list(loop.assistant.ask(question, ME, conversation))
    return events, RunState().after(events).turn


def test_found_fact_is_used_and_recorded(facts: Store) -> None:
    loop = LookupLoop(facts, BEGUN + "nobody hears this", GOES_ON)
    events, turn = asked(loop)
    assert (turn.reply.answer, turn.reply.status, turn.state) == (ANSWER, ReplyStatus.OK, TurnState.ANSWERED)
    assert "".join(event.text for event in events if isinstance(event, AnswerText)) == ANSWER
    first, second = loop.model.asked
    assert (second[: len(first)], loop.said(1)) == (first, BEGUN)
    today = format(turn.created, "%Y-%m-%d")
    assert loop.found == [[{"true": MANAGER, "said by": "the person", "on": today}]]
    assert loop.model.closed_early == 1
    assert facts.turn_store.turn(turn.id, ME).reply == turn.reply

    manager = next(entry for entry in facts.memory.entries(ME) if "manager" in entry.shown)
    (looked,) = turn.reply.fields["looked"]
    assert (looked["asked"], looked["outcome"]) == ("Dana | manager is | ?", "found")
    assert looked["found"] == ({"entry": manager.id, "subject": "Dana", "relation": "manager is", "object": "Kim"},)
    assert manager.id in turn.used
    assert [turn.use_of(one) for one in turn.from_memory if one.entry.id == manager.id] == [Use.FOLLOWED]
    assert facts.memory.entry(manager.id, ME).used == 1
    (event,) = [event for event in events if isinstance(event, LookupFinished)]
    assert event.looked == turn.reply.fields["looked"]


def test_prompt_has_the_latest_results(facts: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Mock(wraps=facts.sheet.read)
    monkeypatch.setattr(facts.sheet, "read", read)
    second = write_lookup("Kim | works in | ?")
    loop = LookupLoop(facts, BEGUN, f"Kim, in {second}", write_lookup("dana|manager is"), "Delhi.</answer>")
    turn = asked(loop)[1]
    assert (turn.reply.answer, read.call_count, len(turn.reply.fields["looked"])) == (ANSWER, 2, 2)
    again = "you looked this up before; nothing is new"
    told = [[row.get("true", row.get("result")) for row in rows] for rows in loop.found]
    assert told == [[MANAGER], [WORKS], [MANAGER, again]]
    assert loop.said(2) == f"{HEAD}<answer>The manager is Kim, in {second}"
    assert len(loop.model.asked[2]) == len(loop.model.asked[1])


def test_lookups_and_parts_have_a_longest(facts: Store) -> None:
    endless = "<look>" + "Dana | manager is | ? " * LONGEST_LOOKUP
    loop = LookupLoop(facts, f"{HEAD}<answer>The manager is {endless}", ASKED, GOES_ON)
    assert asked(loop)[1].reply.answer == ANSWER
    assert len(str(loop.found[0][0]["asked"])) < 2 * LONGEST_LOOKUP
    loop = LookupLoop(facts, BEGUN, "Kim " * 10_000, longest=400)
    turn = asked(loop)[1]
    assert (turn.reply.status, len(turn.reply.raw) <= 400) == (ReplyStatus.TRUNCATED, True)
    assert loop.model.running == 0


def test_each_call_takes_of_the_allowance(facts: Store) -> None:
    loop = LookupLoop(facts, BEGUN, write_lookup("Kim | works in | ?"), GOES_ON, allowance=LimitedAllowance(1))
    loop.model.usage = Usage(10, 5, told=True)
    turn = loop.ask(QUESTION, scope=FROM_AFAR)
    assert (turn.state, turn.error) == (TurnState.FAILED, TooOften(1).sentence)
    assert (turn.usage, len(loop.model.asked)) == (Usage(20, 10, told=True), 2)
    assert turn.reply.answer == "The manager is"


@pytest.mark.promise("lookups-cost-nothing-unused")
def test_nothing_to_look_up_changes_nothing(store: Store) -> None:
    store_facts(store, OTHER, MANAGER)
    said = f"{HEAD}<answer>The tag {ASKED} means nothing here.</answer>"
    loop, plain = LookupLoop(store, said, said), Loop(store, said, said)
    for question in (QUESTION, f"What is {ASKED}?"):
        assert asked(loop, question)[1].reply == asked(plain, question, "another")[1].reply
    assert loop.model.asked == plain.model.asked
    store_facts(store, ME, MANAGER)
    loop.model.enqueue(reply("u", "a"))
    asked(loop)
    assert "<look>" in loop.model.asked[-1][-1].content
    assert len(loop.model.asked) == 3


def test_lookups_read_own_facts_only(facts: Store) -> None:
    store_facts(facts, OTHER, "Dana | manager is | Secret")
    facts.memory.remember(fact("it is Elsewhere", "Dana | manager is | Elsewhere", only_in="another"), ME)
    loop = LookupLoop(facts, BEGUN, GOES_ON, f"{HEAD}<answer>It is {ASKED}", "unknown.</answer>")
    turn = asked(loop)[1]
    assert [row["true"] for row in loop.found[0]] == [MANAGER]
    manager = next(iter(turn.reply.fields["looked"]))["found"][0]["entry"]
    again = last(loop.assistant.react(turn.id, Reaction.EXCLUDE, ME, manager))
    assert (again.reply.answer, again.reply.fields["looked"][0]["outcome"]) == ("It is unknown.", "nothing")
    assert manager not in again.used


@pytest.mark.parametrize("is_stopped", [False, True])
def test_forgetting_a_fact_erases_its_lookups(is_stopped: bool, facts: Store) -> None:
    (entry,) = store_facts(facts, ME, "Zed | boss is | Marrowfat")
    loop = LookupLoop(facts, f"{HEAD}<answer>It is {write_lookup('Zed | boss is | ?')}", "Marrowfat.</answer>")
    loop.assistant = loop.assistant.with_parts(recall=lambda _question, _scope: [])  # only the lookup finds it
    events = cast("Generator[Event, None, None]", loop.assistant.ask(QUESTION, ME, "c"))
    for event in events:
        if is_stopped and isinstance(event, AnswerText) and "Marr" in event.text:
            break
    events.close()
    (turn,) = loop.assistant.turns("c", ME)
    assert (turn.state is TurnState.STOPPED, entry.id in turn.used) == (is_stopped, True)
    assert dict(facts.memory.taken_along(entry.id, ME))["blanked"] == 1
    facts.memory.forget(entry.id, ME)
    assert find_turns_with_text(loop.assistant.turns("c", ME)) == []


@pytest.mark.promise("one-shared-entry")
def test_lookups_find_one_shared_entry(facts: Store) -> None:
    theirs = ["Dana | manager is | Ravi", "Kim | works in | Goa", "Delhi | is in | Asia"]
    sharing = facts.sharing(RULES)
    for entry in store_facts(facts, OTHER, *theirs):
        sharing.accept(sharing.offer(entry.id, OTHER).id, sharing.curator(CURATOR))
    looks = [write_lookup(f"{line.rpartition(' | ')[0]} | ?") for line in theirs]
    loop = LookupLoop(facts, *(f"{HEAD}<answer>{asks}" if asks == looks[0] else asks for asks in looks), GOES_ON)
    turn = asked(loop)[1]
    assert [row["true"] for rows in loop.found for row in rows] == [MANAGER, theirs[0], WORKS, DELHI]
    assert len([one for one in turn.decisions if one.entry.shared and one.action is not Action.SKIP]) == 1
