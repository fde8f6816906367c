"""Every text of the page: a folder for each language, a file for each part. What people or models write is not here."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_LANGUAGE = "en"
_FOLDER = Path(__file__).with_name("strings")


def languages() -> tuple[str, ...]:
    """The languages there are texts in, as in the `lang` attribute of HTML."""
    return tuple(sorted(path.name for path in _FOLDER.iterdir() if path.is_dir()))


@cache
def texts(language: str = DEFAULT_LANGUAGE) -> Mapping[str, str]:
    """The texts in a language, by name; a name stands in one part only.

    Raises:
        KeyError: there are no texts in this language.
    """
    if language not in languages():
        raise KeyError(language)
    named: dict[str, str] = {}
    for part in sorted((_FOLDER / language).glob("*.json")):
        named |= json.loads(part.read_text(encoding="utf-8"))
    return MappingProxyType(named)
