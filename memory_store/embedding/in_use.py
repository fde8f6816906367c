"""The embedder that the settings name, as all of the app uses it: the model, and how texts are read to it."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.models.remote.embeddings import RemoteEmbedder
from assistant.ports import Spending
from assistant.settings import Settings
from memory_store.embedding.embedder import BUNDLED, EmbedderChoice, SentenceEmbedder, choose_embedder
from memory_store.embedding.reading import MemoryEmbedder


@dataclass(frozen=True, slots=True)
class EmbedderInUse:
    """One embedder."""

    choice: EmbedderChoice
    embedder: SentenceEmbedder | RemoteEmbedder | None  # None for surface form only
    reader: MemoryEmbedder | None  # the same, as memory uses it
    # for the embedded model, whose margins were made for the bundled one; None where that is not to be had
    here: SentenceEmbedder | None

    def start(self) -> None:
        """Load it in the background."""
        if self.embedder is not None:
            self.embedder.start()

    def limit(self, spending: Spending | None) -> None:
        """Set what an embedder behind an API may cost; None: anything."""
        if isinstance(self.embedder, RemoteEmbedder):
            self.embedder.spending = spending


def embedder_in_use(settings: Settings) -> EmbedderInUse:
    """Return the embedder of these settings, not loaded yet."""
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
    return EmbedderInUse(choice, embedder, MemoryEmbedder(embedder) if embedder else None, here)
