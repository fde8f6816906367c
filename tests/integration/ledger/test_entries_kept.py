"""The entry cache equals the ledger, whichever process changed it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sqlalchemy import Engine, event

from tests.support.memory.store import ANN, BOB, open_store, unrelated_clarification


def test_entry_retracted_meanwhile_is_gone(tmp_path: Path, any_ledger_url: str) -> None:
    store, other = (open_store(any_ledger_url, str(tmp_path / name), None) for name in "ab")
    mine = store.memory.remember(unrelated_clarification("mine"), ANN)
    theirs = store.memory.remember(unrelated_clarification("theirs"), BOB)
    store.memory.entries_by_id([theirs.id], BOB)
    asking, meanwhile = threading.get_ident(), list[threading.Thread]()

    def after_the_first_look(_: object, __: object, statement: str, *___: object) -> None:
        if threading.get_ident() != asking or meanwhile or not statement.lstrip().startswith("SELECT"):
            return
        meanwhile.append(threading.Thread(target=store.memory.entries_by_id, args=([theirs.id], BOB)))
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(other.memory.retract, mine.id, ANN).result()
        meanwhile[0].start()
        meanwhile[0].join(0.3)  # or it waits for the cache's lock

    event.listen(Engine, "after_cursor_execute", after_the_first_look)
    try:
        store.memory.entries_by_id([mine.id], ANN)
    finally:
        event.remove(Engine, "after_cursor_execute", after_the_first_look)
    meanwhile[0].join()
    assert store.memory.entries_by_id([mine.id], ANN) == {}
