"""The embedder of the settings, as the whole app uses it."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.models.remote.embeddings import RemoteEmbedder
from assistant.ports import Spending
from assistant.settings import Settings
from memory_store.embedding.calibration import MemoryEmbedder
from memory_store.embedding.embedder import BUNDLED, EmbedderChoice, SentenceEmbedder, choose_embedder


@dataclass(frozen=True, slots=True)
class EmbedderSetup:
    """The embedder for the app, for memory and for the embedded model."""

    choice: EmbedderChoice
    embedder: SentenceEmbedder | RemoteEmbedder | None  # None for spelling only
    reader: MemoryEmbedder | None  # the same, as memory uses it
    # for the embedded model, whose thresholds fit the bundled one; None if that is missing
    here: SentenceEmbedder | None

    def start(self) -> None:
        """Load the embedder in the background."""
        if self.embedder is not None:
            self.embedder.start()

    def limit(self, spending: Spending | None) -> None:
        """Set the spending limit for an embedder behind an API; None for no limit."""
        if isinstance(self.embedder, RemoteEmbedder):
            self.embedder.spending = spending


def set_up_embedder(settings: Settings) -> EmbedderSetup:
    """Return the embedder of these settings without loading it."""
    choice = choose_embedder(settings.embedder, settings.embedder_api_base)
    embedder: SentenceEmbedder | RemoteEmbedder | None = None
    if choice.is_remote:
        key, base = settings.embedder_api_key, settings.embedder_api_base
        embedder = RemoteEmbedder(choice.name, api_key=key, api_base=base)
    elif choice.path:
        embedder = SentenceEmbedder(choice)
    here = embedder if isinstance(embedder, SentenceEmbedder) else None
    if embedder is not None and choice.name != BUNDLED:
        bundled = choose_embedder(BUNDLED)
        here = SentenceEmbedder(bundled) if bundled.path else None
    return EmbedderSetup(choice, embedder, MemoryEmbedder(embedder) if embedder else None, here)
