"""Views of turns, entries and the parts of a turn's card, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from assistant.conversation import Assistant
from assistant.errors import NotedError
from assistant.events import Phase
from assistant.feedback.corrections import parse_correction
from assistant.kinds import Lesson, Triple
from assistant.models.embedded.phrases import OF_MEMORY, SMALL_TALK
from assistant.papers.selection.drafts import CALLS, SCORERS, WAYS
from assistant.papers.teachme.facts import facts_told_in
from assistant.papers.teachme.teaching import Teaching
from assistant.papers.teachme.thinking import most_calls
from assistant.proposals import Proposals, State
from assistant.reply.fields import DraftFields
from assistant.sentences import Sentence
from assistant.settings import EMBEDDED, Settings
from assistant.sharing import KEPT_BACK, Offer, Offered
from assistant.types import Action, Decision, Entry, KeyOrigin, ReplyStatus, Scope, Status, Turn, TurnState
from ui.actions import answering
from ui.actions.arguments import EntryId
from ui.actions.call import Call
from ui.actions.memory import relate
from ui.actions.operation import operation
from ui.actions.teaching import decide
from ui.page.handlers import View
from ui.server.identity import VISITOR
from ui.server.services import CardPart
from ui.words.markup import safe_markup
from ui.words.texts import DECLINED, SAID_AT_ONCE, in_language_of

# An entry with a lower probability has nothing to do with the question.
NEAREST_AT_LEAST = 0.05
_LEADS = str(Sentence("found.linked_fact"))  # not shown for a fact that the answer is based on
_NOTICES = {ReplyStatus.TRUNCATED: "truncated", ReplyStatus.NO_ANSWER: "no_answer", ReplyStatus.EMPTY: "no_answer"}
_KEY_BY = {KeyOrigin.MODEL: "key_by_model", KeyOrigin.PERSON: "key_by_person"}


def turn_view(
    turn: Turn,
    *,
    noted: Entry | None = None,
    kept: str = "",
    offered: bool = False,
    phase: Phase | None = None,
    ahead: int = 0,
    markup: Callable[[str], str] = safe_markup,
    parts: Sequence[CardPart] = (),
) -> View:
    """Return the view of a turn: `answer` is safe markup, `notice` and `phase` name strings, all else is text.

    `noted` is its clarification, or the one that its message became, unless erased, and `offered` to everyone; `kept`
    is the id of the example that it was saved as, `phase` that of the answer in progress, and `ahead` the number of
    questions that the model answers before it.
    """
    reply = turn.reply
    answered = turn.state is TurnState.ANSWERED
    declined, talk = reply.understanding == DECLINED, SMALL_TALK.get(reply.understanding, "")
    if declined or talk:
        reply = reply.with_fields(understanding="", answer=in_language_of(turn.question, reply.answer))
    memory = memory_view(turn) if (answered or phase) and not talk else None
    notice = _NOTICES.get(reply.status, "") if answered else "stopped" if turn.state is TurnState.STOPPED else ""
    is_correctable = turn.state in {TurnState.ANSWERED, TurnState.STOPPED, TurnState.FAILED}
    view: View = {
        "id": turn.id,
        "question": turn.question,
        "replaces": turn.answers_again or "",
        "put_right": answered and turn.clarified_with is not None,
        "followed": turn.clarified_with in turn.used,
        "state": str(turn.state),
        "phase": str(phase) if phase and not reply.answer else "",
        "ahead": ahead,
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
        "noted": noted_view(noted, turn.corrected_by, offered) if turn.corrected_by else None,
        "can": {
            "correct": bool(turn.reply.understanding or turn.reply.answer) and not talk and is_correctable,
            "confirm": answered and not (notice or declined or talk),
            "retry": bool(notice) or turn.state is TurnState.FAILED,
            "examples": declined,  # show example questions
        },
    }
    for part in parts:
        shown = view.setdefault("parts", {})
        shown[part.name] = None
        with suppress(NotedError):  # a part that cannot be read is hidden, and the answer shown
            shown[part.name] = part.view(turn)
    return view


def undo_once(views: list[View]) -> list[View]:
    """Keep one Undo per clarification: on the message that gave it, if there is one."""
    at_messages = {view["noted"]["entry"] for view in views if view["state"] == TurnState.CORRECTION and view["noted"]}
    return [
        view | {"noted": view["noted"] | {"entry": ""}}
        if view["state"] != TurnState.CORRECTION and view["noted"] and view["noted"]["entry"] in at_messages
        else view
        for view in views
    ]


def memory_view(turn: Turn) -> View | None:
    """Return the entries that an answer used, without its own clarification; None if there are none to show.

    `looked` lists entries that were considered and not used, `kept_back` those that the user excluded or paused,
    and for which questions.
    """
    view: dict[str, list[Any]] = {"used": [], "looked": [], "kept_back": []}
    if turn.reply.understanding != DECLINED:
        near = [decision for decision in turn.decisions if decision.probability >= NEAREST_AT_LEAST]
        nearest = [] if turn.from_memory else near[:1]
        unused = [decision for decision in turn.decisions if (use := turn.use_of(decision)) and not use.counts]
        looked = [*nearest, *(decision for decision in unused if decision not in nearest)]
        view["looked"] = [_decision_view(decision, turn) for decision in looked]
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


def entry_view(entry: Entry, offer: Offer | None = None, earlier: Sequence[Entry] = ()) -> View:
    """Return the view of an entry on the Memory page, with its offer and the versions `earlier`, newest first.

    Versions that differ in nothing shown are left out. `by` of a key names the string for its author.
    """
    shown = [(one.shown, one.question, one.reach) for one in (entry, *earlier)]
    return {
        **said_view(entry),
        "reach": entry.reach.value,
        "used": entry.used,
        "offer": None if offer is None else _offer_view(offer),
        "found": entry.kind.is_found,
        "keys": [{"text": key.text, "by": _KEY_BY[key.origin]} for key in entry.keys if key.origin in _KEY_BY],
        "earlier": [
            said_view(old) | {"reach": old.reach.value}
            for old, as_shown, next_shown in zip(earlier, shown[1:], shown, strict=False)
            if as_shown != next_shown
        ],
        "of_turn": bool(entry.turn),
        "rests": entry.resting,
        "not_for": list(entry.not_for),
        "why_both": entry.body.why_both,
    }


def said_view(entry: Entry) -> View:
    """Return the text of an entry, and the parts of its sentence: when you write `way`, you mean `meaning`.

    `title` may replace `way`. Types that apply to any question have a complete `sentence`; `learnt` marks lessons of a
    model.
    """
    found = parse_correction(entry.text)
    return {
        "id": entry.id,
        "kind": entry.kind.name,
        "text": entry.shown,
        "question": entry.question,
        "when": entry.created.isoformat(),
        "title": entry.body.title,
        "meaning": found.meant if found else entry.shown,
        "sentence": entry.sentence if entry.kind.says else "",
        "learnt": entry.kind.keyed,
        "example": entry.kind.confirms or not entry.kind.is_found,
    }


def offered_view(offered: Offered, scope: Scope) -> View:
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


def _decision_view(decision: Decision, turn: Turn) -> View:
    entry = decision.entry
    return {
        **said_view(entry),
        "reason": decision.reason,
        "use": str(turn.use_of(decision) or ""),
        "why": turn.why(decision),
        "without": entry.wrong_understanding if turn.question.casefold() == entry.question.casefold() else "",
        "shared": entry.shared,
        "seeded": entry.seeded,
    }


def noted_view(noted: Entry | None, undo: str, offered: bool) -> View:
    """Return the view of a turn's clarification, which may be erased; `entry` is `undo` if it can be undone."""
    if noted is None:
        return {"entry": "", "text": "", "supersedes": "", "offered": False}
    undoable = noted.status is Status.ACTIVE
    return {
        "entry": undo if undoable else "",
        "text": noted.text,
        "supersedes": noted.supersedes or "",
        "offered": offered and undoable,
        "asserts": noted.kind.asserts,
        "said": noted.sentence if noted.kind.asserts else "",
        "reach": noted.reach.value,
        "title": noted.body.title,
    }


def add_conflicts(views: list[View], noted: Mapping[str, Entry], assistant: Assistant, scope: Scope) -> list[View]:
    """Add the other meanings to the views, for the clarifications `noted` by the id of their turn."""
    return [
        view | {"noted": view["noted"] | {"others": conflict_views(noted[view["id"]], assistant, scope)}}
        if view["id"] in noted and view["noted"]
        else view
        for view in views
    ]


def conflict_views(entry: Entry, assistant: Assistant, scope: Scope) -> list[View]:
    """Return views of the other meanings of an entry: active ones, and the one that it replaced."""
    return [
        {"id": one.id, "text": one.shown, "when": one.created.isoformat(), "counts": one.status is Status.ACTIVE}
        for one in assistant.others(entry, scope)
    ]


@dataclass(frozen=True, slots=True)
class CardParts:
    """Methods that return the data of each part for a turn; None if the part shows nothing."""

    assistant: Assistant
    triples: Proposals[Triple]
    lessons: Proposals[Lesson]
    is_drafting: Callable[[str], bool]  # whether a lesson of a turn is being drafted
    told: Callable[[Turn], Sequence[str]]  # facts that a turn tells, to query memory only if there are any
    shared_words: Callable[[str, str], Sequence[tuple[int, int]]]  # ranges in a question
    settings: Settings

    def all(self) -> list[CardPart]:
        return [
            CardPart("facts", self._facts, [undo_fact, relate]),
            CardPart("lessons", self._lessons, [decide]),
            CardPart("keep", self._keep, [decide]),
            CardPart("marks", self._marks),
            CardPart("looked", lambda turn: [*turn.reply.fields.get("looked", ())] or None),  # also while it is written
            CardPart("reasons", self._reasons, [answering.why, answering.retry, answering.dispute]),
            CardPart("drafts", self._drafts, [answering.drafts, answering.take]),
        ]

    def _marks(self, turn: Turn) -> list[tuple[int, int]] | None:
        """Return the ranges of the question's words by which the used entries were found."""
        texts = (decision.candidate.key.text for decision in sources_of(turn))
        ranges = {word for text in texts for word in self.shared_words(turn.question, text)}
        return sorted(ranges) or None

    def _facts(self, turn: Turn) -> list[View] | None:
        """Return the facts saved from a message, with undo and contradicting facts; empty if none is active."""
        if turn.state is not TurnState.ANSWERED or not self.told(turn):
            return None
        scope, memory = Scope(turn.person), self.assistant.memory
        facts = facts_told_in(turn, memory)
        earlier = memory.earlier([entry.id for entry in facts if entry.supersedes], scope)
        views = []
        for entry in facts:
            changes = [one for one in earlier.get(entry.id, ()) if one.turn == entry.turn]  # undone with it
            why, others = {"why": entry.body.why_both}, conflict_views(entry, self.assistant, scope)
            view = {"id": entry.id, "undo": [entry, *changes][-1].id, "text": entry.shown}
            views.append(view | {"others": [other | why for other in others]})
        return views or (None if turn.answers_again or turn.error else [])

    def _keep(self, turn: Turn) -> View | None:
        """Return the triples proposed from a message. `asks` is True if no fact of the message was saved."""
        shown = [
            {"number": one.number, **one.said.model_dump(), "state": one.state.value}
            for one in self.triples.of(turn, Scope(turn.person))
            if one.state is not State.GONE
        ]
        asks = bool(shown) and not self.told(turn)
        return {"triples": shown, "by_itself": self.settings.keep_triples, "asks": asks} if shown else None

    def _lessons(self, turn: Turn) -> View | None:
        """Return the lesson drafted from an answer; while it is being drafted, the page polls."""
        for draft in self.lessons.of(turn, Scope(turn.person)):
            return {"rule": draft.said.rule, "state": draft.state.value}
        return {"drafting": True} if self.is_drafting(turn.id) else None

    def _reasons(self, turn: Turn) -> View | None:
        """Return the reasons for an answer: none if the turn told something; of the embedded model, those it gave.

        A reason with a `source` is shown at that source only.
        """
        if not _has_answer(turn):
            return None
        teaching = Teaching(self.assistant)
        gives_reasons = turn.model != EMBEDDED and not self.told(turn)
        reasons = teaching.reasons(turn, Scope(turn.person))
        if reasons is None:
            return {"reasons": None} if gives_reasons else None
        sources = {decision.entry.id for decision in sources_of(turn)}
        premises = []
        for number, premise in enumerate(reasons.premises, 1):
            entry, believed = premise.entry, premise.believed and not premise.opposed
            origin = Sentence(premise.origin.code, {"day": "{day}"})  # the page formats the day
            view = {"number": number, "text": premise.sentence, "origin": origin, "believed": believed}
            source = entry.id if believed and entry and entry.id in sources else ""
            premises.append(view | {"when": entry.created.isoformat() if entry else "", "source": source})
        are_sources = reasons.proves and all(premise["source"] for premise in premises)
        shown = {
            "verdict": "" if are_sources else reasons.verdict,
            "asks": teaching.asks_back(turn) or "",
            "premises": premises,
        }
        return {"reasons": shown, "calls": most_calls(turn.question) if gives_reasons else 0}

    def _drafts(self, turn: Turn) -> View | None:
        """Return the other drafts of an answer, or the number of calls to generate some."""
        if not _has_answer(turn):
            return None
        if kept := turn.reply.fields.get("drafts"):
            drafts = [_draft_view(number, draft) for number, draft in enumerate(kept["all"], 1)]
            return {
                "others": drafts[: kept["shown"]] + drafts[kept["shown"] + 1 :],
                "shown": drafts[kept["shown"]]["scores"],
                "taken": kept["shown"] != kept["best"],
            }
        if self.told(turn):
            return None
        model = self.assistant.runner.model.name
        # The embedded model has other drafts if it understood the question and used no memory.
        if turn.model == model == EMBEDDED and (turn.used or turn.reply.understanding in SAID_AT_ONCE):
            return None
        return {"calls": 0 if model == EMBEDDED else CALLS * max(WAYS, self.settings.drafts)}


@operation()
def undo_fact(call: Call, entry: EntryId) -> Sequence[Turn]:
    """Undo a fact, with its later changes."""
    return call.assistant.undo(entry, call.scope)


def _has_answer(turn: Turn) -> bool:
    return turn.state is TurnState.ANSWERED and bool(turn.reply.answer)


def _draft_view(number: int, draft: DraftFields) -> View:
    answer, scores = draft["fields"].get("answer", ""), draft["scores"]
    return {
        "number": number,
        "understanding": draft["fields"].get("understanding", ""),
        "answer": safe_markup(answer),
        "text": answer,
        "scores": [{"by": f"drafts_by_{name}", "score": scores[name]} for name in SCORERS if name in scores],
    }
