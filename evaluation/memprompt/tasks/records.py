"""Questions from files, one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from evaluation.reading import BadInput


def records(path: Path, what: str) -> list[Mapping[str, Any]]:
    """The objects of a JSON Lines file, or of a file that is one JSON list; `what` says what it should be.

    Raises:
        BadInput: it is missing, or no such file.
    """
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if text.lstrip().startswith("[") else [json.loads(x) for x in text.splitlines() if x]
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror or error}); it should be {what}.") from None
    except ValueError as error:
        raise BadInput(f"{path} is no JSON ({error}); it should be {what}.") from None
    if not found or not all(isinstance(one, dict) for one in found):
        raise BadInput(f"{path} holds no JSON objects; it should be {what}.")
    return found


def field(record: Mapping[str, Any], path: Path, *names: str) -> Any:
    """The first of these fields that is there.

    Raises:
        BadInput: none is.
    """
    for name in names:
        if name in record:
            return record[name]
    raise BadInput(f"{path}: a line has no field {' or '.join(map(repr, names))}.")


def in_some_order(found: list[Any], seed: int) -> Iterator[Any]:
    """All of them, in an order that the seed decides."""
    return iter(Random(seed).sample(found, len(found)))  # noqa: S311  a repeatable choice is wanted
