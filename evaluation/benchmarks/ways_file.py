"""A file with ways to ask for a word, in the form of `data/templates.toml`: whether it can be used."""

from __future__ import annotations

import tomllib
from pathlib import Path
from string import Formatter
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from evaluation.benchmarks.templates import WORD
from evaluation.reading import BadInput

_Type = Literal["syn", "ant", "hom", "defn", "sent"]
_Language = Literal["en", "hi-latn", "pa-latn"]
_ASKED = 8  # times, as `evaluation.benchmarks.templates.askings` does


def _asks_once(template: str) -> str:
    names = [name for _, name, *_ in Formatter().parse(template) if name is not None]
    if names != ["word"] or template.split().count(WORD) != 1:
        raise ValueError(f'"{template}" must have {WORD} once, as a word of its own, and no other braces')
    return template


_Template = Annotated[str, AfterValidator(_asks_once)]
_Text = Annotated[str, Field(min_length=1)]
_Some = Annotated[list[_Text], Field(min_length=1)]


class _Around(BaseModel):
    model_config = ConfigDict(extra="forbid")

    before: _Some
    after: _Some
    slips: dict[str, _Some]


class _WaysFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ways: Annotated[
        dict[_Language, dict[_Type, dict[_Template, Annotated[list[_Text], Field(max_length=_ASKED)]]]],
        Field(min_length=1),
    ]
    words: dict[_Type, _Some] = {}
    around: dict[_Language, _Around] = {}
    asks_plainly: bool = False

    @model_validator(mode="after")
    def _has_what_its_ways_need(self) -> _WaysFile:
        for lang, types in self.ways.items():
            if self.around and lang not in self.around:
                raise ValueError(f"[around.{lang}] is missing; its ways need it")
            for kind, templates in types.items():
                for template in templates:
                    words = set(self.words.get(kind, ())) - set(template.casefold().split())
                    if self.words and len(words) <= _ASKED:
                        more = f"more than {_ASKED} different ones"
                        raise ValueError(f'words.{kind} must have {more} beside "{template}"')
        if not any(templates for types in self.ways.values() for templates in types.values()):
            raise ValueError("it has no way to ask")
        return self


def check_ways(path: Path) -> None:
    """See that `evaluation.benchmarks.templates` can use a file.

    Raises:
        BadInput: it cannot; the sentence says where and why.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{path}: it cannot be read as TOML: {error}.") from None
    try:
        _WaysFile.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"{part}: " for part in first["loc"])
        raise BadInput(f"{path}: {where}{first['msg']}.") from None
