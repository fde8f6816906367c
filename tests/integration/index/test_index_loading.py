"""Rows become matrices of bounded size, and LanceDB is imported without what nobody here asks for."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from memory_store.index import loading
from memory_store.index.loading import in_matrices
from memory_store.index.packed_keys import pack
from memory_store.ledger.indexed_keys import IndexedKey
from tests.support.memory.store import ANN, BOB

DIMENSION = 2


@pytest.mark.parametrize("known", [15, 12])  # of 15 rows; the others were written since
def test_all_rows_of_an_entry_are_in_one_matrix_wherever_they_lie(known: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MOST_ROWS", 4)
    entry_ids = [f"e{number % 5}" for number in range(15)]
    keys = [
        IndexedKey(f"{entry_id}/{place}", entry_id, ANN.person, f"text {place}", f"text {place}", "")
        for place, entry_id in enumerate(entry_ids)
    ]
    keys[3] = keys[3]._replace(owner=BOB.person)
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(30, dtype=np.float32)), DIMENSION)
    table = pa.table({"packed": [pack(key) for key in keys], "vector": vectors})
    matrices = in_matrices(table.to_batches(4), ANN, DIMENSION, pa.chunked_array([entry_ids[:known]]))
    assert len(matrices) > 2 or known < 15
    assert sorted(key for matrix in matrices for key in matrix.rows) == sorted(set(keys) - {keys[3]})
    held = [entry_id for matrix in matrices for entry_id in matrix.entry_ids]
    assert len(held) == len(set(held))
    for matrix in matrices:
        assert matrix._vectors is not None
        assert [int(key.text.removeprefix("text ")) * 2 for key in matrix.rows] == matrix._vectors[:, 0].tolist()


def test_the_client_of_catalogues_is_imported_when_it_is_asked_for() -> None:
    asking = """
import sys
from memory_store.index.process import prepare
prepare()
import lancedb
assert "lance_namespace_urllib3_client.api" not in sys.modules
import lance_namespace_urllib3_client as client
assert client.ApiClient and client.ListTablesRequest
"""
    subprocess.run([sys.executable, "-c", asking], check=True)
