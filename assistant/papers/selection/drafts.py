"""Sample answers, show the best, and let the user take another one (Yuan et al., 2023; `scoring.py`).

    section 2               `DraftSelection`: one draft is written greedily, the others at a temperature
    sections 3 and 4        `DraftSelection._choose`: score the drafts, and select the best

In addition to the paper, `take_draft` takes another draft, and stores the choice as an entry with the gain of each
score. `preferred_weights` computes the weights of the scores from these entries, so undo needs no arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial

from assistant.conversation import Assistant
from assistant.errors import InputError, NotedError, NotFound, TooOften
from assistant.events import Answered, Event, Waiting
from assistant.feedback.learning import count_uses, restore_or_remember
from assistant.generate.generate import AnswerGenerator, GenerationRequest, PartialReply
from assistant.kinds import PREFERENCE, Preference
from assistant.limits import UNLIMITED, Allowance
from assistant.papers.calls import Calls
from assistant.papers.selection import scoring
from assistant.papers.selection.scoring import ROUND_TRIP, Fold, Sample, Scorer
from assistant.papers.teachme.thinking import ThinkThrough
from assistant.ports import Drafting, Memory
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.fields import DraftFields, DraftsFields
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.settings import MOST_DRAFTS
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Action, Corrects, NewEntry, Reply, ReplyStatus, Scope, Status, Turn, TurnState

NOTES, SURE, _ = SCORERS = ("notes", "sure", ROUND_TRIP)
"""Names of the scorers of drafts, in display order."""
WAYS, CALLS = 3, 4
"""Drafts if the user asks for other answers; calls for each at most: a retry, for the understanding, the round trip."""
LONGEST_TEXT = 8_000
"""Characters of a text in a prompt."""
LEAST, MOST = 0.25, 4.0
"""Bounds of every weight."""
_RATE = 0.35  # four choices in favour of a score multiply its weight by four
_MOST_COUNTED = 100  # newest choices
_OF_ANOTHER = Sentence("counts.drafted")  # reason of the decision on an entry that only another draft rests on


@dataclass(frozen=True, slots=True)
class DraftSelection:
    """Implements `AnswerGenerator`: let `otherwise` answer `count` times in parallel, and choose the best answer.

    The first draft is streamed. Each further draft, and each call for a score, is rate-limited like an answer;
    drafts and scorers that exceed it, or fail, are omitted.
    """

    otherwise: AnswerGenerator
    fold: Fold
    # Builds the prompts of the round trip; None for a model that writes its likeliest draft first (needs no call).
    prompt_builder: PromptBuilder | None = None
    count: int = 1
    weights: Callable[[Scope], Mapping[str, float]] = lambda _: {}  # of the scorers, by name; raises StoreError
    allowance: Allowance = UNLIMITED

    def __call__(self, request: GenerationRequest) -> Generator[Event, None, Turn]:
        """Answer with the best of several drafts, and keep all of them on the turn; see `AnswerGenerator`."""
        can_draft = request.may_draft and self.count > 1 and request.corrects is not Corrects.CERTAINLY
        if not can_draft or not isinstance(request.model, Drafting):
            return (yield from self.otherwise(request))
        model, *others = request.model.drafting(self.count)
        waiting, calls = Waiting(request.turn.id), Calls(model, request.so_far.meter, MOST_DRAFTS)
        jobs = []
        with suppress(TooOften):
            for other in others:
                self.allowance.turn(request.scope)
                jobs.append(partial(self._draft, replace(request, model=other), calls))
        first = request.turn

        def stream_first() -> Generator[Event, None, None]:
            nonlocal first
            first = yield from self.otherwise(replace(request, model=model))
            request.so_far.reply = first.reply  # the answer if the user stops while drafts are scored
            request.so_far.named = tuple(name for name in first.used if name not in request.turn.used)
            if first.state is TurnState.CORRECTION:  # the message is not a question, so it needs no other draft
                calls.over.set()

        further = yield from calls.results(jobs, waiting, stream_first())
        drafts: list[Turn] = []
        for turn in (first, *filter(None, further)):
            is_answer = turn.state is TurnState.ANSWERED and turn.reply.answer
            if is_answer and not any(turn.reply.says_the_same(other.reply) for other in drafts):
                drafts.append(turn)
        if not drafts or first.state is TurnState.CORRECTION:
            return first
        (chosen,) = yield from calls.results([partial(self._choose, request, drafts, calls)], waiting)
        return chosen

    def _draft(self, request: GenerationRequest, calls: Calls) -> Turn | None:
        """Write a further draft, in its own thread; None if it fails or the calls are over."""
        request = replace(request, so_far=PartialReply(meter=request.so_far.meter))
        with suppress(NotedError), closing(self.otherwise(request)) as events:
            try:
                while not calls.over.is_set():
                    next(events)
            except StopIteration as done:
                turn: Turn = done.value
                return turn
        return None

    def _choose(self, request: GenerationRequest, drafts: Sequence[Turn], calls: Calls) -> Turn:
        """Score the drafts, and return the turn of the best one with all drafts.

        With notes, n-grams are compared with the question and the notes. In the round trip, the model guesses the
        question from the answer alone, and the guess is compared with the draft's own understanding.
        """
        asked, builder = request.turn.question, self.prompt_builder
        notes = [one.entry.shown for one in request.turn.decisions if one.action in {Action.USE, Action.OFFER}]
        context, replies = "\n".join([asked, *notes]), [turn.reply for turn in drafts]
        samples = [Sample(reply.answer, context, reply.understanding or asked) for reply in replies]

        scorers: dict[str, Scorer] = {}
        if notes:
            scorers[NOTES] = partial(scoring.ngram_similarity, size=scoring.SIZE, fold=self.fold)
        if builder:

            def by_round_trip(samples: Sequence[Sample]) -> Sequence[float]:
                self.allowance.turn(request.scope, len(samples))
                rows = [[{"answer": clean_for_prompt(one.text)[:LONGEST_TEXT]}] for one in samples]
                prompts = [builder.call("selection/round_trip", answer=row) for row in rows]
                return scoring.round_trip(samples, prompts, calls, self.fold)

            scorers[ROUND_TRIP] = by_round_trip
        else:
            scorers[SURE] = lambda samples: [1 / (1 + at) for at in range(len(samples))]
        weights: Mapping[str, float] = {}
        with suppress(NotedError):
            weights = self.weights(request.scope)
        best, by_name = scoring.select(samples, scorers, weights)
        kept = tuple(build_draft(turn, scored) for turn, scored in zip(drafts, by_name, strict=True))
        turn = drafts[best]
        # The turn has a decision on each entry that any draft looked up, so forgetting the entry erases the drafts.
        decided = {one.entry.id: one for each in (turn, *drafts, turn) for one in each.decisions}
        return show(replace(turn, decisions=tuple(decided.values())), {"all": kept, "best": best, "shown": best})


def build_draft(turn: Turn, scores: Mapping[str, float]) -> DraftFields:
    """Return the answer of a turn as a draft with its scores."""
    reply = turn.reply
    fields = reply.without("drafts").fields
    return DraftFields(raw=reply.raw, status=reply.status.value, fields=fields, used=turn.used, scores=dict(scores))


def show(turn: Turn, drafts: DraftsFields) -> Turn:
    """Return the turn with the shown draft as its answer, and all drafts in the fields of the reply.

    Entries that only other drafts rest on get a decision, so that forgetting one erases the turn.
    """
    draft = drafts["all"][drafts["shown"]]
    others = {name for one in drafts["all"] for name in one["used"]}.difference(draft["used"])
    decided = [one for one in turn.decisions if one.reason != _OF_ANOTHER]
    further = (replace(one, action=Action.SHOW, reason=_OF_ANOTHER) for one in decided if one.entry.id in others)
    reply = Reply(draft["raw"], ReplyStatus(draft["status"])).with_fields(**draft["fields"]).with_fields(drafts=drafts)
    return replace(turn, reply=reply, used=draft["used"], decisions=(*decided, *further))


def draft_again(assistant: Assistant, turn_id: str, scope: Scope) -> Iterator[Event]:
    """Answer the question of a turn again, with several drafts. Raises as `Assistant.retry` does.

    Raises InputError if the model cannot draft.
    """
    generator = assistant.runner.generator
    generator = generator.otherwise if isinstance(generator, ThinkThrough) else generator
    if not isinstance(generator, DraftSelection):
        raise InputError("drafts.cannot")
    drafts = replace(generator, count=max(WAYS, generator.count))
    return assistant.with_parts(generator=drafts).retry(turn_id, scope)


def take_draft(assistant: Assistant, turn_id: str, number: int | None, scope: Scope) -> Turn:
    """Make a draft the answer of its turn, store the choice, and return the changed turn.

    Drafts are numbered from 1; None restores the best one and removes the choice. Raises as `Assistant` does, NotFound,
    and InputError if the turn has no drafts.
    """
    memory, turn_store = assistant.memory, assistant.runner.turn_store
    turn = assistant.turn(turn_id, scope)
    drafts = turn.reply.fields.get("drafts")
    if drafts is None or turn.state is not TurnState.ANSWERED:
        raise InputError("drafts.none")
    drafted, best, shown = [*drafts["all"]], drafts["best"], drafts["shown"]
    taken = best if number is None else number - 1
    if not 0 <= taken < len(drafted):
        raise NotFound("drafts.unknown")
    if taken == shown:
        return turn
    assistant.allowance.save(scope)
    reset_preferences(memory, scope, turn.id)
    if taken != best:
        scaled = {
            name: scoring.scale_scores([one["scores"][name] for one in drafted]) for name in drafted[taken]["scores"]
        }
        gains = {name: scores[taken] - scores[best] for name, scores in scaled.items()}
        body = Preference(gains=gains, line=", ".join(f"{name} {gain:+.2f}" for name, gain in gains.items()) or "-")
        key = PREFERENCE.idempotency_key(turn.id, body)
        choice = NewEntry(PREFERENCE, turn.question, body, key, turn=turn.id, model=turn.model)
        restore_or_remember(choice, memory, scope, Status.RETRACTED)
    drafted[shown] = build_draft(turn, drafted[shown]["scores"])  # with later additions, such as reasons
    if turn.confirmed:  # the confirmation was of another answer
        if example := memory.kept(turn.id, scope):
            memory.retract(example.id, scope)
        turn = replace(turn, confirmed=False)
        turn_store.mark(turn, scope)
    after = show(turn, {"all": tuple(drafted), "best": best, "shown": taken})
    after = replace(after, reply=after.reply.in_place_of(turn.reply))
    turn_store.record(after, scope)
    count_uses(memory, Answered(after), scope)  # count the entries that only this draft rests on
    return after


def weights_after(choices: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the weights of the scores after these choices, by name; a missing score has the weight 1.

    Each choice, given by its gains, multiplies a weight by e^(rate * gain), within the bounds (multiplicative weights).
    """
    weights: dict[str, float] = {}
    for gains in choices:
        for name, gain in gains.items():
            weights[name] = min(MOST, max(LEAST, weights.get(name, 1.0) * math.exp(_RATE * gain)))
    return weights


def preferred_weights(memory: Memory, scope: Scope) -> dict[str, float]:
    """Return the weights of the scores that the user's choices changed, by name. Raises StoreError."""
    kept = memory.find(scope, EntryFilter(kind=PREFERENCE.name), _MOST_COUNTED).entries
    bodies = (entry.body for entry in reversed(kept))
    return weights_after(body.gains for body in bodies if isinstance(body, Preference))


def reset_preferences(memory: Memory, scope: Scope, turn: str | None = None) -> None:
    """Retract all choices, or the choice of one turn if its id is given. The answers stay. Raises StoreError."""
    wanted = EntryFilter(kind=PREFERENCE.name, turn=turn)
    while kept := memory.find(scope, wanted, _MOST_COUNTED).entries:
        for entry in kept:
            memory.retract(entry.id, scope)
