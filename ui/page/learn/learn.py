"""A section of the Memory page: a text is read sentence by sentence, and what its person wants is kept. No Gradio.

The page asks for a few sentences at a time, so that it shows how far it is and can stop at any moment; nothing of a
text stays here.
"""

from collections.abc import Mapping
from typing import Any

from assistant.errors import InputError, NotedError
from assistant.kinds import MOST_TRIPLES, Triple
from assistant.limits import UNLIMITED
from assistant.papers.memllm.editing import SheetEditing, changes_of
from assistant.papers.memllm.writing import ReadByModel, Reads, read_sentence
from assistant.ports import Allowance
from assistant.text.cleaning import checked
from assistant.text.sentences import sentences_of
from assistant.types import Scope
from ui.page.panel import (
    OwnParts,
    Panel,
    View,
    decode_file,
    fields_of,
    no_own_parts,
    nobody_left,
    refusing,
    text_in,
)
from ui.server.bounds.work import IsLeft

MOST_SENTENCES = 500
"""Of a text that the page reads."""
_LONGEST_TEXT = 60_000  # characters; a request may not be longer
_AT_ONCE = 5  # sentences of a request
_LONGEST = 1_000  # characters of a sentence
_MOST_TOLD = 3  # reasons why something was not kept
_MOST_KEPT = 500  # facts of a request
_SCRIPTS = ("connection.js", "sending.js", "files.js", "reader.js", "script.js")


class LearnHandlers:
    """One method per event. Each hundred triples that are kept of a text count as one change of memory."""

    def __init__(
        self, reads: Reads, editing: SheetEditing, own: OwnParts = no_own_parts, allowance: Allowance = UNLIMITED
    ) -> None:
        self._reads = reads
        self._editing = editing
        self._own = own
        self._allowance = allowance

    def panel(self) -> Panel:
        props = {"longest": _LONGEST_TEXT, "at_once": _AT_ONCE}
        return Panel("learn", _SCRIPTS, (self.part, self.keep, decode_file), calling=(self.read,), props=props)

    @refusing
    def part(self, data: object, _scope: Scope) -> View:
        """The sentences of a `text`."""
        return {"parted": sentences_of(checked(text_in(data, "text"), _LONGEST_TEXT))[:MOST_SENTENCES]}

    @refusing
    def read(self, data: object, scope: Scope, page: str = "", is_left: IsLeft = nobody_left) -> View:
        """What would be kept of a few `sentences`; where a later one cannot be read, those before it and why."""
        own = self._own(scope, page)
        reads = self._reads
        if own:
            reads = ReadByModel(own["model"], own["prompt_builder"], self._editing.words, self._allowance)
        sentences = fields_of(data).get("sentences")
        if not isinstance(sentences, list) or not 0 < len(sentences) <= _AT_ONCE:
            raise InputError
        read: list[dict[str, Any]] = []
        for sentence in sentences:
            text = checked(text_in({"text": sentence}, "text"), _LONGEST)
            try:
                triples = read_sentence(text, reads, scope, is_left)
            except NotedError as error:
                return {"read": read, "why": error.sentence}
            read.append({"text": text, "triples": [triple.model_dump() for triple in triples]})
        return {"read": read}

    @refusing
    def keep(self, data: object, scope: Scope) -> View:
        """Keep `facts`: each a sentence (`text`) with the lines of triples (`triples`) that it is to have."""
        facts = fields_of(data).get("facts")
        if not isinstance(facts, list) or not 0 < len(facts) <= _MOST_KEPT:
            raise InputError
        told = [(checked(text_in(one, "text"), _LONGEST), _triples_in(fields_of(one))) for one in facts]
        self._allowance.save(scope, changes_of(sum(len(triples) for _, triples in told)))
        kept, why = self._editing.take_in(told, scope)
        return {"kept": kept, "why": why[:_MOST_TOLD]}


def _triples_in(sent: Mapping[str, object]) -> list[Triple]:
    lines = sent.get("triples")
    if not isinstance(lines, list):
        raise InputError
    if len(lines) > MOST_TRIPLES:
        raise InputError("import.items", field="triples", count=MOST_TRIPLES)
    triples = [Triple.read(line) if isinstance(line, str) else None for line in lines]
    read = [triple for triple in triples if triple is not None]
    if not read or len(read) != len(lines):
        raise InputError("triple.malformed")
    return read
