"""What the app's commands of embedders do; nothing is loaded before one is called."""

from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import replace
from importlib.util import find_spec

from assistant.errors import InputError, StoreError
from assistant.reports.embedders import EmbedderTools, Fitting, Listed, Offered
from assistant.reports.upkeep import Progress
from assistant.sentences import Sentence
from assistant.settings import Settings


def _listed(settings: Settings) -> Iterable[Listed]:
    from memory_store.embedding.listing import embedders

    for one in embedders(settings):
        yield replace(one, why=_how_far(settings, one)) if one.in_use else one


def _how_far(settings: Settings, one: Listed) -> Sentence:
    """Why it is in use, and how far a switch to it is. Makes no ledger where there is none."""
    from memory_store.embedding.in_use import embedder_in_use
    from memory_store.ledger.database.sqlite_file import file_of
    from memory_store.ledger.embedder_records import how_far
    from memory_store.ledger.ledger import Ledger

    file = file_of(settings.ledger)
    if file is None or file.exists():
        with suppress(StoreError), closing(Ledger(settings.ledger)) as ledger:
            return how_far(ledger, embedder_in_use(settings, lambda: None).key, one.name, one.why)
    return one.why


def _fit(settings: Settings, name: str, every: int, told: Progress) -> Fitting:
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
