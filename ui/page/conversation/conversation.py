"""The conversation: one card per turn, and the field to write in; what happens when a person does something there.

Plain functions and generators; no Gradio. Those that have an answer written run in the server's event loop, and leave
to threads whatever takes time. A view is an update of the page: `{"run": id, "conversation": id, "turns": […], "done":
bool, "refused": sentence}`, with `reset` a whole conversation, with `refresh` the turns as they are now.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from assistant.conversation import Assistant
from assistant.errors import NotedError
from assistant.events import Event
from assistant.ports import ChatModel, Sharing
from assistant.sentences import Sentence
from assistant.types import Entry, Reaction, Scope, Turn, TurnState
from ui.page.conversation.live import LiveTurns
from ui.page.conversation.views import conversation_view, noted_view, turn_view
from ui.page.panel import Panel, View, fields_of, id_in, is_id, text_in
from ui.streaming.runs import Admission, Runs

_SCRIPTS = (
    "connection.js", "copying.js", "kept.js", "markup.js", "comparison.js", "card.js", "editing.js", "waiting.js",
    "receiving.js", "script.js",
)  # fmt: skip
_log = logging.getLogger(__name__)
# How long a run waits for the one before it, which was stopped, to end.
_SECONDS_TO_END = 5.0


class ConversationHandlers:
    """One method per event of the conversation. `own_model` is what a person brought to a page, if anything."""

    def __init__(
        self,
        assistant: Assistant,
        runs: Runs,
        sharing: Sharing,
        own_model: Callable[[Scope, str], ChatModel | None] = lambda _scope, _page: None,
    ) -> None:
        self._assistant = assistant
        self._runs = runs
        self._sharing = sharing
        self._own_model = own_model
        self._admission = Admission()

    def panel(self, first_questions: Mapping[str, Sequence[str]]) -> Panel:
        """Its props are the questions to begin with, by language, and the most characters of what is sent."""
        props = {"examples": dict(first_questions), "longest": asdict(self._assistant.limits)}
        return Panel("conversation", _SCRIPTS, props=props, folder="conversation/card")

    def open(self, conversation: object, scope: Scope) -> View:
        """The conversation with this id, or a new one, as it is shown when the page is opened."""
        wanted = str(conversation if is_id(conversation) else uuid.uuid4())
        try:
            view = self._view(self._assistant.turns(wanted, scope), scope)
        except NotedError as error:
            return self.fresh(scope) | {"refused": error.sentence}
        return self.fresh(scope) | {"conversation": wanted, "turns": view}

    def fresh(self, scope: Scope) -> View:
        return {
            "run": "",
            "reset": True,
            "conversation": str(uuid.uuid4()),
            "turns": [],
            "done": True,
            "may_offer": self._sharing.may_offer(scope),
        }

    def refresh(self, data: object, scope: Scope) -> View:
        """The turns of a conversation (`conversation`) as they are now, after memory was changed elsewhere."""
        try:
            view = self._view(self._assistant.turns(id_in(data, "conversation"), scope), scope)
        except NotedError as error:
            return refusal(data, error.sentence)
        return _about(data) | {"turns": view, "refresh": True, "done": True}

    def ask(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Answer a message: `text`, `conversation`, and the last turn that the person sees (`seen`), if any."""

        def begin(loop: Assistant) -> Iterator[Event]:
            seen = id_in(data, "seen") if _field(data, "seen") else ""
            return loop.ask(text_in(data, "text"), scope, id_in(data, "conversation"), seen=seen)

        return self._run(data, scope, page, begin)

    def clarify(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Save what was meant (`text`) by a turn (`turn`), `here` only or everywhere, and answer it again."""

        def begin(loop: Assistant) -> Iterator[Event]:
            here = _field(data, "here") is True
            return loop.clarify(id_in(data, "turn"), text_in(data, "text"), scope, only_here=here)

        return self._run(data, scope, page, begin)

    def edit(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Answer another question (`text`) in the place of that of a turn (`turn`)."""
        return self._run(data, scope, page, lambda loop: loop.edit(id_in(data, "turn"), text_in(data, "text"), scope))

    def retry(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Answer the question of a turn (`turn`) once more."""
        return self._run(data, scope, page, lambda loop: loop.retry(id_in(data, "turn"), scope))

    def react(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Confirm an answer (`turn`), or have it given again without or with an entry (`entry`), as `reaction` says."""
        reaction = _field(data, "reaction")
        if reaction not in (Reaction.LEAVE_OUT.value, Reaction.USE.value):
            return self._confirm(data, scope)

        def begin(loop: Assistant) -> Iterator[Event]:
            return loop.react(id_in(data, "turn"), Reaction(reaction), scope, id_in(data, "entry"))

        return self._run(data, scope, page, begin)

    def offer(self, data: object, scope: Scope) -> View:
        """Offer a clarification that was just noted (`entry`) to everyone."""
        try:
            self._assistant.allowance.save(scope)
            offer = self._sharing.offer(id_in(data, "entry"), scope)
            entry = self._assistant.memory.entry(offer.entry_id, scope)
        except NotedError as error:
            return refusal(data, error.sentence)
        return _about(data) | {"turns": [{"id": entry.turn, "noted": noted_view(entry, offered=True)}], "done": True}

    def undo(self, data: object, scope: Scope) -> View:
        """Take back a clarification (`entry`) and the answers made with it, or the word that an answer was right."""
        try:
            changed = self._assistant.undo(id_in(data, "entry"), scope)
        except NotedError as error:
            return refusal(data, error.sentence)
        turns = [turn_view(turn, kept=self._kept(turn.id, scope) if turn.confirmed else "") for turn in changed]
        return _about(data) | {"turns": turns, "done": True}

    def stop(self, data: object, scope: Scope, page: str) -> None:
        """Stop the answer being written (`run`); its own run then says so."""
        self._runs.stop(scope, page, _about(data)["run"])

    async def _run(
        self, data: object, scope: Scope, page: str, begin: Callable[[Assistant], Iterator[Event]]
    ) -> AsyncGenerator[View, None]:
        about = _about(data)
        live = LiveTurns()
        refused = None
        try:
            if stopped := self._runs.stopped(scope, page):
                await asyncio.to_thread(stopped.left, _SECONDS_TO_END)
            with self._runs.begin(scope, page, about["run"]) as run:
                await run.wait_for(self._admission.turn())
                model = self._own_model(scope, page)
                events = begin(self._assistant.with_parts(model=model) if model else self._assistant)
                async with aclosing(run.batches_in_loop(events)) as batches:
                    async for batch in batches:
                        for event in batch:
                            live.take(event)
                        yield about | {"turns": await _views(live), "done": False}
                live.end(TurnState.STOPPED)
        except NotedError as error:
            refused = error.sentence
            live.end(TurnState.FAILED, refused)
        except Exception:  # the page must say that something went wrong, whatever it was
            _log.exception("A run failed.")
            refused = NotedError().sentence
            live.end(TurnState.FAILED, refused)
        yield about | {"turns": await _views(live), "done": True, "refused": refused or ""}

    async def _confirm(self, data: object, scope: Scope) -> AsyncGenerator[View, None]:
        def confirmed() -> list[View]:
            live = LiveTurns()
            for event in self._assistant.react(id_in(data, "turn"), Reaction.CONFIRM, scope):
                live.take(event)
            return [turn | {"kept": self._kept(turn["id"], scope)} for turn in live.views()]

        try:
            yield _about(data) | {"turns": await asyncio.to_thread(confirmed), "done": True}
        except NotedError as error:
            yield refusal(data, error.sentence)

    def _view(self, turns: Sequence[Turn], scope: Scope) -> list[dict[str, Any]]:
        corrections = {turn.corrected_by for turn in turns if turn.corrected_by}
        noted = {entry.id: entry for entry_id in corrections if (entry := self._entry(entry_id, scope))}
        kept = {turn.id: self._kept(turn.id, scope) for turn in turns if turn.confirmed}
        offers = self._sharing.offers_of(noted, scope)
        offered = {entry_id for entry_id, offer in offers.items() if offer.stands}
        return conversation_view(turns, noted, kept, offered)

    def _kept(self, turn_id: str, scope: Scope) -> str:
        """Id of the example that a turn was kept as; empty where there is none."""
        try:
            entry = self._assistant.memory.kept(turn_id, scope)
        except NotedError:
            return ""
        return entry.id if entry else ""

    def _entry(self, entry_id: str, scope: Scope) -> Entry | None:
        try:
            return self._assistant.memory.entry(entry_id, scope)
        except NotedError:
            return None  # erased or damaged: the turn is shown without it


async def _views(live: LiveTurns) -> list[dict[str, Any]]:
    """What is shown of the turns, made where it keeps nobody else waiting."""
    return await asyncio.to_thread(live.views) if live.is_long else live.views()


def refusal(data: object, sentence: Sentence) -> View:
    """Why nothing was done of what a browser sent."""
    return _about(data) | {"turns": [], "done": True, "refused": sentence}


def _field(data: object, name: str) -> object:
    return fields_of(data).get(name)


def _about(data: object) -> View:
    """The ids that the page gave to what it asked for, so that it knows the updates; empty where they are none."""
    return {name: value if is_id(value := _field(data, name)) else "" for name in ("run", "conversation")}
