"""Event handlers of the conversation: answer, correct, react, stop and reconnect.

Handlers that stream answers run in the server's event loop and leave slow work to threads. A view is `{"turns": […]}`,
or `{"refused": message}`; with `refresh` it holds all current turns, and with `conversation`, an id, it replaces the
open conversation. The last view of a stream is `done` or refused.
"""

from __future__ import annotations

import asyncio
import logging
import re
import uuid
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any, ClassVar

from assistant import turn_changes
from assistant.errors import NotedError, NotFound
from assistant.events import Event, Finished, RunState
from assistant.sentences import Sentence
from assistant.types import Entry, Reaction, Scope, Turn, TurnState
from ui.actions import answering, memory
from ui.actions.call import Call
from ui.actions.operation import Operation
from ui.page.handlers import Handler, Handlers, Kind, OwnParts, View, event, parse_fields, perform
from ui.page.views import add_conflicts, turn_view, undo_once
from ui.server.identity import is_new
from ui.server.services import CardPart, Services
from ui.streaming.runs import Admission, SharedStream
from ui.words.markup import GrowingMarkup, safe_markup
from ui.words.texts import EXAMPLES

_ID = re.compile(r"[0-9a-zA-Z-]{1,64}")
_log = logging.getLogger(__name__)
_SECONDS_TO_END = 5.0  # that a new run waits for a stopped one to end
_LONG = 4_000  # characters; a list or table of this length takes about five milliseconds
_MOST_LOOKED_UP = 8  # corrections whose other meanings are shown, since each takes a query of the ledger


def _answer_by(operation: Operation[..., Iterator[Event]]) -> Callable[..., AsyncGenerator[View, None]]:
    """Return a handler that streams what an operation answers."""

    def handler(self: ConversationHandlers, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        return self._run(data, scope, page, lambda call: perform(operation, call, data))

    handler.__name__ = operation.name
    return event(Kind.STREAM)(handler)


def _change_noted_by(operation: Operation[..., Any]) -> Handler:
    """Return a handler for an operation on the clarification of a `turn`, without a new answer."""

    def handler(self: ConversationHandlers, data: object, scope: Scope) -> View:
        turn = self._assistant.turn(_named(data, "turn"), scope)
        noted = self._assistant.current_entry(turn.corrected_by or "", scope)
        perform(operation, self._call(scope), data, entry=noted.id)
        return self._changed_views([turn], scope)

    handler.__name__ = operation.name
    return event()(handler)


class ConversationHandlers(Handlers):
    """Event handlers of the conversation."""

    element = "conversation"
    constants: ClassVar = {"examples": dict(EXAMPLES)}

    def __init__(self, services: Services, own: OwnParts = lambda _scope, _page: {}) -> None:
        super().__init__(services, own)
        self._assistant = services.assistant
        self._runs = services.runs
        self._parts = services.card_parts
        self._operations = {(part.name, one.name): one for part in self._parts for one in part.operations}
        self._admission = Admission()
        self._followed: dict[tuple[str, str], SharedStream[View]] = {}  # by user and conversation, the first run

    @event()
    def go_on(self, data: object, scope: Scope) -> View:
        """Return a `conversation`, which may still be empty, or a new one."""
        wanted = _id(data, "conversation") or str(uuid.uuid4())
        try:
            return self.fresh(data, scope) | {"conversation": wanted} | self._current(wanted, scope)
        except NotedError as error:
            return self.fresh(data, scope) | {"refused": error.sentence}

    @event()
    def open(self, data: object, scope: Scope) -> View:
        """Return an existing conversation; else a new one with a refusal."""
        opened = self.go_on(data, scope)
        if opened["turns"] or opened.keys() & {"refused", "following"}:
            return opened
        return self.fresh(data, scope) | {"refused": Sentence("conversation.unknown")}

    @event()
    def fresh(self, _data: object, scope: Scope) -> View:
        """Return a new conversation."""
        return {"conversation": str(uuid.uuid4()), "turns": [], "may_offer": self._services.may_offer(scope)}

    @event()
    def refresh(self, data: object, scope: Scope) -> View:
        """Return the current turns of a `conversation`, after a change elsewhere."""
        return self._current(_named(data, "conversation"), scope) | {"refresh": True}

    @event(Kind.STREAM)
    async def follow(self, data: object, scope: Scope, _page: str) -> AsyncGenerator[View, None]:
        """Stream the rest of an answer (`run`) in a `conversation` that began on another page."""
        followed = self._followed.get((scope.person, _id(data, "conversation")))
        if followed and followed.name == _id(data, "run") and followed.has_room:
            async with aclosing(followed.read()) as updates:
                async for update in updates:
                    yield update
        else:
            yield await asyncio.to_thread(self.refresh, data, scope) | {"refresh": False, "done": True}

    ask = _answer_by(answering.ask)
    edit_question = _answer_by(answering.edit_question)
    clarify = _answer_by(answering.clarify)
    retry = _answer_by(answering.retry)

    @event(Kind.STREAM)
    def react(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Confirm the answer of a `turn`, or answer again without or with an `entry`, by `reaction`."""
        if str(parse_fields(data).get("reaction")) in {Reaction.EXCLUDE, Reaction.USE}:
            return self._run(data, scope, page, lambda call: perform(answering.react, call, data))
        return self._reacted(data, scope, page)

    @event(Kind.STREAM)
    def act(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Perform an operation of a card part (`part`) for a `turn`, with arguments `told` by its script."""

        def begin(call: Call) -> Iterator[Event]:
            fields, turn = parse_fields(data), _named(data, "turn")
            told = parse_fields(fields.get("told"))
            operation = self._operations.get((str(fields.get("part")), str(told.get("operation"))))
            if operation is None:
                raise NotFound
            known = {"turn": turn} if "turn" in operation.arguments.model_fields else {}
            result = perform(operation, call, told, **known)
            if operation.streams:
                yield from result
            else:
                yield Finished(call.turn(turn))

        return self._run(data, scope, page, begin)

    @event()
    def note(self, data: object, scope: Scope) -> View:
        """Save a clarification (`text`) of a `turn`, to answer it again later."""
        perform(answering.save_clarification, self._call(scope), data)
        return self._changed_views([self._assistant.turn(_named(data, "turn"), scope)], scope)

    offer = _change_noted_by(memory.offer)
    reach = _change_noted_by(memory.reach)
    relate = _change_noted_by(memory.relate)

    @event()
    def undo(self, data: object, scope: Scope) -> View:
        """Undo a clarification (`entry`) and the answers made with it, or a confirmation."""
        try:
            changed = perform(answering.undo, self._call(scope), data)
        except NotedError as error:
            return self.refresh(data, scope) | {"refused": error.sentence}
        return self._changed_views(changed, scope) if changed else self.refresh(data, scope)  # undone already

    @event(Kind.FREE)
    def stop(self, data: object, scope: Scope | None) -> View:
        """Stop a `run`, which then streams its last view."""
        if scope and (run := _id(data, "run")):
            self._runs.stop(scope, run)
        return {}

    async def _run(
        self, data: object, scope: Scope, page: str, begin: Callable[[Call], Iterator[Event]]
    ) -> AsyncGenerator[View, None]:
        """Stream the views of a run, which other pages may follow."""
        run, conversation = _id(data, "run"), _id(data, "conversation")
        where = scope.person, conversation

        def events() -> Iterator[Event]:  # begins in the thread of the run
            yield from begin(self._call(scope, page))

        followed = SharedStream(run, self._written(run, f"{page} {conversation}", scope, events()))
        self._followed.setdefault(where, followed)  # a second run, which is refused, must not replace the first

        def forget(_task: object) -> None:
            if self._followed.get(where) is followed:
                del self._followed[where]

        followed.task.add_done_callback(forget)
        async with aclosing(followed.read()) as updates:
            async for update in updates:
                yield update

    async def _written(
        self, name: str, place: str, scope: Scope, events: Iterator[Event]
    ) -> AsyncGenerator[View, None]:
        so_far, views, refused = RunState(), RunViews(self._parts), None
        try:
            if stopped := self._runs.stopped(scope, place):
                await asyncio.to_thread(stopped.left, _SECONDS_TO_END)
            with self._runs.begin(scope, place, name) as run:
                if is_new(scope.person):
                    await self._admission.turn()
                async with aclosing(run.batches_in_loop(events)) as batches:
                    async for batch in batches:
                        so_far = so_far.after(batch)
                        yield {"turns": await views(so_far)}
        except NotedError as error:
            refused = error.sentence
        except Exception:  # whatever failed, the page must report it
            _log.exception("A run failed.")
            refused = NotedError().sentence
        so_far = so_far.ended(
            lambda turn: turn_changes.fail_turn(turn, refused) if refused else turn_changes.stop_turn(turn, turn.reply)
        )
        if so_far.noted:  # these clarifications may have changed while the answer was written
            current = await asyncio.to_thread(self._noted, so_far.noted, scope)
            so_far = replace(so_far, noted={**so_far.noted, **current})
        shown = await views(so_far)
        if corrected := _corrections(so_far.turns.values(), so_far.noted):
            shown = await asyncio.to_thread(add_conflicts, shown, corrected, self._assistant, scope)
        yield {"turns": shown, "done": True, "refused": refused or ""}

    async def _reacted(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Stream the view of a turn after a reaction without a new answer."""

        def changed() -> View:
            events = perform(answering.react, self._call(scope, page), data)
            return self._changed_views([RunState().after(events).turn], scope)

        try:
            yield await asyncio.to_thread(changed) | {"done": True}
        except NotedError as error:
            yield {"refused": error.sentence}

    def _current(self, conversation: str, scope: Scope) -> View:
        """Return the turns of a conversation and the current run; turns of the run have its latest views."""
        followed = self._followed.get((scope.person, conversation))
        views = self._views(self._assistant.turns(conversation, scope), scope)
        if followed is None:
            return {"turns": views}
        written = {view["id"]: view for view in (followed.latest or {"turns": ()})["turns"]}
        return {"turns": [written.get(view["id"], view) for view in views], "following": followed.name}

    def _changed_views(self, changed: Sequence[Turn], scope: Scope) -> View:
        """Return the views of changed turns of a conversation, and of those with clarifications, which may change."""
        turns = self._assistant.turns(changed[0].conversation, scope) if changed else ()
        ids = {turn.id for turn in changed}
        return {"turns": [view for view in self._views(turns, scope) if view["id"] in ids or view["noted"]]}

    def _views(self, turns: Sequence[Turn], scope: Scope) -> list[View]:
        """Return the views of turns, oldest first."""
        noted = self._noted({turn.corrected_by for turn in turns if turn.corrected_by}, scope)
        offers = self._services.sharing.offers_of([entry.id for entry in noted.values()], scope)
        views = []
        for turn in turns:
            entry, kept = noted.get(turn.corrected_by or ""), None
            offer = offers.get(entry.id) if entry else None
            with suppress(NotedError):
                kept = self._assistant.memory.kept(turn.id, scope) if turn.confirmed else None
            offered = offer is not None and offer.stands
            view = turn_view(turn, noted=entry, kept=kept.id if kept else "", offered=offered, parts=self._parts)
            if turn.state is TurnState.RUNNING:  # its run is gone, or has its own view
                can = {"correct": False, "confirm": False, "retry": True}
                view |= {"state": "stopped", "notice": "stopped", "can": can, "left": True}
            views.append(view)
        latest = dict([*_corrections(turns, noted).items()][-_MOST_LOOKED_UP:])
        return add_conflicts(undo_once(views), latest, self._assistant, scope)

    def _noted(self, entry_ids: Iterable[str], scope: Scope) -> dict[str, Entry]:
        """Return the current versions of clarifications, without those that are erased or damaged."""
        noted = {}
        for entry_id in entry_ids:
            with suppress(NotedError):
                noted[entry_id] = self._assistant.current_entry(entry_id, scope)
        return noted


def _corrections(turns: Iterable[Turn], noted: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the clarifications of turns by the id of the turn."""
    return {turn.id: entry for turn in turns if (entry := noted.get(turn.corrected_by or ""))}


class RunViews:
    """Cached views of one run: a view is made again only when its turn has changed."""

    def __init__(self, parts: Sequence[CardPart]) -> None:
        self._parts = parts
        self._made: dict[str, tuple[object, View]] = {}
        self._markups: defaultdict[str, GrowingMarkup] = defaultdict(GrowingMarkup)

    async def __call__(self, so_far: RunState) -> list[View]:
        """Return the views of the turns, made in a thread if that may block the event loop for some milliseconds."""
        is_long = any(len(turn.reply.answer) > _LONG for turn in so_far.turns.values())
        return await asyncio.to_thread(self._views, so_far) if is_long else self._views(so_far)

    def _views(self, so_far: RunState) -> list[View]:
        for turn in so_far.turns.values():
            noted = so_far.noted.get(turn.corrected_by or "")
            phase = so_far.phase if turn.id == so_far.answering else None
            shown = (turn, noted, phase, so_far.ahead)
            if turn.id not in self._made or self._made[turn.id][0] != shown:
                markup = self._markups[turn.id] if phase else safe_markup
                view = turn_view(turn, noted=noted, phase=phase, ahead=so_far.ahead, markup=markup, parts=self._parts)
                self._made[turn.id] = shown, view
        return undo_once([self._made[turn_id][1] for turn_id in so_far.turns])


def _id(data: object, name: str) -> str:
    """Return an id that a browser sent; empty if it is not valid."""
    value = parse_fields(data).get(name)
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def _named(data: object, name: str) -> str:
    """Return an id that a browser sent. Raises NotFound if it is not valid."""
    if not (found := _id(data, name)):
        raise NotFound
    return found
