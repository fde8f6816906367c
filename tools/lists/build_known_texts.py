"""Builds the vectors of what the embedded model knows texts by, and what tells them apart, for the embedder of Noted.

`python -m tools.lists.build_known_texts` writes `known_texts.npz` and `said.npz`. A test fails where they are
not those of the definitions, and of what people say, any more.
"""

from collections.abc import Sequence

import typer

from assistant.models.embedded.likeness.classifier import FILE as SAID
from assistant.models.embedded.likeness.classifier import save as save_classifiers
from assistant.models.embedded.likeness.similarity import Likeness
from assistant.models.embedded.matching import Matcher
from assistant.ports import Embedder
from memory_store.arrays import Floats
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from memory_store.embedding.known_texts import FILE, save
from memory_store.language.languages import LANGUAGES


class Recording:
    """The port `Embedder`: another one, of which is known what it was asked to encode."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.fingerprint, self.dimension = embedder.name, embedder.fingerprint, embedder.dimension
        self.texts: dict[str, None] = {}

    def encode(self, texts: Sequence[str]) -> Floats:
        self.texts |= dict.fromkeys(texts)
        return self._embedder.encode(texts)


def main() -> None:
    """Build the files, with the embedder that comes with Noted."""
    embedder = Recording(SentenceEmbedder(choose_embedder(None)))
    likeness = Likeness(LANGUAGES, embedder)
    told = Matcher(LANGUAGES, likeness).told
    save_classifiers(told, {"": likeness.fitted(told, None), embedder.fingerprint: likeness.fitted(told, embedder)})
    embedder.texts.clear()
    Matcher(LANGUAGES, likeness).warm()
    save(FILE, embedder, list(embedder.texts))
    for texts, file in ((told, SAID), (embedder.texts, FILE)):
        typer.echo(f"{file.name}: {len(texts)} texts, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    typer.run(main)
