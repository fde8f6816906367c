"""A file with ways to ask for a word, in the form of `data/templates.toml`: whether it can be used."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from evaluation.reading import BadInput
from evaluation.slips import WORD

_Type = Literal["syn", "ant", "hom", "defn", "sent"]
_Language = Literal["en", "hi-latn", "pa-latn"]
_FEWEST_WORDS = 12  # one is stored, eight are asked about, and some may be part of the way itself


def _asks_once(template: str) -> str:
    if template.split().count(WORD) != 1:
        raise ValueError(f'"{template}" must have {WORD} once, as a word of its own')
    return template


_Template = Annotated[str, AfterValidator(_asks_once)]
_Some = Annotated[list[str], Field(min_length=1)]


class _Around(BaseModel):
    model_config = ConfigDict(extra="forbid")

    before: _Some
    after: _Some
    slips: dict[str, _Some]


class _WaysFile(BaseModel):
    ways: Annotated[dict[_Language, dict[_Type, dict[_Template, list[str]]]], Field(min_length=1)]
    words: dict[_Type, Annotated[list[str], Field(min_length=_FEWEST_WORDS)]] = {}
    around: dict[_Language, _Around] = {}
    asks_plainly: bool = False


def check_ways(path: Path) -> None:
    """See that `evaluation.templates` can use a file.

    Args:
        path: the file.

    Raises:
        BadInput: it cannot; the sentence says where and why.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{path}: it cannot be read as TOML: {error}.") from None
    try:
        found = TypeAdapter(_WaysFile).validate_python(table)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"{path}: {where}: {first['msg']}.") from None
    asked = {kind for types in found.ways.values() for kind in types}
    missing = sorted(asked - found.words.keys()) if found.words else []
    if missing:
        raise BadInput(f"{path}: [words] has none for {missing[0]}, which a way asks for.")
