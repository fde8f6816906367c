"""Views of turns and entries, as plain data."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from assistant.conversation import Assistant
from assistant.errors import NotedError
from assistant.events import Phase
from assistant.feedback.corrections import parse_correction
from assistant.models.embedded.phrases import OF_MEMORY, SMALL_TALK
from assistant.sentences import Sentence
from assistant.sharing import KEPT_BACK, Offer, Offered
from assistant.types import Action, Decision, Entry, KeyOrigin, ReplyStatus, Scope, Status, Turn, TurnState
from ui.server.identity import VISITOR
from ui.server.services import CardPart
from ui.words.markup import safe_markup
from ui.words.texts import in_language_of

# An entry with a lower probability has nothing to do with the question.
NEAREST_AT_LEAST = 0.05
_DECLINED = str(Sentence("embedded.not_understood"))
_LEADS = str(Sentence("found.linked_fact"))  # says nothing of a fact that the answer rests on
_NOTICES = {ReplyStatus.TRUNCATED: "truncated", ReplyStatus.NO_ANSWER: "no_answer", ReplyStatus.EMPTY: "no_answer"}
_KEY_BY = {KeyOrigin.MODEL: "key_by_model", KeyOrigin.PERSON: "key_by_person"}


def turn_view(
    turn: Turn,
    *,
    noted: Entry | None = None,
    kept: str = "",
    offered: bool = False,
    phase: Phase | None = None,
    markup: Callable[[str], str] = safe_markup,
    parts: Sequence[CardPart] = (),
) -> dict[str, Any]:
    """Return the view of a turn: `answer` is safe markup, `notice` and `phase` name strings, all else is text.

    Args:
        turn: the turn.
        noted: its clarification, or the one that its message became, unless erased.
        kept: id of the example that it was saved as.
        offered: the clarification is offered to everyone.
        phase: phase of the answer in progress.
        markup: converts the answer to safe markup.
        parts: card parts; their data is in `parts`, by name.
    """
    reply = turn.reply
    answered = turn.state is TurnState.ANSWERED
    shows_something = bool(reply.understanding or reply.answer)
    declined, talk = reply.understanding == _DECLINED, SMALL_TALK.get(reply.understanding, "")
    if declined or talk:
        reply = reply.with_fields(understanding="", answer=in_language_of(turn.question, reply.answer))
    memory = memory_view(turn) if (answered or phase) and not talk else None
    notice = _NOTICES.get(reply.status, "") if answered else "stopped" if turn.state is TurnState.STOPPED else ""
    view = {
        "id": turn.id,
        "question": turn.question,
        "replaces": turn.answers_again or "",
        "put_right": answered and turn.clarified_with is not None,
        "followed": turn.clarified_with in turn.used,
        "state": str(turn.state),
        "phase": str(phase) if phase and not reply.answer else "",
        "understanding": reply.understanding,
        "readings": [told for told in reply.fields.get("readings", ()) if told != reply.understanding],
        "answer": markup(reply.answer) if reply.answer else "",
        "copy": reply.answer if answered and not (declined or talk) else "",
        "leads": talk in OF_MEMORY,
        "notice": notice,
        "error": turn.error or (Sentence("turn.deleted") if turn.state is TurnState.DELETED else ""),
        "memory": memory,
        "confirmed": turn.confirmed,
        "kept": kept,
        "noted": noted_view(noted, undo=turn.corrected_by, offered=offered) if turn.corrected_by else None,
        "can": {
            "correct": shows_something
            and not talk
            and turn.state in {TurnState.ANSWERED, TurnState.STOPPED, TurnState.FAILED},
            "confirm": answered and not (notice or declined or talk),
            "retry": bool(notice) or turn.state is TurnState.FAILED,
            "examples": declined,  # show example questions
        },
    }
    return view | {"parts": {part.name: _part_data(part, turn) for part in parts}} if parts else view


def _part_data(part: CardPart, turn: Turn) -> Any:
    with suppress(NotedError):  # a part that cannot be read is hidden, and the answer shown
        return part.view(turn)
    return None


def undo_once(views: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep one Undo per clarification: on the message that gave it, if there is one."""
    at_messages = {view["noted"]["entry"] for view in views if view["state"] == TurnState.CORRECTION and view["noted"]}
    return [
        view | {"noted": view["noted"] | {"entry": ""}}
        if view["state"] != TurnState.CORRECTION and view["noted"] and view["noted"]["entry"] in at_messages
        else view
        for view in views
    ]


def memory_view(turn: Turn) -> dict[str, Any] | None:
    """Return the entries that an answer used, without its own clarification; None if there are none to show.

    `looked` lists entries that were considered and not used, `kept_back` those that the user excluded or paused, and
    how far.
    """
    view: dict[str, list[Any]] = {"used": [], "looked": [], "kept_back": []}
    if turn.reply.understanding != _DECLINED:
        near = [decision for decision in turn.decisions if decision.probability >= NEAREST_AT_LEAST]
        nearest = [] if turn.from_memory else near[:1]
        unused = [decision for decision in turn.decisions if (use := turn.use_of(decision)) and not use.counts]
        looked = [*nearest, *(decision for decision in unused if decision not in nearest)]
        view["looked"] = [_decision_view(decision, turn) | {"left": True} for decision in looked]
        for decision in sources_of(turn):
            leads = {"reason": ""} if str(decision.reason) == _LEADS else {}
            view["used"].append(_decision_view(decision, turn) | leads)
    for decision in turn.decisions:
        entry = decision.entry
        far = "paused" if entry.resting else "excepted" if entry.not_for else "left"
        was_kept_back = decision.action is Action.SKIP and decision.reason in KEPT_BACK and far != "left"
        if entry.id in turn.left_out or was_kept_back:
            text = entry.shown if entry.kind.keyed else entry.sentence
            view["kept_back"].append({"id": entry.id, "text": text, "far": far})
    return view if any(view.values()) else None


def sources_of(turn: Turn) -> list[Decision]:
    """Return the uses of memory that an answer is based on, without the correction of this very question."""
    return [decision for decision in turn.from_memory if decision.entry.id != turn.clarified_with]


def entry_view(entry: Entry, offer: Offer | None = None, earlier: Sequence[Entry] = ()) -> dict[str, Any]:
    """Return the view of an entry on the Memory page, with its offer and earlier versions, newest first.

    `by` of a key names the string for its author.
    """
    return {
        **title_view(entry),
        "reach": entry.reach.value,
        "used": entry.used,
        "offer": None if offer is None else _offer_view(offer),
        "found": entry.kind.is_found,
        "keys": [{"text": key.text, "by": _KEY_BY[key.origin]} for key in entry.keys if key.origin in _KEY_BY],
        "earlier": [said_view(old) | {"reach": old.reach.value} for old in earlier],
        "of_turn": bool(entry.turn),
        "rests": entry.resting,
        "not_for": list(entry.not_for),
        "why_both": entry.body.why_both,
    }


def title_view(entry: Entry) -> dict[str, Any]:
    """Return the fields of an entry's title, and its type (`kind`)."""
    is_example = entry.kind.confirms or not entry.kind.is_found
    return {"id": entry.id, "kind": entry.kind.name, **said_view(entry), "example": is_example}


def said_view(entry: Entry) -> dict[str, Any]:
    """Return the text of an entry, and the parts of its sentence: when you write `way`, you mean `meaning`.

    `title` may replace `way`. Types that apply to any question have a complete `sentence`; `learnt` marks lessons of a
    model.
    """
    text = entry.shown
    found = parse_correction(entry.text)
    return {
        "text": text,
        "question": entry.question,
        "when": entry.created.isoformat(),
        "title": entry.body.title,
        "lesson": entry.question,
        "meaning": found.meant if found else text,
        "sentence": entry.sentence if entry.kind.says else "",
        "learnt": entry.kind.keyed,
    }


def offered_view(offered: Offered, scope: Scope) -> dict[str, Any]:
    """Return an offer as curators see it. `who` is empty for an anonymous visitor."""
    anonymous = offered.who.startswith(VISITOR)
    return {
        **_offer_view(offered.offer),
        "id": offered.offer.id,
        "who": "" if anonymous else offered.who,
        "mine": offered.who == scope.person,
        "offered": offered.offer.offered.isoformat(),
        "text": offered.copy.shown,
        "told": list(offered.told),
        "seal": offered.seal,
    }


def _offer_view(offer: Offer) -> dict[str, str]:
    return {"state": offer.state.value, "when": (offer.decided or offer.offered).isoformat(), "because": offer.reason}


def _decision_view(decision: Decision, turn: Turn) -> dict[str, Any]:
    entry = decision.entry
    return {
        "id": entry.id,
        **said_view(entry),
        "reason": decision.reason,
        "use": str(turn.use_of(decision) or ""),
        "why": turn.why(decision),
        "without": entry.wrong_understanding if turn.question.casefold() == entry.question.casefold() else "",
        "shared": entry.shared,
        "seeded": entry.seeded,
        "example": entry.kind.confirms,
    }


def noted_view(noted: Entry | None, *, undo: str = "", offered: bool = False) -> dict[str, Any]:
    """Return the view of a turn's clarification, which may be erased.

    `entry` is the id for Undo, `undo` if given; empty if it cannot be undone.
    """
    if noted is None:
        return {"entry": "", "text": "", "supersedes": "", "offered": False}
    undoable = noted.status is Status.ACTIVE
    return {
        "entry": (undo or noted.id) if undoable else "",
        "text": noted.text,
        "supersedes": noted.supersedes or "",
        "offered": offered and undoable,
        "asserts": noted.kind.asserts,
        "said": noted.sentence if noted.kind.asserts else "",
        "reach": noted.reach.value,
        "title": noted.body.title,
    }


def add_conflicts(
    views: list[dict[str, Any]], noted: Mapping[str, Entry], assistant: Assistant, scope: Scope
) -> list[dict[str, Any]]:
    """Add the other meanings to the views, for the clarifications `noted` by the id of their turn."""
    found = {turn_id: others for turn_id, entry in noted.items() if (others := conflict_views(entry, assistant, scope))}
    return [
        view | {"noted": view["noted"] | {"others": found[view["id"]]}}
        if view["id"] in found and view.get("noted")
        else view
        for view in views
    ]


def conflict_views(entry: Entry, assistant: Assistant, scope: Scope) -> list[dict[str, Any]]:
    """Return views of the other meanings of an entry: active ones, and the one that it replaced."""
    return [
        {"id": one.id, "text": one.shown, "when": one.created.isoformat(), "counts": one.status is Status.ACTIVE}
        for one in assistant.others(entry, scope)
    ]
