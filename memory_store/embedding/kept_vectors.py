"""Vectors of texts that never change, in a file of the home, so that no other process has to make them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from memory_store.language.terms import Floats

_OF_LENGTH_ONE = 1e-3  # so far may they be from it


def read(file: Path, texts: Sequence[str], fingerprint: str) -> Floats | None:
    """What was kept for just these texts and this embedder; None where there is nothing, or it is damaged."""
    try:
        with file.open("rb") as content, np.load(content) as kept:
            vectors: Floats = kept["vectors"]
            is_theirs = (
                str(kept["texts"]) == _digest(texts, fingerprint) and vectors.dtype == np.float32 and vectors.ndim == 2
            )
        if is_theirs and len(vectors) == len(texts) and _are_sound(vectors):
            return vectors
    except Exception:  # a damaged file fails in any way
        return None
    return None


def keep(file: Path, texts: Sequence[str], fingerprint: str, vectors: Floats) -> None:
    """Write them, for whoever owns the home only. Where that is not possible, nothing is kept."""
    part = file.with_suffix(".part")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as content:
            np.savez(content, texts=_digest(texts, fingerprint), vectors=vectors.astype(np.float32))
        part.replace(file)


def _are_sound(vectors: Floats) -> bool:
    """Whether all of them are numbers, and of length one or none."""
    lengths = np.linalg.norm(vectors, axis=1)
    return bool(np.all((np.abs(lengths - 1.0) < _OF_LENGTH_ONE) | (lengths == 0.0)))


def _digest(texts: Sequence[str], fingerprint: str) -> str:
    return hashlib.sha256("\n".join([fingerprint, *texts]).encode()).hexdigest()
