"""Strings of the page: a folder per language, a file per part.

Messages of the server are stored as codes (`assistant.sentences`) and translated here, so that old ones appear in the
current language of the page.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from babel import Locale
from babel.numbers import format_decimal

from assistant.models.embedded.phrases import SMALL_TALK
from assistant.reports.upkeep import Receipt
from assistant.sentences import Sentence, english, find_sentence

DEFAULT_LANGUAGE = "en"
_FOLDER = Path(__file__).with_name("strings")
_SENTENCES = Path(__file__).with_name("sentences")
_REPLIES = frozenset({"understanding", "answer", "copy", "without"})
"""Fields with replies; those that are fixed messages of the embedded model are translated."""
DECLINED = str(Sentence("embedded.not_understood"))
SAID_AT_ONCE = frozenset({DECLINED, *SMALL_TALK})
"""Understandings of the embedded model that cannot be put differently."""
_SCRIPTS = {"hi": re.compile("[\u0904-\u0939]"), "pa": re.compile("[\u0a05-\u0a39]")}


@cache
def languages() -> tuple[str, ...]:
    """Return the available languages, as values of the HTML attribute `lang`."""
    return tuple(sorted(path.name for path in _FOLDER.iterdir() if path.is_dir()))


@cache
def texts(language: str = DEFAULT_LANGUAGE) -> Mapping[str, str]:
    """Return the strings of a language by name; names are unique across parts. Raises KeyError."""
    if language not in languages():
        raise KeyError(language)
    named: dict[str, str] = {}
    for part in sorted((_FOLDER / language).glob("*.json")):
        named |= json.loads(part.read_text(encoding="utf-8"))
    return MappingProxyType(named)


ENGLISH = texts()
EXAMPLES: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType(
    json.loads(Path(__file__).with_name("examples.json").read_text(encoding="utf-8"))
)
"""Example questions, for the small model about words, by language: ambiguous, mixed language, and a fact."""


def format_count(kind: str, number: int, language: str = DEFAULT_LANGUAGE) -> str:
    """Return the count of a kind in words; kinds without a name are counted as entries."""
    words, locale = texts(language), Locale.parse(language)
    named = kind if f"count_{kind}_other" in words else "entries"
    return words[f"count_{named}_{locale.plural_form(number)}"].format(count=format_decimal(number, locale=locale))


def count_all(counts: Mapping[str, int], language: str = DEFAULT_LANGUAGE) -> str:
    """Return the count of each kind, in words; empty if there is nothing."""
    return ", ".join(format_count(kind, number, language) for kind, number in counts.items() if number)


def receipt_sentence(receipt: Receipt, language: str = DEFAULT_LANGUAGE) -> str:
    """Return a receipt in words: erased things, time, number, and whether files follow later."""
    words = texts(language)
    what, when = count_all(receipt.erased, language), f"{receipt.at:%Y-%m-%d %H:%M} UTC"
    erased = words["receipt"].format(what=what or words["receipt_nothing"], when=when, id=receipt.id[:8])
    return f"{erased} {words['receipt_complete' if receipt.is_complete else 'receipt_files_follow']}"


def in_language(shown: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Return a view with messages and receipts translated to a language."""
    return {name: _in_language(name, value, language) for name, value in shown.items()}


def _in_language(name: str, value: Any, language: str) -> Any:
    match value:
        case dict():
            return in_language(value, language)
        case list():
            return [_in_language(name, item, language) for item in value]
        case Sentence():
            return value.words(_sentences(language))
        case Receipt():
            return receipt_sentence(value, language)
        case str() if name in _REPLIES:
            said = value.removeprefix("<p>").removesuffix("</p>\n")
            return value.replace(said, find_sentence(said).words(_sentences(language))) if said else value
    return value


def in_language_of(question: str, words: str) -> str:
    """Translate a message of the embedded model to the language of the question's script; else keep it."""
    language = next((name for name, letter in _SCRIPTS.items() if letter.search(question)), "")
    return find_sentence(words).words(_sentences(language)) if language else words


@cache
def _sentences(language: str) -> Mapping[str, str]:
    """Return the messages of a language by code."""
    if language == DEFAULT_LANGUAGE:
        return english()
    words: dict[str, str] = json.loads((_SENTENCES / f"{language}.json").read_text(encoding="utf-8"))
    return words
