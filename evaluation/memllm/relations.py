"""Relations as people told them, and as somebody else looks them up: written blind, with such as ask something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.memllm.sheet import EDIT, EDITED, KNOW, Profile
from assistant.ports import Embedder
from evaluation.embedders.profiles import relation_likenesses

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


def _share(cosines: Sequence[float], profile: Profile) -> float:
    found = [one >= profile.relation and (1 + one) / 2 >= profile.mean for one in cosines]
    return sum(found) / len(found)
