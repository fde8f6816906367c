"""Memories to compare: the baselines of MemPrompt (section 4), its own lookup, and Noted.

Each is the app's assistant with other parts, so all share the prompt files and the wording of understandings, and only
the contents of the prompt differ.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from assistant.conversation import Assistant
from assistant.kinds import CLARIFICATION, EXAMPLE, Kind
from assistant.models.choice import is_small
from assistant.ports import Embedder, Memory, Recall
from assistant.prompt.prompt import NearestExamples
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Question, Scope
from evaluation.harness.simulated_user import with_notes
from evaluation.memprompt.word_tasks import ENGLISH
from memory_store.language.normalize import spelling_similarity

NO_MEMORY, GROWING = "none", "grow"
LAST_ENTRIES = 20
"""Entries of a growing prompt; a smaller window drops the oldest."""
PAPER_COSINE = 0.9
"""Cosine above which a stored question matches (MemPrompt, section 3.4)."""
LEVENSHTEIN = 0.6
"""Similarity from which a stored question matches. The paper has no threshold: it takes the closest (appendix D)."""
_MOST = 10_000

Similarity: TypeAlias = Callable[[str, str], float]
Change: TypeAlias = Callable[[Assistant, Embedder | None, str], Assistant]
"""Return an assistant with another memory; the last argument is the language of the questions."""


def recall_last(memory: Memory, kind: Kind) -> Recall:
    """Return a retriever of the last entries for any question, oldest first: GROW-PROMPT of MemPrompt."""

    def recall(question: Question, scope: Scope) -> Sequence[Candidate]:  # noqa: ARG001
        found = [entry for entry in memory.entries(scope, limit=_MOST) if entry.kind == kind]
        return [_build_candidate(entry, 1.0) for entry in reversed(found[:LAST_ENTRIES])]

    return recall


def recall_nearest(memory: Memory, similarity: Similarity, threshold: float) -> Recall:
    """Return a retriever of the clarification whose question is nearest, if near enough: the lookup of MemPrompt."""

    def recall(question: Question, scope: Scope) -> Sequence[Candidate]:
        told = [entry for entry in memory.entries(scope, limit=_MOST) if entry.kind == CLARIFICATION]
        near = [_build_candidate(entry, similarity(question.text, entry.question)) for entry in told]
        best = max(near, key=lambda one: one.scores["similarity"], default=None)
        return [best] if best and best.scores["similarity"] > threshold else []

    return recall


def use_all(candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:  # noqa: ARG001
    """Use all candidates; implements `Gate`."""
    said = plain("Its question is alike.")
    return [Decision(one, Action.USE, one.scores["similarity"], said) for one in candidates]


def return_nothing(*_: Any, **__: Any) -> tuple[()]:
    """Return nothing; implements `Recall` and `Gate`."""
    return ()


def ignore_event(*_: Any) -> None:
    """Ignore all events; implements `Listener`."""


def _build_candidate(entry: Entry, near: float) -> Candidate:
    return Candidate(entry, entry.keys[0], {"similarity": near})


def _splice(assistant: Assistant, recall: Recall) -> Assistant:
    return with_notes(assistant, recall, use_all).with_parts(listener=ignore_event)


def _grow_prompt(assistant: Assistant, *_: object) -> Assistant:
    """Grow by confirmed examples; in the prompt of a small model, which has none, by clarifications."""
    if is_small(assistant.runner.model):
        return _splice(assistant, recall_last(assistant.memory, CLARIFICATION))
    last = NearestExamples(most=LAST_ENTRIES, least=0.0)
    return with_notes(assistant, recall_last(assistant.memory, EXAMPLE), return_nothing).with_parts(examples=last)


def _look_up(assistant: Assistant, embedder: Embedder | None, lang: str) -> Assistant:
    """Look up by cosine in English if there is an embedder, else by 1 - distance / length of the longer text."""
    if lang != ENGLISH or embedder is None:
        return _splice(
            assistant,
            recall_nearest(
                assistant.memory, lambda one, other: spelling_similarity(one.casefold(), other.casefold()), LEVENSHTEIN
            ),
        )
    vector = cache(lambda text: embedder.encode([text])[0])
    cosine: Similarity = lambda one, other: float(vector(one) @ vector(other))  # noqa: E731
    return _splice(assistant, recall_nearest(assistant.memory, cosine, PAPER_COSINE))


MEMORIES: Mapping[str, Change] = {
    NO_MEMORY: lambda app, *_: _splice(app, return_nothing),
    GROWING: _grow_prompt,
    "memprompt": _look_up,
    "noted": lambda app, *_: app,
}
