"""The newest version of a table, whoever adds versions, and however the clock of the file system ticks."""

from __future__ import annotations

import os
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, cast

import lancedb
import pytest

from memory_store.index.table import NewestVersion, connect, make_table

if TYPE_CHECKING:
    from lancedb.table import LanceTable

NAME = "keys"
LONG_AGO = 10**18


@pytest.fixture
def table(tmp_path: Path) -> LanceTable:
    return make_table(connect(str(tmp_path)), str(tmp_path), NAME, 0)


def add_version(folder: Path) -> int:
    other = cast("LanceTable", lancedb.connect(folder).open_table(NAME))
    other.delete("key_id = 'none'")
    return other.version


def set_time(folder: Path, time: int) -> None:
    os.utime(folder / f"{NAME}.lance" / "_versions", ns=(time, time))


def test_where_nothing_changed_for_long_the_table_is_not_asked(tmp_path: Path, table: LanceTable) -> None:
    newest = NewestVersion(str(tmp_path))
    set_time(tmp_path, LONG_AGO)
    before = newest(table)
    assert add_version(tmp_path) == before + 1
    set_time(tmp_path, LONG_AGO)
    assert newest(table) == before
    set_time(tmp_path, LONG_AGO + 1)
    assert newest(table) == before + 1


def test_two_changes_within_one_tick_of_the_clock_are_told_apart(tmp_path: Path, table: LanceTable) -> None:
    newest, tick = NewestVersion(str(tmp_path)), time_ns() + 10**12
    set_time(tmp_path, tick)
    before = newest(table)
    assert add_version(tmp_path) == before + 1
    set_time(tmp_path, tick)
    assert newest(table) == before + 1
