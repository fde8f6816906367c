"""Event handlers of the conversation: answer, correct, react, stop and reconnect.

Handlers that stream answers run in the server's event loop and leave slow work to threads. A view is `{"turns": […]}`,
or `{"refused": message}`; with `refresh` it holds all current turns, and with `conversation`, an id, it replaces the
open conversation. The last view of a stream is `done` or refused.
"""

import asyncio
import logging
import re
import uuid
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, replace
from typing import Any

from assistant import turn_changes
from assistant.errors import NotedError, NotFound
from assistant.events import Event, Finished, RunState
from assistant.kinds import Place
from assistant.sentences import Sentence
from assistant.types import Entry, Reaction, Scope, Turn, TurnState
from ui.actions.answering import ask, clarify, edit_question, react, retry, save_clarification, undo
from ui.actions.call import Call
from ui.actions.memory import offer, reach, relate
from ui.actions.operation import Operation
from ui.page.conversation.views import add_conflicts, noted_view, turn_view, undo_once
from ui.page.panel import (
    Handlers,
    OwnParts,
    Panel,
    View,
    convert_refusals,
    no_own_parts,
    parse_fields,
    perform,
)
from ui.server.identity import is_new
from ui.server.services import CardPart, Services
from ui.streaming.admission import Admission
from ui.streaming.shared_stream import SharedStream
from ui.words.markup import GrowingMarkup, safe_markup

_ID = re.compile(r"[0-9a-zA-Z-]{1,64}")
_log = logging.getLogger(__name__)
_SECONDS_TO_END = 5.0  # that a run waits for a stopped earlier one
_LONG = 4_000  # characters; a list or table of this length takes about five milliseconds
_MOST_LOOKED_UP = 8  # corrections whose other meanings are shown, since each takes a query of the ledger

Begin = Callable[[Call], Iterator[Event]]
"""Begin a run and yield its events."""


class ConversationHandlers(Handlers):
    """Event handlers of the conversation."""

    def __init__(self, services: Services, own: OwnParts = no_own_parts) -> None:
        super().__init__(services, own)
        self._assistant = services.assistant
        self._runs = services.runs
        self._sharing = services.sharing
        self._parts = services.card_parts
        self._operations = {(part.name, one.name): one for part in self._parts for one in part.operations}
        self._admission = Admission()
        self._followed: dict[tuple[str, str], SharedStream[View]] = {}  # by user and conversation, the first run

    def panel(self, first_questions: Mapping[str, Mapping[str, Sequence[str]]]) -> Panel:
        """Return the panel. Its props are example questions by model and language, and the lengths allowed."""
        props = {"examples": dict(first_questions), "longest": asdict(self._assistant.limits)}
        opening = (self.begin, self.open, self.fresh, self.refresh)
        changing = (self.note, self.undo, self.offer, self.reach, self.place)
        streams = (self.ask, self.edit, self.clarify, self.retry, self.react, self.act, self.follow)
        return Panel("conversation", events=(*opening, *changing), streams=streams, ends=(self.stop,), props=props)

    def begin(self, data: object, scope: Scope) -> View:
        """Return the conversation to show when the page loads: the one in its address, else the last one."""
        return self.open(data, scope) if _field(data, "addressed") is True else self.go_on(data, scope)

    def go_on(self, data: object, scope: Scope) -> View:
        """Return a `conversation`, which may still be empty, or a new one."""
        wanted = _id(data, "conversation") or str(uuid.uuid4())
        followed = self._followed.get((scope.person, wanted))
        try:
            view = self._view(self._assistant.turns(wanted, scope), scope, followed)
        except NotedError as error:
            return self.fresh(data, scope) | {"refused": error.sentence}
        return self.fresh(data, scope) | {"conversation": wanted, "turns": view} | _following(followed)

    def open(self, data: object, scope: Scope) -> View:
        """Return an existing conversation; else a new one with a refusal."""
        opened = self.go_on(data, scope)
        if opened["turns"] or opened.keys() & {"refused", "following"}:
            return opened
        return self.fresh(data, scope) | {"refused": Sentence("conversation.unknown")}

    def fresh(self, _data: object, scope: Scope) -> View:
        """Return a new conversation."""
        return {"conversation": str(uuid.uuid4()), "turns": [], "may_offer": self._services.may_offer(scope)}

    @convert_refusals
    def refresh(self, data: object, scope: Scope) -> View:
        """Return the current turns of a `conversation`, after a change elsewhere."""
        conversation = _named(data, "conversation")
        followed = self._followed.get((scope.person, conversation))
        view = self._view(self._assistant.turns(conversation, scope), scope, followed)
        return {"turns": view, "refresh": True} | _following(followed)

    async def follow(self, data: object, scope: Scope, _page: str) -> AsyncGenerator[View, None]:
        """Stream the rest of an answer (`run`) in a `conversation` that began on another page."""
        followed = self._followed.get((scope.person, _id(data, "conversation")))
        if followed and followed.name == _id(data, "run") and followed.has_room:
            async with aclosing(followed.read()) as updates:
                async for update in updates:
                    yield update
        else:
            yield await asyncio.to_thread(self.refresh, data, scope) | {"refresh": False, "done": True}

    def ask(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Answer a message: `text`, `conversation`, and the last turn that the user sees (`seen`), if any."""
        return self._run(data, scope, page, _performing(ask, data, question=_field(data, "text")))

    def clarify(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Save a clarification (`text`) of a `turn`, and answer it again."""
        return self._run(data, scope, page, _performing(clarify, data))

    @convert_refusals
    def note(self, data: object, scope: Scope) -> View:
        """Save a clarification (`text`) of a `turn`, to answer it again later."""
        noted = perform(save_clarification, self._call(scope), data)
        return self._noted_anew(noted.entry, noted.corrected, scope)

    def edit(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Replace the question of a `turn` by `text` and answer it."""
        return self._run(data, scope, page, _performing(edit_question, data, question=_field(data, "text")))

    def retry(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Answer the question of a `turn` again."""
        return self._run(data, scope, page, _performing(retry, data))

    def react(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Confirm the answer of a `turn`, or answer again without or with an `entry`, by `reaction`."""
        is_answered_again = str(_field(data, "reaction")) in {Reaction.EXCLUDE, Reaction.USE}
        begin = _performing(react, data)
        return self._run(data, scope, page, begin) if is_answered_again else self._changed(scope, page, begin)

    def act(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Perform an operation of a card part (`part`) for a `turn`, with arguments `told` by its script."""

        def begin(call: Call) -> Iterator[Event]:
            told, turn = parse_fields(_field(data, "told")), _named(data, "turn")
            operation = self._operations.get((str(_field(data, "part")), str(told.get("operation"))))
            if operation is None:
                raise NotFound
            known = {"turn": turn} if "turn" in operation.arguments.model_fields else {}
            result = perform(operation, call, told, **known)
            if operation.streams:
                yield from result
            else:
                yield Finished(call.turn(turn))

        return self._run(data, scope, page, begin)

    def offer(self, data: object, scope: Scope) -> View:
        """Offer the clarification of a `turn` to everyone."""
        return self._renoted(offer, data, scope)

    def reach(self, data: object, scope: Scope) -> View:
        """Set the `reach` of the clarification of a `turn`."""
        return self._renoted(reach, data, scope)

    def place(self, data: object, scope: Scope) -> View:
        """Let the clarification of a `turn` replace another one (`other`) if `instead`, else keep both."""
        place = Place.INSTEAD if _field(data, "instead") is True else Place.BESIDE
        return self._renoted(relate, data, scope, place=place)

    @convert_refusals
    def _renoted(self, operation: Operation[..., Any], data: object, scope: Scope, **known: object) -> View:
        """Return the clarification of a `turn` after an operation that answers nothing again."""
        turn = self._assistant.turn(_named(data, "turn"), scope)
        noted = self._assistant.current_entry(turn.corrected_by or "", scope)
        perform(operation, self._call(scope), data, entry=noted.id, **known)
        return self._noted_anew(self._assistant.current_entry(noted.id, scope), turn, scope)

    def _noted_anew(self, entry: Entry, turn: Turn, scope: Scope) -> View:
        offer = self._sharing.offers_of([entry.id], scope).get(entry.id)
        shown = noted_view(entry, undo=turn.corrected_by or "", offered=offer is not None and offer.stands)
        return {"turns": add_conflicts([{"id": turn.id, "noted": shown}], [(turn.id, entry)], self._assistant, scope)}

    def undo(self, data: object, scope: Scope) -> View:
        """Undo a clarification (`entry`) and the answers made with it, or a confirmation."""
        try:
            changed = perform(undo, self._call(scope), data)
        except NotedError as error:
            return self.refresh(data, scope) | {"refused": error.sentence}
        if not changed:  # undone already
            return self.refresh(data, scope)
        return {"turns": self._changed_views(changed, scope)}

    def stop(self, data: object, scope: Scope) -> None:
        """Stop a `run`, which then streams its last view."""
        if run := _id(data, "run"):
            self._runs.stop(scope, run)

    async def _run(self, data: object, scope: Scope, page: str, begin: Begin) -> AsyncGenerator[View, None]:
        run, conversation = _id(data, "run"), _id(data, "conversation")
        where = scope.person, conversation
        updates = self._written(run, f"{page} {conversation}", scope, lambda: begin(self._call(scope, page)))
        followed = SharedStream(run, updates)
        self._followed.setdefault(where, followed)  # a refused run takes no place
        followed.task.add_done_callback(lambda _task: self._forget(where, followed))
        async with aclosing(followed.read()) as updates:
            async for update in updates:
                yield update

    def _forget(self, where: tuple[str, str], followed: SharedStream[View]) -> None:
        if self._followed.get(where) is followed:
            del self._followed[where]

    async def _written(
        self, name: str, place: str, scope: Scope, begin: Callable[[], Iterator[Event]]
    ) -> AsyncGenerator[View, None]:
        so_far, views, refused = RunState(), RunViews(self._parts), None
        try:
            if stopped := self._runs.stopped(scope, place):
                await asyncio.to_thread(stopped.left, _SECONDS_TO_END)
            with self._runs.begin(scope, place, name) as run:
                if is_new(scope.person):
                    await self._admission.turn()
                async with aclosing(run.batches_in_loop(begin())) as batches:
                    async for batch in batches:
                        so_far = so_far.after(batch)
                        yield {"turns": await _shown(views, so_far)}
        except NotedError as error:
            refused = error.sentence
        except Exception:  # whatever failed, the page must report it
            _log.exception("A run failed.")
            refused = NotedError().sentence
        so_far = so_far.ended(
            lambda turn: turn_changes.fail_turn(turn, refused) if refused else turn_changes.stop_turn(turn, turn.reply)
        )
        if so_far.noted:
            so_far = await asyncio.to_thread(self._noted_by_now, so_far, scope)
        corrected = ((turn.id, so_far.noted.get(turn.corrected_by or "")) for turn in so_far.turns.values())
        pairs = [(turn_id, entry) for turn_id, entry in corrected if entry]
        shown = await _shown(views, so_far)
        if pairs:
            shown = await asyncio.to_thread(add_conflicts, shown, pairs, self._assistant, scope)
        yield {"turns": shown, "done": True, "refused": refused or ""}

    async def _changed(self, scope: Scope, page: str, begin: Begin) -> AsyncGenerator[View, None]:
        """Stream one view of a changed turn that is not answered again."""

        def changed() -> list[View]:
            return self._changed_views([RunState().after(begin(self._call(scope, page))).turn], scope)

        try:
            yield {"turns": await asyncio.to_thread(changed), "done": True}
        except NotedError as error:
            yield {"refused": error.sentence}

    def _noted_by_now(self, so_far: RunState, scope: Scope) -> RunState:
        """Replace clarifications by their current versions, since the answer may have changed the word asked about."""
        noted = {entry_id: self._noted(entry_id, scope) or entry for entry_id, entry in so_far.noted.items()}
        return replace(so_far, noted=noted)

    def _view(self, turns: Sequence[Turn], scope: Scope, followed: SharedStream[View] | None) -> list[dict[str, Any]]:
        """Return the views of turns, oldest first; those that a run is writing as it has them."""
        corrections = {turn.corrected_by for turn in turns if turn.corrected_by}
        noted = {entry_id: entry for entry_id in corrections if (entry := self._noted(entry_id, scope))}
        offers = self._sharing.offers_of([entry.id for entry in noted.values()], scope)
        written = {view["id"]: view for view in (followed and followed.latest and followed.latest["turns"]) or ()}
        views = []
        for turn in turns:
            entry = noted.get(turn.corrected_by or "")
            offer = offers.get(entry.id) if entry else None
            kept = self._kept(turn.id, scope) if turn.confirmed else ""
            offered = offer is not None and offer.stands
            view = turn_view(turn, noted=entry, kept=kept, offered=offered, parts=self._parts)
            if turn.state is TurnState.RUNNING:  # its run is gone, or has its own view
                can = {"correct": False, "confirm": False, "retry": True}
                view |= {"state": "stopped", "notice": "stopped", "can": can, "left": True}
            views.append(view)
        pairs = [(turn.id, entry) for turn in turns if (entry := noted.get(turn.corrected_by or ""))]
        views = add_conflicts(undo_once(views), pairs[-_MOST_LOOKED_UP:], self._assistant, scope)
        return [written.get(view["id"], view) for view in views]

    def _changed_views(self, changed: Sequence[Turn], scope: Scope) -> list[View]:
        """Return the changed turns of one conversation, and those with a clarification, which may apply again."""
        turns = self._assistant.turns(changed[0].conversation, scope) if changed else ()
        ids = {turn.id for turn in changed}
        return [view for view in self._view(turns, scope, None) if view["id"] in ids or view["noted"]]

    def _kept(self, turn_id: str, scope: Scope) -> str:
        """Return the id of the example that a turn was saved as; empty if there is none."""
        try:
            entry = self._assistant.memory.kept(turn_id, scope)
        except NotedError:
            return ""
        return entry.id if entry else ""

    def _noted(self, entry_id: str, scope: Scope) -> Entry | None:
        try:
            return self._assistant.current_entry(entry_id, scope)
        except NotedError:
            return None  # erased or damaged: show the turn without it


class RunViews:
    """Cached views of one run: a view is made again only when its turn has changed."""

    def __init__(self, parts: Sequence[CardPart]) -> None:
        self._parts = parts
        self._made: dict[str, tuple[object, dict[str, Any]]] = {}
        self._markups: defaultdict[str, GrowingMarkup] = defaultdict(GrowingMarkup)

    def __call__(self, so_far: RunState) -> list[dict[str, Any]]:
        """Return the views of the turns."""
        return undo_once([self._view(turn, so_far) for turn in so_far.turns.values()])

    def _view(self, turn: Turn, so_far: RunState) -> dict[str, Any]:
        noted = so_far.noted.get(turn.corrected_by or "")
        phase = so_far.phase if turn.id == so_far.answering else None
        shown = (turn, noted, phase)
        if turn.id not in self._made or self._made[turn.id][0] != shown:
            markup = self._markups[turn.id] if phase else safe_markup
            self._made[turn.id] = shown, turn_view(turn, noted=noted, phase=phase, markup=markup, parts=self._parts)
        return self._made[turn.id][1]


def is_long(so_far: RunState) -> bool:
    """Return True if making the views may block the event loop for some milliseconds."""
    return any(len(turn.reply.answer) > _LONG for turn in so_far.turns.values())


def _performing(operation: Operation[..., Iterator[Event]], data: object, **known: object) -> Begin:
    """Return a `Begin` that performs an operation in the thread of its run."""

    def begin(call: Call) -> Iterator[Event]:
        yield from perform(operation, call, data, **known)

    return begin


def _following(followed: SharedStream[View] | None) -> View:
    """Return the run that a page may follow."""
    return {"following": followed.name} if followed else {}


async def _shown(views: RunViews, so_far: RunState) -> list[dict[str, Any]]:
    """Return the views of the turns, made in a thread if they are long."""
    return await asyncio.to_thread(views, so_far) if is_long(so_far) else views(so_far)


def _field(data: object, name: str) -> object:
    return parse_fields(data).get(name)


def _id(data: object, name: str) -> str:
    """Return an id that a browser sent; empty if it is none."""
    value = _field(data, name)
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def _named(data: object, name: str) -> str:
    """Return an id that a browser sent. Raises NotFound: it is none."""
    if not (found := _id(data, name)):
        raise NotFound
    return found
