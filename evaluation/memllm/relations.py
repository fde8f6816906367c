"""Relations as people told them, and as somebody else looks them up: written blind, with such as ask something else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from assistant.memllm.sheet import EDIT, EDITED, KNOW, Profile
from assistant.ports import Embedder
from evaluation.reading import read_all

PROFILES = {"to know": KNOW, "to edit": EDIT, "to edit, by a question's words": EDITED}
_DATA = Path(__file__).parents[1] / "data" / "relations.jsonl"


class _Line(BaseModel):
    relation: str
    same: tuple[str, ...]
    other: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundIn:
    """Of relations in other words for the same, and of those for something else, the share that finds the stored one.

    The thing is looked up by its very name.
    """

    same: float
    other: float


def measured(embedder: Embedder) -> dict[str, FoundIn]:
    """What is found, by the name of the thresholds."""
    lines = [*read_all(_DATA, _Line)]
    same, other = (
        [_cosines(embedder, line.relation, getattr(line, kind)) for line in lines] for kind in ("same", "other")
    )
    return {name: FoundIn(_share(same, profile), _share(other, profile)) for name, profile in PROFILES.items()}


def _cosines(embedder: Embedder, relation: str, asked: Iterable[str]) -> list[float]:
    vectors = embedder.encode([relation, *asked])
    return [float(one @ vectors[0]) for one in vectors[1:]]


def _share(cosines: list[list[float]], profile: Profile) -> float:
    found = [one >= profile.relation and (1 + one) / 2 >= profile.mean for some in cosines for one in some]
    return sum(found) / len(found)
