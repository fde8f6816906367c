"""What the commands of embedders report and do: the embedders of this machine, and the download of one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assistant.sentences import Sentence
from assistant.settings import Settings


@dataclass(frozen=True, slots=True)
class Listed:
    """An embedder that could be used here."""

    name: str
    why: Sentence  # what it is, for people
    in_use: bool
    dimension: int  # length of a vector; 0 where only its server knows


@dataclass(frozen=True, slots=True)
class EmbedderTools:
    """The functions that the commands of embedders call."""

    list: Callable[[Settings], Iterable[Listed]]
    pull: Callable[[str], None]  # download a model into the local cache, by its name on the hub
