"""In a process of its own: make the prompt for a question many times from a store, and say which hashes it had.

python -m tests.support.ask_again FOLDER QUESTION TIMES
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from assistant.choose.gate import Gate
from assistant.prompt.examples import NEAREST_EXAMPLES
from assistant.prompt.prompt import Prompting
from assistant.types import Action, Entry, Prompt, Scope
from memory_store.language.readings import READINGS
from memory_store.store import Store, open_store
from tests.support.loop import PROMPTS
from tests.support.store import recall_on


class AskAgain:
    """Makes the prompt that a turn would have, without the turn, which would change the store."""

    def __init__(self, store: Store) -> None:
        self._recall = recall_on(store, readings=READINGS)
        self._gate = Gate.from_file()
        self._journal = store.journal
        self._prompting = Prompting(PROMPTS, store.ledger.secret())

    def prompt(self, question: str, scope: Scope, conversation: str) -> Prompt:
        candidates = self._recall(question, scope)
        chosen = [*self._gate(candidates, scope), *NEAREST_EXAMPLES(candidates, (), scope)]
        history = self._journal.turns(conversation, scope, 12)

        def entries(action: Action) -> list[Entry]:
            return [decision.entry for decision in chosen if decision.action is action]

        return self._prompting.answer(
            question,
            scope,
            used=entries(Action.USE),
            offered=entries(Action.OFFER),
            confirmed=entries(Action.SHOW),
            history=history,
            previous=history[-1],
            window=8192,
        )

    def hash(self, question: str, scope: Scope, conversation: str) -> str:
        return hashlib.sha256(repr(self.prompt(question, scope, conversation).messages).encode()).hexdigest()


def main(folder: Path, question: str, times: int) -> None:
    """Print one hash per line, each once."""
    store = open_store(f"sqlite:///{folder / 'ledger.sqlite3'}", str(folder / "index"), None, READINGS)
    asked = AskAgain(store)
    print("\n".join({asked.hash(question, Scope("me"), "c") for _ in range(times)}))
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
