"""Memories to compare: the baselines of MemPrompt (section 4), its own lookup, and Noted.

Each is the app's assistant with other parts, so all share the prompt files and the wording of understandings, and only
the contents of the prompt differ.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from assistant.conversation import Assistant
from assistant.kinds import CLARIFICATION, EXAMPLE, Kind
from assistant.models.choice import is_small
from assistant.ports import Embedder, Memory, Recall
from assistant.prompt.examples import NearestExamples
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Question, Scope
from evaluation.harness.simulated_user import with_notes
from evaluation.memprompt.word_tasks import ENGLISH
from memory_store.language.normalize import spelling_similarity

LAST_ENTRIES = 20
"""Entries of a growing prompt; a smaller window drops the oldest."""
PAPER_COSINE = 0.9
"""Cosine above which a stored question matches (MemPrompt, section 3.4)."""
LEVENSHTEIN = 0.6
"""Similarity from which a stored question matches. The paper has no threshold: it takes the closest (appendix D)."""
_MOST = 10_000

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
Change = Callable[[Assistant, Embedder | None, str], Assistant]
"""Return an assistant with another memory; the last argument is the language of the questions."""


@dataclass(frozen=True, slots=True)
class MemoryKind:
    """A memory, as a change of the app's assistant."""

    change: Change
    is_told: bool = True  # the user corrects; pointless if nothing is stored
    is_confirmed: bool = False  # the user confirms corrected answers, so that they become examples


def return_nothing(*_: Any, **__: Any) -> tuple[()]:
    """Return nothing; implements `Recall` and `Gate`."""
    return ()


def ignore_event(*_: Any, **__: Any) -> None:
    """Ignore all events; implements `Listener`."""


@dataclass(frozen=True, slots=True)
class LastEntries:
    """Implements `Recall` with the last entries for any question, oldest first: GROW-PROMPT of MemPrompt."""

    memory: Memory
    kind: Kind

    def __call__(self, question: Question, scope: Scope) -> Sequence[Candidate]:  # noqa: ARG002
        found = self.memory.entries(scope, limit=_MOST)
        return [_build_candidate(entry, 1.0) for entry in found if entry.kind == self.kind][:LAST_ENTRIES][::-1]


@dataclass(frozen=True, slots=True)
class NearestQuestion:
    """Implements `Recall` with the clarification whose question is nearest, if near enough: the lookup of MemPrompt."""

    memory: Memory
    similarity: Similarity
    threshold: float

    def __call__(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        told = [entry for entry in self.memory.entries(scope, limit=_MOST) if entry.kind == CLARIFICATION]
        near = self.similarity(question.text, [entry.question for entry in told]) if told else []
        best = max(range(len(told)), key=lambda place: near[place], default=None)
        return [_build_candidate(told[best], near[best])] if best is not None and near[best] > self.threshold else []


def use_all(candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:  # noqa: ARG001
    """Use all candidates; implements `Gate`."""
    said = plain("Its question is alike.")
    return [Decision(one, Action.USE, one.scores["similarity"], said) for one in candidates]


def cosine_similarity(embedder: Embedder) -> Similarity:
    """Return a similarity by cosine that caches the vectors."""
    vector = cache(lambda text: embedder.encode([text])[0])
    return lambda question, stored: [float(vector(question) @ vector(text)) for text in stored]


def levenshtein_similarity(question: str, stored: Sequence[str]) -> Sequence[float]:
    """Return 1 - distance / length of the longer text, for each stored text."""
    return [spelling_similarity(question.casefold(), text.casefold()) for text in stored]


def _build_candidate(entry: Entry, near: float) -> Candidate:
    return Candidate(entry, entry.keys[0], {"similarity": near})


def _remove_memory(assistant: Assistant, *_: object) -> Assistant:
    return with_notes(assistant, return_nothing, return_nothing).with_parts(listener=ignore_event)


def _use_last_examples(assistant: Assistant, *_: object) -> Assistant:
    """Grow by confirmed examples; in the prompt of a small model, which has none, by clarifications."""
    if is_small(assistant.runner.model):
        return _spliced(assistant, LastEntries(assistant.memory, CLARIFICATION))
    last = NearestExamples(most=LAST_ENTRIES, least=0.0)
    return with_notes(assistant, LastEntries(assistant.memory, EXAMPLE), return_nothing).with_parts(examples=last)


def _use_nearest_question(assistant: Assistant, similarity: Similarity, threshold: float) -> Assistant:
    return _spliced(assistant, NearestQuestion(assistant.memory, similarity, threshold))


def _spliced(assistant: Assistant, recall: Recall) -> Assistant:
    return with_notes(assistant, recall, use_all).with_parts(listener=ignore_event)


def _use_paper_lookup(assistant: Assistant, embedder: Embedder | None, lang: str) -> Assistant:
    """Look up by cosine in English if there is an embedder, else by spelling."""
    if lang != ENGLISH or embedder is None:
        return _use_nearest_question(assistant, levenshtein_similarity, LEVENSHTEIN)
    return _use_nearest_question(assistant, cosine_similarity(embedder), PAPER_COSINE)


MEMORIES: Mapping[str, MemoryKind] = {
    "none": MemoryKind(_remove_memory, is_told=False),
    "grow": MemoryKind(_use_last_examples, is_confirmed=True),
    "memprompt": MemoryKind(_use_paper_lookup),
    "memprompt-levenshtein": MemoryKind(
        lambda app, *_: _use_nearest_question(app, levenshtein_similarity, LEVENSHTEIN)
    ),
    "noted": MemoryKind(lambda app, *_: app),
}
