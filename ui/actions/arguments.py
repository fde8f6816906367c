"""Argument types that several operations share, with their descriptions."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from assistant.text.cleaning import clean_text
from ui.actions.operation import Role

_ID = r"^[0-9a-zA-Z-]{0,64}$"
LONGEST_TEXT = 60_000
"""Maximum characters of a text for reading, practice or study questions."""
LONGEST_SEARCH = 500

Id = Annotated[str, Field(pattern=_ID)]
TurnId = Annotated[str, Field(pattern=_ID, description="Id of the answer; empty for the last one.")]
EntryId = Annotated[
    str, Field(pattern=_ID, min_length=1, description="Id of the entry, or how it begins; `list` shows it."), Role.ENTRY
]
AnEntry = Annotated[
    str,
    Field(pattern=_ID, description="Id, or a number for what the last answer used; empty for what was saved last."),
    Role.ENTRY,
]
ConversationId = Annotated[Id, Field(description="Id of the conversation.")]
ReachName = Literal["question", "way", "conversation"]
REACHES = (
    "Which questions it applies to: `question`, the one that it is about, in any wording; `way`, those that are asked "
    "in this way; `conversation`, those of this conversation."
)
ProposedReach = Annotated[ReachName | None, Field(description=f"{REACHES} Without it, as is proposed.")]
Search = Annotated[
    str,
    Field(description="Only those that contain this, in any script."),
    AfterValidator(lambda search: clean_text(search)[:LONGEST_SEARCH].strip()),
    Role.WORDS,
]
Limit = Annotated[int, Field(ge=1, le=1_000, description="How many at most.")]
Offset = Annotated[int, Field(ge=0, le=10**9, description="How many to pass over.")]
Number = Annotated[int, Field(ge=0, le=99)]
Header = Annotated[bool | None, Field(description="Whether the first row is a header; else as it looks.")]
TextFile = Annotated[str, Field(max_length=LONGEST_TEXT, description="The text."), Role.FILE]
TableFile = Annotated[str, Field(max_length=LONGEST_TEXT, description="A table: question, answer."), Role.FILE]
