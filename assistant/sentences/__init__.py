"""What people are told: a code with parameters, which gets its words in a language only where it is shown.

Errors, reasons and notes are such sentences. `english.json` has the English words of each code, with a name in braces
for each parameter; the other languages stand where people read them (`ui/words/sentences`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

_ENGLISH = Path(__file__).with_name("english.json")
_PLAIN = "plain"
_JSON = '{"code": '


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence for people. `str(sentence)` is what it says in English."""

    code: str  # stable: it is kept with turns
    # a sentence within another one goes without its full stop
    parameters: Mapping[str, str | float | Sentence] = field(default_factory=dict, hash=False)

    def words(self, templates: Mapping[str, str]) -> str:
        """What it says, with the words of each code in a language. A code that has none stands for itself."""
        said = {
            name: value.words(templates).rstrip(".।") if isinstance(value, Sentence) else value
            for name, value in self.parameters.items()
        }
        return templates.get(self.code, self.code).format_map(said)

    def __str__(self) -> str:
        return self.words(english())

    def as_json(self) -> str:
        """Its code and parameters as one JSON object."""
        return json.dumps(self, default=lambda said: {"code": said.code, **said.parameters}, ensure_ascii=False)

    @classmethod
    def read(cls, text: str) -> Sentence:
        """A sentence from its JSON; what older versions kept is finished English."""
        if not text.startswith(_JSON):
            return known(text)
        read: Sentence = json.loads(text, object_hook=lambda said: cls(said.pop("code"), said), strict=False)
        return read


def plain(words: str) -> Sentence:
    """A sentence in words that stand as they are in every language."""
    return Sentence(_PLAIN, {"words": words})


def known(words: str) -> Sentence:
    """The sentence that says exactly this in English; where there is none, the words as they stand."""
    code = _codes().get(words)
    return Sentence(code) if code else plain(words)


@cache
def english() -> Mapping[str, str]:
    """The English words of each code."""
    return MappingProxyType(json.loads(_ENGLISH.read_text(encoding="utf-8")))


@cache
def _codes() -> Mapping[str, str]:
    return {words: code for code, words in english().items() if "{" not in words}
