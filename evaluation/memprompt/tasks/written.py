"""Ways to ask and ways to say what was meant, as they are written down for a task in a file of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from evaluation.memprompt.tasks.task import Item, in_rounds

_DATA = Path(__file__).parents[2] / "data"


@dataclass(frozen=True, slots=True)
class Written:
    """What stands in the file.

    Args:
        ways: type to its ways to ask, with `{word}` in each.
        said: type to what people say who mean it; `{phrase}` is their way of asking.
    """

    ways: dict[str, list[str]]
    said: dict[str, list[str]]

    @classmethod
    def read(cls, name: str) -> Written:
        """The file of a task."""
        return cls(**tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8")))

    def drawn(self, random: Random) -> Iterator[tuple[str, str, str]]:
        """The ways to ask, by chance: the type of each, its name, and the way itself."""
        found = [
            (kind, f"{kind}-{number}", way) for kind, some in self.ways.items() for number, way in enumerate(some, 1)
        ]
        return in_rounds(found, random)

    def says(self, item: Item, random: Random, *, wrongly: bool) -> str:
        """What somebody says who means the type of this question, or another one."""
        kind = random.choice([other for other in self.said if other != item.type]) if wrongly else item.type
        return random.choice(self.said[kind]).format(phrase=item.phrase)
