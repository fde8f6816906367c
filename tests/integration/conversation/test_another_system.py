"""Another system, by composition alone: facts that the model looks up in the middle of its reply, and keeps behind it.

It has a kind of entries, two tags, a section of the prompt, an `AnswerGenerator` and a `Listener` of its own, and no
existing file knows it. A further part of the card is in `tests/support/card_parts`, an experiment in
`tests/support/experiments`.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest

from assistant.events import Answered, AnswerText, Event, TurnEvent, UnderstandingText
from assistant.feedback.learning import Listeners
from assistant.generate.generate import Request
from assistant.kinds import KINDS, Body, Kind, Text, table
from assistant.ports import Memory
from assistant.prompt.envelope import read_blocks, write_block
from assistant.prompt.prompt import PromptBuilder
from assistant.prompt.sections import Asking, Item, Section
from assistant.reply.grammar import GRAMMAR, Grammar, Tag
from assistant.reply.parser import Piece, ReplyParser
from assistant.types import Action, Draft, Message, Role, Scope, Turn, TurnState
from memory_store.language.word_translation import READINGS
from memory_store.store import Store, open_store
from tests.support.memory.loop import ME, PROMPTS, Loop, reply

SECRET = b"0123456789abcdef"
SAID = (
    "<understanding>You ask who Kim's manager is.</understanding>\n<answer>I look: <look>Kim</look>",
    "it is Dana.</answer>\n<keep>Dana is a manager</keep>",
)


class Told(Body):
    fact: Text


FACT = Kind(
    name="known",
    body=Told,
    shown="fact",
    prompted=lambda said: {"true": said.fact},
    identity=lambda said: (said.fact,),
    calibration="clarification",
)
LOOK = Tag("look", anywhere=True, repeats=True)
KEEP = Tag("keep", repeats=True)
TAGS = Grammar((*GRAMMAR.tags, LOOK, KEEP))


def facts(asking: Asking) -> list[Item]:
    return [Item(entry.id, row=entry.prompted) for entry in asking.entries(Action.OFFER) if entry.kind is FACT]


FACTS = Section("facts", facts, rank=35, told="what is true.")


@dataclass(frozen=True, slots=True)
class AnswerWithLookups:
    """Implements `AnswerGenerator`: stop the stream for a lookup, and continue with what was found."""

    memory: Memory

    def __call__(self, request: Request) -> Generator[Event, None, Turn]:
        parser, messages = ReplyParser(TAGS), request.prompt.messages
        looked = 0
        try:
            while True:
                said = yield from self._heard(request, messages, parser)
                looks = parser.closed(LOOK.name)
                if len(looks) == looked:
                    break
                looked = len(looks)
                found = [entry.prompted for entry in self.memory.entries(Scope(request.turn.person), looks[-1])]
                rows = found or [{"true": "nothing is known"}]
                messages = (
                    *messages,
                    Message(Role.ASSISTANT, said),
                    Message(Role.USER, write_block("facts", rows, SECRET)),
                )
        except GeneratorExit:
            request.so_far.reply = parser.finish()[1]
            raise
        pieces, heard = parser.finish()
        yield from _shown(request.turn, pieces)
        return replace(request.turn, state=TurnState.ANSWERED, reply=heard)

    def _heard(
        self, request: Request, messages: tuple[Message, ...], parser: ReplyParser
    ) -> Generator[Event, None, str]:
        said, looked = "", len(parser.closed(LOOK.name))
        with closing(request.model.stream(messages, request.so_far.meter)) as stream:
            for character in (character for chunk in stream for character in chunk):
                said += character
                yield from _shown(request.turn, parser.feed(character))
                if len(parser.closed(LOOK.name)) > looked:
                    break
        return said


def _shown(turn: Turn, pieces: list[Piece]) -> Iterator[Event]:
    for piece in pieces:
        yield (UnderstandingText if piece.field == "understanding" else AnswerText)(turn.id, piece.text)


@dataclass(frozen=True, slots=True)
class KeepFacts:
    """Implements `Listener`: what the model would keep is a fact."""

    memory: Memory

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        match happening:
            case Answered(turn):
                for fact in turn.reply.fields.get("keep", ()):
                    self.memory.remember(fact_draft(turn.question, fact, turn.id), scope)


def fact_draft(question: str, fact: str, turn: str = "") -> Draft:
    said = Told(fact=fact)
    return Draft(FACT, question, said, FACT.idempotency_key(turn or question, said), turn=turn)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(
        f"sqlite:///{tmp_path / 'ledger.db'}",
        str(tmp_path / "index"),
        None,
        READINGS,
        kinds=table(*KINDS.values(), FACT),
    )
    yield opened
    opened.close()


@pytest.fixture
def loop(store: Store) -> Loop:
    loop = Loop(store)
    loop.assistant = loop.assistant.with_parts(
        prompt_builder=PromptBuilder(PROMPTS, SECRET, "connected", TAGS, [FACTS]),
        generator=AnswerWithLookups(store.memory),
        listener=Listeners(loop.assistant.runner.listener, KeepFacts(store.memory)),
    )
    store.memory.remember(fact_draft("Who is Kim?", "Dana is the manager of Kim"), ME)
    return loop


def test_it_looks_up_goes_on_and_keeps_in_one_answer(store: Store, loop: Loop) -> None:
    loop.model.enqueue(*SAID)
    turn = loop.ask("And who manages this team?")
    assert turn.reply.answer == "I look: it is Dana."
    assert turn.reply.fields.get(LOOK.name) == ("Kim",)
    assert read_blocks(loop.model.asked[1][-1].content)[0][0].rows == ({"true": "Dana is the manager of Kim"},)
    assert loop.model.asked[1][-2].content == SAID[0]
    assert [entry.shown for entry in store.memory.entries(ME)] == ["Dana is a manager", "Dana is the manager of Kim"]
    assert store.turn_store.turn(turn.id, ME).reply == turn.reply


def test_its_entries_stand_in_its_own_section(loop: Loop) -> None:
    loop.model.enqueue(reply("who Kim is", "Dana's report"))
    turn = loop.ask("Who is Kim?")
    assert loop.spliced() == {"facts": ["None"]}
    assert [decision.entry.kind for decision in turn.decisions] == [FACT]


FLOWS: dict[str, Callable[[Loop], Iterator[Event]]] = {
    "asked": lambda loop: loop.assistant.ask("And who manages this team?", ME, "c"),
    "clarified": lambda loop: loop.assistant.clarify(loop.ask("Who is it?").id, "the boss", ME),
}


@pytest.mark.parametrize("flow", FLOWS)
def test_closed_anywhere_it_ends_the_call_and_says_what_came(flow: str, store: Store, loop: Loop) -> None:
    whole = False
    count = 0
    while not whole:
        count += 7
        if flow == "clarified":
            loop.model.enqueue(reply("who it is", "Kim"))
        loop.model.enqueue(*SAID)
        events = cast("Generator[Event, None, None]", FLOWS[flow](loop))
        happened = [event for _, event in zip(range(count), events, strict=False)]
        events.close()
        whole = len(happened) < count
        turns = loop.assistant.turns("c", ME)
        assert all(turn.state in {TurnState.ANSWERED, TurnState.STOPPED} for turn in turns)
        shown = "".join(event.text for event in happened if isinstance(event, AnswerText))
        assert turns[-1].reply.answer.startswith(shown.rstrip()), (turns[-1].reply, shown)
        assert not loop.model.running
        loop.model.__post_init__()  # what is left of the script belongs to nobody
        store.memory.forget_all(ME)
    assert count > 20
