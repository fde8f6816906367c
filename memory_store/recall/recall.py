"""Recall: from a question to the entries that it may need. Ω of MemPrompt (section 3.2). Leans to finding too much.

The question is compared with every text of every entry that the person may read, by meaning, by words and by letters
(`memory_store.segment`). The entries that are nearest in all of these together become candidates and get their features
(`memory_store.features`). What is down is left out: without an embedder meaning is missing, and while the index is down
the texts come from the ledger.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from assistant.errors import NotedError
from assistant.types import Candidate, Entry, Key, KeyOrigin, Kind, Scope, Status
from memory_store.features import best_wording, history, nearest_key, relevance, similar, standing, with_frame
from memory_store.lookup import IndexedKey, IndexUnavailable, Readings, Role
from memory_store.mirror import Mirror
from memory_store.question_vector import QuestionVectors
from memory_store.schema import NOBODY, PRIVATE, SHARED
from memory_store.scoping import person_of
from memory_store.segment import Asked, Segment, Similarities
from memory_store.surface import SLOT

if TYPE_CHECKING:
    from assistant.ports import Embedder
    from memory_store.terms import Places

LONGEST_QUESTION = 2_000  # characters that are searched with; what follows says little about the question
MOST_CANDIDATES = 10  # clarifications
MOST_EXAMPLES = 8
MOST_SHARED = 3  # of each that are shared with everyone, beside one's own; one at most goes into a prompt
_MOST_PEOPLE = 10_000
_MOST_WORDED = 4  # questions of an entry that are compared word by word
_TIMES = 3  # as many again are looked at where some of what is nearest rests, or is gone since it was indexed

_log = logging.getLogger(__name__)


class Index(Protocol):
    """Hands out what may be near a question."""

    def segments(self, asked: Asked, scope: Scope) -> Sequence[Segment]:
        """What the person may read: all of it, or, where that is too much to hold, what a search finds.

        Raises:
            IndexUnavailable: it cannot be read.
        """


class Entries(Protocol):
    """The ledger, as far as recall reads it."""

    def entries_by_id(self, ids: Iterable[str], scope: Scope) -> Mapping[str, Entry]:
        """Entries by id; those that the person may not read are missing."""

    def keys(self, scope: Scope) -> Sequence[IndexedKey]:
        """Every text of active entries that the person may read, without the index."""

    def last_change(self) -> int:
        """A number that grows with every change of what `keys` returns."""

    def is_empty(self, scope: Scope) -> bool:
        """Whether there is nothing that the person may read."""


class Found(NamedTuple):
    """An entry of a segment, and how near it is."""

    nearness: float
    segment: Segment
    similarities: Similarities
    place: int

    @property
    def entry_id(self) -> str:
        return self.segment.entry_ids[self.place]


@dataclass(frozen=True, slots=True)
class HybridRecall:
    """Implements the port `Recall`.

    Args:
        index: has the texts and their vectors.
        entries: the ledger, which has the entries, and the texts when the index is down.
        readings: how texts are made comparable; the same as the index was made with.
        embedder: for meaning; None for surface form only.
        catch_up: brings the index up to date with the ledger, so that what was just saved is found. Where it returns
            False or raises, the index is behind, and the texts come from the ledger.
    """

    index: Index
    entries: Entries
    readings: Readings
    embedder: Embedder | None = None
    catch_up: Callable[[], bool | None] = lambda: True
    _unindexed: Mirror = field(default_factory=Mirror, init=False)  # what each question would else read from the ledger
    _vectors: QuestionVectors = field(init=False)
    _not_empty: set[str] = field(default_factory=set, init=False)  # people with memory; it may be gone since

    def __post_init__(self) -> None:
        object.__setattr__(self, "_vectors", QuestionVectors(self.embedder))

    def __call__(self, question: str, scope: Scope) -> Sequence[Candidate]:
        """Candidates, one per entry, the nearest first. Finds nothing rather than fail.

        There are at most `MOST_CANDIDATES` clarifications and `MOST_EXAMPLES` examples of one's own, and `MOST_SHARED`
        of each that are shared; none takes the other's room.
        """
        if self._is_empty(scope):
            # Nothing to find: no reason to wait for an index or an embedder that is still loading.
            return ()
        text = question[:LONGEST_QUESTION]
        meaning = self._vectors.begin(text)
        fresh = self._catch_up()
        asked = Asked.prepare(text, self.readings.fold(text), self.readings.english(text), meaning)
        segments = self._segments(asked, scope, indexed=fresh)
        joined: list[tuple[Found, Entry]] = []
        for shared, most in ((False, (MOST_CANDIDATES, MOST_EXAMPLES)), (True, (MOST_SHARED, MOST_SHARED))):
            near = nearest([segment for segment in segments if _is_shared(segment) == shared], asked, _TIMES)
            for found, number in zip(near, most, strict=True):
                joined += self._joined(found, number, scope)
        joined.sort(key=lambda pair: _order(pair[0]))
        return candidates(joined, text, scope)

    def _is_empty(self, scope: Scope) -> bool:
        if scope.person in self._not_empty:
            return False
        try:
            if self.entries.is_empty(scope):
                return True
            if len(self._not_empty) >= _MOST_PEOPLE:
                self._not_empty.clear()
            self._not_empty.add(scope.person)
            return False
        except NotedError as error:
            _log.warning("The ledger could not be asked: %s", error)
            return False

    def _catch_up(self) -> bool:
        try:
            return self.catch_up() is not False
        except NotedError as error:
            _log.warning("The index could not be brought up to date: %s", error)
            return False

    def _segments(self, asked: Asked, scope: Scope, *, indexed: bool) -> Sequence[Segment]:
        if indexed:
            try:
                return self.index.segments(asked, scope)
            except IndexUnavailable as error:
                _log.warning("The texts come from the ledger: %s", error)
        try:
            version, owners = ("ledger", self.entries.last_change()), ((PRIVATE, person_of(scope)), (SHARED, NOBODY))
            keys = cache(lambda: self.entries.keys(scope))
            held = [self._unindexed.segment(version, owner, partial(_part, keys, owner)) for owner in owners]
            return [segment for segment in held if segment is not None]
        except NotedError as error:
            _log.warning("The texts could not be read: %s", error)
            return ()

    def _joined(self, found: Sequence[Found], most: int, scope: Scope) -> Iterator[tuple[Found, Entry]]:
        """The first `most` of what was found that still count, with their entries; no more is read than that takes."""
        room = most
        for start in range(0, len(found), most):
            some = found[start : start + most]
            entries = self._read({near.entry_id for near in some}, scope)
            for near in some:
                entry = entries.get(near.entry_id)
                if room and entry is not None and scope.may_read(entry) and entry.status is Status.ACTIVE:
                    room -= 1
                    yield near, entry
            if not room:
                return

    def _read(self, ids: Iterable[str], scope: Scope) -> Mapping[str, Entry]:
        try:
            return self.entries.entries_by_id(ids, scope)
        except NotedError as error:
            _log.warning("The entries could not be read: %s", error)
            return {}


def nearest(segments: Sequence[Segment], asked: Asked, times: int = 1) -> tuple[list[Found], list[Found]]:
    """The entries that are nearest to a question, nearest first: `times` as many as there may be candidates. Pure.

    Only the ledger knows the kind of an entry, but an example says nothing beside its question, and a clarification
    does. So neither takes the other's room, however many there are.

    Returns:
        Those with something that a person said, and those without.
    """
    found = [_nearest_in(segment, asked, times) for segment in segments if len(segment)]
    said = sorted((near for group, _ in found for near in group), key=_order)
    unsaid = sorted((near for _, group in found for near in group), key=_order)
    return said[: times * MOST_CANDIDATES], unsaid[: times * MOST_EXAMPLES]


def candidates(found: Sequence[tuple[Found, Entry]], question: str, scope: Scope) -> list[Candidate]:
    """Candidates with their features.

    Args:
        found: what was found with its entries, nearest first.
        question: as the person wrote it.
        scope: who asks.
    """
    nearness: dict[tuple[Kind, bool], list[float]] = defaultdict(list)
    for near, entry in found:
        nearness[entry.kind, False].append(near.nearness)
        if not entry.shared:
            nearness[entry.kind, True].append(near.nearness)
    # One's own is judged as if nothing were shared; what is shared stands beside all.
    return [_candidate(near, entry, question, scope, nearness[entry.kind, not entry.shared]) for near, entry in found]


def _candidate(near: Found, entry: Entry, question: str, scope: Scope, nearness: Sequence[float]) -> Candidate:
    scores = {
        **similar(near.segment, near.similarities, near.place),
        **best_wording(question, _asked(near), entry),
        **history(question, entry, scope),
        "relevance": near.nearness,
        **standing(near.nearness, nearness),
    }
    key = nearest_key(near.segment, near.similarities, near.place)
    return Candidate(entry, _key(entry, key.text), with_frame(scores))


def _asked(near: Found) -> list[str]:
    """The questions of an entry that are compared word by word, as they were asked or without the word asked about.

    The same way of asking shares letters, so it is looked for among those that share most.
    """
    segment = near.segment
    own = segment.rows_of(near.place)
    rows, likeness = segment.rows[own], near.similarities.ngrams[own].tolist()
    places = [
        place
        for place in segment.places(near.place, Role.QUESTION, Role.FORM)
        if rows[place].role is Role.QUESTION or SLOT in rows[place].text  # a phrase has no frame
    ]
    places.sort(key=lambda place: (-likeness[place], rows[place].text))
    return list(dict.fromkeys(rows[place].text for place in places))[:_MOST_WORDED]


def _nearest_in(segment: Segment, asked: Asked, times: int) -> tuple[list[Found], list[Found]]:
    """Of the entries with something that a person said, and of those without, the nearest."""
    import numpy as np

    similarities = segment.compare(asked)
    near = relevance(segment, similarities)

    def found(places: Places, most: int) -> list[Found]:
        if len(places) > most:
            places = places[np.argpartition(-near[places], most - 1)[:most]]
        return [Found(float(near[place]), segment, similarities, place) for place in places.tolist()]

    return found(np.flatnonzero(segment.said), times * MOST_CANDIDATES), found(
        np.flatnonzero(~segment.said), times * MOST_EXAMPLES
    )


def _order(near: Found) -> tuple[float, str]:
    return -near.nearness, near.entry_id


def _key(entry: Entry, text: str) -> Key:
    """The key as the ledger has it. What only the index says is shown to nobody; the question stands for it."""
    return next((key for key in entry.keys if key.text == text), Key(entry.question, KeyOrigin.QUESTION))


def _part(keys: Callable[[], Sequence[IndexedKey]], owner: tuple[str, str]) -> Segment:
    """What is shared, or else the rest."""
    return Segment([key for key in keys() if (key.owner == NOBODY) == (owner[0] == SHARED)])


def _is_shared(segment: Segment) -> bool:
    return len(segment) > 0 and segment.rows[0].owner == NOBODY
