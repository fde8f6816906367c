"""Text as every database keeps it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from assistant.types import Draft

_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL has no NUL, and UTF-8 no half of a pair


def keepable(text: str) -> str:
    """The text, with U+FFFD for each character that a database might refuse: what people see stays what it was."""
    return _UNKEEPABLE.sub("\ufffd", text) if _UNKEEPABLE.search(text) else text


def kept_row(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """A row whose texts every database keeps."""
    return {name: keepable(value) if isinstance(value, str) else value for name, value in row.items()}


def kept_draft(draft: Draft) -> Draft:
    """A draft whose texts every database keeps; keys are seen to when they are written."""
    return replace(draft, **kept_row({field.name: getattr(draft, field.name) for field in fields(draft)}))
