"""Operations that teach: facts and lessons, the fact sheet, reading a text, practice, and study questions."""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, PlainSerializer

from assistant.errors import InputError, ModelError, NotedError, TooOften
from assistant.kinds import Lesson, Triple
from assistant.papers.expnote import practice as expnote
from assistant.papers.memllm.sheet import Lines, Order, SheetPage, as_table, from_csv
from assistant.papers.memllm.writing import read_sentence
from assistant.papers.selection.study import SAMPLES, Passage, Study, StudyCandidate
from assistant.proposals import Proposal
from assistant.settings import MOST_DRAFTS
from assistant.text.cleaning import check_text
from assistant.text.sentences import sentences_of
from assistant.types import Entry, Turn
from ui.actions.arguments import LONGEST_TEXT, Header, Limit, Number, Offset, Search, TableFile, TextFile, TurnId
from ui.actions.call import Call
from ui.actions.operation import Effect, Role, operation
from ui.actions.results import EntryView, File, ProposalState, ProposedTriple, Rounded, View, read
from ui.words.texts import format_count

_LIST_MARK = re.compile(r"^[^\S\n]*(?:[-*•]|\d{1,3}[.)])[^\S\n]+", re.MULTILINE)
_MOST_SENTENCES = 2_000  # sentences read of one text
_LONGEST_LINE = 2_000
_MOST_LINES = 1_000  # of the fact sheet saved at once
_LINES_OF_A_CHANGE = 100  # number of lines that count as one change of memory
_MOST_SHOWN = 20  # disagreeing cases of a practice
_NUMBERS = "The facts to save: `all`, or numbers such as `1, 3`. If empty, nothing is saved."

LineName = Annotated[str, Field(max_length=80, description="The line's name, from `sheet`.")]
LineText = Annotated[
    str, Field(max_length=_LONGEST_LINE, description="The new line: `subject | relation | object`."), Role.WORDS
]
Waiting = Annotated[bool, Field(description="List all undecided lessons instead.")]
Decided = Annotated[Literal["keep", "discard", "undo"], Field(description="`undo` reverses the last decision.")]
Instead = Annotated[
    str, Field(description="A changed version to keep; for a fact, `subject | relation | object`."), Role.WORDS
]
Proposed = Annotated[Literal["fact", "lesson"], Field(description="The type of the proposal.")]
ProposalNumber = Annotated[Number, Field(ge=1, description="The proposal's number, from `proposals`.")]
OfThing = Annotated[str, Field(description="Only lines about this subject.")]
Sorted = Annotated[Order, Field(description="How to sort the lines.")]
Backwards = Annotated[bool, Field(description="Reverse the order.")]
Format = Annotated[Literal["csv", "json"], Field(description="The file format.")]
Table = Annotated[str, Field(description="A table with the columns subject, relation and object."), Role.FILE]
Numbers = Annotated[str, Field(pattern=r"^(all|\d{1,8}(, *\d{1,8})*)?$", description=_NUMBERS)]
KeepLessons = Annotated[bool, Field(description="Use the lessons from now on, unless they made the results worse.")]
Answers = Annotated[
    tuple[str, ...], Field(max_length=500, description="Answers to write questions for, one per line."), Role.FILE
]
Samples = Annotated[int, Field(ge=1, le=MOST_DRAFTS, description="Candidates per question; the best one is kept.")]


class DraftedLesson(View):
    """A lesson drafted from feedback on an answer."""

    turn: str = Field(default="", description="Id of the answer.")
    question: str = ""
    lesson: str = read("said.rule", "The lesson's text.")
    state: ProposalState = Field(description="`proposed`, `kept`, `discarded`, or `gone` (kept once, erased since).")


class ProposalsView(View):
    """Proposals of one turn, or all waiting lessons."""

    facts: list[ProposedTriple] = Field(description="Facts found in the message.")
    lessons: list[DraftedLesson] = Field(description="Lessons drafted from feedback.")


class SheetLine(View):
    """A line of the fact sheet."""

    line: str = read("name", "Name of the line, for `change_line`.")
    subject: str = read("triple.subject")
    relation: str = read("triple.relation")
    object: str = read("triple.object")
    since: datetime = read("entry.created", "When the fact was saved (ISO 8601).")
    fact: str = read("entry.shown", "The sentence it comes from.")


class Sheet(View):
    """A page of the fact sheet."""

    lines: list[SheetLine]
    total: int = Field(description="Number of lines on all pages.")


@dataclass(frozen=True, slots=True)
class SheetImport:
    """Result of importing a table."""

    saved: int
    why_not: Annotated[
        Sequence[Annotated[Any, PlainSerializer(str, return_type=str)]],
        Field(description="Why the other lines were not saved."),
    ]


@dataclass(frozen=True, slots=True)
class ReadFact:
    """A triple read from a sentence of a text."""

    sentence: str
    line: Annotated[str, Field(description="`subject | relation | object`.")]
    saved: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """Progress of reading a text; facts are numbered from 1."""

    of: Annotated[int, Field(description="Number of sentences.")]
    done: int = 0
    read: tuple[ReadFact, ...] = ()
    sentence: Annotated[str, Field(description="What was saved, and why the rest was not.")] = ""


def _drafted(turn: Turn, lesson: Proposal[Lesson]) -> DraftedLesson:
    return DraftedLesson.model_validate(lesson).but(turn=turn.id, question=turn.question)


def _proposals(call: Call, turn: Turn) -> ProposalsView:
    lessons = [_drafted(turn, one) for one in call.services.lessons.of(turn, call.scope)]
    return ProposalsView.model_validate({"facts": call.services.triples.of(turn, call.scope), "lessons": lessons})


@operation(effect=Effect.READS)
def proposals(call: Call, turn: TurnId = "", waiting: Waiting = False) -> ProposalsView:
    """Show what the model proposed to store after a message and after feedback on its answer."""
    if waiting:
        return ProposalsView(facts=[], lessons=[_drafted(*one) for one in call.services.lessons.waiting(call.scope)])
    return _proposals(call, call.turn(turn))


@operation()
def decide(
    call: Call, act: Decided, text: Instead = "", of: Proposed = "fact", number: ProposalNumber = 1, turn: TurnId = ""
) -> ProposalsView:
    """Keep, change or discard a proposal. Only kept proposals are used."""
    service = call.services.triples if of == "fact" else call.services.lessons
    named = call.turn(turn).id
    if act == "keep":
        return _proposals(call, service.keep(named, number, call.scope, text))
    return _proposals(call, (service.discard if act == "discard" else service.undo)(named, number, call.scope))


@operation(Sheet, effect=Effect.READS)
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


@operation(EntryView)
def change_line(call: Call, line: LineName, text: LineText) -> Entry:
    """Change a line of the fact sheet."""
    text = check_text(text, _LONGEST_LINE)
    call.save()
    return call.services.sheet_editing.change(line, text, call.scope)


@operation(EntryView, saves=True)
def remove_line(call: Call, line: LineName) -> Entry:
    """Remove a line from the fact sheet. Its sentence stays stored until `forget` erases it."""
    return call.services.sheet_editing.change(line, "", call.scope)


@operation(effect=Effect.READS, saves=True)
def export_sheet(call: Call, format: Format = "csv") -> File:  # noqa: A002  its public name
    """Export the fact sheet as a table."""
    lines = call.services.sheet.lines(call.scope, Lines(order=Order.SUBJECT)).lines
    return File(file=as_table(lines, as_json=format == "json"), sentence=f"Exported {len(lines):,} lines.")


@operation()
def import_sheet(call: Call, text: Table, header: Header = None) -> SheetImport:
    """Save each line of a table as a fact. Importing the same file twice saves it once."""
    return save_facts(call, [("", [triple]) for triple in from_csv(text, header)])


@operation()
def learn(call: Call, text: TextFile, keep: Numbers = "") -> Iterator[Reading]:
    """Read a text sentence by sentence, list the facts in it, and save the chosen ones."""
    wanted = set() if keep in {"", "all"} else {*map(int, keep.split(","))}
    sentences = sentences_of(_LIST_MARK.sub("", text))[:_MOST_SENTENCES]
    so_far = Reading(len(sentences))
    yield so_far
    chosen: dict[str, list[Triple]] = {}
    for sentence in sentences:
        found: list[ReadFact] = []
        for triple in read_sentence(sentence, call.reads, call.scope):
            is_chosen = keep == "all" or len(so_far.read) + len(found) + 1 in wanted
            found.append(ReadFact(sentence, triple.line, is_chosen))
            if is_chosen:
                chosen.setdefault(sentence, []).append(triple)
        so_far = replace(so_far, done=so_far.done + 1, read=(*so_far.read, *found))
        yield so_far
    if not chosen:
        yield replace(so_far, sentence="Nothing was saved. Choose facts with `keep`: `all`, or numbers such as `1, 3`.")
        return
    kept = save_facts(call, [*chosen.items()])
    yield replace(
        so_far, sentence=" ".join((f"Saved {kept.saved:,} of {len(so_far.read):,}.", *map(str, kept.why_not)))
    )


def save_facts(call: Call, facts: Sequence[tuple[str, Sequence[Triple]]]) -> SheetImport:
    """Save sentences with their triples."""
    lines = sum(len(triples) for _, triples in facts)
    if lines > _MOST_LINES:
        raise InputError("sheet.too_many", count=_MOST_LINES)
    call.save(max(1, math.ceil(lines / _LINES_OF_A_CHANGE)))
    return SheetImport(*call.services.sheet_editing.take_in(facts, call.scope))


class MadeQuestion(View):
    """The best study question for a passage, and the others."""

    sentence: str = read("passage.sentence", "The sentence it asks about.")
    question: str = read("kept.question", "The best question; empty if none could be written.", default="")
    answer: str = read("kept.answer", default="")
    scores: dict[str, Rounded] = read("kept.scores", "Its score from each scorer, from 0 to 1.", default={})
    others: list[StudyCandidate] = Field(default=[])


class MadeQuestions(View):
    """Study questions of a text so far."""

    questions: list[MadeQuestion] = Field(default=[])
    places: int = Field(description="Number of passages to ask about.")
    error: str = Field(default="", description="Why writing stopped early; usually empty.")


class PracticeSoFar(View):
    """Progress of a practice."""

    done: int
    of: int = Field(description="Number of questions, including held-out ones.")
    learnt_from: int
    right: int = Field(description="Right answers among those.")
    curve: list[float] = Field(description="Share of right answers in each tenth, in order.")
    disagreeing: int = Field(description="Number of cases that a lesson contradicts.")
    against: list[dict[str, str]] = Field(description="The first of those cases.")
    held_out: int = Field(description="Number of held-out questions, which test the lessons.")
    right_before: int = Field(description="Held-out questions answered right without the lessons.")
    right_after: int = Field(description="Held-out questions answered right with the lessons.")
    lessons: list[dict[str, Any]] = Field(description="The lessons learnt.")
    error: str = Field(default="", description="Why it stopped early; repeat the call to continue. Usually empty.")
    sentence: str = Field(default="", description="What to do next.")


@operation()
def practice(call: Call, text: TableFile, header: Header = None, keep: KeepLessons = False) -> Iterator[PracticeSoFar]:
    """Have the model answer questions, tell it the right answers, and let it write lessons.

    The last fifth is held out to test the lessons. They are used only once you keep them. If practice stops, repeat the
    call to continue where it left off.
    """
    exercises, name = exercises_of(call, text, header)
    practice, so_far, error = practice_of(call), expnote.Practised(), ""
    try:
        for so_far in practice.run(name, exercises, call.scope):
            yield practised(so_far, exercises)
    except NotedError as failure:
        error = str(failure)
    sentence = "The lessons are not used yet. `keep` starts using them; `forget_practice` erases them."
    if error:
        sentence = f"{error} Nothing is lost; repeat the call to continue."
    elif so_far.is_worse:
        sentence = "The lessons made the results worse, so they can't be kept. `forget_practice` erases them."
    elif keep:
        practice.keep(name, call.scope)
        sentence = "The lessons are used from now on. `forget_practice` erases them."
    lessons = practice.lessons(name, call.scope)
    yield practised(so_far, exercises, lessons).but(error=error, sentence=sentence)


def practised(so_far: expnote.Practised, exercises: expnote.Exercises, lessons: Sequence[Entry] = ()) -> PracticeSoFar:
    """Return the progress of a practice, with its lessons."""
    cases, tests, against = so_far.cases, so_far.tests, so_far.disagreeing
    return PracticeSoFar(
        done=len(cases) + len(tests),
        of=len(exercises.cases) + len(exercises.held_out),
        learnt_from=len(cases),
        right=sum(one.right for one in cases),
        curve=so_far.curve,
        disagreeing=len(against),
        against=[{**one.exercise._asdict(), "said": one.said} for one in against[:_MOST_SHOWN]],
        held_out=len(exercises.held_out),
        right_before=sum(test.before for test in tests),
        right_after=sum(test.right for test in tests),
        lessons=[
            {"entry": one.id, "lesson": one.shown, "paused": one.resting}
            | {"used": one.used, "right": one.helped, "declined": one.declined}
            for one in lessons
        ],
    )


def practice_of(call: Call) -> expnote.Practice:
    """Return the practice with the user's model, which stops with the call."""
    return replace(call.services.practice.with_parts(call.parts), is_stopped=lambda: call.is_over)


@operation(effect=Effect.ERASES, name_of_result="sentence")
def forget_practice(call: Call, text: TableFile, header: Header = None) -> str:
    """Erase the lessons and turns of a practice on these questions."""
    count = call.services.practice.forget(exercises_of(call, text, header)[1], call.scope)
    return f"Erased {format_count('lessons', count)}."


def exercises_of(call: Call, text: str, header: bool | None) -> tuple[expnote.Exercises, str]:
    """Return the exercises of a text and the name of their practice, the first question."""
    exercises = expnote.read_exercises(check_text(text, LONGEST_TEXT), call.assistant.limits, header)
    if not exercises.cases:
        raise InputError("practice.none")
    return exercises, exercises.cases[0].question


@operation()
def questions(call: Call, text: TextFile, answers: Answers = (), samples: Samples = SAMPLES) -> Iterator[MadeQuestions]:
    """Write study questions about a text. Each candidate takes a language model two calls."""
    study, passages = passages_of(call, text, answers)
    so_far = MadeQuestions(places=len(passages))
    try:
        for so_far in write_questions(call, study, passages, samples):
            yield so_far
    except (ModelError, TooOften) as error:
        if not so_far.questions:
            raise
        yield so_far.but(error=str(error))


def write_questions(call: Call, study: Study, passages: Sequence[Passage], samples: int) -> Iterator[MadeQuestions]:
    """Yield the study questions so far, first none. Raises ModelError and TooOften."""
    so_far = MadeQuestions(places=len(passages))
    yield so_far
    with closing(study.questions(passages, samples, call.scope)) as coming:
        for one in coming:
            if call.is_over:
                return
            if one:
                others = [other for other in one.all if other is not one.kept]
                made = MadeQuestion.model_validate(one).but(others=others)
                so_far = so_far.but(questions=[*so_far.questions, made])
                yield so_far


def passages_of(call: Call, text: str, answers: Sequence[str]) -> tuple[Study, Sequence[Passage]]:
    """Return the study with the user's model, and the passages of a text to ask about."""
    study = call.services.study.with_parts(call.parts)
    passages = study.passages(check_text(text, LONGEST_TEXT), answers)
    if not passages:
        raise InputError("study.none")
    return study, passages
