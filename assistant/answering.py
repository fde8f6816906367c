"""Asks the model and takes its reply apart while it streams."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from time import perf_counter

from assistant.errors import EmptyReply, ModelError, NotedError
from assistant.events import AnswerText, Event, UnderstandingText, Waiting
from assistant.ports import ChatModel
from assistant.prompting import Prompting
from assistant.reply import Piece, ReplyParser, parse_reply
from assistant.types import Prompt, Reply, ReplyStatus, Turn, TurnState
from assistant.usage import Count, not_counted

_LONGEST_UNDERSTANDING = 400


@dataclass(frozen=True, slots=True)
class Answering:
    """The model's half of a turn.

    Args:
        model: what answers.
        prompting: makes the prompt for the one short call, where a reply has no understanding.
    """

    model: ChatModel
    prompting: Prompting

    def __call__(
        self,
        turn: Turn,
        prompt: Prompt,
        parser: ReplyParser,
        is_correction: Callable[[ReplyParser], bool],
        count: Count = not_counted,
    ) -> Generator[Event, None, Turn]:
        """Stream the reply to a prompt; return the turn with it.

        Args:
            turn: the turn to answer.
            prompt: its prompt.
            parser: a fresh one. Who closes this generator in the middle can ask it what had come.
            is_correction: asked while the reply comes: whether it is clear by now that the message is a correction of
                the turn before, so that nothing more is wanted from the model.
            count: told what each call to the model took.

        Returns:
            The turn as answered, failed, or a correction, with the entries that the reply rests on. A model that fails
            is no exception here: the turn says what happened in one sentence.
        """
        began = perf_counter()
        first_token: float | None = None
        try:
            with contextlib.closing(self.model.stream(prompt.messages, count)) as stream:
                for chunk in stream:
                    if not chunk:
                        yield Waiting(turn.id)
                        continue
                    first_token = first_token or perf_counter()
                    pieces = parser.feed(chunk)
                    if is_correction(parser):
                        break
                    yield from _shown(turn, pieces)
            pieces, reply = parser.finish()
            correcting = is_correction(parser)
            if not correcting:
                yield from _shown(turn, pieces)
            if not correcting and not (reply.understanding or reply.answer or reply.status is ReplyStatus.TRUNCATED):
                raise EmptyReply
        except ModelError as error:
            reply = parser.finish()[1]
            return replace(
                turn, state=TurnState.FAILED, error=str(error), reply=reply, ms=_times(turn, began, first_token)
            )
        if correcting:
            return replace(turn, state=TurnState.CORRECTION, reply=reply, ms=_times(turn, began, first_token))
        if reply.answer and not reply.understanding:
            reply = yield from self._with_understanding(turn, reply, count)
        used = (*prompt.used, *_named(reply, prompt), *prompt.shown)
        ms = _times(turn, began, first_token)
        return replace(turn, state=TurnState.ANSWERED, reply=reply, used=used, ms=ms)

    def _with_understanding(self, turn: Turn, reply: Reply, count: Count) -> Generator[Event, None, Reply]:
        """Ask once what the question meant. The status stays: it says how the reply came."""
        try:
            messages = self.prompting.understanding(turn.question, reply.answer)
            with contextlib.closing(self.model.stream(messages, count)) as stream:
                understanding = "".join(stream)
        except NotedError:  # the answer is there; whatever goes wrong here must not take it away
            return reply
        stated = parse_reply(understanding)
        understanding = " ".join((stated.understanding or stated.answer).split())[:_LONGEST_UNDERSTANDING]
        if understanding:
            yield UnderstandingText(turn.id, understanding)
        return replace(reply, understanding=understanding)


def _named(reply: Reply, prompt: Prompt) -> tuple[str, ...]:
    """The offered entries that the reply names. A number that was not offered is passed over; each counts once."""
    numbers = dict.fromkeys(number for number in reply.notes if 1 <= number <= len(prompt.offered))
    return tuple(prompt.offered[number - 1] for number in numbers)


def _shown(turn: Turn, pieces: list[Piece]) -> Iterator[Event]:
    for piece in pieces:
        yield (UnderstandingText if piece.field == "understanding" else AnswerText)(turn.id, piece.text)


def _times(turn: Turn, began: float, first_token: float | None) -> dict[str, float]:
    """Milliseconds until the first token and until the end of the reply, beside what is measured already."""
    now = perf_counter()
    first = {"first_token": round((first_token - began) * 1000, 1)} if first_token else {}
    return {**turn.ms, **first, "model": round((now - began) * 1000, 1)}
