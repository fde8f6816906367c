"""Makes the seed of the demo, an export that `NOTED_SEED` can name, of the list that people write.

python -m tools.build_seed
"""

import hashlib
import tomllib
import uuid
from pathlib import Path
from typing import Any

from assistant.kinds import CLARIFICATION
from assistant.types import KeyOrigin, Status
from memory_store.transfer.export_format import manifest, sealed

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "tools" / "data" / "seed.toml"
SEED = ROOT / "seed" / "demo.jsonl"
_WRITTEN = "2026-11-21T00:00:00+00:00"


def seed_lines() -> list[str]:
    """The entries of a list as the lines of an export, without its manifest; the same each time."""
    told = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    return [sealed(_record(entry)) for entry in told["entry"]]


def _record(entry: dict[str, Any]) -> dict[str, Any]:
    question = entry["asked"][0]
    digest = hashlib.sha256(question.encode()).digest()
    origins = [KeyOrigin.QUESTION, *[KeyOrigin.PERSON] * len(entry["asked"])]
    return {
        "type": "entry",
        "id": str(uuid.UUID(bytes=digest[:16])),
        "kind": CLARIFICATION.name,
        "status": Status.ACTIVE,
        "question": question,
        "text": entry["meant"],
        "wrong_understanding": entry["understood"],
        "understanding": "",
        "answer": "",
        "turn_id": "",
        "model": "",
        "supersedes": None,
        "idempotency_key": f"seed {digest.hex()}",
        "created": _WRITTEN,
        "key_state": None,
        "shared": False,
        "keys": [{"text": asked, "origin": origin} for asked, origin in zip(entry["asked"], origins, strict=False)],
    }


def main() -> None:
    """Write the file, unless it says the same already: its first line tells when it was made."""
    lines = seed_lines()
    if SEED.exists() and SEED.read_text(encoding="utf-8").splitlines()[1:] == lines:
        return
    SEED.parent.mkdir(exist_ok=True)
    SEED.write_text("\n".join([manifest(lines, "none"), *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
