"""What is told of embedders: those that are there, and how one that was fitted compares with the bundled one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from assistant.reports.upkeep import Progress
from assistant.sentences import Sentence
from assistant.settings import Settings

USUAL_EVERY = 3
"""One of so many packaged questions is fitted on; with fewer it is quicker, and less exact."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An embedder that could be used here."""

    name: str
    why: Sentence  # what it is, for people
    in_use: bool
    megabytes: float | None  # of its files; None behind an API
    dimension: int  # length of a vector; 0 where only its server knows
    milliseconds: float | None  # for the vector of one question, here; None behind an API
    fitted: bool  # whether `embedder fit` was done for it in this home
    languages: tuple[str, ...] = ()  # codes of those that its card names; none where nobody knows


@dataclass(frozen=True, slots=True)
class SetRow:
    """How good decisions are on one packaged set, as shares of its questions."""

    first: float  # of the questions that need an entry, with the right one first
    f1: float  # the best over all thresholds
    everyday: float  # of the everyday questions, with anything spliced
    look_alikes: float  # of the look-alikes, with anything spliced


@dataclass(frozen=True, slots=True)
class Comparison:
    """One set, by the embedder that was fitted and by the bundled one."""

    name: str  # of the set
    fitted: SetRow
    bundled: SetRow


@dataclass(frozen=True, slots=True)
class Fitting:
    """What was found of an embedder before it was fitted, and by what was fitted for it."""

    as_they_are: float  # mean best F1 on the sets before, where texts are read to it as they are
    in_english: float  # the same, where they are read word by word in English
    sets: Sequence[Comparison]  # after, read as was better

    @property
    def english(self) -> bool:
        """Whether texts are read to it in English."""
        return self.in_english > self.as_they_are


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a model on a hub."""

    name: str
    bytes: int
    algorithm: str  # of its hash: "sha256", or "git", which is SHA-1 over a header and the file
    digest: str  # in hexadecimal


@dataclass(frozen=True, slots=True)
class Offered:
    """A model on a hub, of which nothing has been fetched yet."""

    name: str
    hub: str  # its host
    revision: str  # the commit
    files: Sequence[HubFile]  # those that would be fetched

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, slots=True)
class EmbedderTools:
    """What the commands of embedders do."""

    listed: Callable[[Settings], Iterable[Listed]]
    # by name, on one of so many questions; keeps what it found in the home
    fit: Callable[[Settings, str, int, Progress], Fitting]
    undo: Callable[[Settings, str], bool]  # take that back; whether there was any
    offered: Callable[[str], Offered]  # what a hub has of this name
    pull: Callable[[Offered, Progress], None]  # fetch that into the local cache
