"""The paper's profiles of the fact sheet, fitted for an embedder by names and relations that come with the app.

With the thresholds that are found it finds as many relations in other words, and takes as many pairs of different
things for one, as the embedder beside it does with those of the paper.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import BaseModel

from assistant.memllm.sheet import PAPER, Profile
from assistant.ports import Embedder
from evaluation.gate.fitting import encoded
from evaluation.reading import DATA, read_all

_RELATIONS = DATA / "relations.jsonl"
_STEP = 0.001  # above what is not to be found any more
_PLACES = 4


class RelationLine(BaseModel):
    """A triple as somebody told it, and relations by which others look it up, for the same and for something else."""

    subject: str
    relation: str
    object: str
    same: tuple[str, ...]
    other: tuple[str, ...]


def relation_likenesses(embedder: Embedder, asked: Literal["same", "other"]) -> Sequence[float]:
    """Cosines of relations with those that ask for the same, or for something else."""
    pairs = [(line.relation, other) for line in read_all(_RELATIONS, RelationLine) for other in getattr(line, asked)]
    told, others = (encoded(embedder, names) for names in zip(*pairs, strict=True))
    likenesses: list[float] = np.vecdot(told, others).tolist()
    return likenesses


def fitted_profiles(embedder: Embedder, beside: Embedder) -> dict[str, Profile]:
    """The profiles, by name."""
    relations, theirs = (relation_likenesses(each, "same") for each in (embedder, beside))
    things, their_things = (_of_different_things(each) for each in (embedder, beside))
    found = {}
    for name, profile in PAPER.items():
        relation = _finding(relations, sum(one >= profile.relation for one in theirs))
        entity = _finding(things, sum(one >= profile.entity for one in their_things))
        # As in the paper, a relation that is near enough is so where the thing is named as it is.
        found[name] = Profile(entity, relation, round((1 + relation) / 2, _PLACES))
    return found


def _of_different_things(embedder: Embedder) -> Sequence[float]:
    names = {name for line in read_all(_RELATIONS, RelationLine) for name in (line.subject, line.object)}
    vectors = encoded(embedder, sorted(names))
    likenesses: list[float] = (vectors @ vectors.T)[np.triu_indices(len(names), 1)].tolist()
    return likenesses


def _finding(likenesses: Sequence[float], number: int) -> float:
    """The lowest threshold that at most so many of these reach."""
    first_not = sorted(likenesses, reverse=True)[number] if number < len(likenesses) else -1.0
    return round(min(1.0, first_not + _STEP), _PLACES)
