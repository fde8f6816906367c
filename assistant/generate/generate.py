"""Call the model for one turn, and parse its reply while it streams."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

from assistant import turn_changes
from assistant.errors import EmptyReply, ModelError, NotedError
from assistant.events import AnswerText, Event, UnderstandingText, Waiting
from assistant.feedback.corrections import is_dictated
from assistant.model_usage import Meter, ms_since
from assistant.ports import ChatModel
from assistant.prompt.calling import hear
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.filter import ReplyFilter
from assistant.reply.parser import NONE_FOLLOWED, Piece, ReplyParser, parse_reply
from assistant.types import Action, Corrects, Prompt, Reply, ReplyStatus, Scope, Turn

_LONGEST_UNDERSTANDING = 400
_NOTHING = Reply(raw="")
_EVENTS: Mapping[str, Callable[[str, str], Event]] = {"understanding": UnderstandingText, "answer": AnswerText}


@dataclass(slots=True)
class PartialReply:
    """The unfinished reply, for the record of a turn that the user stops."""

    reply: Reply = _NOTHING  # set when the generator is closed
    named: tuple[str, ...] = ()  # ids of the entries that the reply names; set with it
    meter: Meter = field(default_factory=Meter)  # counts the usage of each model call
    events: list[Event] = field(default_factory=list)  # of the model itself, to be passed on with its next piece


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    turn: Turn
    prompt: Prompt
    prompt_builder: PromptBuilder
    model: ChatModel
    corrects: Corrects
    scope: Scope
    so_far: PartialReply = field(default_factory=PartialReply)
    before: Turn | None = None  # the turn that it answers again; its answer is kept if the model cannot use the note
    may_draft: bool = True  # several drafts are allowed


AnswerGenerator = Callable[[GenerationRequest], Generator[Event, None, Turn]]
"""Answers a request with one call, several calls, lookups in the middle, or drafts, and returns the finished turn.

Closing it closes every stream within it, and sets `request.so_far`. Raises NotedError.
"""


@dataclass(frozen=True, slots=True)
class OneCall:
    """Implements `AnswerGenerator`: one streaming call, and another one for an empty reply or a missing understanding.

    Where a correction is expected, stops as soon as the reply shows if it is one. If the model fails, the turn has the
    error.
    """

    longest: int  # characters of a reply; the rest is ignored

    def __call__(self, request: GenerationRequest) -> Generator[Event, None, Turn]:
        heard, began, ms = _StreamedReply(request, self.longest), perf_counter(), dict(request.turn.ms)
        try:
            with contextlib.suppress(EmptyReply):
                yield from heard.stream(began, ms)
            if heard.is_blank() and not heard.earlier_answer() and request.corrects is not Corrects.CERTAINLY:
                heard = _StreamedReply(request, self.longest)
                yield from heard.stream(began, ms)
            ended = yield from heard.end()
        except ModelError as failure:
            ended = turn_changes.fail_turn(replace(request.turn, reply=heard.finished[1]), failure.sentence)
        except GeneratorExit:
            request.so_far.reply = heard.finished[1]
            request.so_far.named = heard.named()
            raise
        ms["model"] = ms_since(began)
        return replace(ended, ms=ms)


class _StreamedReply:
    """One reply while it streams."""

    def __init__(self, request: GenerationRequest, longest: int) -> None:
        self.request, self.longest, self.raw = request, longest, ""
        self.visible = ReplyFilter(request.prompt_builder.grammar.tag)
        self.parser = ReplyParser(request.prompt_builder.grammar)
        # Tags that may contain the answer of a reply without an answer tag.
        self.other_tags = ["understanding", "readings", *(["correction"] if request.corrects is Corrects.NO else [])]

    def stream(self, began: float, ms: dict[str, float]) -> Iterator[Event]:
        """Yield events while the model writes, and record the time of the first visible text in `ms`."""
        request, room = self.request, self.longest
        with contextlib.closing(request.model.stream(request.prompt.messages, request.so_far.meter)) as stream:
            for chunk in stream:
                text = self.visible.feed(chunk[:room] if chunk else chunk)
                room -= len(chunk)
                while request.so_far.events:
                    yield request.so_far.events.pop(0)
                if text:
                    ms.setdefault("first_token", ms_since(began))
                    self.raw += text
                    if self.earlier_answer():
                        break
                    pieces = self.parser.feed(text)
                    if request.corrects is Corrects.CERTAINLY and (self.parser.correction or self.parser.answers):
                        break
                    yield from self._events(pieces)
                else:
                    yield Waiting(request.turn.id, getattr(chunk, "phase", None), getattr(chunk, "ahead", 0))
                if self.visible.is_over or room < 0:
                    break

    @cached_property
    def finished(self) -> tuple[list[Piece], Reply]:
        """End the stream, and return the last pieces and the reply."""
        pieces = self.parser.feed(self.visible.finish())
        last, reply = self.parser.finish()
        return [*pieces, *last], reply

    def end(self) -> Generator[Event, None, Turn]:
        """Yield the rest of a complete reply, and return its turn. Raises ModelError."""
        request, turn, (pieces, reply) = self.request, self.request.turn, self.finished
        if earlier := self.earlier_answer():
            yield UnderstandingText(turn.id, earlier.understanding)
            yield AnswerText(turn.id, earlier.answer)
            return turn_changes.answer_turn(turn, earlier, ())
        notes = [text for decision in turn.decisions for text in (decision.entry.text, decision.entry.question)]
        is_own = reply.correction is not None and not is_dictated(reply.correction, turn.question, notes)
        if request.corrects is Corrects.CERTAINLY or (request.corrects is Corrects.MAYBE and is_own):
            return turn_changes.mark_correction(turn, reply)
        yield from self._events(pieces)
        if not reply.answer:  # use the text of another tag instead
            text = self.parser.other_text(self.other_tags)
            if not text:
                raise EmptyReply
            yield AnswerText(turn.id, text)
            status = reply.status if reply.status is ReplyStatus.TRUNCATED else ReplyStatus.UNSTRUCTURED
            taken = (name for name in self.other_tags if self.parser.so_far(name) == text)
            reply = replace(reply.without(*taken).with_fields(answer=text), status=status)
        if not reply.understanding:
            reply = reply.with_fields(understanding=self._ask_understanding(reply.answer))
            # If an understanding was shown, it has become the answer.
            if reply.understanding and not self.parser.so_far("understanding"):
                yield UnderstandingText(turn.id, reply.understanding)
        used = (*turn.entries_to(Action.USE), *self.named())
        if NONE_FOLLOWED in reply.raw and not request.prompt.sections["offered"]:  # the model could not follow the note
            used = ()
        return turn_changes.answer_turn(turn, reply, (*used, *turn.entries_to(Action.SHOW)))

    def named(self) -> tuple[str, ...]:
        """Return the offered entries that the reply names, without duplicates."""
        offered = self.request.prompt.sections["offered"]
        return tuple(offered[number - 1] for number in self.finished[1].notes if 1 <= number <= len(offered))

    def is_blank(self) -> bool:
        """End the stream, and return True if the reply has no text for the user."""
        reply = self.finished[1]
        return not (reply.answer or reply.correction or self.parser.other_text(self.other_tags))

    def earlier_answer(self) -> Reply | None:
        """Return the earlier reply if the model starts with the statement that it followed no note; else None.

        A correction must never make an answer worse.
        """
        reply = self.request.before.reply if self.request.before else None
        is_unfollowed = self.raw.startswith(NONE_FOLLOWED) and not self.request.prompt.sections["offered"]
        return reply if reply and reply.answer and is_unfollowed else None

    def _ask_understanding(self, answer: str) -> str:
        """Request a missing understanding, once; return an empty one if that fails."""
        model, prompt_builder = self.request.model, self.request.prompt_builder
        try:
            messages = prompt_builder.understanding(self.request.turn.question, answer)
            said = parse_reply(hear(model, messages, self.request.so_far.meter), prompt_builder.grammar)
        except NotedError:  # keep the answer, whatever the error
            return ""
        return " ".join((said.understanding or said.answer).split())[:_LONGEST_UNDERSTANDING]

    def _events(self, pieces: Iterable[Piece]) -> Iterator[Event]:
        return (_EVENTS[piece.field](self.request.turn.id, piece.text) for piece in pieces if piece.field in _EVENTS)
