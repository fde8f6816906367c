"""Which model answers, by the settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from assistant.feedback import correction_in
from assistant.models.lexicon import lexicon
from assistant.models.offline import OfflineModel
from assistant.models.remote import RemoteModel
from assistant.settings import EMBEDDED

if TYPE_CHECKING:
    from assistant.ports import Embedder, Spending
    from assistant.settings import Settings

Model = OfflineModel | RemoteModel


def choose_model(
    settings: Settings, fold: Callable[[str], str], embedder: Embedder | None, spending: Spending | None
) -> Model:
    """The model that the settings name; nothing of it is loaded yet.

    Args:
        settings: what the host wants.
        fold: brings spellings and scripts of a text together, for the embedded model.
        embedder: compares meanings, for the embedded model.
        spending: counts what a remote model costs; None where it may cost anything.
    """
    if settings.model == EMBEDDED:
        return OfflineModel(lexicon(), fold=fold, find_correction=correction_in, embedder=embedder)
    return RemoteModel(
        settings.model,
        api_key=settings.api_key,
        api_base=settings.api_base,
        first_token_seconds=settings.first_token_seconds,
        read_seconds=settings.read_seconds,
        window=settings.window,
        spending=spending,
    )
