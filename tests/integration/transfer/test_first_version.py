"""An export from before entries had one column for their body is imported as it was."""

import json
from pathlib import Path

from assistant.types import Scope
from memory_store.store import Store
from tests.support.memory.loop import ME
from tests.support.memory.store import run_import, small_store

WRITTEN = Path(__file__).parents[2] / "support" / "first_version"
EXPORTED = (WRITTEN / "export.jsonl").read_bytes().splitlines(keepends=True)
NOT_TAKEN_ALONG = {"idempotency_key", "shared", "sha256", "decisions"}  # decisions about seeds are not exported


def records(lines: list[bytes], without: set[str]) -> list[dict[str, object]]:
    told = [json.loads(line) for line in lines[1:]]
    for decision in (decision for one in told for decision in one.get("decisions", ())):
        decision.pop("use", None)  # added later, derived from other fields
        decision["action"] = decision["action"].replace("leave", "skip")  # renamed later
    return [{name: value for name, value in one.items() if name not in without} for one in told]


def export(store: Store, person: Scope) -> list[bytes]:
    return [line.encode() for line in store.export(person)]


def test_old_export_is_imported(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    done = run_import(store.take_in, EXPORTED, ME)
    assert (dict(done.new), done.counting) == ({"entries": 7, "turns": 7, "titles": 1, "events": 7}, 5)
    assert records(export(store, ME), NOT_TAKEN_ALONG) == records(EXPORTED, NOT_TAKEN_ALONG)
    assert not run_import(store.take_in, export(store, ME), ME).new
