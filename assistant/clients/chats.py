"""Match a chat that a program keeps, and sends whole with each message, with the stored turns of its conversation.

Programs name no turns, so turns are found by text and order. A stored turn that the chat does not show was replaced in
it: by an edited message, another answer, or another branch. It is hidden from the answer to the next message.
"""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assistant.limits import Limits
from assistant.ports import TurnStore
from assistant.text.cleaning import clean_text
from assistant.types import Reply, Scope, Turn, TurnState

_HISTORY = 12  # turns that a prompt may contain


class Exchange(NamedTuple):
    """A message of the user with the reply in the chat, which may be empty."""

    message: str
    reply: str


@dataclass(frozen=True, slots=True)
class ClientChat:
    """The chat of a program, compared with the stored turns of its conversation."""

    hidden: frozenset[str]  # ids of stored turns that the chat does not show
    unknown: tuple[Exchange, ...]  # exchanges that were answered elsewhere
    replaced: Turn | None  # by the last message
    repeated: Turn | None  # the answer to replace, if the last message is the same as before
    misfit: tuple[int, int]  # exchanges that no turn answers, and later turns that the chat does not show


def find_chat(candidates: Iterable[Sequence[Turn]], earlier: Sequence[Exchange], last: str) -> tuple[int, ClientChat]:
    """Match a chat that names no conversation with the turns of those that begin alike, the first unused one last.

    Returns the place of the conversation that fits best, and how the chat compares with it.
    """
    chats = []
    for stored in candidates:
        chats.append(match_chat(stored, earlier, last))
        if not stored or chats[-1].misfit == (0, 0):
            break
    best = min(chats, key=lambda chat: chat.misfit)
    return chats.index(best), best


def match_chat(stored: Sequence[Turn], earlier: Sequence[Exchange], last: str) -> ClientChat:
    """Compare the exchanges of a chat and its last message with turns, oldest first."""
    by_id, shown, unknown, after = {turn.id: turn for turn in stored}, list[Turn](), list[Exchange](), 0
    strange = 0

    def first_version(turn: Turn) -> str:
        for _ in stored:
            before = by_id.get(turn.answers_again or "")
            if before is None:
                break
            turn = before
        return turn.id

    for exchange in (Exchange(*map(_stored, texts)) for texts in earlier):
        asked = [at for at in range(after, len(stored)) if _asks(stored[at], exchange.message)]
        # A question may have several answers, and be asked twice in one chat.
        answered = [at for at in asked if _says(exchange.reply, stored[at], stored)]
        answered = [at for at in answered if first_version(stored[at]) == first_version(stored[answered[0]])]
        strange += not answered
        if not asked:
            unknown.append(exchange)
            continue
        after = answered[-1] if answered else asked[0]
        shown += [stored[after], *_corrected_answers(stored[after], stored)]
        after += 1

    known, last = set(map(first_version, shown)), _stored(last)
    later = [turn for turn in stored[after:] if not turn.clarified_with and first_version(turn) not in known]
    later = [turn for turn in later if turn.state is not TurnState.DELETED]
    same = [turn for turn in later if _asks(turn, last)]
    replaced = same[-1] if same else next(iter(later), None)
    repeated = [replaced, *_corrected_answers(replaced, stored)][-1] if replaced and same else None
    hidden = frozenset(by_id).difference(turn.id for turn in shown)
    return ClientChat(hidden, tuple(unknown), replaced, repeated, (strange, len(later) - len(same)))


def record_exchanges(
    exchanges: Sequence[Exchange], store: TurnStore, conversation: str, scope: Scope, limits: Limits
) -> None:
    """Store exchanges that were answered elsewhere, so that they are history, and the last can be corrected."""
    for message, reply in exchanges[-_HISTORY:]:
        question, answer = message[: limits.question], reply[: limits.reply]
        if question and answer:
            told, state = Reply(raw="").with_fields(answer=answer), TurnState.ANSWERED
            store.record(Turn(str(uuid.uuid4()), conversation, scope.person, question, state=state, reply=told), scope)


def _asks(turn: Turn, message: str) -> bool:
    return turn.question == message and not turn.clarified_with


def _says(reply: str, turn: Turn, stored: Sequence[Turn]) -> bool:
    """Return True if a reply in the chat contains the answer of a turn, or the new answer after its correction."""
    answers = [one.reply.answer for one in (turn, *_corrected_answers(turn, stored))]
    return any(answer and answer.strip() in reply for answer in answers)


def _corrected_answers(turn: Turn, stored: Sequence[Turn]) -> list[Turn]:
    """Return the turns that answer again with the clarification of this turn: its correction, or the one it gives."""
    return [other for other in stored if turn.corrected_by and other.clarified_with == turn.corrected_by]


def _stored(text: str) -> str:
    """Return a text as turns store it."""
    return clean_text(text).strip()


@dataclass(frozen=True, slots=True)
class ShownTurns:
    """A `TurnStore` without the turns that a chat hides. Runs `pending` before the first history is read.

    By then the turn is counted and its question checked, so a refused request changes nothing.
    """

    store: TurnStore
    hidden: frozenset[str]
    pending: list[Callable[[], object]]

    def record(self, turn: Turn, scope: Scope) -> None:
        self.store.record(turn, scope)

    def mark(self, turn: Turn, scope: Scope) -> None:
        self.store.mark(turn, scope)

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        return self.store.turn(turn_id, scope)

    def turns(self, conversation: str, scope: Scope, limit: int = 50, before: str = "") -> Sequence[Turn]:
        while self.pending:
            self.pending.pop(0)()
        found = self.store.turns(conversation, scope, limit + len(self.hidden), before)
        return [turn for turn in found if turn.id not in self.hidden][-limit:]

    def having(self, field: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        return self.store.having(field, scope, limit)
