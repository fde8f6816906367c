"""The functions behind `noted embedder`; heavy modules are imported when one is called."""

from collections.abc import Iterable
from importlib.util import find_spec

from assistant.errors import InputError
from assistant.reports.embedders import EmbedderTools, Listed
from assistant.settings import Settings


def _list(settings: Settings) -> Iterable[Listed]:
    from memory_store.embedding.in_use import embedders

    yield from embedders(settings)


def _pull(name: str) -> None:
    """Download a model; "" names the bundled one.

    Raises:
        InputError: the model needs sentence-transformers, which is not installed.
    """
    from memory_store.embedding.embedder import BUNDLED_ON_HUB
    from memory_store.embedding.hub import pull

    if name and find_spec("sentence_transformers") is None:
        raise InputError("embedder.extra_needed")
    pull(name or BUNDLED_ON_HUB)


EMBEDDER_TOOLS = EmbedderTools(_list, _pull)
"""The commands of embedders: `noted embedder`."""
