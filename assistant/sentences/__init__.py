"""Messages for users: a code with parameters, put into words where it is shown.

`english.json` has the English template of each code; other languages are in `ui/words/sentences`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

_ENGLISH = Path(__file__).with_name("english.json")
_JSON = '{"code": '


@dataclass(frozen=True, slots=True)
class Sentence:
    """A message. `str(sentence)` is its English text."""

    code: str  # stable: it is stored with turns
    # a nested sentence loses its full stop
    parameters: Mapping[str, str | float | Sentence] = field(default_factory=dict, hash=False)

    def words(self, templates: Mapping[str, str]) -> str:
        """Return the text, by the templates of a language by code; the code itself if there is none."""
        said = {
            name: value.words(templates).rstrip(".।") if isinstance(value, Sentence) else value
            for name, value in self.parameters.items()
        }
        return templates.get(self.code, self.code).format_map(said)

    def __str__(self) -> str:
        return self.words(english())

    def as_json(self) -> str:
        """Serialise code and parameters to one JSON object."""
        return json.dumps(self, default=lambda said: {"code": said.code, **said.parameters}, ensure_ascii=False)

    @classmethod
    def read(cls, text: str) -> Sentence:
        """Parse a sentence from JSON, or from the English text of older versions."""
        if not text.startswith(_JSON):
            return find_sentence(text)
        read: Sentence = json.loads(text, object_hook=lambda said: cls(said.pop("code"), said), strict=False)
        return read


def plain(words: str) -> Sentence:
    """Return a sentence with the same text in every language."""
    return Sentence("plain", {"words": words})


def find_sentence(words: str) -> Sentence:
    """Return the sentence with exactly this English text; else the text as it is."""
    codes = (code for code, template in english().items() if template == words and "{" not in words)
    return next(map(Sentence, codes), plain(words))


@cache
def english() -> Mapping[str, str]:
    """Return the English templates by code."""
    return MappingProxyType(json.loads(_ENGLISH.read_text(encoding="utf-8")))
