"""Choose the model by the settings, and its prompt: the full one, or the short one of small models."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from assistant.errors import ModelError
from assistant.gate.gate import JUST_TOLD
from assistant.kinds import CLARIFICATION, Clarification
from assistant.language.languages import Languages
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.local.local import LocalModel
from assistant.models.remote.remote import RemoteModel
from assistant.ports import ChatModel, Embedder, Spending
from assistant.prompt.calling import hear
from assistant.prompt.prompt import PromptBuilder, PromptInput
from assistant.reply.parser import parse_reply
from assistant.settings import EMBEDDED, FULL, MEASURED, SHORT, Settings
from assistant.types import Action, Candidate, Decision, Entry, Key, Scope, Status


def choose_model(
    settings: Settings, languages: Languages, embedder: Embedder | None, spending: Spending | None
) -> EmbeddedModel | LocalModel | RemoteModel:
    """Return the model that the settings name, not loaded yet.

    `languages` and `embedder` are for the embedded model, `spending` limits the cost of a remote one.
    """
    if settings.model == EMBEDDED:
        return EmbeddedModel(languages, embedder)
    if settings.model_file is not None:
        return local_model(settings, settings.model_file)
    return RemoteModel(
        settings.model,
        api_key=settings.api_key,
        api_base=settings.api_base,
        first_token_seconds=settings.first_token_seconds,
        read_seconds=settings.read_seconds,
        context=settings.window,
        reply_tokens=settings.reply_tokens,
        spending=spending,
        is_small=settings.prompt in {SHORT, MEASURED},
    )


def local_model(settings: Settings, file: Path) -> LocalModel:
    """Return the model of a GGUF file, not loaded yet."""
    small = settings.prompt != FULL
    return LocalModel(file, context=settings.window, reply_tokens=settings.reply_tokens, is_small=small)


def is_small(model: ChatModel) -> bool:
    """Return True if a model gets the short prompt."""
    return getattr(model, "is_small", False)


def measure_soon(model: ChatModel, prompt_builder: PromptBuilder) -> None:
    """Test in the background whether a model with the short prompt can follow the full one; if so, switch to it."""
    if not isinstance(model, LocalModel | RemoteModel) or not model.is_small:
        return

    def measure() -> None:
        model.is_small = not follows_notes(model, prompt_builder)

    threading.Thread(target=measure, name="measure-model", daemon=True).start()


def follows_notes(model: ChatModel, prompt_builder: PromptBuilder, seconds: float = 20.0) -> bool:
    """Return True if a model, given the full prompt, answers a test question from its note, in the right form, in time.

    The note explains an invented word, so no model knows the answer without it.
    """
    owner, question = "noted", "what is a tavrin?"
    entry = Entry(
        kind=CLARIFICATION,
        question=question,
        body=Clarification(text="a tavrin is my blue boat"),
        id="note",
        owner=owner,
        shared=False,
        status=Status.ACTIVE,
        sequence=1,
        created=datetime(2026, 1, 1, tzinfo=UTC),
        keys=(Key(question),),
    )
    note = Decision(Candidate(entry, entry.keys[0]), Action.OFFER, 1.0, JUST_TOLD)
    asking = PromptInput("Which colour is a tavrin?", Scope(owner), (note,))
    prompt = prompt_builder.answer(asking, model.window)
    ends = monotonic() + seconds
    try:
        reply = hear(model, prompt.messages, is_stopped=lambda: monotonic() > ends)
    except ModelError:
        return False
    read = parse_reply(reply, prompt_builder.grammar)
    return bool(read.understanding and read.notes) and "blue" in read.answer.casefold()
