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
TurnId = Annotated[str, Field(pattern=_ID, description="The answer's id; empty for the last answer.")]
EntryId = Annotated[
    str,
    Field(pattern=_ID, min_length=1, description="The entry's id or its first characters, from `list`."),
    Role.ENTRY,
]
AnEntry = Annotated[
    str,
    Field(
        pattern=_ID,
        description="The entry's id, or its number among the entries of the last answer; empty: the last saved entry.",
    ),
    Role.ENTRY,
]
ConversationId = Annotated[Id, Field(description="The conversation's id.")]
ReachName = Literal["question", "way", "conversation"]
REACHES = (
    "Which questions it applies to. `question`: this question, in any wording. `way`: questions asked in the same way. "
    "`conversation`: questions in this conversation."
)
ProposedReach = Annotated[ReachName | None, Field(description=f"{REACHES} If omitted, Noted decides.")]
Search = Annotated[
    str,
    Field(description="Text to search for, in any script."),
    AfterValidator(lambda search: clean_text(search)[:LONGEST_SEARCH].strip()),
    Role.WORDS,
]
Limit = Annotated[int, Field(ge=1, le=1_000, description="Maximum number of results.")]
Offset = Annotated[int, Field(ge=0, le=10**9, description="Number of results to skip.")]
Number = Annotated[int, Field(ge=0, le=99)]
Header = Annotated[bool | None, Field(description="Whether the first row is a header; guessed if omitted.")]
TextFile = Annotated[str, Field(max_length=LONGEST_TEXT, description="The text."), Role.FILE]
TableFile = Annotated[
    str, Field(max_length=LONGEST_TEXT, description="A table with the columns question and answer."), Role.FILE
]
