"""All rows of one owner, read from the table some at a time, as matrices that are large enough and no larger.

Nothing but what stays is held at any time, besides some thousand rows: a whole table as Arrow has it, as objects and as
arrays would take several times the memory of the matrices, which the process does not give back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from assistant.types import Scope
from memory_store.index.key_matrix import Columns, KeyMatrix
from memory_store.index.matrix_cache import MOST_ROWS, Matrices
from memory_store.index.packed_keys import unpack
from memory_store.index.rows import vectors_of
from memory_store.language.terms import Floats
from memory_store.ledger.access import is_readable

if TYPE_CHECKING:
    import pyarrow

_Some: TypeAlias = "tuple[Columns, Floats | None]"  # keys and their vectors


def in_matrices(
    batches: Iterable[pyarrow.RecordBatch], scope: Scope, dimension: int, entry_ids: pyarrow.ChunkedArray | None = None
) -> Matrices:
    """The rows of batches, each looked at again for who asks. `entry_ids` are those of all rows, in any order.

    No entry is in two matrices, wherever its rows lie; without `entry_ids` all are in one. `dimension` is 0 without an
    embedder.
    """
    matrix_of: dict[str, int] = {}
    missing: dict[int, int] = defaultdict(int)
    if entry_ids is not None:
        counted = entry_ids.value_counts()
        sizes = counted.field("counts").to_numpy()
        numbers = ((np.cumsum(sizes) - 1) // MOST_ROWS).tolist()
        matrix_of = dict(zip(counted.field("values").to_pylist(), numbers, strict=True))
        for number, size in zip(numbers, sizes.tolist(), strict=True):
            missing[number] += size
    waiting: dict[int, list[_Some]] = defaultdict(list)
    made = []
    for batch in batches:
        packed = batch["packed"].cast("binary").to_pylist()
        keys = unpack(packed)
        vectors = vectors_of(batch["vector"], dimension) if dimension else None
        places: dict[int, list[int]] = defaultdict(list)
        for place, key in enumerate(keys):
            places[matrix_of.get(key.entry_id, -1)].append(place)
        for number, of_number in places.items():
            kept = [place for place in of_number if is_readable(keys[place], scope)]
            columns = Columns.of([keys[place] for place in kept], [packed[place] for place in kept])
            waiting[number].append((columns, None if vectors is None else vectors[kept]))
            missing[number] -= len(of_number)
            if not missing[number]:
                made.append(_matrix(waiting.pop(number)))
    late = list(map(_matrix, waiting.values()))  # written between the two reads
    return (KeyMatrix.gathered([*made, *late]),) if made and late else (*made, *late)


def _matrix(parts: list[_Some]) -> KeyMatrix:
    vectors = [some for _, some in parts if some is not None]
    columns = Columns(*(list(chain(*column)) for column in zip(*(columns for columns, _ in parts), strict=True)))
    return KeyMatrix.of_columns(columns, np.concatenate(vectors) if vectors else None)
