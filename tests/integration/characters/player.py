"""Play a conversation from TOML through the app, as `app.py` composes it.

The home is temporary, with a fixed secret and time, so that prompts are reproducible byte for byte. A conversation has
`steps`, and optionally these; the default is a scripted model in an app with empty memory:

    replies      of the model, call by call: [understanding, answer, notes], a raw text, { pieces = […] } for
                 streaming, or { error = "StreamCut", after = "text before it" }
    model        fields of the scripted model, or `embedded` for the model of the app
    environment  settings of the app

Each step is a table whose first key is the user's action. Turns and entries are numbered as in `describing.py`; none
has number 0. `stop` closes the events after that many; `stop = "everywhere"` plays the conversation once per
event and records only from that step on. `meanwhile` takes another step after `after` events.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app import compose
from assistant import errors
from assistant.conversation import Assistant
from assistant.errors import NotedError
from assistant.events import Event
from assistant.kinds import Reach, Triple
from assistant.model_usage import Count, Usage, ignore_usage
from assistant.ports import ChatModel
from assistant.settings import Settings
from assistant.types import Message, Reaction, Scope
from memory_store.ledger.ledger import Ledger
from tests.integration.characters.describer import Describer, Description, prompt
from tests.support.memory.loop import reply
from tests.support.memory.store import execute
from tests.support.servers.scripted import BrokenReply, ScriptedModel, ScriptedReply

Step = Mapping[str, Any]
_TODAY = datetime(2026, 1, 5, 12, tzinfo=UTC)
_USUAL = {"NOTED_EMBEDDER": "none", "NOTED_TURNS_PER_MINUTE": "1000000", "NOTED_SAVES_PER_MINUTE": "1000000"}


def play(conversation: Mapping[str, Any], home: Path) -> list[Description]:
    """Return the recorded lines of a conversation."""
    app = App(home, conversation.get("environment", {}))
    everywhere = [step for step in conversation["steps"] if step.get("stop") == "everywhere"]
    try:
        if not everywhere:
            return Player(app, conversation).lines()
        lines: list[Description] = []
        for count in range(1, 100):
            steps = [{**step, "stop": count} if step in everywhere else step for step in conversation["steps"]]
            playing = Player(app, {**conversation, "steps": steps}, person=f"person {count}")
            happened = playing.lines()
            if not playing.was_stopped:
                break
            lines += [{"stopped after": count}, *happened[playing.from_stop :]]
        return lines
    finally:
        app.close()


class App:
    """The app with its own home, reopened when a conversation changes settings."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self.home = home
        Ledger(self._settings({}).ledger).close()
        self.execute("UPDATE meta SET value = ? WHERE name = 'secret'", "5e" * 32)
        self.close: Callable[[], None] = lambda: None
        self.open(environment)

    def open(self, environment: Mapping[str, str]) -> None:
        self.close()
        services = compose(self._settings(environment), lambda: _TODAY)
        self.assistant, self.connected, self.close = services.assistant, services.models.connected, services.close
        self.sheet = services.sheet_editing

    def execute(self, statement: str, *bound: str) -> None:
        """Execute SQL on the ledger's file without the app."""
        execute(self.home / "ledger.sqlite3", statement, bound)

    def _settings(self, environment: Mapping[str, str]) -> Settings:
        return Settings.load({**_USUAL, "NOTED_HOME": str(self.home), **environment})


class RecordingModel:
    """A model that records its prompts."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.asked: list[Sequence[Message]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:
        self.asked.append(messages)
        return self._model.stream(messages, count)


class Player:
    """A conversation, played once by one user."""

    def __init__(self, app: App, conversation: Mapping[str, Any], person: str = "somebody") -> None:
        self._app, self._steps, self._person = app, conversation["steps"], person
        is_embedded = conversation.get("model") == "embedded"
        self._model = RecordingModel(app.assistant.runner.model) if is_embedded else _build_model(conversation)
        self._is_suited = not (is_embedded or conversation.get("cannot_choose"))
        self._describing, self._lines, self._told_of_model = Describer(), list[Description](), 0
        self.was_stopped, self.from_stop = False, 0

    def lines(self) -> list[Description]:
        for step in self._steps:
            self._take_step(step)
        for conversation in self._describing.conversations.ids:
            for turn in self._assistant.turns(conversation, Scope(self._person)):
                self._lines.append({"kept": self._describing.turn(turn)})
        return [*self._lines, {"closed early": getattr(self._model, "closed_early", None)}]

    @property
    def _assistant(self) -> Assistant:
        suited = self._app.connected if self._is_suited else {}  # of the app as currently open
        return self._app.assistant.with_parts(suited, model=self._model)

    def _take_step(self, step: Step) -> None:
        if "stop" in step:
            self.from_stop = len(self._lines)
        self._lines.append({"step": step})
        try:
            for line in self._run_step(step, Scope(step.get("person", self._person))):
                self._lines.append(line)
        except (NotedError, ValueError) as error:
            self._lines.append({"refused": type(error).__name__, "sentence": str(error)})
        self._lines += map(prompt, self._model.asked[self._told_of_model :])
        self._told_of_model = len(self._model.asked)

    def _run_step(self, step: Step, scope: Scope) -> Iterator[Description]:
        assistant, describing = self._assistant, self._describing
        match step:
            case {"open": environment}:
                self._app.open(environment)
            case {"execute": statement}:
                self._app.execute(statement)
            case {"undo": entry}:
                for turn in assistant.undo(self._entry(entry), scope):
                    yield {"changed": describing.turn(turn)}
            case {"remember": question, "words": words}:
                yield {"remembered": describing.entry(assistant.remember(question, words, scope, Reach.WAY))}
            case {"sheet": line}:
                triple = Triple.read(line)
                assert triple
                yield {"remembered": describing.entry(self._app.sheet.remember(line, [triple], scope))}
            case {"preview": question}:
                for decision in assistant.preview(question, scope):
                    yield {"decided": describing.decision(decision)}
            case _:
                yield from self._events(step, self._start_step(step, scope))

    def _start_step(self, step: Step, scope: Scope) -> Iterator[Event]:
        """Return the events of a step, not started yet."""
        assistant = self._assistant
        match step:
            case {"ask": question}:
                seen = self._turn(step["seen"]) if "seen" in step else ""
                events = assistant.ask(_build_text(question), scope, step.get("in", "c"), seen)
            case {"clarify": turn, "words": words}:
                reach = Reach.CONVERSATION if step.get("only_here") else None
                events = assistant.clarify(self._turn(turn), words, scope, reach)
            case {"retry": turn}:
                events = assistant.retry(self._turn(turn), scope)
            case {"edit": turn, "question": question}:
                events = assistant.edit(self._turn(turn), question, scope)
            case {"confirm": turn}:
                events = assistant.react(self._turn(turn), Reaction.CONFIRM, scope)
            case {"leave_out": entry, "of": turn}:
                events = assistant.react(self._turn(turn), Reaction.EXCLUDE, scope, self._entry(entry))
            case {"use": entry, "for": turn}:
                events = assistant.react(self._turn(turn), Reaction.USE, scope, self._entry(entry))
            case _:
                raise AssertionError(f"There is no such step: {step}")
        return events

    def _events(self, step: Step, events: Iterator[Event]) -> Iterator[Description]:
        for count, event in enumerate(events, 1):
            yield self._describing.event(event)
            if count == step.get("after"):
                self._take_step(step["meanwhile"])
            if count == step.get("stop"):
                self.was_stopped = True
                events.close()  # type: ignore[attr-defined]

    def _turn(self, number: int) -> str:
        return self._describing.turns.ids[number - 1] if number else "no such turn"

    def _entry(self, number: int) -> str:
        return self._describing.entries.ids[number - 1] if number else "no such entry"


def _build_model(conversation: Mapping[str, Any]) -> ScriptedModel:
    said = {"piece": 16, **conversation.get("model", {})}
    usage = Usage(**said.pop("usage")) if "usage" in said else None
    return ScriptedModel([_build_reply(one) for one in conversation.get("replies", ())], usage=usage, **said)


def _build_reply(told: Any) -> ScriptedReply:
    match told:
        case [*fields]:
            return reply(*map(_build_text, fields))
        case {"pieces": [*pieces]}:
            return tuple(pieces)
        case {"error": name}:
            error = ValueError(name) if name == "unforeseen" else getattr(errors, name)()
            return BrokenReply(told.get("after", ""), error)
    return _build_text(told)


def _build_text(told: Any) -> str:
    text: str = told["repeat"] * told["times"] if isinstance(told, Mapping) else told
    return text
