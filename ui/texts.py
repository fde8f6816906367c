"""Every text of the page, by language. Texts that come from people or models are not here."""

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
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))


@cache
def texts(language: str = DEFAULT_LANGUAGE) -> Mapping[str, str]:
    """The texts in a language, by name.

    Raises:
        KeyError: there are no texts in this language.
    """
    if language not in languages():
        raise KeyError(language)
    return MappingProxyType(json.loads((_FOLDER / f"{language}.json").read_text(encoding="utf-8")))
