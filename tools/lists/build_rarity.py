"""Builds `ngram_rarity.npz`: `python -m tools.lists.build_rarity TEXTS...`, each a file with one message per line.

How rare a character n-gram is in chat messages of mixed language: the log of the share of messages that have it. Only
this table is kept of the texts. Those used for the one in the repository: the questions of this repository's own data,
and the messages of CLINC150 (CC BY 3.0) and Hinglish-TOP (Apache-2.0), training parts.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import typer

from memory_store.language.normalize import fold
from memory_store.retrieval.letters import ngrams

OUT = Path(__file__).parents[2] / "memory_store" / "language" / "lists" / "ngram_rarity.npz"
FEWEST = 2  # messages; an n-gram in fewer counts as unknown


def rarity(messages: Sequence[str]) -> tuple[np.ndarray, np.ndarray, float]:
    """Codes of n-grams, the rarity of each, and that of unknown ones."""
    texts, found = ngrams([fold(message) for message in messages])
    pairs = np.unique((texts.astype(np.uint64) << np.uint64(32)) | found)
    codes, counts = np.unique(pairs.astype(np.uint32), return_counts=True)
    kept = counts >= FEWEST
    values = np.log((1 + len(messages)) / (1 + counts[kept])) + 1
    return codes[kept], values.astype(np.float16), float(np.log((1 + len(messages)) / FEWEST) + 1)


def main(texts: list[Path], out: Path = OUT) -> None:
    """Build the table of the texts, files with one message per line."""
    messages = [line for path in texts for line in path.read_text(encoding="utf-8").splitlines() if line]
    codes, values, unknown = rarity(messages)
    np.savez_compressed(out, codes=codes, values=values, unknown=np.float32(unknown))
    print(f"{len(codes)} n-grams of {len(messages)} messages; {out.stat().st_size} bytes")


if __name__ == "__main__":
    typer.run(main)
