"""The further parts of a card, most of them in *Why this answer*. `CardParts.all` lists them in their order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.conversation import Assistant
from assistant.errors import NotedError
from assistant.kinds import Lesson, Triple
from assistant.models.embedded.phrases import SMALL_TALK
from assistant.papers.selection.drafts import SCORERS, Drafts, KeptDraft, KeptDrafts, kept_drafts
from assistant.papers.selection.taking import WAYS
from assistant.papers.teachme.facts import Premise, facts_told_in
from assistant.papers.teachme.teaching import Reasons, Teaching
from assistant.papers.teachme.thinking import most_calls
from assistant.proposals import Proposals, State
from assistant.sentences import Sentence
from assistant.settings import EMBEDDED, Settings
from assistant.types import Entry, Scope, Turn, TurnState
from ui.actions import answering
from ui.actions.arguments import EntryId
from ui.actions.call import Call
from ui.actions.facts import decide
from ui.actions.memory import relate
from ui.actions.operation import operation
from ui.page.conversation.others import others_of
from ui.page.conversation.views import sources_of
from ui.page.teach.suggestions import draft_view
from ui.server.services import CardPart
from ui.words.answers import looked_up
from ui.words.markup import safe_markup

View = dict[str, Any]

_SAID_AT_ONCE = frozenset({str(Sentence("embedded.not_understood")), *SMALL_TALK})  # there is no other way to say that


@dataclass(frozen=True, slots=True)
class CardParts:
    """One method per part, which returns its data for a turn, or None where it shows nothing.

    Args:
        told: returns what a turn would have kept, so that memory is asked only where there is something.
        shared_words: returns the ranges of a question's words that another text has too.
        is_drafting: says whether a lesson of a turn is being drafted.
        drafting: knows how many calls several drafts take of a language model.
    """

    assistant: Assistant
    triples: Proposals[Triple]
    lessons: Proposals[Lesson]
    is_drafting: Callable[[str], bool]
    drafting: Drafts
    told: Callable[[Turn], Sequence[str]]
    shared_words: Callable[[str, str], Sequence[tuple[int, int]]]
    settings: Settings

    def all(self) -> list[CardPart]:
        """Return the parts. The answer is shown also where one of them cannot be read."""
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
        """Ranges of the question's words by which the entries that were used were found."""
        used = [decision for decision in turn.from_memory if decision.entry.id != turn.clarified_with]
        ranges = {word for one in used for word in self.shared_words(turn.question, one.candidate.key.text)}
        return sorted(ranges) or None

    def _looked(self, turn: Turn) -> list[Any] | None:
        """What the model looked up for its answer, also while that is still written."""
        return list(looked_up(turn.reply)) or None

    def _facts(self, turn: Turn) -> list[View] | None:
        """Facts of a message that were kept, with undo, and what contradicts them."""
        if turn.state is not TurnState.ANSWERED or not self.told(turn):
            return None
        scope, memory = Scope(turn.person), self.assistant.memory
        facts = facts_told_in(turn, memory)
        earlier = memory.earlier([entry.id for entry in facts if entry.supersedes], scope)
        views = [
            _fact_view(entry, others_of(entry, self.assistant, scope), earlier.get(entry.id, ())) for entry in facts
        ]
        return views or None

    def _keep(self, turn: Turn) -> View | None:
        """Triples that a message tells, proposed to be kept. The card `asks` where no fact of the message was saved."""
        shown = [
            {"number": one.number, **one.said.model_dump(), "state": one.state.value}
            for one in self.triples.of(turn, Scope(turn.person))
            if one.state is not State.GONE
        ]
        asks = bool(shown) and not self.told(turn)
        return {"triples": shown, "by_itself": self.settings.keep_triples, "asks": asks} if shown else None

    def _lessons(self, turn: Turn) -> View | None:
        """The lesson that was drafted of an answer. While it is being drafted, the page looks again."""
        drafts = self.lessons.of(turn, Scope(turn.person))
        return draft_view(drafts[0]) if drafts else {"drafting": True} if self.is_drafting(turn.id) else None

    def _reasons(self, turn: Turn) -> View | None:
        """The reasons of an answer. A turn that told something has none; the embedded model has those that it gave."""
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
        """The other drafts of an answer, or how many calls it takes to make some."""
        if not _has_answer(turn):
            return None
        if kept := kept_drafts(turn):
            return _drafts_view(kept) | {"takes": not self.settings.read_only}
        if self.told(turn):
            return None
        model = self.assistant.runner.model.name
        # The embedded model has other drafts where it understood a question, and used nothing of memory.
        if turn.model == model == EMBEDDED and (turn.used or turn.reply.understanding in _SAID_AT_ONCE):
            return None
        return {"calls": 0 if model == EMBEDDED else self.drafting.most_calls(WAYS)}


@operation()
def undo_fact(call: Call, entry: EntryId) -> Sequence[Turn]:
    """Take a fact back, with what was kept of it since."""
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
    first = [entry, *(one for one in earlier if one.turn == entry.turn)][-1]  # what was kept of it goes with it
    others = [other | {"why": entry.body.why_both} for other in others]
    return {"id": entry.id, "undo": first.id, "text": entry.shown, "others": others}


def _reasons_view(reasons: Reasons, asks: Sentence | None, sources: Collection[str]) -> View:
    """Reasons for an answer. One that is among its sources names it (`source`), and is shown there only."""
    premises = [_premise_view(number, premise, sources) for number, premise in enumerate(reasons.premises, 1)]
    are_sources = reasons.proves and all(premise["source"] for premise in premises)
    return {"verdict": "" if are_sources else reasons.verdict, "asks": asks or "", "premises": premises}


def _premise_view(number: int, premise: Premise, sources: Collection[str]) -> View:
    believed = premise.believed and not premise.opposed
    source = premise.entry.id if believed and premise.entry and premise.entry.id in sources else ""
    # The day as the page writes days.
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


def _drafts_view(kept: KeptDrafts) -> View:
    others = (one for one in enumerate(kept.all, 1) if one[0] != kept.shown + 1)
    return {
        "others": [_draft_view(number, draft) for number, draft in others],
        "shown": _scores_view(kept.all[kept.shown]),
        "taken": kept.shown != kept.best,
    }


def _draft_view(number: int, draft: KeptDraft) -> View:
    reply = draft.reply
    told = {"number": number, "understanding": reply.understanding, "answer": safe_markup(reply.answer)}
    return told | {"text": reply.answer, "scores": _scores_view(draft)}


def _scores_view(draft: KeptDraft) -> list[View]:
    """What each scorer says of a draft; `by` is the name of a text."""
    return [{"by": f"drafts_by_{name}", "score": draft.scores[name]} for name in SCORERS if name in draft.scores]
