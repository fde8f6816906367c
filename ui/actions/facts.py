"""Operations on facts and lessons: proposals, the fact sheet, and reading a text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from assistant.errors import InputError
from assistant.kinds import Lesson, Triple
from assistant.papers.memllm.sheet import Lines, Order, SheetPage, as_csv, as_json, changes_of, from_csv
from assistant.papers.memllm.writing import read_sentence
from assistant.proposals import Proposal
from assistant.sentences import Sentence
from assistant.text.cleaning import check_text
from assistant.text.sentences import sentences_of
from assistant.types import Entry, Turn
from ui.actions.arguments import Header, Limit, Number, Offset, Search, TextFile, TurnId
from ui.actions.call import Call
from ui.actions.operation import Effect, Role, operation
from ui.actions.results import ProposedTriple, entry_view, file_of, proposal_views, state_name

_MOST_SENTENCES = 2_000  # sentences read of one text
_LONGEST_LINE = 2_000

LineName = Annotated[str, Field(max_length=80, description="Name of the line, as `sheet` shows it.")]
LineText = Annotated[
    str, Field(max_length=_LONGEST_LINE, description="What it is to say: `thing | relation | other thing`."), Role.WORDS
]
Waiting = Annotated[bool, Field(description="All lessons of which nothing was said yet, instead.")]
Decided = Annotated[Literal["keep", "discard", "undo"], Field(description="`undo`: take back what was decided before.")]
Instead = Annotated[str, Field(description="For `keep`: what is stored instead, a fact as on its line."), Role.WORDS]
Proposed = Annotated[Literal["fact", "lesson"], Field(description="The type of the proposal.")]
ProposalNumber = Annotated[Number, Field(ge=1, description="Of the proposal, as `proposals` has it.")]
OfThing = Annotated[str, Field(description="Only what is known of this thing.")]
Sorted = Annotated[Order, Field(description="By what the lines are sorted.")]
Backwards = Annotated[bool, Field(description="In the reverse order.")]
Format = Annotated[Literal["csv", "json"], Field(description="Of the file.")]
Table = Annotated[str, Field(description="A table: a thing, a relation, the other thing."), Role.FILE]
Keep = Annotated[str, Field(description="What to save: `all`, or numbers with commas; else it is only shown.")]


class DraftedLesson(TypedDict):
    """A lesson drafted from feedback on an answer."""

    turn: Annotated[str, Field(description="Id of the answer.")]
    question: str
    lesson: Annotated[str, Field(description="What it says, as it is kept if it is.")]
    state: Annotated[str, Field(description="`proposed`, `kept`, `discarded`, or `gone`: kept once, and no more.")]


class ProposalsView(TypedDict):
    """Proposals of one turn, or all waiting lessons."""

    facts: Annotated[list[ProposedTriple], Field(description="Of the message of a turn, for the fact sheet.")]
    lessons: Annotated[list[DraftedLesson], Field(description="Drafted from what was said of answers.")]


class SheetLine(TypedDict):
    """A line of the fact sheet."""

    line: Annotated[str, Field(description="Its name, for `change_line`.")]
    subject: str
    relation: str
    object: str
    since: Annotated[str, Field(description="When the fact was saved, as ISO 8601.")]
    fact: Annotated[str, Field(description="The sentence that it is from.")]


class Sheet(TypedDict):
    """A page of the fact sheet."""

    lines: list[SheetLine]
    total: Annotated[int, Field(description="On all pages together.")]


class SheetImport(TypedDict):
    """Result of importing a table."""

    saved: int
    why_not: Annotated[list[str], Field(description="Why the others were not, in words.")]


@dataclass(frozen=True, slots=True)
class ReadFact:
    """A triple read from a sentence of a text."""

    sentence: str
    line: Annotated[str, Field(description="`thing | relation | other thing`.")]
    saved: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """Progress of reading a text; facts are numbered from 1."""

    of: Annotated[int, Field(description="Sentences in all.")]
    done: int = 0
    read: tuple[ReadFact, ...] = ()
    sentence: Annotated[str, Field(description="What was saved, and why others were not.")] = ""


def _proposals(call: Call, answered: Turn) -> ProposalsView:
    lessons = [(answered, one) for one in call.services.lessons.of(answered, call.scope)]
    return {"facts": proposal_views(call.services.triples.of(answered, call.scope)), "lessons": _drafted(lessons)}


def _drafted(found: Iterable[tuple[Turn, Proposal[Lesson]]]) -> list[DraftedLesson]:
    return [
        {"turn": turn.id, "question": turn.question, "lesson": one.said.rule, "state": state_name(one.state)}
        for turn, one in found
    ]


@operation(effect=Effect.READS)
def proposals(call: Call, turn: TurnId = "", waiting: Waiting = False) -> ProposalsView:
    """Show the proposals of a message and of the feedback on its answer."""
    if waiting:
        return {"facts": [], "lessons": _drafted(call.services.lessons.waiting(call.scope))}
    return _proposals(call, call.turn(turn))


@operation()
def decide(
    call: Call, act: Decided, text: Instead = "", of: Proposed = "fact", number: ProposalNumber = 1, turn: TurnId = ""
) -> ProposalsView:
    """Keep, change or discard a proposal; only what is kept is used."""
    service = call.services.triples if of == "fact" else call.services.lessons
    named = call.turn(turn).id
    if act == "keep":
        return _proposals(call, service.keep(named, number, call.scope, text))
    return _proposals(call, (service.discard if act == "discard" else service.undo)(named, number, call.scope))


def _sheet(page: SheetPage) -> Sheet:
    lines: list[SheetLine] = [
        {
            "line": line.name,
            "subject": line.triple.subject,
            "relation": line.triple.relation,
            "object": line.triple.object,
            "since": line.entry.created.isoformat(),
            "fact": line.entry.shown,
        }
        for line in page.lines
    ]
    return {"lines": lines, "total": page.total}


@operation(_sheet, effect=Effect.READS)
def sheet(
    call: Call,
    search: Search = "",
    of: OfThing = "",
    order: Sorted = Order.SINCE,
    backwards: Backwards = False,
    limit: Limit = 50,
    offset: Offset = 0,
) -> SheetPage:
    """List the lines of the fact sheet."""
    return call.services.sheet.lines(call.scope, Lines(search, of, order, backwards), limit, offset)


@operation(entry_view)
def change_line(call: Call, line: LineName, text: LineText) -> Entry:
    """Change a line of the fact sheet."""
    text = check_text(text, _LONGEST_LINE)
    call.save()
    return call.services.sheet_editing.change(line, text, call.scope)


@operation(entry_view, saves=True)
def remove_line(call: Call, line: LineName) -> Entry:
    """Remove a line from the fact sheet; its sentence stays stored until `forget` erases it."""
    return call.services.sheet_editing.take_off(line, call.scope)


@operation(file_of, effect=Effect.READS, saves=True)
def export_sheet(call: Call, format: Format = "csv") -> tuple[str, str]:  # noqa: A002  its public name
    """Export the fact sheet as a table."""
    lines = call.services.sheet.lines(call.scope, Lines(order=Order.SUBJECT)).lines
    return as_json(lines) if format == "json" else as_csv(lines), f"Exported {len(lines):,} lines."


def _sheet_import(done: tuple[int, Sequence[Sentence]]) -> SheetImport:
    return {"saved": done[0], "why_not": [*map(str, done[1])]}


@operation(_sheet_import)
def import_sheet(call: Call, text: Table, header: Header = None) -> tuple[int, Sequence[Sentence]]:
    """Save each line of a table as a fact; a hundred lines count as one change. The same file twice saves once."""
    return save_facts(call, [("", [triple]) for triple in from_csv(text, header)])


@operation()
def learn(call: Call, text: TextFile, keep: Keep = "") -> Iterator[Reading]:
    """Read a text sentence by sentence, show the facts in it, and save the chosen ones."""
    wanted, reads = _numbers(keep), call.reads
    sentences = sentences_of(text)[:_MOST_SENTENCES]
    so_far = Reading(len(sentences))
    yield so_far
    chosen: dict[str, list[Triple]] = {}
    for sentence in sentences:
        found: list[ReadFact] = []
        for triple in read_sentence(sentence, reads, call.scope):
            is_chosen = wanted is None or len(so_far.read) + len(found) + 1 in wanted
            found.append(ReadFact(sentence, triple.line, is_chosen))
            if is_chosen:
                chosen.setdefault(sentence, []).append(triple)
        so_far = replace(so_far, done=so_far.done + 1, read=(*so_far.read, *found))
        yield so_far
    if not chosen:
        yield replace(so_far, sentence="Nothing was saved. Say which with `keep`: `all`, or numbers with commas.")
        return
    saved, why = save_facts(call, [*chosen.items()])
    yield replace(so_far, sentence=" ".join((f"Saved {saved:,} of {len(so_far.read):,}.", *map(str, why))))


def save_facts(call: Call, facts: Sequence[tuple[str, Sequence[Triple]]]) -> tuple[int, Sequence[Sentence]]:
    """Save sentences with their triples; return the number of saved lines and the reasons for the others."""
    call.save(changes_of(sum(len(triples) for _, triples in facts)))
    return call.services.sheet_editing.take_in(facts, call.scope)


def _numbers(keep: str) -> set[int] | None:
    """Parse the chosen numbers; None for all. Raises InputError."""
    if keep.strip() == "all":
        return None
    parts = [part.strip() for part in keep.split(",")] if keep.strip() else []
    if not all(part.isdecimal() and len(part) < 9 for part in parts):
        raise InputError("learn.numbers")
    return {int(part) for part in parts}
