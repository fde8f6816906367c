"""The commands that ask and put right: in this process, or in the server that has the same home open.

A server has loaded what a question needs, and is the one that writes the index, so they are handed over to it where one
runs (`ui.server.shell`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import typer

from assistant.conversation import Assistant
from assistant.errors import InputError, NotedError
from assistant.events import AnswerText, Event, Finished, RunSoFar, Saved, Started, UnderstandingText, Waiting
from assistant.feedback.corrections import correctable
from assistant.kinds import Reach
from assistant.papers.teachme.facts import facts_told_in
from assistant.papers.teachme.teaching import Teaching
from assistant.papers.teachme.thinking import most_calls
from assistant.settings import Settings
from assistant.types import Decision, Entry, Scope, Turn, TurnState, day_of
from ui.server.services import Services
from ui.server.shell import Write, in_server
from ui.terminal.answer import WrittenReply, noted, said_before, what_was_looked_up
from ui.terminal.command_parts import SHORT, Compose, echo, echo_as_it_is, opened, opened_there, print_json, printing_to
from ui.terminal.waiting_commands import show_last_draft, show_proposals
from ui.words.answers import looked_up
from ui.words.texts import ENGLISH


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What `ask` was told."""

    user: str
    question: str
    conversation: str = ""
    think: bool = False
    as_json: bool = False

    @property
    def is_new(self) -> bool:
        return not self.conversation

    def do(self, services: Services) -> None:
        scope, assistant = Scope(self.user), services.assistant
        require_conversation(services, scope, self.conversation)
        if self.think:
            calls = most_calls(self.question)
            echo(f"Thinking it through, which takes up to {calls} calls of the model.", err=True)
            assistant = assistant.with_parts(generator=Teaching(assistant).thinking())
        show_answer(assistant, assistant.ask(self.question, scope, self.conversation), as_json=self.as_json)
        if not self.as_json:
            show_proposals(services, scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarified:
    """What `clarify` was told: of a turn, or without one of the last."""

    user: str
    meant: str
    turn: str = ""
    reach: Reach | None = None
    as_json: bool = False

    is_new: ClassVar = False

    def do(self, services: Services) -> None:
        scope, assistant = Scope(self.user), services.assistant
        reach = None if self.reach is None else Reach(self.reach)  # a name, where a server was told it
        events = assistant.clarify(self.turn or _last_turn(services, scope), self.meant, scope, reach)
        show_answer(assistant, events, as_json=self.as_json)


Wanted = Asked | Clarified


def carry_out(wanted: Wanted, compose: Compose, home: str | None) -> None:
    """Do it where it is done soonest. Raises typer.Exit: it did not work; and NotedError."""
    code = in_server(Settings.load(home=home), asdict(wanted), echo_as_it_is)
    if code is not None:
        if code:
            raise typer.Exit(code)
        return
    with (opened if wanted.is_new else opened_there)(compose, home) as services:
        wanted.do(services)
        services.settle()  # what is drafted of it would end with this process
        if not wanted.as_json:
            show_last_draft(services, Scope(wanted.user))


def for_shell(services: Services, told: Mapping[str, Any], write: Write) -> int:
    """The same for a command of the shell, in a server."""
    with printing_to(write):
        try:
            (Clarified(**told) if "meant" in told else Asked(**told)).do(services)
        except typer.Exit as ended:
            return ended.exit_code
        except NotedError as error:
            echo(str(error), err=True)
            return 1
    return 0


def require_conversation(services: Services, scope: Scope, conversation: str) -> None:
    """Raise InputError: it is named, and there is no such one."""
    if conversation and not services.assistant.turns(conversation, scope):
        raise InputError("There is no such conversation. Without --conversation, a new one begins.")


def _last_turn(services: Services, scope: Scope) -> str:
    """Id of the turn that can be put right in the conversation that was gone on with last. Raises InputError."""
    for conversation in services.conversations.conversations(scope, limit=1):
        if (turn := correctable(services.assistant.turns(conversation.id, scope))) is not None:
            return turn.id
    raise InputError("There is no answer yet that could be put right. Please ask something first.")


def show_answer(assistant: Assistant, events: Iterator[Event], *, as_json: bool) -> None:
    """Show a turn as it comes, or as one JSON object at its end."""
    so_far, reply = RunSoFar(), WrittenReply(lambda piece, _style: echo(piece, nl=False))
    for event in events:
        before, so_far = so_far.phase, so_far.after([event])
        if not as_json:
            _show(event, so_far, reply)
            if isinstance(event, Waiting) and so_far.phase not in {before, None} and sys.stderr.isatty():
                echo(ENGLISH[str(so_far.phase)], err=True)
    turn = so_far.turn
    if as_json:
        print_json(_turn_fields(turn))
    else:
        facts = facts_told_in(turn, assistant.memory) if turn.state is TurnState.ANSWERED else ()
        for fact in facts:
            echo(f"{noted(fact)} (`undo {fact.id[:SHORT]}` takes it back)", err=True)
        for entry in (*so_far.noted.values(), *facts):
            for other in assistant.others(entry, Scope(entry.owner)):
                command = f"memory put {entry.id[:SHORT]} instead {other.id[:SHORT]}"
                echo(f"{said_before(other)} (`{command}`, or beside)", err=True)
        if turn.error:
            echo(str(turn.error), err=True)
    if turn.state is TurnState.FAILED:
        raise typer.Exit(1)


def _show(event: Event, so_far: RunSoFar, reply: WrittenReply) -> None:
    match event:
        case UnderstandingText() | AnswerText():
            reply.show(so_far.turn)
        case Started() if sys.stderr.isatty():
            echo("Thinking…", err=True)
        case Saved(entry, _):
            echo(noted(entry), err=True)
        case Finished(Turn(state=TurnState.ANSWERED) as turn):
            reply.show(turn)
            echo()
            for line in what_was_looked_up(turn):
                echo(line, err=True)
            for decision in turn.from_memory:
                echo(f"{_where_from(decision.entry)}: {decision.entry.text} ({decision.reason})", err=True)
            if not turn.error:
                echo('Not what you meant? noted clarify --last "…"', err=True)


def _where_from(entry: Entry) -> str:
    if entry.seeded:
        return "From what this place began with"
    return f"From memory, shared with everyone since {day_of(entry.created)}" if entry.shared else "From memory"


def _turn_fields(turn: Turn) -> dict[str, Any]:
    """A turn as `ask --json` prints it."""
    return {
        "turn": turn.id,
        "conversation": turn.conversation,
        "question": turn.question,
        "understanding": turn.reply.understanding,
        "answer": turn.reply.answer,
        "model": turn.model,
        "state": turn.state,
        "status": turn.reply.status,
        "error": str(turn.error) if turn.error else None,
        "used": list(turn.used),
        "looked_up": looked_up(turn.reply),
        "candidates": [_candidate_fields(decision, turn) for decision in turn.decisions],
        "ms": dict(turn.ms),
    }


def _candidate_fields(decision: Decision, turn: Turn) -> dict[str, Any]:
    return {
        "entry": decision.entry.id,
        "shared": decision.entry.shared,
        "scores": {name: round(value, 4) for name, value in decision.candidate.scores.items()},
        "decision": decision.action,
        "use": turn.use_of(decision),
        "probability": round(decision.probability, 4),
        "reason": str(decision.reason),
    }
