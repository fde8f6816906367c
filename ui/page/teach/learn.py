"""Reading a text, a card of the tab Teach: read facts sentence by sentence, and save the selected ones.

Each request reads a few sentences, so that the page shows progress and can stop. The text is not stored.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from assistant.errors import InputError, NotedError
from assistant.kinds import MOST_TRIPLES, Triple
from assistant.papers.memllm.writing import read_sentence
from assistant.sentences import Sentence
from assistant.text.cleaning import check_text
from assistant.text.sentences import sentences_of
from assistant.types import Scope
from ui.actions.arguments import LONGEST_TEXT
from ui.actions.call import Call
from ui.actions.facts import save_facts
from ui.actions.operation import operation
from ui.page.panel import (
    Handlers,
    Panel,
    View,
    convert_refusals,
    decode_file,
    is_never_left,
    parse_fields,
    parse_text,
    perform,
)
from ui.server.bounds.work import IsLeft

MOST_SENTENCES = 500
"""Maximum sentences of a text."""
_AT_ONCE = 5  # sentences per request
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
        props = {"longest": LONGEST_TEXT, "at_once": _AT_ONCE}
        return Panel("learn", events=(self.part, self.keep, decode_file), calling=(self.read,), props=props)

    @convert_refusals
    def part(self, data: object, _scope: Scope) -> View:
        """Split a `text` into sentences."""
        return {"parted": sentences_of(check_text(parse_text(data, "text"), LONGEST_TEXT))[:MOST_SENTENCES]}

    @convert_refusals
    def read(self, data: object, scope: Scope, page: str = "", is_left: IsLeft = is_never_left) -> View:
        """Return the facts read in a few `sentences`; on an error, those so far with the reason."""
        reads = self._call(scope, page).reads
        sentences = parse_fields(data).get("sentences")
        if not isinstance(sentences, list) or not 0 < len(sentences) <= _AT_ONCE:
            raise InputError
        read: list[dict[str, Any]] = []
        for sentence in sentences:
            text = check_text(parse_text({"text": sentence}, "text"), _LONGEST)
            try:
                triples = read_sentence(text, reads, scope, is_left)
            except NotedError as error:
                return {"read": read, "why": error.sentence}
            read.append({"text": text, "triples": [triple.model_dump() for triple in triples]})
        return {"read": read}

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
