"""Keys under which an entry is saved once: made of what it is about and says, so that nobody chooses them."""

from __future__ import annotations

import hashlib

from assistant.text.cleaning import for_prompt


def clarification_key(asked: str, words: str, only_in: str = "") -> str:
    """That of what was meant. `asked` is the id of the turn; where nobody has asked yet, the question."""
    said = " ".join(for_prompt(words).casefold().split())
    return _digest("clarification", asked, said, *([only_in] if only_in else []))


def example_key(turn_id: str) -> str:
    """That of the example that a turn became."""
    return _digest("example", turn_id)


def _digest(*named: str) -> str:
    return hashlib.sha256("\0".join(named).encode()).hexdigest()
