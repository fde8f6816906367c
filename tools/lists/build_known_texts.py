"""Builds the vectors of what the embedded model knows texts by, and what tells them apart, for the embedder of Noted.

`python -m tools.lists.build_known_texts` writes `known_texts.npz` and `said_slopes.npz`. A test fails where they are
not those of the definitions, and of what people say, any more.
"""

from collections.abc import Sequence

import typer

from assistant.models.embedded.classifier import save as save_slopes
from assistant.models.embedded.matching import Matcher
from assistant.models.embedded.similarity import Likeness
from assistant.ports import Embedder
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from memory_store.embedding.known_texts import FILE, KnownTexts, save
from memory_store.language.languages import LANGUAGES
from memory_store.language.terms import Floats


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
    matcher = Matcher(LANGUAGES, Likeness(LANGUAGES, embedder))
    matcher.warm()
    save(FILE, embedder, list(embedder.texts))
    shipped = Matcher(LANGUAGES, Likeness(LANGUAGES, KnownTexts(embedder)))
    save_slopes(shipped.comparison(each) for each in (embedder, None))
    typer.echo(f"{len(embedder.texts)} texts; {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    typer.run(main)
