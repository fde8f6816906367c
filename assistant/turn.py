"""One turn, from the question to its record: recall, gate, prompt, model, reply."""

from collections.abc import Collection, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter

from assistant.errors import ContextFull, NotedError, NotFound, StoreError
from assistant.events import Event, Finished, Recalled, Started
from assistant.feedback.corrections import Corrects, correction_in
from assistant.limits import DEFAULT_LIMITS, Limits
from assistant.model_usage import Meter
from assistant.ports import ChatModel, Choose, Memory, Recall, Turns
from assistant.prompt.examples import NEAREST_EXAMPLES, NearestExamples
from assistant.prompt.prompt import Prompting, good_history
from assistant.prompt.sections import Asking
from assistant.reply.parser import ReplyParser
from assistant.respond.respond import Respond, ms_since
from assistant.sharing import at_most_one_shared
from assistant.types import Action, Candidate, Decision, Entry, Kind, Prompt, Scope, Turn, TurnState

JUST_TOLD = "You just told me this, so it counts."
CHOSEN = "You chose this, so it counts."
LEFT_OUT = "You left this out of the answer."
RESTS_SHARED = "You left this out once more, so it is not used for you any more."
RESTS = "You left this out once more, so it is not used any more. In Memory you can have it used again."
NOT_CERTAIN = "Left out: it may apply, but that is not certain enough for this model, which cannot choose among notes."
NO_ROOM = "Left out: there is no room for it beside this question."


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRunner:
    """Runs one turn after another, whatever they have to do with each other; that is `assistant.conversation`'s."""

    model: ChatModel
    recall: Recall
    choose: Choose
    memory: Memory
    turn_store: Turns
    prompting: Prompting
    examples: NearestExamples = NEAREST_EXAMPLES  # which confirmed ones stand in a prompt
    limits: Limits = DEFAULT_LIMITS

    def run(
        self,
        turn: Turn,
        scope: Scope,
        earlier: Sequence[Turn],
        *,
        previous: Turn | None = None,
        clarified: Entry | None = None,
    ) -> Generator[Event, None, Turn]:
        """Answer the question of a new turn, or find that it is none. It comes back as it ended, recorded.

        `earlier` turns, oldest first, are those before it; `previous` is the one that the message may correct, and
        `clarified` what it is answered again with. Only a turn that ended as a `correction` is left to the caller to
        record, together with what it corrects, and has no `Finished` event yet.
        """
        began = perf_counter()
        parser, meter = ReplyParser(self.prompting.grammar), Meter()
        corrects = Corrects.of(turn.question, previous)
        turn = self.recorded(turn, scope)
        try:
            yield Started(turn)
            turn = self._decide(turn, scope, clarified)
            turn, prompt = self._prompt(turn, scope, earlier, previous, clarified)
            yield Recalled(turn)
            turn = replace(turn, ms={**turn.ms, "prompt": round(ms_since(began) - sum(turn.ms.values()), 1)})
            respond = Respond(self.model, self.prompting, self.limits.reply)
            turn = yield from respond(turn, prompt, corrects, parser, meter)
        except GeneratorExit:
            ms = {**turn.ms, "total": ms_since(began)}
            reply, usage = parser.finish()[1], meter.sum
            self.recorded(replace(turn, state=TurnState.STOPPED, reply=reply, usage=usage, ms=ms), scope)
            raise
        except NotedError as error:
            turn = replace(turn, state=TurnState.FAILED, error=str(error))
        except Exception:  # whatever broke, the turn must not look as if it were still being answered
            self.recorded(replace(turn, state=TurnState.FAILED, error=NotedError.sentence), scope)
            raise
        if previous and turn.state is TurnState.FAILED and correction_in(turn.question):
            # The feedback counts even where the model cannot be reached.
            turn = replace(turn, state=TurnState.CORRECTION, error="")
        turn = replace(turn, ms={**turn.ms, "total": ms_since(began)}, usage=meter.sum)
        if turn.state is not TurnState.CORRECTION:
            turn = self.recorded(turn, scope)
            yield Finished(turn)
        return turn

    def decided(self, turn: Turn, scope: Scope) -> tuple[Decision, ...]:
        """What would become of what the question of a turn finds, were it the first of a conversation."""
        return self._prompt(self._decide(turn, scope, None), scope, (), None, None)[0].decisions

    def recorded(self, turn: Turn, scope: Scope) -> Turn:
        """The turn, kept; where it cannot be kept, the person gets the answer all the same, and is told."""
        try:
            self.turn_store.record(turn, scope)
            for entry_id in turn.used if turn.state is TurnState.ANSWERED else ():
                # One that was deleted while the answer was being written is not counted.
                with suppress(NotFound):
                    self.memory.count(entry_id, "used", turn.id, scope)
        except StoreError as error:
            return replace(turn, error=turn.error or str(error))
        return turn

    def _decide(self, turn: Turn, scope: Scope, clarified: Entry | None) -> Turn:
        """Recall and gate. A clarification that was just given stands alone: it was given because the rest misled."""
        if clarified:
            decision = Decision(Candidate(clarified, clarified.keys[0]), Action.USE, 1.0, JUST_TOLD)
            return replace(turn, decisions=(decision,))
        began = perf_counter()
        found = self.recall(turn.question, scope)
        candidates = [candidate for candidate in found if candidate.entry.counts_in(turn.conversation)]
        recalled = ms_since(began)
        shown = self.examples(candidates, turn.left_out, scope)
        # An example says what an answer looked like, not what a question means, so the gate never sees one.
        notes = [found for found in candidates if found.entry.kind is not Kind.EXAMPLE]
        kept = self.choose([found for found in notes if found.entry.id not in turn.left_out], scope)
        kept = self._with_chosen(kept, turn, scope)
        removed = self._left_out(turn, candidates, scope)
        ms = {"recall": recalled, "gate": round(ms_since(began) - recalled, 1)}
        return replace(turn, decisions=(*at_most_one_shared((*kept, *shown)), *removed), ms=ms)

    def _with_chosen(self, kept: Sequence[Decision], turn: Turn, scope: Scope) -> Sequence[Decision]:
        """The decisions, with the note that the person chose used before all others, as it reads by now."""
        entry = self.memory.current(turn.chosen, scope) if turn.chosen else None
        if entry is None:
            return kept
        found = {decision.entry.id: decision.candidate for decision in kept}
        chosen = Decision(found.get(entry.id, Candidate(entry, entry.keys[0])), Action.USE, 1.0, CHOSEN)
        return (chosen, *(decision for decision in kept if decision.entry.id != entry.id))

    def _left_out(self, turn: Turn, candidates: Sequence[Candidate], scope: Scope) -> list[Decision]:
        """What the person had left out of the turn; one that rests since then is no candidate any more."""
        found = {candidate.entry.id: candidate for candidate in candidates}
        decisions = []
        for entry_id in turn.left_out:
            if entry_id in found:
                decisions.append(Decision(found[entry_id], Action.LEAVE, 0.0, LEFT_OUT))
                continue
            with suppress(NotFound, StoreError):
                entry = self.memory.entry(entry_id, scope)
                if entry.resting:
                    reason = RESTS_SHARED if entry.shared else RESTS
                    decisions.append(Decision(Candidate(entry, entry.keys[0]), Action.LEAVE, 0.0, reason))
        return decisions

    def _prompt(
        self, turn: Turn, scope: Scope, earlier: Sequence[Turn], previous: Turn | None, clarified: Entry | None
    ) -> tuple[Turn, Prompt]:
        """The prompt, and the turn with the decisions that it really holds."""
        if not self.model.chooses_notes:
            turn = _without(turn, Action.OFFER, (), NOT_CERTAIN)

        def prompt(turn: Turn) -> Prompt:
            asking = Asking(turn.question, scope, turn.decisions, good_history(earlier), previous)
            return self.prompting.answer(asking, self.model.window)

        try:
            made = prompt(turn)
        except ContextFull:
            if clarified:
                raise
            # Something long in memory must not make a question unanswerable.
            turn = _without(turn, Action.USE, (), NO_ROOM)
            made = prompt(turn)
        stands = {name for ids in made.sections.values() for name in ids}
        for action in (Action.USE, Action.OFFER, Action.SHOW):
            turn = _without(turn, action, stands, NO_ROOM)
        used = (*turn.entries_to(Action.USE), *turn.entries_to(Action.SHOW))
        history = tuple(dict.fromkeys((*made.sections["history"], *made.sections["previous"])))
        return replace(turn, used=used, history=history), made


def _without(turn: Turn, action: Action, keep: Collection[str], reason: str) -> Turn:
    """The turn, with the decisions of one action turned into `leave`, but for the entries to keep."""
    decisions = tuple(
        replace(decision, action=Action.LEAVE, reason=reason)
        if decision.action is action and decision.entry.id not in keep
        else decision
        for decision in turn.decisions
    )
    return replace(turn, decisions=decisions)
