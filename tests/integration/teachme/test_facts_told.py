"""Told facts answer in another conversation, and feedback on them changes the answer; by the whole app."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.kinds import FACT, Fact, Place
from assistant.papers.teachme.teaching import Act, Teaching
from assistant.types import Entry, NewEntry, Turn
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.loop import ME, last, reply
from tests.support.memory.teaching import CLAIM, METALS, NO, QUESTION, YES, TaughtLoop, write_reasons
from tests.support.servers.chat_server import ChatServer
from ui.server.services import Services

pytestmark = pytest.mark.promise("facts-answer-elsewhere", "blocked-steps-stay-blocked")

REX = ("Rex is a dog.", "Dogs can bark.")
COPPER = "a penny is made of copper"
MARROWFAT = "A marrowfat is made of copper."
THOUGHTS = f"<understanding>u</understanding><candidate>yes</candidate><statement>{CLAIM}</statement>"


@pytest.fixture
def teaching(services: Services) -> Teaching:
    return Teaching(services.assistant)


def tell(teaching: Teaching, *facts: str, denied: bool = False) -> list[Entry]:
    bodies = [Fact(text=text, denied=denied) for text in facts]
    drafts = [NewEntry(FACT, said.text, said, FACT.idempotency_key(said.text, said)) for said in bodies]
    return [teaching.assistant.memory.remember(draft, ME) for draft in drafts]


def ask(teaching: Teaching, question: str, conversation: str = "") -> Turn:
    return last(teaching.assistant.ask(question, ME, conversation or question))


def test_facts_answer_in_other_words_after_a_restart(composed: Callable[..., Services]) -> None:
    told = Teaching(composed().assistant)
    for message in ("remember that Rex is a dog", "dogs can bark", "याद रखना कि मीरा दिल्ली में रहती है"):
        ask(told, message)
    teaching = Teaching(composed().assistant)
    assert ask(teaching, "is Rex able to bark?").reply.answer.startswith("Yes.")
    assert ask(teaching, "Rex bark kar sakta hai kya?").reply.answer.startswith("Haan.")
    assert ask(teaching, "where does Meera live?").reply.answer.startswith("दिल्ली")


def test_denied_or_paused_fact_does_not_answer(teaching: Teaching) -> None:
    _, dogs = tell(teaching, *REX)
    teaching.assistant.memory.pause(dogs.id, ME)
    assert ask(teaching, "Can Rex bark?").reply.answer.startswith("I don't know")
    teaching.assistant.memory.resume(dogs.id, ME)
    assert ask(teaching, "Can Rex bark?").reply.answer.startswith("Yes")
    tell(teaching, "Rex is a dog.", denied=True)
    assert ask(teaching, "Can Rex bark?").reply.answer.startswith("I don't know")


def test_forget_that_takes_back_the_last_fact(teaching: Teaching) -> None:
    for message in ("my cat is Tom", "my pin is 11", "my pin is 22 now", "forget that"):
        ask(teaching, message, "c")
    answer = ask(teaching, "what is my pin", "c").reply.answer
    assert "22" not in answer
    assert "11" not in answer
    assert ask(teaching, "who is my cat", "c").reply.answer == "Tom."
    assert [entry.resting for entry in teaching.assistant.memory.entries(ME)] == [True, False]  # shown, to be deleted
    ask(teaching, "my pin is 22", "c")
    assert ask(teaching, "what is my pin", "c").reply.answer == "22"


@pytest.mark.parametrize(
    ("messages", "question", "answer"),
    [
        (("My name is Sam. My wife is Eve. We live in Bath.",), "who is my wife?", "Eve."),
        (("my boss is Ann", "who is my boss?", "no, my boss is Kim"), "who is my boss?", "Kim."),
        (("I live in Delhi and my dog is called Bruno", "I moved to Pune"), "what is my dog called?", "Bruno."),
        (("my cat's name is Momo", "Momo is 3 yrs old"), "how old is my cat?", "3 yrs old"),
        (("school ki fees 3500 hai",), "fees kitni hai?", "3500"),
        (("ਮੇਰਾ ਬੌਸ ਅਮਨ ਹੈ", "ਨਹੀਂ, ਮੇਰਾ ਬੌਸ ਜਸ ਹੈ"), "ਮੇਰਾ ਬੌਸ ਕੌਣ ਹੈ?", "ਜਸ।"),
        (("मेरी दवाई नौ बजे की है", "नहीं नहीं दवाई दस बजे की है"), "दवाई कब है?", "दस बजे।"),
        (("papa ki car ka number 12 hai", "arre galat, 15 hai"), "papa ki car ka number kya hai?", "15"),
        (("my car is a tank haha jk",), "what is my car?", "I don't know that yet. Tell me, and I'll remember it."),
        (("my password is hunter2",), "what is my password?", "I don't know that yet. Tell me, and I'll remember it."),
    ],
)
def test_last_statement_answers(teaching: Teaching, messages: tuple[str, ...], question: str, answer: str) -> None:
    for message in messages:
        ask(teaching, message, "c")
    assert ask(teaching, question, "another").reply.answer == answer


def test_correction_of_a_value_ends_with_what_it_is_about(teaching: Teaching) -> None:
    def corrected_to_york() -> None:
        list(teaching.assistant.clarify(ask(teaching, "where do I live?", "c").id, "York", ME))
        assert ask(teaching, "where do I live?", "another").reply.answer.rstrip(".") == "York"

    corrected_to_york()
    ask(teaching, "I live in Bath", "c")
    assert ask(teaching, "where do I live?", "another").reply.answer == "Bath."
    corrected_to_york()
    ask(teaching, "forget where I live", "c")
    assert ask(teaching, "where do I live?", "another").reply.answer.startswith("I don't know that yet.")


def test_correction_of_an_answer_replaces_its_fact(teaching: Teaching) -> None:
    ask(teaching, "my manager is Dana", "c")
    ask(teaching, "who is my manager?", "c")
    ask(teaching, "no, Priya", "c")
    assert ask(teaching, "who is my manager?", "another").reply.answer == "Priya."
    assert [entry.shown for entry in teaching.assistant.memory.entries(ME)] == ["my manager is Priya"]


def test_named_value_answers_despite_a_contradiction(teaching: Teaching) -> None:
    tell(teaching, "I live in Leeds", "I live in Rome")
    assert ask(teaching, "where do I live?", "c").reply.answer.endswith("Which is right?")
    ask(teaching, "Leeds is right", "c")
    assert ask(teaching, "where do I live?", "another").reply.answer.startswith("Leeds")
    turn = ask(teaching, "my cat is Tom", "c")
    list(teaching.assistant.edit(turn.id, "my cat is Tim", ME))
    shown = {entry.shown for entry in teaching.assistant.memory.entries(ME)}
    assert shown & {"my cat is Tom", "my cat is Tim"} == {"my cat is Tim"}


def test_blocked_step_is_used_for_no_later_question(teaching: Teaching) -> None:
    tell(teaching, *REX)
    turn = ask(teaching, "can Rex bark?")
    assert turn.reply.fields["because"] == REX
    blocked = last(teaching.dispute(turn.id, Act.DOES_NOT_FOLLOW, ME)).clarified_with
    for again in ("can Rex bark?", "Rex bark kar sakta hai kya?"):
        assert "because" not in ask(teaching, again, f"another, {again}").reply.fields
    assert ask(teaching, "is Rex a dog?", "a third").reply.fields["because"]
    assert blocked
    teaching.undo(blocked, ME)
    assert ask(teaching, "Rex bark kar sakta hai kya?", "a fourth").reply.fields["because"]


def test_contradiction_is_told_with_its_reason(teaching: Teaching) -> None:
    older, newer = tell(teaching, "the office closes at 6", "the office closes at 5")
    teaching.assistant.put(newer.id, Place.BESIDE, older.id, ME, "on Fridays it is 5")
    turn = ask(teaching, "when does the office close?")
    both = "the office closes at 5 (on Fridays it is 5) and the office closes at 6"
    assert turn.reply.answer == f"I was told both: {both}."
    assert not turn.reply.fields.get("disputed")


def test_blocked_step_is_a_note_of_later_questions(connected: Callable[..., Services], server: ChatServer) -> None:
    teaching = Teaching(connected().assistant)
    noted = reply("you tell me that", "Noted.")
    server.replies(noted, noted, YES, write_reasons(COPPER, claim=CLAIM), NO, *[NO] * 4)
    ask(teaching, f"remember that {COPPER}", "c")
    ask(teaching, "remember that my brother works in Agra", "c")
    turn = ask(teaching, QUESTION, "c")
    list(teaching.why(turn.id, ME))
    again = last(teaching.dispute(turn.id, Act.DOES_NOT_FOLLOW, ME))

    def prompted(question: str) -> bool:
        ask(teaching, question)
        return "does not follow" in server.requests[-1].question

    assert prompted(QUESTION)
    assert prompted("is a penny made of copper or of iron?")
    assert not prompted("where does my brother work?")
    assert again.clarified_with
    teaching.undo(again.clarified_with, ME)
    assert not prompted(QUESTION)


@pytest.mark.promise("thinking-is-bounded")
def test_setting_thinks_each_question_through(connected: Callable[..., Services], server: ChatServer) -> None:
    services = connected(NOTED_THINK_THROUGH="on")
    assert "up to 38 calls" in str(services.models.note("local"))
    server.replies(THOUGHTS, "<because>Pennies are metal.</because>", "<premise>1 yes 95</premise><step>yes 90</step>")
    assert "thought" in ask(Teaching(services.assistant), QUESTION, "c").reply.fields
    assert len(server.requests) == 3
    for message in ("by the way, Rex is a dog", "thanks!"):
        server.replies(reply("u", "Good to know.") + "\n<fact>Rex is a dog</fact>")
        assert "thought" not in ask(Teaching(services.assistant), message, "c").reply.fields
    assert len(server.requests) == 5
    assert [entry.shown for entry in services.assistant.memory.entries(ME)] == ["Rex is a dog"]


@pytest.mark.promise("forgotten-reasons")
@pytest.mark.parametrize("act", [Act.WRONG, Act.TRUE, Act.DOES_NOT_MATTER, Act.DOES_NOT_FOLLOW])
def test_forgotten_reason_leaves_no_byte(act: Act, store: Store, tmp_path: Path) -> None:
    loop = TaughtLoop(store, YES, NO, write_reasons(MARROWFAT, METALS), NO, YES, write_reasons(MARROWFAT.upper()))
    (entry,), turn = loop.dispute(loop.ask(QUESTION), Act.MISSING, words=MARROWFAT)
    loop.why(turn)
    loop.dispute(turn, act, 1)
    elsewhere = loop.ask("Is a penny magnetic?", "another conversation")
    loop.why(elsewhere)
    store.indexer.wait_until_current()
    assert find_bytes(tmp_path, ["marrowfat"]) != []
    store.memory.forget(entry.id, ME)
    assert find_bytes(tmp_path, ["marrowfat", "MARROWFAT"]) == []
