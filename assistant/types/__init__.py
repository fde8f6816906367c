"""The values that pass between the parts of Noted.

They are plain and frozen, and they know nothing of storage, models or pages: identity columns, sequence numbers of
tables, tokens and widgets live elsewhere. The words are those of the design: a *question* has an *understanding* and an
*answer*; what is remembered is an *entry*, found under its *keys*; a *turn* is one question with everything that
happened to it.
"""

from assistant.types.entries import (
    LONGEST_PERSON,
    NO_SCORES,
    SEED,
    Action,
    Candidate,
    Clock,
    Decision,
    Draft,
    Entry,
    Key,
    KeyOrigin,
    ReactionTo,
    Scope,
    Status,
    day_of,
    utc_now,
)
from assistant.types.turns import (
    DECIDED_LESSON,
    NO_FIELDS,
    OPEN_LESSON,
    PRACTISED,
    Corrects,
    Message,
    Prompt,
    Question,
    Reaction,
    Reply,
    ReplyStatus,
    Role,
    Turn,
    TurnState,
    Use,
    use_of,
)

__all__ = [
    "DECIDED_LESSON",
    "LONGEST_PERSON",
    "NO_FIELDS",
    "NO_SCORES",
    "OPEN_LESSON",
    "PRACTISED",
    "SEED",
    "Action",
    "Candidate",
    "Clock",
    "Corrects",
    "Decision",
    "Draft",
    "Entry",
    "Key",
    "KeyOrigin",
    "Message",
    "Prompt",
    "Question",
    "Reaction",
    "ReactionTo",
    "Reply",
    "ReplyStatus",
    "Role",
    "Scope",
    "Status",
    "Turn",
    "TurnState",
    "Use",
    "day_of",
    "use_of",
    "utc_now",
]
