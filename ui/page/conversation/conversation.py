"""What happens when a person does something in the conversation. Plain functions and generators; no Gradio.

Those that have an answer written run in the server's event loop, and leave to threads whatever takes time.

Every value that comes from a browser is checked here: it may be anything. Who may do what is decided by the scope
alone, which comes from the server (`ui.identity`).
"""

from __future__ import annotations

import asyncio
import logging
import re
import uuid
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assistant.errors import InputError, NotedError, NotFound
from assistant.events import Event
from assistant.types import Entry, Reaction, Scope, Turn, TurnState
from ui.beginnings import Beginnings
from ui.live import LiveTurns
from ui.render import conversation_view, noted_view, turn_view
from ui.runs import Runs

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator, Sequence

    from assistant.conversation import Assistant
    from assistant.ports import ChatModel, Sharing

Update = dict[str, Any]

_ID = re.compile(r"[0-9a-zA-Z-]{1,64}")
_log = logging.getLogger(__name__)
# How long a run waits for the one before it, which was stopped, to end.
_SECONDS_TO_END = 5.0


def no_own_model(_scope: Scope, _page: str) -> None:
    """Everybody is answered by the host's model."""


class ConversationHandlers:
    """One method per event of the conversation.

    Args:
        assistant: the loop.
        runs: the answers being written.
        sharing: what is offered to everyone.
        own_model: the model that a person brought to a page, if any.
    """

    def __init__(
        self,
        assistant: Assistant,
        runs: Runs,
        sharing: Sharing,
        own_model: Callable[[Scope, str], ChatModel | None] = no_own_model,
    ) -> None:
        self._assistant = assistant
        self._runs = runs
        self._sharing = sharing
        self._own_model = own_model
        self._beginnings = Beginnings()

    def open(self, conversation: object, scope: Scope) -> Update:
        """The conversation with this id, or a new one, as it is shown when the page is opened."""
        wanted = conversation if isinstance(conversation, str) and _ID.fullmatch(conversation) else str(uuid.uuid4())
        try:
            view = self._view(self._assistant.turns(wanted, scope), scope)
        except NotedError as error:
            return self.fresh(scope) | {"refused": str(error)}
        return self.fresh(scope) | {"conversation": wanted, "turns": view}

    def fresh(self, scope: Scope) -> Update:
        """A new conversation."""
        return {
            "run": "",
            "reset": True,
            "conversation": str(uuid.uuid4()),
            "turns": [],
            "done": True,
            "may_offer": self._sharing.may_offer(scope),
        }

    def refresh(self, data: object, scope: Scope) -> Update:
        """The turns of a conversation (`conversation`) as they are now, after memory was changed elsewhere."""
        try:
            view = self._view(self._assistant.turns(id_in(data, "conversation"), scope), scope)
        except NotedError as error:
            return refusal(data, str(error))
        return _about(data) | {"turns": view, "refresh": True, "done": True}

    def ask(self, data: object, scope: Scope, page: str) -> AsyncGenerator[Update, None]:
        """Answer a message: `text`, `conversation`, and the last turn that the person sees (`seen`), if any."""

        def events() -> Iterator[Event]:
            seen = id_in(data, "seen") if _field(data, "seen") else ""
            ask = self._answering(scope, page).ask
            yield from ask(text_in(data, "text"), scope, id_in(data, "conversation"), seen=seen)

        return self._run(data, events(), scope, page)

    def clarify(self, data: object, scope: Scope, page: str) -> AsyncGenerator[Update, None]:
        """Save what the person meant (`text`) by the question of a turn (`turn`), and answer it again.

        With `here`, that counts in this conversation only.
        """
        here = _field(data, "here") is True

        def events() -> Iterator[Event]:
            clarify = self._answering(scope, page).clarify
            yield from clarify(id_in(data, "turn"), text_in(data, "text"), scope, only_here=here)

        return self._run(data, events(), scope, page)

    def edit(self, data: object, scope: Scope, page: str) -> AsyncGenerator[Update, None]:
        """Answer another question (`text`) in the place of that of a turn (`turn`)."""

        def events() -> Iterator[Event]:
            yield from self._answering(scope, page).edit(id_in(data, "turn"), text_in(data, "text"), scope)

        return self._run(data, events(), scope, page)

    def retry(self, data: object, scope: Scope, page: str) -> AsyncGenerator[Update, None]:
        """Answer the question of a turn (`turn`) once more."""

        def events() -> Iterator[Event]:
            yield from self._answering(scope, page).retry(id_in(data, "turn"), scope)

        return self._run(data, events(), scope, page)

    def react(self, data: object, scope: Scope, page: str) -> AsyncGenerator[Update, None]:
        """Confirm an answer (`turn`), or have it given again without or with an entry (`entry`), as `reaction` says."""
        reaction = _field(data, "reaction")
        if reaction not in (Reaction.LEAVE_OUT.value, Reaction.USE.value):
            return self._confirmed(data, scope)

        def events() -> Iterator[Event]:
            turn, entry = id_in(data, "turn"), id_in(data, "entry")
            yield from self._answering(scope, page).react(turn, Reaction(reaction), scope, entry)

        return self._run(data, events(), scope, page)

    def offer(self, data: object, scope: Scope) -> Update:
        """Offer a clarification that was just noted (`entry`) to everyone."""
        try:
            self._assistant.allowance.save(scope)
            offer = self._sharing.offer(id_in(data, "entry"), scope)
            entry = self._assistant.memory.entry(offer.entry_id, scope)
        except NotedError as error:
            return refusal(data, str(error))
        return _about(data) | {"turns": [{"id": entry.turn, "noted": noted_view(entry, offered=True)}], "done": True}

    def undo(self, data: object, scope: Scope) -> Update:
        """Take back a clarification (`entry`) and the answers made with it, or the word that an answer was right."""
        try:
            changed = self._assistant.undo(id_in(data, "entry"), scope)
        except NotedError as error:
            return refusal(data, str(error))
        turns = [turn_view(turn, kept=self._kept(turn.id, scope) if turn.confirmed else "") for turn in changed]
        return _about(data) | {"turns": turns, "done": True}

    def stop(self, data: object, scope: Scope, page: str) -> None:
        """Stop the answer being written (`run`); its own run then says so."""
        self._runs.stop(scope, page, _about(data)["run"])

    def _answering(self, scope: Scope, page: str) -> Assistant:
        """The loop, with the model that answers in this page."""
        model = self._own_model(scope, page)
        return replace(self._assistant, model=model) if model else self._assistant

    async def _run(
        self, data: object, events: Iterator[Event], scope: Scope, page: str
    ) -> AsyncGenerator[Update, None]:
        about = _about(data)
        live = LiveTurns()
        refused = ""
        try:
            if stopped := self._runs.stopped(scope, page):
                await asyncio.to_thread(stopped.left, _SECONDS_TO_END)
            with self._runs.begin(scope, page, about["run"]) as run:
                await run.wait_for(self._beginnings.turn())
                async with aclosing(run.batches_in_loop(events)) as batches:
                    async for batch in batches:
                        for event in batch:
                            live.take(event)
                        yield about | {"turns": await _views(live), "done": False}
                live.end(TurnState.STOPPED)
        except NotedError as error:
            refused = str(error)
            live.end(TurnState.FAILED, refused)
        except Exception:  # the page must say that something went wrong, whatever it was
            _log.exception("A run failed.")
            refused = NotedError.sentence
            live.end(TurnState.FAILED, refused)
        yield about | {"turns": await _views(live), "done": True, "refused": refused}

    async def _confirmed(self, data: object, scope: Scope) -> AsyncGenerator[Update, None]:
        yield await asyncio.to_thread(self._confirm, data, scope)

    def _confirm(self, data: object, scope: Scope) -> Update:
        live = LiveTurns()
        try:
            for event in self._assistant.react(id_in(data, "turn"), Reaction.CONFIRM, scope):
                live.take(event)
            turns = [turn | {"kept": self._kept(turn["id"], scope)} for turn in live.views()]
        except NotedError as error:
            return refusal(data, str(error))
        return _about(data) | {"turns": turns, "done": True}

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
            # Erased or damaged: the turn is shown without it.
            return None


async def _views(live: LiveTurns) -> list[dict[str, Any]]:
    """What is shown of the turns, made where it keeps nobody else waiting."""
    return await asyncio.to_thread(live.views) if live.is_long else live.views()


def refusal(data: object, sentence: str) -> Update:
    """Why nothing was done of what a browser sent, in one plain sentence."""
    return _about(data) | {"turns": [], "done": True, "refused": sentence}


def id_in(data: object, name: str) -> str:
    """An id that a browser sent.

    Raises:
        NotFound: it is none.
    """
    value = _field(data, name)
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise NotFound
    return value


def text_in(data: object, name: str) -> str:
    """A text that a browser sent, of any length; the assistant checks what is in it.

    Raises:
        InputError: it is none.
    """
    value = _field(data, name)
    if not isinstance(value, str):
        raise InputError
    return value


def _field(data: object, name: str) -> object:
    return data.get(name) if isinstance(data, dict) else None


def _about(data: object) -> Update:
    """The ids that the page gave to what it asked for, so that it knows the updates; empty where they are none."""
    ids = {name: _field(data, name) for name in ("run", "conversation")}
    return {name: value if isinstance(value, str) and _ID.fullmatch(value) else "" for name, value in ids.items()}
