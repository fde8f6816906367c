"""Makes the prompt for a question again and again from a store, and says which hashes it had."""

import hashlib
from multiprocessing.connection import Connection
from pathlib import Path

from assistant.gate.gate import FittedGate
from assistant.prompt.examples import NearestExamples
from assistant.prompt.prompt import PromptBuilder
from assistant.prompt.sections import Asking
from assistant.types import Prompt, Question, Scope
from memory_store.language.word_translation import READINGS
from memory_store.store import Store, open_store
from tests.support.memory.loop import PROMPTS
from tests.support.memory.store import recall_on


class AskAgain:
    """Makes the prompt that a turn would have, without the turn, which would change the store."""

    def __init__(self, store: Store) -> None:
        self._recall = recall_on(store, readings=READINGS)
        self._gate = FittedGate.from_file()
        self._journal = store.turn_store
        self._prompting = PromptBuilder(PROMPTS, store.ledger.secret(), "connected")

    def prompt(self, question: str, scope: Scope, conversation: str) -> Prompt:
        candidates = self._recall(question, scope)
        chosen = [*self._gate(candidates, scope), *NearestExamples()(candidates, Question(question), scope)]
        history = self._journal.turns(conversation, scope, 12)

        return self._prompting.answer(Asking(question, scope, chosen, history, history[-1]), 8192)

    def hash(self, question: str, scope: Scope, conversation: str) -> str:
        return hashlib.sha256(repr(self.prompt(question, scope, conversation).messages).encode()).hexdigest()


def ask_again(folder: Path, question: str, times: int, told: Connection) -> None:
    """In a process of its own: tell how it hashes the question, which says in what order sets are, and the hashes."""
    store = open_store(f"sqlite:///{folder / 'ledger.sqlite3'}", str(folder / "index"), None, READINGS)
    asked = AskAgain(store)
    told.send((hash(question), {asked.hash(question, Scope("me"), "c") for _ in range(times)}))
    store.close()
