"""What the server says, in the language of the page.

The core speaks English only: errors, reasons and notes, some of which are kept with a turn. As with gettext, the
English sentence is the key of its translation (`ui/words/sentences`); a name in braces stands for what differs from one
to the next. So what was kept long ago is shown in the language of today's page, and what has no translation in English.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from assistant.reports.upkeep import Receipt
from ui.words.texts import receipt_sentence, texts

_FOLDER = Path(__file__).with_name("sentences")
_SENTENCES = frozenset({"refused", "error", "reason"})
"""Names under which sentences of the server are shown. What people and models write stands under others."""
_REPLIES = frozenset({"understanding", "answer", "copy"})
"""Names under which replies are shown, of which the embedded model has one that is always the same."""
_SAID = "said"  # in braces, this stands for a sentence of the server itself


def in_language(shown: Mapping[str, Any], language: str) -> dict[str, Any]:
    """What is to be shown, with the sentences and receipts in it said in a language."""
    return {name: _in_language(name, value, language) for name, value in shown.items()}


def _in_language(name: str, value: Any, language: str) -> Any:
    match value:
        case dict():
            return in_language(value, language)
        case list():
            return [_in_language(name, item, language) for item in value]
        case Receipt():
            return receipt_sentence(value, texts(language))
        case str() if name in _SENTENCES:
            return sentence(value, language)
        case str() if name in _REPLIES:
            return _reply(value, language)
    return value


def sentence(english: str, language: str) -> str:
    """A sentence of the server in a language; in English where there is no translation."""
    whole, forms = _table(language)
    if english in whole:
        return whole[english]
    for pattern, said in forms:
        if found := pattern.fullmatch(english):
            values = found.groupdict()
            if _SAID in values:
                values[_SAID] = _part(values[_SAID], language)
            return said.format(**values)
    return english


def _reply(text: str, language: str) -> str:
    """A reply as it is, unless it is, from its beginning to its end, one that has a translation."""
    whole, _ = _table(language)
    plain = text.removeprefix("<p>").removesuffix("</p>\n")
    return text.replace(plain, whole[plain]) if plain in whole else text


def _part(english: str, language: str) -> str:
    """A part of a sentence, which may be a sentence that has lost its full stop."""
    said = sentence(english, language)
    return said if said != english else sentence(f"{english}.", language).rstrip(".।")


@cache
def _table(language: str) -> tuple[dict[str, str], list[tuple[re.Pattern[str], str]]]:
    """Sentences, and patterns of those that differ in some places, with how they are said in a language."""
    path = _FOLDER / f"{language}.json"
    table: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    forms = [(_pattern(english), said) for english, said in table.items() if "{" in english]
    return {english: said for english, said in table.items() if "{" not in english}, forms


def _pattern(english: str) -> re.Pattern[str]:
    pieces = re.split(r"\{(\w+)\}", english)
    return re.compile(
        "".join(f"(?P<{piece}>.+?)" if place % 2 else re.escape(piece) for place, piece in enumerate(pieces)), re.DOTALL
    )
