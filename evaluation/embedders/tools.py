"""What the app's commands of embedders do; nothing is loaded before one is called."""

from collections.abc import Iterable, Sequence

from assistant.reports.embedders import Comparison, EmbedderTools, Listed
from assistant.reports.upkeep import Progress
from assistant.settings import Settings


def _listed(settings: Settings) -> Iterable[Listed]:
    from memory_store.embedding.listing import embedders

    return embedders(settings)


def _fit(settings: Settings, name: str, told: Progress) -> Sequence[Comparison]:
    from evaluation.embedders.fitting import fit_embedder

    return fit_embedder(settings, name, told)


def _undo(settings: Settings, name: str) -> bool:
    from evaluation.embedders.fitting import undo

    return undo(settings, name)


EMBEDDER_TOOLS = EmbedderTools(_listed, _fit, _undo)
