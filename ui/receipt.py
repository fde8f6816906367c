"""What an erasure erased, in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ui.texts import texts

if TYPE_CHECKING:
    from assistant.receipts import Receipt

_ORDER = ("clarifications", "examples", "wordings", "turns", "titles", "mentions", "events", "emptied", "tokens")
ENGLISH = texts()


def counted(kind: str, number: int, words: Mapping[str, str] = ENGLISH) -> str:
    """How many of a kind of thing, in words."""
    name = f"count_{kind}_one" if number == 1 else f"count_{kind}"
    return words[name].format(count=f"{number:,}")


def receipt_sentence(receipt: Receipt, words: Mapping[str, str] = ENGLISH) -> str:
    """A receipt as a person reads it: what, when, its number, and whether the files follow later."""
    counts = ", ".join(counted(kind, receipt.erased[kind], words) for kind in _ORDER if receipt.erased.get(kind))
    erased = words["receipt"].format(
        what=counts or words["receipt_nothing"], when=f"{receipt.at:%Y-%m-%d %H:%M} UTC", id=receipt.id[:8]
    )
    return f"{erased} {words['receipt_complete' if receipt.is_complete else 'receipt_files_follow']}"
