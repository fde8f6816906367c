"""Reading a text, a card of the tab Teach: read facts sentence by sentence, and save the selected ones.

The text is not stored.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.errors import InputError
from assistant.kinds import MOST_TRIPLES, Triple
from assistant.sentences import Sentence
from assistant.text.cleaning import check_text
from assistant.types import Scope
from ui.actions.arguments import LONGEST_TEXT
from ui.actions.call import Call
from ui.actions.operation import operation
from ui.actions.teaching import Reading, learn, save_facts
from ui.page.panel import Handlers, Panel, View, convert_refusals, decode_file, perform

_LONGEST = 1_000  # characters per sentence
_MOST_TOLD = 3  # reasons shown
_MOST_KEPT = 500  # facts per request


class _Told(TypedDict):
    """A sentence with the lines of its triples."""

    text: str
    triples: list[str]


@operation()
def keep_facts(
    call: Call, facts: Annotated[list[_Told], Field(min_length=1, max_length=_MOST_KEPT)]
) -> tuple[int, Sequence[Sentence]]:
    """Save facts of a text; return how many lines were saved, and why others were not."""
    return save_facts(call, [(check_text(one["text"], _LONGEST), _triples(one["triples"])) for one in facts])


class LearnHandlers(Handlers):
    """Event handlers."""

    def panel(self) -> Panel:
        props = {"longest": LONGEST_TEXT}
        return Panel("learn", events=(self.keep, decode_file), streams=(self.read,), props=props)

    def read(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Stream the facts read in a `text`, and how many sentences are done."""
        shown = 0

        def view(so_far: Reading) -> View:
            nonlocal shown
            new = so_far.read[shown:]
            shown += len(new)
            read = [{"text": one.sentence, "line": one.line} for one in new]
            return {"read": read, "done": so_far.done, "of": so_far.of}

        return self._stream(scope, page, lambda call: (perform(learn, call, data), view))

    @convert_refusals
    def keep(self, data: object, scope: Scope) -> View:
        """Save `facts`: sentences (`text`) with the lines of their triples (`triples`)."""
        kept, why = perform(keep_facts, self._call(scope), data)
        return {"kept": kept, "why": why[:_MOST_TOLD]}


def _triples(lines: Sequence[str]) -> list[Triple]:
    if len(lines) > MOST_TRIPLES:
        raise InputError("import.items", field="triples", count=MOST_TRIPLES)
    triples = [triple for line in lines if (triple := Triple.read(line))]
    if not lines or len(triples) != len(lines):
        raise InputError("triple.malformed")
    return triples
