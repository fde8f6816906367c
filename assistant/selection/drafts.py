"""Several drafts of an answer, of which the best is shown (Yuan et al., 2023).

As in the paper, one is written greedily and the others at a temperature; here they are written side by side, and the
first is shown while it comes. Each is scored, the scores make an ensemble, and the best takes the place of the first.
The others stay on the turn with their scores: the person may take another (`assistant.selection.taking`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Any, Protocol, runtime_checkable

from assistant.errors import NotedError, TooOften
from assistant.events import Event, Waiting
from assistant.kinds import LONGEST_SCORER, MOST_SCORERS
from assistant.limits import UNLIMITED
from assistant.papers.calls import Calls, Ended
from assistant.ports import Allowance, ChatModel, Request, Respond, SoFar
from assistant.reply.fields import DRAFTS
from assistant.selection.ensemble import best, combined
from assistant.selection.round_trip import Allow
from assistant.selection.scorer import Sample, Scorer, all_scores
from assistant.sentences import Sentence
from assistant.settings import MOST_DRAFTS
from assistant.types import Action, Corrects, Reply, ReplyStatus, Scope, Turn, TurnState

OF_ANOTHER = Sentence("counts.drafted")


@runtime_checkable
class Drafting(Protocol):
    """A `ChatModel` that can write an answer in more than one way."""

    def drafting(self, count: int) -> Sequence[ChatModel]:
        """So many models, of which each writes a draft: the first as it does best. The others may find none to write,
        and then reply nothing.
        """


class DraftScorers(Protocol):
    """What the drafts of an answer are scored by."""

    @property
    def calls(self) -> int:
        """How many calls of the model it takes for each draft."""

    def __call__(self, request: Request, calls: Calls, allow: Allow) -> Mapping[str, Scorer]:
        """The scorers by name, for the drafts of one answer: each with the question for its context.

        Calls of a model are heard through `calls`, and asked `allow` for before, all at once.
        """


Weights = Callable[[Scope], Mapping[str, float]]
"""Of the scorers, by name, for a person; one that is missing has the weight 1. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """One way to answer, and what the scorers say of it."""

    reply: Reply
    used: tuple[str, ...]  # ids of the entries that it rests on
    scores: Mapping[str, float]  # by name of the scorer, in [0, 1]
    score: float = 0.0  # of the ensemble

    def stored(self) -> dict[str, Any]:
        """As it stands on its turn."""
        reply = self.reply
        told = {"raw": reply.raw, "status": reply.status.value, "fields": dict(reply.fields)}
        return told | {"used": self.used, "scores": dict(self.scores), "score": self.score}


@dataclass(frozen=True, slots=True)
class KeptDrafts:
    """The drafts of a turn."""

    all: Sequence[KeptDraft]  # in the order in which they were drawn
    best: int  # place of the one that the ensemble chose
    shown: int  # place of the one that is the answer

    def onto(self, turn: Turn) -> Turn:
        """The turn with the shown draft as its answer, and all drafts beside it.

        What only others rest on is decided about once more: forgetting it takes the turn along, in which they stand.
        """
        draft = self.all[self.shown]
        others = {name for one in self.all for name in one.used}.difference(draft.used)
        decided = [one for one in turn.decisions if one.reason != OF_ANOTHER]
        further = (replace(one, action=Action.SHOW, reason=OF_ANOTHER) for one in decided if one.entry.id in others)
        turn = replace(turn, decisions=(*decided, *further))
        kept = {"best": self.best, "shown": self.shown, "all": tuple(one.stored() for one in self.all)}
        return replace(turn, reply=draft.reply.with_fields(**{DRAFTS: kept}), used=draft.used)


def kept_drafts(turn: Turn) -> KeptDrafts | None:
    """The drafts of a turn; None where it was answered in one way alone, or a file that was brought in has no such."""
    kept: Any = turn.reply.fields.get(DRAFTS)
    try:
        drafts = [_read(one) for one in kept["all"]] if kept else []
        best, shown = (range(len(drafts))[kept[name]] for name in ("best", "shown")) if drafts else (0, 0)
    except (TypeError, ValueError, LookupError, AttributeError):
        return None
    is_scored_alike = len({frozenset(one.scores) for one in drafts}) == 1
    return KeptDrafts(drafts, best, shown) if is_scored_alike else None


def _read(one: Mapping[str, Any]) -> KeptDraft:
    reply = Reply(str(one["raw"]), ReplyStatus(one["status"])).with_fields(**one["fields"])
    scores = {str(name): float(score) for name, score in one["scores"].items()}
    score, used = float(one["score"]), one["used"]
    if not (_are_scores(scores) and isfinite(score) and _are_texts(reply, used)):
        raise ValueError
    return KeptDraft(reply, used, scores, score)


def _are_scores(scores: Mapping[str, float]) -> bool:
    is_named = len(scores) <= MOST_SCORERS and all(len(name) <= LONGEST_SCORER for name in scores)
    return is_named and all(0 <= score <= 1 for score in scores.values())


def _are_texts(reply: Reply, used: object) -> bool:
    """Whether they can be read as those of any other reply. Raises ValueError where its notes cannot."""
    notes = reply.fields.get("notes", ())
    if not (isinstance(used, tuple) and isinstance(notes, tuple)):
        return False
    texts = [reply.fields.get(name, "") for name in ("understanding", "answer", "correction")]
    return len(reply.notes) <= len(notes) and all(isinstance(text, str) for text in (*texts, *used))


@dataclass(frozen=True, slots=True)
class Drafts:
    """Implements `Respond`: has another one answer in so many ways at once, and shows the best.

    With one draft it is that other one. Each further draft counts as an answer of the allowance, and so does each call
    for a score; where it is used up, there are fewer. A draft that fails is left out, and so is a scorer.
    """

    otherwise: Respond
    scorers: DraftScorers
    count: int = 1
    weights: Weights = lambda _: {}
    allowance: Allowance = UNLIMITED
    at_once: int = MOST_DRAFTS  # calls

    def most_calls(self, count: int) -> int:
        """How many calls of the model an answer takes at most that is drafted so often, or as often as every one.

        Each draft may ask once more where nothing came, and for the understanding that it lacks. Those that look
        something up are not counted.
        """
        return max(count, self.count) * (3 + self.scorers.calls)

    def in_one_way(self) -> Respond:
        """The same with one draft only."""
        return replace(self, count=1)

    def in_ways(self, least: int) -> Respond:
        """The same with so many drafts at least."""
        return replace(self, count=max(least, self.count))

    def __call__(self, request: Request) -> Generator[Event, None, Turn]:
        models = request.model.drafting(self.count) if isinstance(request.model, Drafting) and self.count > 1 else ()
        if not models or request.corrects is Corrects.CERTAINLY:
            return (yield from self.otherwise(request))
        waiting, calls = Waiting(request.turn.id), Calls(request.model, request.so_far.meter, self.at_once)
        allow = partial(self.allowance.turn, request.scope)
        first: list[Turn] = []
        jobs = [partial(self._draft, request, model, calls) for model in self._allowed(models[1:], allow)]
        try:
            others = yield from calls.results(jobs, waiting, self._first(request, models[0], calls, first))
        except _IsCorrection:
            return first[0]
        drafts = _different([turn for turn in (*first, *others) if turn and _is_answer(turn)])
        if not drafts:
            return first[0]
        score = partial(all_scores, _samples(request, drafts), self.scorers(request, calls, allow))
        (scores,) = yield from calls.results([score], waiting)
        return self._best(drafts, scores, request.scope)

    def _allowed(self, models: Sequence[ChatModel], allow: Allow) -> list[ChatModel]:
        allowed = []
        for model in models:
            try:
                allow(1)
            except TooOften:
                break
            allowed.append(model)
        return allowed

    def _first(
        self, request: Request, model: ChatModel, calls: Calls, ended: list[Turn]
    ) -> Generator[Event, None, None]:
        """The draft that is shown while it comes. A message that puts the turn before right needs no other."""
        so_far = SoFar()
        try:
            turn = yield from self.otherwise(replace(request, model=model, so_far=so_far))
        except GeneratorExit:
            request.so_far.reply, request.so_far.named = so_far.reply, so_far.named
            raise
        finally:
            _count(so_far, calls)
        ended.append(turn)
        request.so_far.reply = turn.reply  # whoever leaves from now on has this
        request.so_far.named = tuple(name for name in turn.used if name not in request.turn.used)
        if turn.state is TurnState.CORRECTION:
            raise _IsCorrection

    def _draft(self, request: Request, model: ChatModel, calls: Calls) -> Turn | None:
        """A further draft, in a thread of its own; None where it fails. Raises Ended."""
        so_far = SoFar()
        try:
            with closing(self.otherwise(replace(request, model=model, so_far=so_far))) as events:
                while not calls.are_over:
                    next(events)
            raise Ended
        except StopIteration as done:
            turn: Turn = done.value
            return turn
        except NotedError:
            return None
        finally:
            _count(so_far, calls)

    def _best(self, drafts: Sequence[Turn], scores: Mapping[str, Sequence[float]], scope: Scope) -> Turn:
        try:
            weights = self.weights(scope)
        except NotedError:
            weights = {}
        means = combined([*scores.values()], [weights.get(name, 1.0) for name in scores]) if scores else []
        means = means or [0.0] * len(drafts)
        kept = [
            KeptDraft(turn.reply, turn.used, {name: of[place] for name, of in scores.items()}, means[place])
            for place, turn in enumerate(drafts)
        ]
        chosen = best(means)
        return KeptDrafts(kept, chosen, chosen).onto(_with_all_decisions(drafts[chosen], drafts))


class _IsCorrection(Exception):
    """The message asks nothing."""


def _count(so_far: SoFar, calls: Calls) -> None:
    if so_far.meter.sum is not None:
        calls.counted(so_far.meter.sum)


def _samples(request: Request, drafts: Sequence[Turn]) -> list[Sample]:
    """Answers about the question, each with what it took that for."""
    asked, replies = request.turn.question, [turn.reply for turn in drafts]
    return [Sample(reply.answer, asked, reply.understanding or asked) for reply in replies]


def _is_answer(turn: Turn) -> bool:
    return turn.state is TurnState.ANSWERED and bool(turn.reply.answer)


def _different(turns: Sequence[Turn]) -> list[Turn]:
    """Those that say something else than each before them."""
    found: list[Turn] = []
    for turn in turns:
        if not any(turn.reply.says_the_same(other.reply) for other in found):
            found.append(turn)
    return found


def _with_all_decisions(turn: Turn, drafts: Sequence[Turn]) -> Turn:
    """The turn, with what was decided for any draft: what stands in one of them goes with its turn."""
    decided = {one.entry.id: one for each in (*drafts, turn) for one in each.decisions}
    known = {one.entry.id for one in turn.decisions}
    return replace(turn, decisions=(*turn.decisions, *(one for name, one in decided.items() if name not in known)))
