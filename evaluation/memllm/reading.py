"""Reads what is stored, without a model: by the relation as it is stored, and by the words of the question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from assistant.kinds import Triple
from assistant.papers.memllm.sheet import EDIT, KNOW, FactSheet, Found, Line, Profile, Query
from assistant.ports import Embedder
from assistant.types import Scope
from evaluation.memllm.questions import TopicQuestion
from evaluation.store_filling import fact_draft, fresh_folder, settings_in
from memory_store.language.word_translation import READINGS
from memory_store.store import Store, open_store

READER = Scope("reader")
EDITED = Profile(0.85, 0.3, 0.65)
"""As `EDIT`, fitted for the bundled embedder where a question's own words stand in the place of the relation, so that
what asks something else of a thing finds less."""
WORDS = Profile(0.85, 0.0, 0.5)
"""For the words of a question that a stored triple answers: the nearest counts."""
_ALIKE = 1e-4  # likenesses that differ by less are one
_FACTS_AT_ONCE = 1_000
_PER_FACT = 10  # triples: a fact names all that they are about


@dataclass(frozen=True, slots=True)
class Read:
    """What questions find: the share that finds an answer, and the mean share of right ones in what is found."""

    hit: float
    precision: float


Reader = Callable[[FactSheet, TopicQuestion], Sequence[Line]]


def by_relation(sheet: FactSheet, asked: TopicQuestion) -> Sequence[Line]:
    """All that is found by the stored name of the relation."""
    return sheet.read(Query(asked.topic, asked.relation, ""), READER).rows


def by_words(sheet: FactSheet, asked: TopicQuestion) -> Sequence[Line]:
    """All that is found by the question's own words, in the place of a relation."""
    return sheet.read(asked.in_own_words, READER).rows


def by_nearest(sheet: FactSheet, asked: TopicQuestion) -> Sequence[Line]:
    """Of that what the relation says that is nearest to the words."""
    return nearest(sheet.read(asked.in_own_words, READER))


def nearest(found: Found) -> Sequence[Line]:
    """The likeliest of what was found, and what is as likely."""
    most = max((row.likeness for row in found.rows), default=0.0)
    return [row for row in found.rows if row.likeness > most - _ALIKE]


WAYS: dict[str, tuple[Reader, Profile]] = {
    "stored relation, thresholds of the paper to know": (by_relation, KNOW),
    "question's words, thresholds of the paper to edit": (by_words, EDIT),
    "question's words, the nearest of what is known of it": (by_nearest, WORDS),
}
"""How is read, by name."""


@contextmanager
def opened(embedder: Embedder) -> Iterator[Store]:
    """An empty store, gone afterwards."""
    with fresh_folder() as folder:
        settings = settings_in(folder)
        with closing(open_store(settings.ledger, settings.index, embedder, READINGS)) as store:
            store.indexer.catch_up()
            yield store


def fill(store: Store, triples: Iterable[Triple], scope: Scope = READER) -> int:
    """Let facts say these triples, those of one subject together; how many there are, each once."""
    told: dict[str, dict[Triple, None]] = defaultdict(dict)
    for triple in triples:
        told[triple.subject][triple] = None
    drafts = []
    for subject, some in told.items():
        known = list(some)
        parts = (known[at : at + _PER_FACT] for at in range(0, len(known), _PER_FACT))
        drafts += [fact_draft(f"{subject}: {', '.join(one.object for one in part)}", *part) for part in parts]
    for start in range(0, len(drafts), _FACTS_AT_ONCE):
        store.memory.remember_all(drafts[start : start + _FACTS_AT_ONCE], scope)
    store.indexer.catch_up()
    return sum(map(len, told.values()))


def measured(store: Store, asked: Sequence[TopicQuestion], way: str, told: Callable[[], None]) -> Read:
    """What questions find in one way; `told` hears of each that was read."""
    reader, profile = WAYS[way]
    sheet = replace(store.sheet, profile=profile)
    hits, shares = 0, []
    for one in asked:
        rows = reader(sheet, one)
        right = [row for row in rows if row.triple.object in one.answers]
        hits += bool(right)
        if rows:
            shares.append(len(right) / len(rows))
        told()
    return Read(hits / len(asked), sum(shares) / len(shares))
