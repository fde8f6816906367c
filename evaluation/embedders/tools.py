"""What the app's commands of embedders do; nothing is loaded before one is called."""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec

from assistant.errors import InputError
from assistant.reports.embedders import Comparison, EmbedderTools, Listed, Offered
from assistant.reports.upkeep import Progress
from assistant.settings import Settings


def _listed(settings: Settings) -> Iterable[Listed]:
    from memory_store.embedding.listing import embedders

    return embedders(settings)


def _fit(settings: Settings, name: str, every: int, told: Progress) -> Sequence[Comparison]:
    if find_spec("scipy") is None:
        raise InputError("To fit an embedder needs scipy, which is not installed; please run: pip install scipy")
    from evaluation.embedders.fitting import fit_embedder

    return fit_embedder(settings, name, every, told)


def _undo(settings: Settings, name: str) -> bool:
    from memory_store.embedding.in_use import undo_fit

    return undo_fit(settings, name)


def _offered(name: str) -> Offered:
    if find_spec("sentence_transformers") is None:
        raise InputError("Such an embedder needs sentence-transformers, which is not installed; see docs/embedders.md.")
    from memory_store.embedding.pulling import offered

    return offered(name)


def _pull(offer: Offered, told: Progress) -> None:
    from memory_store.embedding.pulling import pull

    pull(offer, told)


EMBEDDER_TOOLS = EmbedderTools(_listed, _fit, _undo, _offered, _pull)
