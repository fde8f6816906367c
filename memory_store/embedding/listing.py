"""Which embedders are on this machine, and how quick they are here."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from assistant.errors import NotedError
from assistant.reports.embedders import Listed
from assistant.sentences import Sentence
from assistant.settings import Settings
from memory_store.embedding.embedder import BUNDLED, EmbedderChoice, SentenceEmbedder, choose_embedder
from memory_store.embedding.hub import cached_names
from memory_store.embedding.model_files import languages

_QUESTIONS = ("What does light mean?", "Cancel my alarm for tomorrow morning, please.", "garam ka ulta kya hai")
_TIMES = 4
_MEGABYTE = 1e6


def embedders(settings: Settings) -> Iterator[Listed]:
    """Yield the one in use, the bundled one, and those in the local cache. Each is loaded, to time it."""
    used = choose_embedder(settings.embedder, settings.embedder_api_base)
    yield _listed(used, used.why, in_use=True)
    for name in dict.fromkeys([BUNDLED, *cached_names()]):
        choice = choose_embedder(name)
        if choice.name == name != used.name:
            why = choice.why if name == BUNDLED else Sentence("embedder.could_be")
            yield _listed(choice, why, in_use=False)


def _listed(choice: EmbedderChoice, why: Sentence, *, in_use: bool) -> Listed:
    files = [file for file in choice.path.rglob("*") if file.is_file()] if choice.path else []
    return Listed(
        choice.name,
        why,
        in_use,
        megabytes=sum(file.stat().st_size for file in files) / _MEGABYTE if files else None,
        dimension=choice.dimension,
        milliseconds=_milliseconds(choice),
        languages=tuple(languages(choice.path)) if choice.path else (),
    )


def _milliseconds(choice: EmbedderChoice) -> float | None:
    """Return the time for one question; None behind an API, which would cost, and for one that cannot be loaded."""
    if not choice.dimension:
        return None
    embedder = SentenceEmbedder(choice)
    try:
        embedder.encode(_QUESTIONS)
    except NotedError:
        return None
    times = []
    for question in _QUESTIONS * _TIMES:
        began = perf_counter()
        embedder.encode([question])
        times.append(perf_counter() - began)
    return 1000 * median(times)
