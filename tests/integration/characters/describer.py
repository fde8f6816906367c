"""Describe the events of a conversation as plain JSON.

Only this file of the recorded conversations knows the classes of events, turns, decisions and entries, so renaming one
changes no recording. Ids become numbers in order of first use; empty values are omitted.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from assistant import events
from assistant.types import Decision, Entry, Message, Turn

Description = dict[str, Any]
_LONGEST = 2000  # characters; longer texts are shortened


class IdNumbers:
    """Numbers for ids of one type, in order of first use."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def of(self, wanted: str | None) -> int | None:
        if not wanted:
            return None
        if wanted not in self.ids:
            self.ids.append(wanted)
        return self.ids.index(wanted) + 1


class Describer:
    """Descriptions for one conversation. Ids are positions in `turns`, `entries` or `conversations`."""

    def __init__(self) -> None:
        self.turns, self.entries, self.conversations = IdNumbers(), IdNumbers(), IdNumbers()

    def event(self, event: events.Event) -> Description:
        match event:
            case events.Started(turn) | events.Retrieved(turn) | events.Finished(turn):
                return {type(event).__name__.lower(): self.turn(turn)}
            case events.Waiting(turn):
                return {"waiting": self.turns.of(turn)}
            case events.UnderstandingText(turn, text):
                return {"understanding": _text(text), "turn": self.turns.of(turn)}
            case events.AnswerText(turn, text):
                return {"answer": _text(text), "turn": self.turns.of(turn)}
            case events.LookupFinished(turn, looked):
                return {"looked up": [[one["asked"], one["outcome"], len(one["found"])] for one in looked]} | {
                    "turn": self.turns.of(turn)
                }
            case events.Saved(entry, corrected):
                return {"saved": self.entry(entry), "corrected": self.turn(corrected)}

    def turn(self, turn: Turn) -> Description:
        reply = turn.reply
        return _without_empty(
            turn=self.turns.of(turn.id),
            conversation=self.conversations.of(turn.conversation),
            question=_text(turn.question),
            model=turn.model,
            state=turn.state.value,
            raw=_text(reply.raw),
            understanding=_text(reply.understanding),
            answer=_text(reply.answer),
            status=reply.status.value if reply.raw else "",
            notes=list(reply.notes),
            correction=reply.correction,
            decisions=[self.decision(decision) for decision in turn.decisions],
            used=[*map(self.entries.of, turn.used)],
            history=[*map(self.turns.of, turn.history)],
            error=str(turn.error or ""),
            answers_again=self.turns.of(turn.answers_again),
            clarified_with=self.entries.of(turn.clarified_with),
            left_out=[*map(self.entries.of, turn.left_out)],
            chosen=self.entries.of(turn.chosen),
            corrected_by=self.entries.of(turn.corrected_by),
            confirmed=turn.confirmed,
            usage=asdict(turn.usage) if turn.usage else None,
        )

    def decision(self, decision: Decision) -> Description:
        return {
            "entry": self.entries.of(decision.entry.id),
            "action": decision.action.value,
            "probability": round(decision.probability, 3),
            "reason": str(decision.reason),
            "key": _text(decision.candidate.key.text),
        }

    def entry(self, entry: Entry) -> Description:
        return _without_empty(
            entry=self.entries.of(entry.id),
            kind=entry.kind.name,
            status=entry.status.value,
            question=_text(entry.question),
            text=_text(getattr(entry.body, "text", "")),
            wrong_understanding=_text(entry.wrong_understanding),
            keys=[[key.origin.value, _text(key.text)] for key in entry.keys],
            turn=self.turns.of(entry.turn),
            supersedes=self.entries.of(entry.supersedes),
            only_in=self.conversations.of(entry.only_in),
            on=entry.created.date().isoformat(),
        )


def prompt(messages: Sequence[Message]) -> Description:
    """Describe a prompt by its hash and last message, which makes differences readable."""
    whole = json.dumps([[message.role.value, message.content] for message in messages])
    return {
        "asked": _text(messages[-1].content),
        "messages": len(messages),
        "sha256": hashlib.sha256(whole.encode()).hexdigest(),
    }


def _text(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:80]}… ({len(text)} characters, sha256 {hashlib.sha256(text.encode()).hexdigest()})"


def _without_empty(**told: Any) -> Description:
    return {name: value for name, value in told.items() if value}
