"""The conversation loop on a real store with a scripted model."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from assistant.conversation import Assistant
from assistant.events import Event, RunState
from assistant.feedback.learning import call_all, count_uses, keep_example, request_keys
from assistant.gate.gate import FittedGate
from assistant.generate.generate import OneCall
from assistant.limits import DEFAULT_LIMITS
from assistant.ports import Gate
from assistant.prompt.envelope import read_blocks
from assistant.prompt.prompt import PromptBuilder
from assistant.turn import TurnRunner
from assistant.types import Scope, Turn
from memory_store.retrieval.retriever import IndexRetriever
from memory_store.store import Store
from tests.support.servers.scripted import ScriptedModel, ScriptedReply

PROMPTS = Path(__file__).parents[3] / "prompts"
OFFERING, CERTAIN = FittedGate.from_file().only_offering(), FittedGate.from_file().only_certain()
ME, OTHER = Scope("me"), Scope("somebody else")


def reply(understanding: str, answer: str, notes: str = "") -> str:
    head = f"<notes>{notes}</notes>\n" if notes else ""
    return f"{head}<understanding>{understanding}</understanding>\n<answer>{answer}</answer>"


WRONG, RIGHT = reply("a word that sounds like quick", "kwik"), reply("a word that means the same as quick", "fast")
BY_NOTE = reply("a word that means the same as quick", "fast", notes="1")


class Loop:
    """An assistant with a scripted model, which records its prompts."""

    def __init__(
        self,
        store: Store,
        *replies: ScriptedReply,
        writes_keys: bool = False,
        gate: Gate | None = None,
        catch_up: Callable[[], bool] | None = None,
    ) -> None:
        self.afterwards: Callable[[str], None] = lambda _entry_id: None
        self.model = ScriptedModel(replies, writes_keys=writes_keys)
        runner = TurnRunner(
            model=self.model,
            recall=IndexRetriever(store.index, store.memory, None, catch_up or store.indexer.wait_until_current),
            gate=gate or OFFERING,
            prompt_builder=PromptBuilder(PROMPTS, store.ledger.secret, "connected"),
            generator=OneCall(DEFAULT_LIMITS.reply),
            listener=call_all(
                partial(count_uses, store.memory),
                partial(keep_example, store.memory),
                partial(request_keys, self._is_over),
            ),
            memory=store.memory,
            turn_store=store.turn_store,
        )
        self.assistant = Assistant(runner, store.memory)

    def _is_over(self, entry_id: str) -> None:
        self.afterwards(entry_id)

    def ask(self, question: str, conversation: str = "c", scope: Scope = ME) -> Turn:
        return last(self.assistant.ask(question, scope, conversation))

    def clarify(self, turn: Turn, words: str, scope: Scope = ME) -> Turn:
        return last(self.assistant.clarify(turn.id, words, scope))

    def spliced(self) -> dict[str, list[str]]:
        blocks, _ = read_blocks(self.model.asked[-1][-1].content)
        return {block.name: [str(row.get("said", row.get("question"))) for row in block.rows] for block in blocks}


def last(events: Iterable[Event]) -> Turn:
    return RunState().after(events).turn


def read_active(store: Store) -> list[str]:
    return sorted(entry.text for entry in store.memory.entries(ME))
