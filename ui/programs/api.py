"""What programs can do for a person: a few plain functions with typed, documented results, by whatever way they come.

Plain HTTP (`ui.programs.rest`), MCP (`ui.programs.mcp_api`) and Gradio's client (`ui.programs.gradio_api`) offer
exactly these, and make their documentation from the signatures and docstrings here. Who calls is decided before
(`ui.programs.access`).
"""

import uuid
from collections.abc import Callable, Iterator
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from assistant.errors import InputError, ModelError, TooOften
from assistant.events import Event, RunSoFar
from assistant.kinds import Place, Reach
from assistant.papers.selection.study import SAMPLES
from assistant.papers.teachme.teaching import Act, Reasons, Teaching
from assistant.sentences import Sentence
from assistant.settings import MOST_DRAFTS
from assistant.text.cleaning import checked, storable
from assistant.types import Reaction, Scope
from ui.programs.results import (
    REACHES,
    Answer,
    Forgotten,
    FoundNotes,
    Listed,
    Note,
    ReachName,
    Undone,
    answer_of,
    judged,
    note_of,
    reach_of,
)
from ui.server.services import Services
from ui.words.answers import DraftedLessons, ProposedTriples, Why, drafted, proposed
from ui.words.answers import why as why_of
from ui.words.study import MadeQuestions, made_question
from ui.words.texts import receipt_sentence

_LONGEST_SEARCH = 500

Shown = TypeVar("Shown")

Id = Annotated[str, Field(pattern=r"^[0-9a-zA-Z-]{0,64}$")]
Proposed = Annotated[ReachName | None, Field(description=f"{REACHES} Without it, as is proposed.")]


class Api:
    """One call of one person, whom the server names, and never what was sent."""

    def __init__(self, services: Services, scope: Scope) -> None:
        self._assistant = services.assistant
        self._teaching = Teaching(services.assistant)
        self._triples = services.triples
        self._lessons = services.lessons
        self._runs = services.runs
        self._study = services.study
        self._scope = scope
        self._call = str(uuid.uuid4())
        self._is_over = False

    def ask(
        self,
        question: Annotated[str, Field(description="The question; or what was meant by the one before.")],
        conversation: Annotated[Id, Field(description="Id of the conversation to go on with; empty begins one.")] = "",
        think: Annotated[
            bool,
            Field(description="Weigh proofs of possible answers, which takes up to some fifty calls."),
        ] = False,
    ) -> Iterator[Answer]:
        """Ask a question. The answer says how it was understood and which remembered notes it used.

        A message that corrects the one before ("no, I meant …") is noted, and that question is answered again.
        """
        thorough = self._assistant.with_parts(generator=self._teaching.thinking()) if think else self._assistant
        yield from self._answers(thorough.ask(question, self._scope, conversation))

    def clarify(
        self,
        turn: Annotated[Id, Field(description="Id of the answer that misunderstood.")],
        meant: Annotated[str, Field(description="What was meant, in plain words.")],
        reach: Proposed = None,
    ) -> Iterator[Answer]:
        """Say what an earlier question meant. It is remembered, and the question is answered again."""
        yield from self._answers(self._assistant.clarify(turn, meant, self._scope, reach_of(reach)))

    def react(
        self,
        turn: Annotated[Id, Field(description="Id of the answer.")],
        reaction: Annotated[
            Literal["confirm", "leave out", "not for questions like this", "not at all"],
            Field(
                description="`confirm`: it is right. `leave out`: answer again without one note, this time. The others "
                "keep a note from being used, for questions asked in this way or for all, until `resume`."
            ),
        ],
        entry: Annotated[Id, Field(description="Id of the note, but for `confirm`.")] = "",
    ) -> Iterator[Answer]:
        """Say that an answer is right, have it given again without one of its notes, or keep a note from being used."""
        if reaction != "confirm" and not entry:
            raise InputError("Please name the entry that this is about.")
        yield from self._answers(self._assistant.react(turn, Reaction(reaction), self._scope, entry))

    def why(self, turn: Annotated[Id, Field(description="Id of the answer.")]) -> Iterator[Why]:
        """Say on what an answer rests, who told that, and whether the answer follows. It takes one call at most."""
        yield from self._shown(self._teaching.why(turn, self._scope), self._why)

    def dispute(
        self,
        turn: Annotated[Id, Field(description="Id of the answer.")],
        act: Annotated[
            Literal["wrong", "does not matter", "does not follow", "missing", "answer", "true"],
            Field(
                description="`wrong`: a reason is not so (`words`: what is so instead). `does not matter`: it has "
                "nothing to do with the question. `does not follow`: the answer does not follow from the reasons. "
                "`missing`: a fact is missing, `words`. `answer`: the answer is `words`. `true`: a reason that is "
                "not believed is so."
            ),
        ],
        number: Annotated[int, Field(ge=0, le=99, description="Of the reason that is meant, as `why` has it.")] = 0,
        words: Annotated[str, Field(description="A fact or an answer, in plain words.")] = "",
    ) -> Iterator[Answer]:
        """Put right why an answer was given. It is remembered as a fact, and the question is answered again."""
        yield from self._answers(self._teaching.dispute(turn, Act(act), self._scope, number, words))

    def keep(
        self,
        turn: Annotated[Id, Field(description="Id of the answer to the message.")],
        act: Annotated[
            Literal["look", "keep", "drop", "undo"],
            Field(description="`look`: only show them. `undo`: take back what was said of one."),
        ] = "look",
        number: Annotated[int, Field(ge=0, le=99, description="Of the one that is meant.")] = 0,
        line: Annotated[str, Field(description="For `keep`: `thing | what is said of it | other thing` instead.")] = "",
    ) -> ProposedTriples:
        """Keep what a message says of two things on the person's fact sheet, drop it, or show what is proposed."""
        if act != "look":
            self._triples.decide(act, turn, number, self._scope, line)
        proposals = self._triples.of(self._assistant.turn(turn, self._scope), self._scope)
        return {"turn": turn, "proposed": proposed(proposals)}

    def lesson(
        self,
        turn: Annotated[Id, Field(description="Id of the answer it was drafted of; empty for all that wait.")] = "",
        act: Annotated[Literal["look", "keep", "drop", "undo"], Field(description="What becomes of it.")] = "look",
        words: Annotated[str, Field(description="For `keep`: in these words instead.")] = "",
    ) -> DraftedLessons:
        """Show, keep or drop lessons that were drafted of what the person said of answers; a kept one counts."""
        if not turn:
            return drafted(self._lessons.waiting(self._scope))
        answered = self._assistant.turn(turn, self._scope)
        if act != "look":
            answered = self._lessons.decide(act, turn, 1, self._scope, words)
        return drafted((answered, draft) for draft in self._lessons.of(answered, self._scope))

    def undo(self, entry: Annotated[Id, Field(description="Id of the note.")]) -> Undone:
        """Take a note back: it is used no more, and the answers that were made with it no longer count."""
        changed = self._teaching.undo(entry, self._scope)
        return {"entry": entry, "turns": [turn.id for turn in changed]}

    def reach(
        self,
        entry: Annotated[Id, Field(description="Id of the note.")],
        reach: Annotated[ReachName, Field(description=REACHES)],
    ) -> Note:
        """Let a note count for other questions."""
        return note_of(self._assistant.set_reach(entry, Reach(reach), self._scope))

    def put(
        self,
        entry: Annotated[Id, Field(description="Id of the note.")],
        place: Annotated[
            Literal["instead", "beside", "apart"],
            Field(
                description="`instead`: the earlier one counts no more. `beside`: both count, each in its context. "
                "`apart`: they have nothing to do with each other."
            ),
        ],
        other: Annotated[Id, Field(description="Id of the earlier note.")],
        why: Annotated[str, Field(description="For `beside`: why both count.")] = "",
    ) -> Note:
        """Say what a note is to an earlier one of the same question."""
        return note_of(self._assistant.put(entry, Place(place), other, self._scope, why))

    def resume(self, entry: Annotated[Id, Field(description="Id of the note.")]) -> Note:
        """Let a note be used again that was paused, or was not to be used for some questions."""
        return note_of(self._assistant.memory.resume(entry, self._scope))

    def recall(self, question: Annotated[str, Field(description="A question; it is not answered.")]) -> FoundNotes:
        """Look up which remembered notes would be used for a question, and why, without asking a model."""
        return {"found": [judged(decision) for decision in self._assistant.preview(question, self._scope)]}

    def remember(
        self,
        question: Annotated[str, Field(description="The question, or the phrase, that is easily misunderstood.")],
        meant: Annotated[str, Field(description="What is meant by it, in plain words.")],
        reach: Proposed = None,
    ) -> Note:
        """Remember what a question means, before it is misunderstood. Saying the same twice saves it once."""
        return note_of(self._assistant.remember(question, meant, self._scope, reach_of(reach)))

    def list(
        self,
        search: Annotated[str, Field(description="Only notes that contain this, in any script.")] = "",
        limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 50,
        offset: Annotated[int, Field(ge=0, le=10**9, description="How many to pass over.")] = 0,
    ) -> Listed:
        """List what is remembered, newest first."""
        search = storable(search)[:_LONGEST_SEARCH].strip()
        entries = self._assistant.memory.entries(self._scope, search, limit + 1, offset)
        return {"notes": [note_of(entry) for entry in entries[:limit]], "more": len(entries) > limit}

    def forget(self, entry: Annotated[Id, Field(description="Id of the note.")]) -> Forgotten:
        """Erase a note and everything that was made of it, for good."""
        receipt = self._assistant.memory.forget(entry, self._scope)
        return {
            "receipt": receipt.id,
            "erased": dict(receipt.erased),
            "complete": receipt.is_complete,
            "sentence": receipt_sentence(receipt),
        }

    def questions(
        self,
        text: Annotated[str, Field(max_length=60_000, description="The text.")],
        answers: Annotated[
            tuple[str, ...],
            Field(max_length=500, description="That the questions are to have; else any of each sentence."),
        ] = (),
        samples: Annotated[
            int, Field(ge=1, le=MOST_DRAFTS, description="So many are written each time, and the best is kept.")
        ] = SAMPLES,
    ) -> Iterator[MadeQuestions]:
        """Make study questions of a text. A language model takes two calls for each that is written."""
        with self._runs.begin(self._scope, self._call) as run:
            passages = self._study.passages(checked(text, 60_000), answers)
            if not passages:
                raise InputError("study.none")
            so_far: MadeQuestions = {"questions": [], "places": len(passages), "error": ""}
            yield so_far
            try:
                for made in self._study.questions(passages, samples, self._scope):
                    if run.stopped or self._is_over:
                        return
                    if made:
                        so_far = {**so_far, "questions": [*so_far["questions"], made_question(made)]}
                        yield so_far
            except (ModelError, TooOften) as error:
                if not so_far["questions"]:
                    raise
                yield {**so_far, "error": str(error)}

    def stop(self) -> None:
        """Nobody waits for the answer of this call any more: let the model stop."""
        self._is_over = True
        self._runs.stop(self._scope, self._call)

    def _answers(self, events: Iterator[Event]) -> Iterator[Answer]:
        """The answer as it comes, a few times a second; the last one is complete."""
        yield from self._shown(events, self._answer)

    def _shown(self, events: Iterator[Event], show: Callable[[RunSoFar], Shown]) -> Iterator[Shown]:
        so_far = RunSoFar()
        with self._runs.begin(self._scope, self._call) as run:
            if self._is_over:  # the caller went away before it began
                return
            for batch in run.batches(events):
                so_far = so_far.after(batch)
                if so_far.answering:
                    yield show(so_far)

    def _why(self, so_far: RunSoFar) -> Why:
        reasons = self._teaching.reasons(so_far.turn, self._scope)
        return why_of(so_far.turn, reasons or Reasons("", (), Sentence("why.nothing")))

    def _answer(self, so_far: RunSoFar) -> Answer:
        noted = list(so_far.noted.values())
        others = self._assistant.others(noted[-1], self._scope) if noted else ()
        turn = so_far.turn
        answer = answer_of(turn, noted, others, self._teaching.asks_back(turn))
        return {**answer, "proposed": proposed(self._triples.of(turn, self._scope))}
