"""The handlers without a browser: plain generators, on a real store and a scripted model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.conversation import Assistant
from assistant.events import AnswerText, Started
from assistant.gate import Gate
from assistant.learning import CountReactions, KeepExamples, LearnAll
from assistant.models.scripted import ScriptedModel
from assistant.prompting import Prompting
from assistant.sharing import SharingRules
from assistant.types import Message, Scope, Turn
from assistant.usage import Count, not_counted
from memory_store.glossed import READINGS
from memory_store.recall import HybridRecall
from memory_store.store import Store, open_store
from tests.support.beside import drained, run_beside
from ui.conversation_list_handlers import ConversationListHandlers
from ui.handlers import ConversationHandlers, Update
from ui.live import LiveTurns
from ui.memory_handlers import MemoryHandlers
from ui.runs import Runs, TooManyAnswers

PROMPTS = Path(__file__).parents[2] / "prompts"
ME, OTHER = Scope("me"), Scope("somebody else")
PAGE = "page"
WRONG = "<understanding>a word that sounds alike</understanding>\n<answer>kwik</answer>"
RIGHT = "<understanding>a synonym</understanding>\n<answer>fast</answer>"

Chat = Callable[..., ConversationHandlers]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=6,
)
NAMES = ["confirm", "leave out", "use", "' OR 1=1 --"]
FIELDS = st.sampled_from(
    [
        "run",
        "seen",
        "text",
        "title",
        "conversation",
        "turn",
        "entry",
        "reaction",
        "search",
        "shown",
        "old",
        "new",
        "first",
        "filters",
    ]
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    home = tmp_path_factory.mktemp("store")
    store = open_store(f"sqlite:///{home / 'ledger.sqlite3'}", str(home / "index"), None, READINGS)
    yield store
    store.close()


@pytest.fixture
def chat(store: Store) -> Chat:
    def on(model: Any) -> ConversationHandlers:
        assistant = Assistant(
            model=model,
            recall=HybridRecall(store.index, store.memory, READINGS, None, store.indexer.catch_up),
            choose=Gate.from_file(),
            learn=LearnAll(CountReactions(store.memory), KeepExamples(store.memory)),
            memory=store.memory,
            journal=store.journal,
            prompting=Prompting(PROMPTS, store.ledger.secret()),
        )
        return ConversationHandlers(assistant, Runs(seconds=0.001), store.sharing(SharingRules()))

    return on


def last(updates: AsyncIterator[Update]) -> Update:
    return drained(updates)[-1]


class Waiting:
    """A model that says the beginning of a reply, then waits until its stream is closed or it is let go."""

    name, window, chooses_notes, writes_keys = "waiting", 8192, True, False

    def __init__(self) -> None:
        self.said, self.go_on, self.closed = threading.Event(), threading.Event(), threading.Event()

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Iterator[str]:
        try:
            yield "<understanding>a synonym</understanding>\n<answer>fa"
            self.said.set()
            self.go_on.wait()
            yield "st</answer>"
        finally:
            self.closed.set()


def test_a_question_is_answered_in_updates_that_name_their_run(chat: Chat) -> None:
    question = {"text": "What is akin?", "conversation": "c1", "run": "r1"}
    updates = drained(chat(ScriptedModel([RIGHT])).ask(question, ME, PAGE))
    assert {update["run"] for update in updates} == {"r1"}
    assert [update["done"] for update in updates] == [False] * (len(updates) - 1) + [True]
    (turn,) = updates[-1]["turns"]
    assert (turn["state"], turn["understanding"], turn["answer"]) == ("answered", "a synonym", "<p>fast</p>\n")


def test_a_correction_and_its_undo_change_the_same_turns(chat: Chat) -> None:
    handlers = chat(ScriptedModel([WRONG, RIGHT]))
    (first,) = last(handlers.ask({"text": "What is akin to it?", "conversation": "c2"}, ME, PAGE))["turns"]
    corrected, again = last(handlers.clarify({"turn": first["id"], "text": "a synonym"}, ME, PAGE))["turns"]
    assert (corrected["id"], corrected["noted"]["text"]) == (first["id"], "a synonym")
    undone = handlers.undo({"entry": corrected["noted"]["entry"]}, ME)["turns"]
    assert [(turn["id"], turn["state"]) for turn in undone] == [(first["id"], "answered"), (again["id"], "undone")]
    reopened = handlers.open("c2", ME)["turns"]
    assert [turn["id"] for turn in reopened] == [first["id"], again["id"]]


def test_nobody_else_sees_or_changes_a_conversation(chat: Chat) -> None:
    handlers = chat(ScriptedModel([WRONG, RIGHT]))
    (turn,) = last(handlers.ask({"text": "a private question", "conversation": "c3"}, ME, PAGE))["turns"]
    _, again = last(handlers.clarify({"turn": turn["id"], "text": "a private word"}, ME, PAGE))["turns"]
    entry = again["memory"]["used"][0]["id"]
    assert handlers.open("c3", OTHER)["turns"] == []
    for update in (
        last(handlers.clarify({"turn": turn["id"], "text": "mine now"}, OTHER, PAGE)),
        last(handlers.retry({"turn": turn["id"]}, OTHER, PAGE)),
        last(handlers.react({"turn": turn["id"], "reaction": "confirm"}, OTHER, PAGE)),
        last(handlers.react({"turn": again["id"], "reaction": "leave out", "entry": entry}, OTHER, PAGE)),
        handlers.undo({"entry": entry}, OTHER),
    ):
        assert update["turns"] == []
        assert "not yours" in update["refused"]


def test_an_edited_question_names_the_turn_in_whose_place_it_stands(chat: Chat) -> None:
    handlers = chat(ScriptedModel([WRONG, RIGHT]))
    (first,) = last(handlers.ask({"text": "What is akin to it?", "conversation": "c7"}, ME, PAGE))["turns"]
    replaced, edited = last(handlers.edit({"turn": first["id"], "text": "And to that?"}, ME, PAGE))["turns"]
    assert (replaced, edited["question"]) == ({"id": first["id"], "replaced": True}, "And to that?")
    assert edited["replaces"] == first["id"]
    assert "not yours" in last(handlers.edit({"turn": first["id"], "text": "mine now"}, OTHER, PAGE))["refused"]
    assert "shorten it" in last(handlers.edit({"turn": first["id"], "text": "a" * 9_000}, ME, PAGE))["refused"]


def test_what_was_noted_is_offered_by_the_one_who_said_it_only(chat: Chat) -> None:
    handlers = chat(ScriptedModel([WRONG, RIGHT]))
    assert handlers.open("c8", ME)["may_offer"] is True
    (first,) = last(handlers.ask({"text": "What is akin to it?", "conversation": "c8"}, ME, PAGE))["turns"]
    corrected, _ = last(handlers.clarify({"turn": first["id"], "text": "a synonym of it"}, ME, PAGE))["turns"]
    entry = corrected["noted"]["entry"]
    assert "not yours" in handlers.offer({"entry": entry}, OTHER)["refused"]
    (offered,) = handlers.offer({"entry": entry}, ME)["turns"]
    assert (offered["id"], offered["noted"]["offered"]) == (first["id"], True)
    assert handlers.open("c8", ME)["turns"][0]["noted"]["offered"] is True
    handlers.undo({"entry": entry}, ME)
    assert handlers.open("c8", ME)["turns"][0]["noted"] is None


def test_stop_ends_the_run_at_once_and_closes_the_model(chat: Chat) -> None:
    model = Waiting()
    handlers = chat(model)

    async def stopped() -> Update:
        updates = handlers.ask({"text": "What is akin?", "conversation": "c4", "run": "r1"}, ME, PAGE)
        while not (shown := (await anext(updates))["turns"]) or not shown[0]["answer"]:
            pass
        handlers.stop({"run": "r1"}, OTHER, PAGE)
        handlers.stop({"run": "r1"}, ME, "another page")
        handlers.stop({"run": "r0"}, ME, PAGE)  # one that has ended
        refused = (await _all(handlers.ask({"text": "one more", "conversation": "c4"}, ME, PAGE)))[-1]
        assert refused["refused"].startswith("Still answering")
        handlers.stop({"run": "r1"}, ME, PAGE)
        return (await _all(updates))[-1]

    (turn,) = run_beside(stopped())["turns"]
    assert (turn["state"], turn["answer"]) == ("stopped", "<p>fa</p>\n")
    model.go_on.set()
    assert model.closed.wait(10)


def test_leaving_the_page_closes_the_model(chat: Chat) -> None:
    model = Waiting()

    async def leave() -> None:
        async with aclosing(chat(model).ask({"text": "What is akin?", "conversation": "c5"}, ME, PAGE)) as updates:
            while not (shown := (await anext(updates))["turns"]) or not shown[0]["answer"]:
                pass

    run_beside(leave())
    model.go_on.set()
    assert model.closed.wait(10)


def test_a_long_answer_is_shown_whole_and_known_to_take_long(chat: Chat) -> None:
    text = "- a word\n" * 1_000
    model = ScriptedModel([f"<understanding>a list</understanding>\n<answer>{text}</answer>"])
    (turn,) = last(chat(model).ask({"text": "What is akin?", "conversation": "c9"}, ME, PAGE))["turns"]
    assert turn["answer"].count("<li>a word</li>") == 1_000
    live = LiveTurns()
    live.take(Started(Turn("t", "c", ME.person, "What is akin?")))
    live.take(AnswerText("t", "a word"))
    assert not live.is_long
    live.take(AnswerText("t", text))
    assert live.is_long


@pytest.mark.parametrize(("text", "sentence"), [
    ("", "Please write something first."), ("\u200b", "Please write something first."),
    ("a" * 1_000_000, "This is 1,000,000 characters long; please shorten it to 8,000."),
    (7, "This cannot be used as it is. Please change it and send it again."),
])  # fmt: skip
def test_a_text_that_cannot_be_used_is_refused_in_one_sentence(chat: Chat, text: object, sentence: str) -> None:
    update = last(chat(ScriptedModel()).ask({"text": text, "conversation": "c6", "run": "r"}, ME, PAGE))
    assert update == {"run": "r", "conversation": "c6", "turns": [], "done": True, "refused": sentence}


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=JSON | st.dictionaries(FIELDS, JSON | st.sampled_from(NAMES), max_size=5))
def test_whatever_a_browser_sends_is_answered_with_a_sentence(chat: Chat, store: Store, data: object) -> None:
    handlers = chat(ScriptedModel(reply=lambda messages: RIGHT))
    stranger = Scope("stranger")
    for event in (handlers.ask, handlers.edit, handlers.clarify, handlers.retry, handlers.react):
        assert last(event(data, stranger, PAGE))["done"] is True
    assert handlers.undo(data, stranger)["refused"]
    assert handlers.offer(data, stranger)["refused"]
    talks, nobody = ConversationListHandlers(store.conversations), Scope("has said nothing yet")
    assert talks.rename(data, nobody)["refused"]
    assert talks.erase(data, nobody)["refused"]
    assert talks.look(data, nobody)["conversations"] == []
    assert handlers.open(data, stranger)["reset"] is True
    memory = MemoryHandlers(store.memory, store.sharing(SharingRules()))
    assert memory.edit(data, stranger)["refused"]
    assert memory.forget(data, stranger)["refused"]
    assert memory.rekey(data, stranger)["refused"]
    assert memory.take_back(data, stranger)["refused"]
    assert memory.search(data, stranger)["entries"] == []


def test_the_memory_lists_a_page_at_a_time(store: Store, chat: Chat) -> None:
    handlers = chat(ScriptedModel(reply=lambda messages: WRONG))
    reader = Scope("reader")
    for number in range(3):
        (turn,) = last(handlers.ask({"text": f"question {number}", "conversation": "c7"}, reader, PAGE))["turns"]
        last(handlers.clarify({"turn": turn["id"], "text": f"meaning {number}"}, reader, PAGE))
    memory = MemoryHandlers(store.memory, store.sharing(SharingRules()))
    listing = memory.search({"search": "meaning", "shown": 2}, reader)
    assert [entry["text"] for entry in listing["entries"]] == ["meaning 2", "meaning 1"]
    assert listing["more"] is True
    assert memory.search({"search": "meaning", "shown": 3}, reader)["more"] is False


def test_wordings_are_added_changed_and_removed_by_their_owner(store: Store, chat: Chat) -> None:
    handlers = chat(ScriptedModel(reply=lambda messages: WRONG))
    writer = Scope("writer")
    (turn,) = last(handlers.ask({"text": "what is akin ?", "conversation": "c8"}, writer, PAGE))["turns"]
    last(handlers.clarify({"turn": turn["id"], "text": "a synonym"}, writer, PAGE))
    memory = MemoryHandlers(store.memory, store.sharing(SharingRules()))
    entry = memory.search({}, writer)["entries"][0]["id"]

    def rekeyed(old: str, new: str) -> list[tuple[str, str]]:
        listing = memory.rekey({"entry": entry, "old": old, "new": new}, writer)
        assert (listing["done"], listing["changed"]) == ("keys_changed", entry)
        return [(key["text"], key["by"]) for key in listing["entries"][0]["keys"]]

    assert rekeyed("", " like \n what ") == [("like what", "key_by_person")]
    assert rekeyed("like what", "as what") == [("as what", "key_by_person")]
    assert "meantime" in memory.rekey({"entry": entry, "old": "like what", "new": "x"}, writer)["refused"]
    assert "301 characters" in memory.rekey({"entry": entry, "old": "", "new": "a" * 301}, writer)["refused"]
    assert memory.rekey({"entry": entry, "old": "", "new": ""}, writer)["refused"] == "Please write something first."
    assert "own question" in memory.rekey({"entry": entry, "old": "what is akin ?", "new": ""}, writer)["refused"]
    assert "not yours" in memory.rekey({"entry": entry, "old": "as what", "new": ""}, OTHER)["refused"]
    assert rekeyed("as what", "") == []


def test_what_was_stopped_is_waited_for(chat: Chat) -> None:
    handlers = chat(ScriptedModel([RIGHT, RIGHT]))

    async def ask_at_once() -> list[Update]:
        first = handlers.ask({"text": "What is akin?", "conversation": "c10", "run": "r1"}, ME, PAGE)
        await anext(first)
        handlers.stop({"run": "r1"}, ME, PAGE)
        second = handlers.ask({"text": "And to that?", "conversation": "c10", "run": "r2"}, ME, PAGE)
        updates, _ = await asyncio.gather(_all(second), first.aclose())
        return updates

    assert run_beside(ask_at_once())[-1]["refused"] == ""


async def _all(updates: AsyncIterator[Update]) -> list[Update]:
    return [update async for update in updates]


def test_when_too_many_answers_are_being_written_the_next_one_is_refused_in_words() -> None:
    runs = Runs(most=1, seconds=0.001)
    with runs.begin(OTHER, "another page"), pytest.raises(TooManyAnswers), runs.begin(ME, PAGE):
        pass
    with runs.begin(ME, PAGE):
        pass
