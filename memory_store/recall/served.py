"""Recall by whichever index serves: while that of a new embedder is made, by the one before, with its own vectors."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.errors import StoreError
from assistant.types import Candidate, Question, Scope
from memory_store.index.index import Index
from memory_store.recall.recall import HybridRecall, QuestionVectors


@dataclass(frozen=True, slots=True)
class ServedRecall:
    """The port `Recall`. An index and the embedder that its vectors are of are never parted.

    `before` has those of embedders that were in use before, each with its name, which its candidates bear.
    """

    own: HybridRecall
    before: Mapping[Index, tuple[str, HybridRecall]]
    serving: Callable[[], Index]

    def __call__(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        if self.own.is_empty(scope):
            return ()
        index = self._opened()
        found = self._by(index, question, scope)
        # Another one may serve since, and this one be closed.
        return found if (now := self.serving()) is index else self._by(now, question, scope)

    def space(self) -> tuple[Index, QuestionVectors]:
        """The index that serves now, and what makes vectors to compare with its."""
        index = self._opened()
        _, recall = self.before.get(index, ("", self.own))
        return index, recall.vectors

    def wait_until_current(self) -> bool:
        """Wait until what was just saved is found by the index that serves; whether it is."""
        return self.own.wait_until_current()

    def _opened(self) -> Index:
        """The index that serves. Before one is open, nobody knows by which embedder a question is to be read."""
        if self.before and self.serving().sequence < 0:
            with suppress(StoreError):
                self.wait_until_current()
        return self.serving()

    def _by(self, index: Index, question: Question, scope: Scope) -> Sequence[Candidate]:
        if index not in self.before:
            return self.own(question, scope)
        name, recall = self.before[index]
        return [replace(candidate, embedder=name) for candidate in recall(question, scope)]
