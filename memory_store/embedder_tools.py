"""The functions behind `noted embedder`; heavy modules are imported when one is called."""

from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import replace
from importlib.util import find_spec

from assistant.errors import InputError, StoreError
from assistant.reports.embedders import EmbedderTools, Listed, Offered
from assistant.reports.upkeep import Progress
from assistant.sentences import Sentence
from assistant.settings import Settings


def _list(settings: Settings) -> Iterable[Listed]:
    from memory_store.embedding.listing import embedders

    for one in embedders(settings):
        yield replace(one, why=_switch_progress(settings, one)) if one.in_use else one


def _switch_progress(settings: Settings, one: Listed) -> Sentence:
    """Return why an embedder is in use and how far the switch to it is; create no ledger."""
    from memory_store.embedding.in_use import embedder_in_use
    from memory_store.ledger.database.sqlite_file import file_of
    from memory_store.ledger.embedder_records import how_far
    from memory_store.ledger.ledger import Ledger

    file = file_of(settings.ledger)
    if file is None or file.exists():
        with suppress(StoreError), closing(Ledger(settings.ledger)) as ledger:
            return how_far(ledger, embedder_in_use(settings, lambda: None).key, one.name, one.why)
    return one.why


def _offer(name: str) -> Offered:
    """Return the files that a hub has of a model; "" names the bundled one.

    Raises:
        InputError: the model needs sentence-transformers, which is not installed.
    """
    from memory_store.embedding.embedder import BUNDLED_ON_HUB
    from memory_store.embedding.hub import offered

    if name and find_spec("sentence_transformers") is None:
        raise InputError("embedder.extra_needed")
    return offered(name or BUNDLED_ON_HUB)


def _pull(offer: Offered, told: Progress) -> None:
    from memory_store.embedding.hub import pull

    pull(offer, told)


EMBEDDER_TOOLS = EmbedderTools(_list, _offer, _pull)
"""The commands of embedders: `noted embedder`."""
