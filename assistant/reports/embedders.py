"""What the commands of embedders report: the embedders of this machine, and models that a hub offers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from assistant.reports.upkeep import Progress
from assistant.sentences import Sentence
from assistant.settings import Settings


@dataclass(frozen=True, slots=True)
class Listed:
    """An embedder that could be used here."""

    name: str
    why: Sentence  # what it is, for people
    in_use: bool
    megabytes: float | None  # of its files; None behind an API
    dimension: int  # length of a vector; 0 where only its server knows
    milliseconds: float | None  # for the vector of one question, here; None behind an API
    languages: tuple[str, ...] = ()  # codes of those that its card names; none where nobody knows


@dataclass(frozen=True, slots=True)
class Offered:
    """A model on a hub, of which nothing has been fetched yet."""

    name: str
    hub: str  # its host
    revision: str  # the commit
    bytes: int  # of the files that would be fetched
    number: int  # of these files
    weights: Mapping[str, str]  # large files by name, each with the SHA-256 in hexadecimal that it must have


@dataclass(frozen=True, slots=True)
class EmbedderTools:
    """The functions that the commands of embedders call."""

    list: Callable[[Settings], Iterable[Listed]]
    offer: Callable[[str], Offered]  # by name on the hub
    pull: Callable[[Offered, Progress], None]  # download into the local cache
