"""Rows of the index as Arrow, in which LanceDB takes and gives them; Arrow is imported when it is needed."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from memory_store.arrays import Floats
from memory_store.vectors.rows import TEXTS, Row

if TYPE_CHECKING:
    import pyarrow


def schema(dimension: int) -> pyarrow.Schema:
    """Return the columns for vectors of a length. Without an embedder (0) there is one number, which is never given."""
    import pyarrow as pa

    fields = [pa.field(name, pa.string(), nullable=False) for name in TEXTS]
    fields += [pa.field("sequence", pa.int64(), nullable=False)]
    return pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), dimension or 1))])


def arrow(rows: Sequence[Row], dimension: int) -> pyarrow.Table:
    """Return rows as LanceDB takes them."""
    import pyarrow as pa

    columns = schema(dimension)
    return pa.Table.from_pylist([{name: row.get(name) for name in columns.names} for row in rows], schema=columns)


def vectors_of(column: pyarrow.FixedSizeListArray, dimension: int) -> Floats:
    """Return shape (rows, dimension), NaN where a row has no vector yet; a copy, so that the batch can go."""
    vectors = np.full((len(column), dimension), np.nan, dtype=np.float32)
    there = column.is_valid().to_numpy(zero_copy_only=False)
    # Null rows may or may not take up room in the values below, so only the others are read.
    vectors[there] = column.drop_null().flatten().to_numpy(zero_copy_only=False).reshape(-1, dimension)
    return vectors


@cache
def give_back_memory() -> None:
    """Give every freed block of a megabyte or more back to the system at once, where the C library is glibc.

    Else it takes the largest block that was ever freed for the usual size, and keeps hundreds of megabytes.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        set_option(-3, 1 << 20)  # M_MMAP_THRESHOLD of `malloc.h`, in bytes
