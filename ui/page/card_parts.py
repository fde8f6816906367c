"""Card parts, most of them in *Why this answer*. `CardParts.all` lists them in order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.conversation import Assistant
from assistant.errors import NotedError
from assistant.kinds import Lesson, Triple
from assistant.models.embedded.phrases import SMALL_TALK
from assistant.papers.selection.drafts import SCORERS, WAYS, DraftSelection
from assistant.papers.teachme.facts import Premise, facts_told_in
from assistant.papers.teachme.teaching import Reasons, Teaching
from assistant.papers.teachme.thinking import most_calls
from assistant.proposals import Proposals, State
from assistant.reply.fields import DraftFields, DraftsFields
from assistant.sentences import Sentence
from assistant.settings import EMBEDDED, Settings
from assistant.types import Entry, Scope, Turn, TurnState
from ui.actions import answering
from ui.actions.arguments import EntryId
from ui.actions.call import Call
from ui.actions.memory import relate
from ui.actions.operation import operation
from ui.actions.teaching import decide
from ui.page.conversation.views import conflict_views, sources_of
from ui.page.teach.suggestions import draft_view
from ui.server.services import CardPart
from ui.words.markup import safe_markup

View = dict[str, Any]

_SAID_AT_ONCE = frozenset({str(Sentence("embedded.not_understood")), *SMALL_TALK})  # cannot be put differently


@dataclass(frozen=True, slots=True)
class CardParts:
    """Methods that return the data of each part for a turn; None if the part shows nothing.

    Args:
        told: returns the facts that a turn tells, to query memory only if there are any.
        shared_words: returns the ranges of a question's words that another text shares.
        is_drafting: returns True if a lesson of a turn is being drafted.
        drafting: counts the model calls of several drafts.
    """

    assistant: Assistant
    triples: Proposals[Triple]
    lessons: Proposals[Lesson]
    is_drafting: Callable[[str], bool]
    drafting: DraftSelection
    told: Callable[[Turn], Sequence[str]]
    shared_words: Callable[[str, str], Sequence[tuple[int, int]]]
    settings: Settings

    def all(self) -> list[CardPart]:
        """Return the parts. One that cannot be read is hidden, and the answer shown."""
        return [
            CardPart("facts", _unless_refused(self._facts), [undo_fact, relate]),
            CardPart("lessons", _unless_refused(self._lessons), [decide]),
            CardPart("keep", _unless_refused(self._keep), [decide]),
            CardPart("marks", self._marks),
            CardPart("looked", _unless_refused(self._looked)),
            CardPart("reasons", _unless_refused(self._reasons), [answering.why, answering.retry, answering.dispute]),
            CardPart("drafts", _unless_refused(self._drafts), [answering.drafts, answering.take]),
        ]

    def _marks(self, turn: Turn) -> list[tuple[int, int]] | None:
        """Return the ranges of the question's words by which the used entries were found."""
        used = [decision for decision in turn.from_memory if decision.entry.id != turn.clarified_with]
        ranges = {word for one in used for word in self.shared_words(turn.question, one.candidate.key.text)}
        return sorted(ranges) or None

    def _looked(self, turn: Turn) -> list[Any] | None:
        """Return the lookups of an answer, also while it is generated."""
        return [*turn.reply.fields.get("looked", ())] or None

    def _facts(self, turn: Turn) -> list[View] | None:
        """Return the facts saved from a message, with undo and contradicting facts."""
        if turn.state is not TurnState.ANSWERED or not self.told(turn):
            return None
        scope, memory = Scope(turn.person), self.assistant.memory
        facts = facts_told_in(turn, memory)
        earlier = memory.earlier([entry.id for entry in facts if entry.supersedes], scope)
        views = [
            _fact_view(entry, conflict_views(entry, self.assistant, scope), earlier.get(entry.id, ()))
            for entry in facts
        ]
        return views or None

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
        drafts = self.lessons.of(turn, Scope(turn.person))
        return draft_view(drafts[0]) if drafts else {"drafting": True} if self.is_drafting(turn.id) else None

    def _reasons(self, turn: Turn) -> View | None:
        """Return the reasons for an answer: none if the turn told something; of the embedded model, those it gave."""
        if not _has_answer(turn):
            return None
        teaching = Teaching(self.assistant)
        gives_reasons = turn.model != EMBEDDED and not self.told(turn)
        reasons = teaching.reasons(turn, Scope(turn.person))
        if reasons is None:
            return {"reasons": None} if gives_reasons else None
        calls = most_calls(turn.question) if gives_reasons else 0
        sources = {decision.entry.id for decision in sources_of(turn)}
        return {"reasons": _reasons_view(reasons, teaching.asks_back(turn), sources), "calls": calls}

    def _drafts(self, turn: Turn) -> View | None:
        """Return the other drafts of an answer, or the number of calls to generate some."""
        if not _has_answer(turn):
            return None
        if kept := turn.reply.fields.get("drafts"):
            return _drafts_view(kept) | {"takes": not self.settings.read_only}
        if self.told(turn):
            return None
        model = self.assistant.runner.model.name
        # The embedded model has other drafts if it understood the question and used no memory.
        if turn.model == model == EMBEDDED and (turn.used or turn.reply.understanding in _SAID_AT_ONCE):
            return None
        return {"calls": 0 if model == EMBEDDED else self.drafting.most_calls(WAYS)}


@operation()
def undo_fact(call: Call, entry: EntryId) -> Sequence[Turn]:
    """Undo a fact, with its later changes."""
    return call.assistant.undo(entry, call.scope)


def _unless_refused(view: Callable[[Turn], Any]) -> Callable[[Turn], Any]:
    def shown(turn: Turn) -> Any:
        try:
            return view(turn)
        except NotedError:
            return None

    return shown


def _has_answer(turn: Turn) -> bool:
    return turn.state is TurnState.ANSWERED and bool(turn.reply.answer)


def _fact_view(entry: Entry, others: Sequence[View], earlier: Sequence[Entry]) -> View:
    first = [entry, *(one for one in earlier if one.turn == entry.turn)][-1]  # undo includes its later changes
    others = [other | {"why": entry.body.why_both} for other in others]
    return {"id": entry.id, "undo": first.id, "text": entry.shown, "others": others}


def _reasons_view(reasons: Reasons, asks: Sentence | None, sources: Collection[str]) -> View:
    """Return the reasons for an answer. A reason with a `source` is shown at that source only."""
    premises = [_premise_view(number, premise, sources) for number, premise in enumerate(reasons.premises, 1)]
    are_sources = reasons.proves and all(premise["source"] for premise in premises)
    return {"verdict": "" if are_sources else reasons.verdict, "asks": asks or "", "premises": premises}


def _premise_view(number: int, premise: Premise, sources: Collection[str]) -> View:
    believed = premise.believed and not premise.opposed
    source = premise.entry.id if believed and premise.entry and premise.entry.id in sources else ""
    # The page formats the day.
    origin = Sentence(premise.origin.code, {"day": "{day}"})
    when = premise.entry.created.isoformat() if premise.entry else ""
    return {
        "number": number,
        "text": premise.sentence,
        "origin": origin,
        "when": when,
        "believed": believed,
        "source": source,
    }


def _drafts_view(kept: DraftsFields) -> View:
    others = (one for one in enumerate(kept["all"], 1) if one[0] != kept["shown"] + 1)
    return {
        "others": [_draft_view(number, draft) for number, draft in others],
        "shown": _scores_view(kept["all"][kept["shown"]]),
        "taken": kept["shown"] != kept["best"],
    }


def _draft_view(number: int, draft: DraftFields) -> View:
    understanding, answer = draft["fields"].get("understanding", ""), draft["fields"].get("answer", "")
    told = {"number": number, "understanding": understanding, "answer": safe_markup(answer)}
    return told | {"text": answer, "scores": _scores_view(draft)}


def _scores_view(draft: DraftFields) -> list[View]:
    """Return the scores of a draft; `by` names a string."""
    scores = draft["scores"]
    return [{"by": f"drafts_by_{name}", "score": scores[name]} for name in SCORERS if name in scores]
