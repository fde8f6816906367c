"""Test if a model follows the full prompt, or needs the short one of small models."""

from __future__ import annotations

import contextlib
import threading
from datetime import UTC, datetime
from time import monotonic

from assistant.errors import ModelError
from assistant.gate.gate import JUST_TOLD
from assistant.kinds import CLARIFICATION, Clarification
from assistant.models.local.local import LocalModel
from assistant.models.remote.remote import RemoteModel
from assistant.ports import ChatModel
from assistant.prompt.prompt import PromptBuilder
from assistant.prompt.sections import PromptInput
from assistant.reply.filter import visible
from assistant.reply.parser import parse_reply
from assistant.types import Action, Candidate, Decision, Entry, Key, Scope, Status

SECONDS = 20.0
"""Time limit for the full prompt; slower models get the short one."""
# An invented word, in no example.
_ENTRY = Entry(
    kind=CLARIFICATION,
    question="what is a tavrin?",
    body=Clarification(text="a tavrin is my blue boat"),
    id="note",
    owner="noted",
    shared=False,
    status=Status.ACTIVE,
    sequence=1,
    created=datetime(2026, 1, 1, tzinfo=UTC),
    keys=(Key("what is a tavrin?"),),
)
_NOTE = Decision(Candidate(_ENTRY, _ENTRY.keys[0]), Action.OFFER, 1.0, JUST_TOLD)
_QUESTION, _EXPECTED = "Which colour is a tavrin?", "blue"


def is_small(model: ChatModel) -> bool:
    """Return True if a model gets the short prompt."""
    return getattr(model, "is_small", False)


def measure_soon(model: ChatModel, prompt_builder: PromptBuilder) -> None:
    """Test a model with the short prompt in the background, and switch it to the full prompt if it passes."""
    if not isinstance(model, LocalModel | RemoteModel) or not model.is_small:
        return

    def measure() -> None:
        model.is_small = not follows_notes(model, prompt_builder)

    threading.Thread(target=measure, name="measure-model", daemon=True).start()


def follows_notes(model: ChatModel, prompt_builder: PromptBuilder, seconds: float = SECONDS) -> bool:
    """Return True if a model answers one question by its note, in the form of the full prompt, in time."""
    prompt = prompt_builder.answer(PromptInput(_QUESTION, Scope(_ENTRY.owner), (_NOTE,)), model.window)
    began, reply = monotonic(), ""
    try:
        with contextlib.closing(visible(model.stream(prompt.messages))) as pieces:
            for piece in pieces:
                reply += piece
                if monotonic() - began > seconds:
                    return False
    except ModelError:
        return False
    read = parse_reply(reply, prompt_builder.grammar)
    return bool(read.understanding and read.notes) and _EXPECTED in read.answer.casefold()
