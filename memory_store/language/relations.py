"""Lists of relations, each with the side of it that the list is about."""

import tomllib
from functools import cache
from pathlib import Path

from memory_store.language.normalize import form_of


@cache
def sides_in(file: Path) -> frozenset[tuple[str, str]]:
    """What a list holds: "subject" or "object", and a relation in the form in which names compare."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return frozenset((side, form_of(relation)) for side, relations in table.items() for relation in relations)
