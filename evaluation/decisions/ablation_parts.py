"""What can be taken out of recall and gate, and what stands in its place then: something that says nothing."""

import functools
import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np

from assistant.ports import Embedder
from memory_store.embedding.embedder import BUNDLED
from memory_store.embedding.reading import TranslatedEmbedder, is_better_in_english
from memory_store.language.templates.alignment import Alignment
from memory_store.language.templates.templates import FrameMatch
from memory_store.language.terms import Rarity
from memory_store.memory.relation import Relation
from memory_store.recall.features import RELEVANCE

_OURS = ("app", "assistant", "evaluation", "memory_store")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part:
    """Something that can be taken out."""

    name: str
    stand_ins: Mapping[str, Any] = field(default_factory=dict)  # `module:name` to what takes its place
    signals: frozenset[str] = frozenset()  # features that the gate is fitted without


def together(name: str, *parts: Part) -> Part:
    """Several parts taken out at once."""
    stand_ins = {where: stand_in for part in parts for where, stand_in in part.stand_ins.items()}
    return Part(name, stand_ins, frozenset().union(*(part.signals for part in parts)))


def _as_it_is(_: object, text: str) -> str:
    return text


def _always(value: T) -> Callable[..., T]:
    return lambda *_, **__: value


_ALL_ALIKE = Rarity(np.zeros(1, np.uint32), np.ones(1, np.float32), 1.0)
_WORDS = "memory_store.language."
_FRAMES = "memory_store.language.templates."
_FEATURES = "memory_store.recall.features:"

SLOTS = Part("slots", {f"{_FRAMES}slots:mask_slot": _always(None)})
MASKED_KEY = Part("masked key", {f"{_FRAMES}templates:masked_key": _always(())})
RELATION = Part("relation", {"memory_store.memory.relation:relation_of": _always(Relation.UNRELATED)})
FRAMES = together(
    "frames, all of it",
    Part("frames", {f"{_FRAMES}templates:match_frame": _always(FrameMatch())}),
    *(SLOTS, MASKED_KEY, RELATION),
)


def _with_the_other_reading(embedder: Embedder | None, *_: object, **__: object) -> Embedder | None:
    if embedder is None or embedder.name == BUNDLED or is_better_in_english(embedder):
        return embedder
    return TranslatedEmbedder(embedder)


PARTS = (
    # One that gets texts in English gets them as they are, and any other one in English.
    Part("reading for the embedder", {"memory_store.embedding.reading:for_memory": _with_the_other_reading}),
    Part("word translation", {f"{_WORDS}word_translation:WordLists.english": _as_it_is}),
    Part("loanwords", {f"{_WORDS}loanwords:Loanwords.english": _always(None)}),
    Part("romanization", {f"{_WORDS}transliterate:Romanizer.__call__": _as_it_is}),
    Part(
        "spelling table",
        {f"{_WORDS}normalize:_Spelling.respell": _as_it_is, f"{_WORDS}normalize:_Spelling._word": _as_it_is},
    ),
    Part(
        "n-gram rarity",
        {f"{_WORDS}terms:ngram_rarity": _always(_ALL_ALIKE)},
    ),
    Part(
        "function words",
        {
            f"{_WORDS}function_words:FunctionWords.groups": _always(frozenset()),
            f"{_WORDS}function_words:FunctionWords.plain": lambda _, words: tuple(words),
        },
    ),
    Part(
        "with feedback",
        {f"{_FEATURES}RELEVANCE": RELEVANCE | {"with_feedback": 0.0, "with_feedback_ngrams": 0.0}},
        frozenset({"with_feedback"}),
    ),
    Part("with misreading", signals=frozenset({"with_misreading", "with_misreading_ngrams"})),
    Part("alignment", {f"{_FRAMES}alignment:align": lambda question, key: Alignment(float(question == key))}),
    Part("fillers", {f"{_FRAMES}templates:_filler_fit": _always(1.0)}),
    Part("typos", {f"{_FRAMES}alignment:is_typo": _always(False)}),
    Part("single substitution", {f"{_FRAMES}templates:single_substitution": _always(None)}),
    *(SLOTS, MASKED_KEY, RELATION, FRAMES),
)


@contextmanager
def taken_out(part: Part) -> Iterator[None]:
    """The program without a part. What it had worked out before is forgotten, when it begins and when it ends."""
    with ExitStack() as changes:
        changes.callback(_forget)
        for where, stand_in in part.stand_ins.items():
            module, _, names = where.partition(":")
            *within, name = names.split(".")
            owner = resolve_name(":".join([module, ".".join(within)]) if within else module)
            original = vars(owner)[name]
            holders = [owner] if within else [one for one in _modules() if vars(one).get(name) is original]
            for holder in holders:
                changes.enter_context(patch.object(holder, name, stand_in))
        _forget()
        yield


def _modules() -> list[Any]:
    return [module for name, module in list(sys.modules.items()) if name.partition(".")[0] in _OURS]


def _forget() -> None:
    for cached in gc.get_objects():
        # Not `isinstance`, which asks some objects of torch for what they warn about.
        if type(cached) is functools._lru_cache_wrapper and cached.__module__.partition(".")[0] in _OURS:
            cached.cache_clear()
