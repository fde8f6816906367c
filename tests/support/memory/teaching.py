"""Reasons for answers, and feedback on them, on a real store with a scripted model."""

from collections.abc import Sequence

from assistant.events import Saved
from assistant.papers.teachme.teaching import Act, Reasons, Teaching
from assistant.prompt.envelope import Block, read_blocks
from assistant.types import Entry, Message, Scope, Turn
from memory_store.store import Store
from tests.support.memory.loop import ME, Loop, last, reply
from tests.support.servers.scripted import ScriptedReply

QUESTION = "Can a magnet attract a penny?"
YES, NO = (reply("whether a magnet attracts a penny", word) for word in ("Yes.", "No."))
CLAIM = "A magnet can attract a penny."
METALS, PENNY = "A magnet can attract magnetic metals.", "A penny is made of a magnetic metal."
COPPER = "A penny is made of copper."


def write_reasons(*because: str, doubted: Sequence[str] = (), follows: str = "yes", claim: str = CLAIM) -> str:
    """Return a model's reply with reasons."""
    lines = [*(f"<because>{text}</because>" for text in because), *(f"<doubted>{text}</doubted>" for text in doubted)]
    return "\n".join([*lines, f"<claim>{claim}</claim>", f"<follows>{follows}</follows>"])


class TaughtLoop(Loop):
    """A loop with questions for reasons, and feedback on them."""

    def __init__(self, store: Store, *replies: ScriptedReply) -> None:
        super().__init__(store, *replies)
        self.store = store

    @property
    def teaching(self) -> Teaching:
        return Teaching(self.assistant)

    def why(self, turn: Turn) -> Reasons:
        """Return the reasons for an answer, as interfaces show them."""
        found = self.teaching.reasons(last(self.teaching.why(turn.id, ME)), ME)
        assert found is not None
        return found

    def dispute(
        self, turn: Turn, act: Act, premise: int = 0, words: str = "", scope: Scope = ME
    ) -> tuple[list[Entry], Turn]:
        """Return the entries stored by an act, and the new turn."""
        events = list(self.teaching.dispute(turn.id, act, scope, premise, words))
        return [event.entry for event in events if isinstance(event, Saved)], last(events)

    def rows(self, name: str) -> list[dict[str, str | int]]:
        """Return the rows of a block in the last prompt."""
        return read_block(self.model.asked[-1], name)

    def facts(self) -> list[tuple[str, bool]]:
        """Return all facts, newest first, each with whether it is denied."""
        entries = self.store.memory.entries(ME)
        return [(entry.shown, entry.body.denied) for entry in entries if entry.kind.name == "fact"]  # type: ignore[attr-defined]


def read_block(messages: Sequence[Message], name: str) -> list[dict[str, str | int]]:
    """Return the rows of a block of a prompt, by its name."""
    blocks: tuple[Block, ...] = read_blocks(messages[-1].content + "\n")[0]
    return [dict(row) for block in blocks if block.name == name for row in block.rows]
