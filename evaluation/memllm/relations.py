"""Relations as people told them, and as somebody else looks them up: written blind, with such as ask something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import BaseModel

from assistant.papers.memllm.sheet import EDIT, KNOW, Profile
from assistant.ports import Embedder
from evaluation.gate.fitting import encoded
from evaluation.memllm.reading import EDITED
from evaluation.reading import DATA, read_all

_RELATIONS = DATA / "relations.jsonl"
PROFILES = {"to know": KNOW, "to edit": EDIT, "to edit, by a question's words": EDITED}


@dataclass(frozen=True, slots=True)
class FoundIn:
    """Of relations in other words for the same, and of those for something else, the share that finds the stored one.

    The thing is looked up by its very name.
    """

    same: float
    other: float


def measured(embedder: Embedder) -> dict[str, FoundIn]:
    """What is found, by the name of the thresholds."""
    same, other = relation_likenesses(embedder, "same"), relation_likenesses(embedder, "other")
    return {name: FoundIn(_share(same, profile), _share(other, profile)) for name, profile in PROFILES.items()}


class RelationLine(BaseModel):
    """A triple as somebody told it, and relations by which others look it up, for the same and for something else."""

    subject: str
    relation: str
    object: str
    same: tuple[str, ...]
    other: tuple[str, ...]


def relation_likenesses(embedder: Embedder, asked: Literal["same", "other"]) -> Sequence[float]:
    """Return the cosines of relations with those that ask for the same, or for something else."""
    pairs = [(line.relation, other) for line in read_all(_RELATIONS, RelationLine) for other in getattr(line, asked)]
    told, others = (encoded(embedder, names) for names in zip(*pairs, strict=True))
    likenesses: list[float] = np.vecdot(told, others).tolist()
    return likenesses


def _share(cosines: Sequence[float], profile: Profile) -> float:
    found = [one >= profile.relation and (1 + one) / 2 >= profile.mean for one in cosines]
    return sum(found) / len(found)
