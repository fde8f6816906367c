"""What a list of conversations tells of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

LONGEST_TITLE = 200
"""Characters of the name that a person may give to a conversation."""


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """One conversation in a list.

    Args:
        id: id of the conversation.
        title: the name that the person gave it, else its first question.
        named: whether the person gave it the name.
        last: when its last turn began (UTC).
        found: where it was searched for and stands in a turn: the question of the newest such turn.
    """

    id: str
    title: str
    named: bool
    last: datetime
    found: str = ""
