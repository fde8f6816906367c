"""Recall: query, hits, candidates. Ω of MemPrompt (section 3.2). Leans to finding too much.

The question is compared with every text of every entry that the person may read, by meaning, by words and by letters
(`memory_store.index.key_matrix`). The entries that are nearest in all of these together become candidates and get their
features (`memory_store.recall.features`). What is down is left out: without an embedder meaning is missing, and while
the index is down the texts come from the ledger.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from time import sleep
from typing import NamedTuple

import numpy as np

from assistant.errors import NotedError, StoreError
from assistant.ports import Embedder
from assistant.types import Candidate, Entry, Key, KeyOrigin, Question, Scope, Status
from memory_store.embedding.standard import Scale, as_they_are
from memory_store.index.index import Index
from memory_store.index.key_matrix import KeyMatrix, Part, Query, Scores
from memory_store.index.matrix_cache import Matrices, MatrixCache
from memory_store.index.rows import is_usable
from memory_store.language.normalize import SLOT
from memory_store.language.terms import Floats, Places
from memory_store.language.word_translation import Readings
from memory_store.ledger.access import person_of
from memory_store.ledger.database.schema import NOBODY, PRIVATE, SHARED
from memory_store.ledger.indexed_keys import TextRole
from memory_store.memory.memory import LedgerMemory
from memory_store.recall import facts
from memory_store.recall.bounds import bounds, keeps_away
from memory_store.recall.features import best_wording, history, margins, nearest_key, relevance, similar

LONGEST_QUESTION = 2_000  # characters that are searched with; what follows says little about the question
MOST_CANDIDATES = 10  # clarifications
MOST_EXAMPLES = 8
MOST_FACTS = 12
MOST_SHARED = 3  # of each that are shared with everyone, beside one's own; one at most goes into a prompt
_ROOM = {Part.SAID: MOST_CANDIDATES, Part.UNSAID: MOST_EXAMPLES, Part.ASSERTED: MOST_FACTS}
_MOST_PEOPLE = 10_000
_MOST_WORDED = 4  # questions of an entry that are compared word by word
_TIMES = 3  # as many again are looked at where some of what is nearest rests, or is gone since it was indexed
_MOST_AT_ONCE = 4  # questions whose vectors are made at the same time
_WAIT_SECONDS = 20.0  # for a model that is still loading; no question takes that long

_log = logging.getLogger(__name__)


class Hit(NamedTuple):
    """An entry of a matrix, and how near it is."""

    relevance: float
    scores: Scores
    place: int

    @property
    def entry_id(self) -> str:
        return self.scores.matrix.entry_ids[self.place]


class QuestionVectors:
    """Makes the vectors of questions beside the search, in threads of its own; none without an embedder.

    An embedder that fails or hangs costs the meaning and no more.
    """

    def __init__(self, embedder: Embedder | None, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._embedder = embedder
        self._wait_seconds = wait_seconds
        self._threads = ThreadPoolExecutor(_MOST_AT_ONCE, "embed")
        self._late: Future[Sequence[Floats | None]] | None = None

    def begin(self, question: str) -> Callable[[], Floats | None]:
        """Start on the vector of a question, and return what waits for it, and gives None where none comes in time.

        While one that somebody waited for in vain has still not come, nobody waits.
        """
        wait = self.begin_all([question])
        return lambda: wait()[0]

    def begin_all(self, texts: Sequence[str]) -> Callable[[], Sequence[Floats | None]]:
        """As `begin`, for several texts at once, which takes hardly longer than one."""
        embedder, none = self._embedder, [None] * len(texts)
        if embedder is None or (self._late is not None and not self._late.done()):
            return lambda: none

        def vectors() -> Sequence[Floats | None]:
            try:
                made = embedder.encode(texts)
                return [vector if is_usable(vector, embedder.dimension) else None for vector in made]
            except Exception as error:  # an embedder may fail in any way; the rest still finds
                _log.warning("Meaning was not compared: %s", error)
                return none

        coming = self._threads.submit(vectors)
        sleep(0)  # it begins at once: nothing takes longer, and else it would wait until this thread waits

        def wait() -> Sequence[Floats | None]:
            try:
                return coming.result(self._wait_seconds)
            except TimeoutError:
                _log.warning("Meaning was not compared: the embedder does not answer.")
                self._late = coming
                return none

        return wait


@dataclass(slots=True)
class HybridRecall:
    """The port `Recall`, with `readings` as the index was made with, and without an embedder by surface form only.

    `wait_until_current` waits until what was just saved is in the index; where it returns False or raises, the texts
    come from the ledger.
    """

    index: Index
    entries: LedgerMemory
    readings: Readings
    embedder: Embedder | None = None
    wait_until_current: Callable[[], bool] = lambda: True
    scale: Scale = as_they_are  # how the cosines of this embedder are read
    vectors: QuestionVectors = field(init=False)
    _unindexed: MatrixCache = field(default_factory=MatrixCache, init=False)
    _with_memory: set[str] = field(default_factory=set, init=False)  # people; theirs may be gone since

    def __post_init__(self) -> None:
        self.vectors = QuestionVectors(self.embedder)

    def __call__(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        if self.is_empty(scope):
            # Nothing to find: no reason to wait for an index or an embedder that is still loading.
            return ()
        text = question.text[:LONGEST_QUESTION]
        query = Query.read(text, self.readings, self.vectors.begin(text), self._focus(text), self.scale)
        own, shared = self._matrices(query, scope)
        hits = [*self._hits(own, query, scope), *self._hits(shared, query, scope, MOST_SHARED)]
        return candidates(sorted(hits, key=lambda pair: _order(pair[0])), text, scope)

    def _focus(self, text: str) -> Callable[[], Floats | None] | None:
        """Makes the vector of the last sentence of a question, once, where a fact is compared with it."""
        last = facts.focus_of(text)

        def wait() -> Floats | None:
            return self.vectors.begin(last)()  # begun no sooner than a fact asks for it

        return None if last == text else cache(wait)

    def is_empty(self, scope: Scope) -> bool:
        """Whether there is nothing to be found."""
        if scope.person in self._with_memory:
            return False
        try:
            if self.entries.is_empty(scope):
                return True
        except NotedError as error:
            _log.warning("The ledger could not be asked: %s", error)
            return False
        if len(self._with_memory) >= _MOST_PEOPLE:
            self._with_memory.clear()
        self._with_memory.add(scope.person)
        return False

    def _matrices(self, query: Query, scope: Scope) -> tuple[Matrices, Matrices]:
        try:
            if self.wait_until_current():
                found = self.index.matrices(query, scope)
                self._unindexed.clear()  # what the ledger said meanwhile is needed no more
                return found
        except StoreError as error:
            _log.warning("The texts come from the ledger: %s", error)
        try:
            revision = ("ledger", self.entries.last_change())
            keys = cache(lambda: self.entries.keys(scope))

            def matrices(kept_for: str, owner: str) -> Matrices:
                def load() -> Matrices:
                    return (KeyMatrix([key for key in keys() if key.scope == kept_for]),)

                return self._unindexed.matrices(revision, (kept_for, owner), load) or ()

            return matrices(PRIVATE, person_of(scope)), matrices(SHARED, NOBODY)
        except NotedError as error:
            _log.warning("The texts could not be read: %s", error)
            return (), ()

    def _hits(
        self, matrices: Matrices, query: Query, scope: Scope, most: int | None = None
    ) -> Iterator[tuple[Hit, Entry]]:
        """The nearest that still count, of each part so many, with their entries."""
        for part, hits in nearest(matrices, query, _TIMES).items():
            yield from self._counting(hits, most or _ROOM[part], scope)

    def _counting(self, hits: Sequence[Hit], most: int, scope: Scope) -> Iterator[tuple[Hit, Entry]]:
        """The first `most` of the hits that still count, with their entries; no more is read than that takes.

        What the person paused takes no room among them.
        """
        room = most
        for start in range(0, len(hits), most):
            some = hits[start : start + most]
            try:
                entries = self.entries.entries_by_id({hit.entry_id for hit in some}, scope)
            except NotedError as error:
                _log.warning("The entries could not be read: %s", error)
                continue
            for hit in some:
                entry = entries.get(hit.entry_id)
                if room and entry is not None and scope.may_read(entry) and entry.status is Status.ACTIVE:
                    room -= not entry.resting
                    yield hit, entry
            if not room:
                return


def nearest(matrices: Iterable[KeyMatrix], query: Query, times: int = 1) -> dict[Part, list[Hit]]:
    """The entries that are nearest to a question, nearest first: `times` as many as there may be candidates. Pure.

    By what they are found as, so that none takes another's room: clarifications, then examples, then facts.
    """
    found: dict[Part, list[Hit]] = {part: [] for part in _ROOM}
    for matrix in filter(len, matrices):
        scores = matrix.compare(query)
        places = {part: matrix.of(part) for part in _ROOM}
        about_questions = relevance(scores) if len(places[Part.ASSERTED]) < len(matrix) else None
        asserted = facts.relevance(scores) if len(places[Part.ASSERTED]) else None
        for part, room in _ROOM.items():
            relevances = asserted if part is Part.ASSERTED else about_questions
            if relevances is not None:
                found[part] += _best(scores, relevances, places[part], times * room)
    return {part: sorted(hits, key=_order)[: times * _ROOM[part]] for part, hits in found.items()}


def _best(scores: Scores, relevances: Floats, places: Places, most: int) -> list[Hit]:
    if len(places) > most:
        places = places[np.argpartition(-relevances[places], most - 1)[:most]]
    return [Hit(float(relevances[place]), scores, place) for place in places.tolist()]


def _order(hit: Hit) -> tuple[float, str]:
    return -hit.relevance, hit.entry_id


def candidates(hits: Sequence[tuple[Hit, Entry]], question: str, scope: Scope) -> list[Candidate]:
    """Candidates with their features, of hits with their entries, nearest first."""
    relevances: dict[tuple[str, bool], list[float]] = defaultdict(list)
    bounded = [(hit, entry, bounds(question, entry)) for hit, entry in hits]
    for hit, entry, within in bounded:
        if entry.resting or keeps_away(within):
            continue  # what does not count stands in nobody's way
        relevances[entry.kind.name, False].append(hit.relevance)
        if not entry.shared:
            relevances[entry.kind.name, True].append(hit.relevance)
    # One's own is judged as if nothing were shared; what is shared stands beside all.
    return [
        _candidate(hit, entry, question, scope, relevances[entry.kind.name, not entry.shared], within)
        for hit, entry, within in bounded
    ]


def _candidate(
    hit: Hit, entry: Entry, question: str, scope: Scope, relevances: Sequence[float], within: Mapping[str, float]
) -> Candidate:
    if entry.resting or keeps_away(within):
        relevances = [hit.relevance]
    features = {
        **_alike(hit, question, entry),
        **history(question, entry, scope),
        **within,
        "relevance": hit.relevance,
        **margins(hit.relevance, relevances),
    }
    # What only the index says is shown to nobody; the question stands for it, or what the person asserted.
    text = nearest_key(hit.scores, hit.place).text
    stands = entry.text if entry.kind.asserts else entry.question
    key = next((key for key in entry.keys if key.text == text), Key(stands, KeyOrigin.QUESTION))
    return Candidate(entry, key, features)


def _alike(hit: Hit, question: str, entry: Entry) -> dict[str, float]:
    """What its texts say beside those of the entry. How a fact is worded says nothing: it is no question."""
    if hit.scores.matrix.part(hit.place) is Part.ASSERTED:
        return facts.similar(hit.scores, hit.place)
    return {**similar(hit.scores, hit.place), **best_wording(question, _asked(hit), entry)}


def _asked(hit: Hit) -> list[str]:
    """The questions of an entry that are compared word by word, as they were asked or without the word asked about.

    The same way of asking shares letters, so it is looked for among those that share most.
    """
    matrix = hit.scores.matrix
    own = matrix.rows_of(hit.place)
    rows, likeness = matrix.rows[own], hit.scores.ngrams[own].tolist()
    places = [
        place
        for place in matrix.places(hit.place, TextRole.QUESTION, TextRole.FORM)
        if rows[place].role is TextRole.QUESTION or SLOT in rows[place].text  # a phrase has no frame
    ]
    places.sort(key=lambda place: (-likeness[place], rows[place].text))
    return list(dict.fromkeys(rows[place].text for place in places))[:_MOST_WORDED]
