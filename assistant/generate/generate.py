"""Call the model for one turn, and parse its reply while it streams."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from assistant import turn_changes
from assistant.errors import EmptyReply, ModelError, NotedError
from assistant.events import AnswerText, Event, UnderstandingText, Waiting
from assistant.feedback.corrections import is_dictated
from assistant.model_usage import Meter, ms_since
from assistant.ports import ChatModel
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.filter import ReplyFilter, visible
from assistant.reply.grammar import ANSWER, CORRECTION, NONE_FOLLOWED, READINGS, UNDERSTANDING, Grammar
from assistant.reply.parser import Piece, ReplyParser, parse_reply
from assistant.types import Action, Corrects, Prompt, Reply, ReplyStatus, Scope, Turn

_LONGEST_UNDERSTANDING = 400
_NOTHING = Reply(raw="")
_EVENTS: Mapping[str, Callable[[str, str], Event]] = {UNDERSTANDING.name: UnderstandingText, ANSWER.name: AnswerText}


@dataclass(slots=True)
class PartialReply:
    """The unfinished reply, for the record of a turn that the user stops."""

    reply: Reply = _NOTHING  # set when the generator is closed
    named: tuple[str, ...] = ()  # ids of the entries that the reply names; set with it
    meter: Meter = field(default_factory=Meter)  # counts the usage of each model call


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

    Stops early once the reply shows if it is an expected correction. If the model fails, the turn has the error.
    """

    longest: int  # characters of a reply; the rest is ignored

    def __call__(self, request: GenerationRequest) -> Generator[Event, None, Turn]:
        turn, corrects, heard = request.turn, request.corrects, _Heard(request.prompt_builder.grammar)
        began, ms = perf_counter(), dict(turn.ms)
        try:
            try:
                yield from self._stream(request, heard, began, ms)
            except EmptyReply:
                if not heard.is_blank(corrects):
                    raise
            is_blank = heard.is_blank(corrects) and not _earlier_answer(request, heard)
            if is_blank and corrects is not Corrects.CERTAINLY:
                heard = _Heard(request.prompt_builder.grammar)
                yield from self._stream(request, heard, began, ms)
            ended = yield from self._ended(request, heard)
        except ModelError as failure:
            ended = turn_changes.fail_turn(replace(turn, reply=heard.reply), failure.sentence)
        except GeneratorExit:
            request.so_far.reply, request.so_far.named = heard.reply, _named(heard.reply, request.prompt)
            raise
        ms["model"] = ms_since(began)
        return replace(ended, ms=ms)

    def _ended(self, request: GenerationRequest, heard: _Heard) -> Generator[Event, None, Turn]:
        """Yield the rest of a complete reply, and return its turn. Raises ModelError."""
        turn, corrects, (pieces, reply) = request.turn, request.corrects, heard.finish()
        if earlier := _earlier_answer(request, heard):
            yield UnderstandingText(turn.id, earlier.understanding)
            yield AnswerText(turn.id, earlier.answer)
            return turn_changes.answer_turn(turn, earlier, ())
        notes = [text for decision in turn.decisions for text in (decision.entry.text, decision.entry.question)]
        is_own = reply.correction is not None and not is_dictated(reply.correction, turn.question, notes)
        if corrects is Corrects.CERTAINLY or (corrects is Corrects.MAYBE and is_own):
            return turn_changes.mark_correction(turn, reply)
        yield from _events(turn, pieces)
        if not reply.answer:
            reply = yield from _answered_otherwise(request, heard.parser, reply)
        if not reply.understanding:
            was_shown = bool(heard.parser.so_far(UNDERSTANDING.name))  # its text is the answer now
            reply = yield from self._with_understanding(request, reply, is_streamed=not was_shown)
        return turn_changes.answer_turn(turn, reply, _used(turn, reply, request.prompt))

    def _stream(self, request: GenerationRequest, heard: _Heard, began: float, ms: dict[str, float]) -> Iterator[Event]:
        with contextlib.closing(request.model.stream(request.prompt.messages, request.so_far.meter)) as stream:
            for chunk in _at_most(self.longest, stream):
                text = heard.visible.feed(chunk)
                if text:
                    ms.setdefault("first_token", ms_since(began))
                    heard.raw += text
                    if _earlier_answer(request, heard):
                        break
                    pieces = heard.parser.feed(text)
                    if request.corrects is Corrects.CERTAINLY and heard.parser.knows_correction:
                        break
                    yield from _events(request.turn, pieces)
                else:
                    yield Waiting(request.turn.id, getattr(chunk, "phase", None))
                if heard.visible.is_over:
                    break

    def _with_understanding(
        self, request: GenerationRequest, reply: Reply, *, is_streamed: bool
    ) -> Generator[Event, None, Reply]:
        """Request a missing understanding, once; keep the status of the reply."""
        try:
            messages = request.prompt_builder.understanding(request.turn.question, reply.answer)
            with contextlib.closing(visible(request.model.stream(messages, request.so_far.meter))) as stream:
                understanding = "".join(_at_most(self.longest, stream))
        except NotedError:  # keep the answer, whatever the error
            return reply
        stated = parse_reply(understanding, request.prompt_builder.grammar)
        understanding = " ".join((stated.understanding or stated.answer).split())[:_LONGEST_UNDERSTANDING]
        if understanding and is_streamed:
            yield UnderstandingText(request.turn.id, understanding)
        return reply.with_fields(understanding=understanding)


def _other_tags(corrects: Corrects) -> Sequence[str]:
    """Return the tags that may contain the answer of a reply without an answer tag."""
    return (UNDERSTANDING.name, READINGS.name, *([CORRECTION.name] if corrects is Corrects.NO else []))


class _Heard:
    """One reply while it streams."""

    def __init__(self, grammar: Grammar) -> None:
        self.visible, self.parser = ReplyFilter(grammar.tag), ReplyParser(grammar)
        self.raw = ""
        self._finished: tuple[list[Piece], Reply] | None = None

    def finish(self) -> tuple[list[Piece], Reply]:
        """End the stream, and return the last pieces and the reply."""
        if self._finished is None:
            pieces = self.parser.feed(self.visible.finish())
            last, reply = self.parser.finish()
            self._finished = ([*pieces, *last], reply)
        return self._finished

    @property
    def reply(self) -> Reply:
        """End the stream, and return the reply."""
        return self.finish()[1]

    def is_blank(self, corrects: Corrects) -> bool:
        """End the stream, and return True if the reply has no text for the user."""
        other = self.parser.other_text(_other_tags(corrects))
        return not (self.reply.answer or self.reply.correction or other)


def _earlier_answer(request: GenerationRequest, heard: _Heard) -> Reply | None:
    """Return the earlier reply if the model starts with the statement that it followed no note; else None.

    A correction must never make an answer worse.
    """
    reply = request.before.reply if request.before else None
    is_unfollowed = heard.raw.startswith(NONE_FOLLOWED) and not request.prompt.sections["offered"]
    return reply if reply and reply.answer and is_unfollowed else None


def _answered_otherwise(request: GenerationRequest, parser: ReplyParser, reply: Reply) -> Generator[Event, None, Reply]:
    """Move the text of another tag to the missing answer. Raises EmptyReply."""
    tags = _other_tags(request.corrects)
    text = parser.other_text(tags)
    if not text:
        raise EmptyReply
    yield AnswerText(request.turn.id, text)
    status = reply.status if reply.status is ReplyStatus.TRUNCATED else ReplyStatus.UNSTRUCTURED
    taken = (name for name in tags if parser.so_far(name) == text)
    return replace(reply.without(*taken).with_fields(answer=text), status=status)


def _at_most(characters: int, stream: Iterable[str]) -> Iterator[str]:
    for chunk in stream:
        yield chunk[:characters] if chunk else chunk
        characters -= len(chunk)
        if characters < 0:
            return


def _named(reply: Reply, prompt: Prompt) -> tuple[str, ...]:
    """Return the offered entries that the reply names, without duplicates."""
    offered = prompt.sections["offered"]
    return tuple(offered[number - 1] for number in dict.fromkeys(reply.notes) if 1 <= number <= len(offered))


def _used(turn: Turn, reply: Reply, prompt: Prompt) -> tuple[str, ...]:
    """Return the entries that the answer rests on, except a note that the model could not follow."""
    if NONE_FOLLOWED in reply.raw and not prompt.sections["offered"]:
        return turn.entries_to(Action.SHOW)
    return (*turn.entries_to(Action.USE), *_named(reply, prompt), *turn.entries_to(Action.SHOW))


def _events(turn: Turn, pieces: Iterable[Piece]) -> Iterator[Event]:
    return (_EVENTS[piece.field](turn.id, piece.text) for piece in pieces if piece.field in _EVENTS)
