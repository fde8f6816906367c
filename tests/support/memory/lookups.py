"""An assistant whose scripted model may make lookups."""

from functools import partial
from pathlib import Path

from assistant.generate.generate import OneCall
from assistant.limits import DEFAULT_LIMITS, UNLIMITED, Allowance
from assistant.papers.memllm.lookups import AnswerWithLookups, lookup_hint
from assistant.prompt.prompt import PromptBuilder
from assistant.types import Entry, Message, Scope
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store
from tests.support.memory.loop import PROMPTS, Loop
from tests.support.memory.store import ledger_memory
from tests.support.memory.teaching import read_block
from tests.support.memory.triples import fact
from tests.support.servers.scripted import ScriptedReply

QUESTION = "Where does Dana's manager work?"
MANAGER, WORKS, DELHI = "Dana | manager is | Kim", "Kim | works in | Delhi", "Delhi | is in | India"
HEAD = "<understanding>You ask where the manager of Dana works.</understanding>\n"


def store_facts(store: Store, scope: Scope, *triples: str) -> list[Entry]:
    """Store a fact for each of these triples."""
    return [store.memory.remember(fact(each.replace(" | ", " "), each), scope) for each in triples]


def store_facts_in(home: Path, person: str, *triples: str) -> None:
    """Store a fact for each of these triples in the data directory of an app that may be running."""
    ledger = Ledger(f"sqlite:///{home / 'ledger.sqlite3'}")
    memory = ledger_memory(ledger)
    for each in triples:
        memory.remember(fact(each.replace(" | ", " "), each), Scope(person))
    ledger.close()


def write_lookup(*looks: str) -> str:
    return f"<look>{'; '.join(looks)}</look>"


class LookupLoop(Loop):
    """A loop that reads the facts of the store."""

    def __init__(
        self,
        store: Store,
        *replies: ScriptedReply,
        allowance: Allowance = UNLIMITED,
        longest: int = DEFAULT_LIMITS.reply,
    ) -> None:
        super().__init__(store, *replies)
        hints = [partial(lookup_hint, store.sheet)]
        prompt_builder = PromptBuilder(PROMPTS, store.ledger.secret, "connected", hints=hints)
        generator = AnswerWithLookups(OneCall(longest), store.sheet, allowance)
        self.assistant = self.assistant.with_parts(prompt_builder=prompt_builder, generator=generator)

    @property
    def found(self) -> list[list[dict[str, str | int]]]:
        """Return the results of each lookup in the prompts."""
        return [read_block(messages, "found") for messages in self.model.asked[1:]]

    def said(self, call: int) -> str:
        """Return the model's own text so far, in the prompt of a call after the first."""
        message: Message = self.model.asked[call][-2]
        return message.content
