"""Every text of the page: a folder for each language, a file for each part. What people or models write is not here.

Sentences of the server come as codes (`assistant.sentences`), and get their words here: so what was kept long ago is
shown in the language of today's page.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from babel import Locale
from babel.numbers import format_decimal

from assistant.kinds import KINDS
from assistant.reports.upkeep import Receipt
from assistant.sentences import Sentence, english, known

DEFAULT_LANGUAGE = "en"
_FOLDER = Path(__file__).with_name("strings")
_SENTENCES = Path(__file__).with_name("sentences")
_REPLIES = frozenset({"understanding", "answer", "copy", "without"})
"""Names under which replies are shown, of which the embedded model has one that is always the same."""
_SCRIPTS = {"hi": re.compile("[\u0904-\u0939]"), "pa": re.compile("[\u0a05-\u0a39]")}
_ERASED = (
    *(f"{kind}s" for kind in KINDS),
    "wordings",
    "turns",
    "blanked",
    "titles",
    "mentions",
    "events",
    "emptied",
    "tokens",
)


@cache
def languages() -> tuple[str, ...]:
    """The languages there are texts in, as in the `lang` attribute of HTML."""
    return tuple(sorted(path.name for path in _FOLDER.iterdir() if path.is_dir()))


@cache
def texts(language: str = DEFAULT_LANGUAGE) -> Mapping[str, str]:
    """The texts in a language, by name; a name stands in one part only. Raises KeyError: there are none."""
    if language not in languages():
        raise KeyError(language)
    named: dict[str, str] = {}
    for part in sorted((_FOLDER / language).glob("*.json")):
        named |= json.loads(part.read_text(encoding="utf-8"))
    return MappingProxyType(named)


ENGLISH = texts()


def counted(kind: str, number: int, language: str = DEFAULT_LANGUAGE) -> str:
    """Say how many of a kind of thing there are; entries of a kind without a name of its own are "entries"."""
    words, locale = texts(language), Locale.parse(language)
    named = kind if f"count_{kind}_other" in words else "entries"
    return words[f"count_{named}_{locale.plural_form(number)}"].format(count=format_decimal(number, locale=locale))


def receipt_sentence(receipt: Receipt, language: str = DEFAULT_LANGUAGE) -> str:
    """A receipt as a person reads it: what was erased, when, its number, and whether the files follow later."""
    words = texts(language)
    counts = ", ".join(counted(kind, receipt.erased[kind], language) for kind in _ERASED if receipt.erased.get(kind))
    erased = words["receipt"].format(
        what=counts or words["receipt_nothing"], when=f"{receipt.at:%Y-%m-%d %H:%M} UTC", id=receipt.id[:8]
    )
    return f"{erased} {words['receipt_complete' if receipt.is_complete else 'receipt_files_follow']}"


def in_language(shown: Mapping[str, Any], language: str) -> dict[str, Any]:
    """What is to be shown, with the sentences and receipts in it said in a language."""
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
            return value.replace(said, known(said).words(_sentences(language))) if said else value
    return value


def in_language_of(question: str, words: str) -> str:
    """A sentence of the embedded model in the language that a question shows by its script; else as it stands."""
    language = next((name for name, letter in _SCRIPTS.items() if letter.search(question)), "")
    return known(words).words(_sentences(language)) if language else words


@cache
def _sentences(language: str) -> Mapping[str, str]:
    """The words of each code in a language."""
    if language == DEFAULT_LANGUAGE:
        return english()
    words: dict[str, str] = json.loads((_SENTENCES / f"{language}.json").read_text(encoding="utf-8"))
    return words
