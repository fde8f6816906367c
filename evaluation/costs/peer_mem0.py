"""mem0 as a peer to measure beside: adds and searches as it is told, line by line, in an environment of its own.

PYTHON peer_mem0.py STORE FOLDER MODEL PATH..., where STORE is `faiss` or `qdrant`, MODEL is the folder of the bundled
embedder, and PATH... are where this project and what its embedder needs can be imported from, where the environment
itself has it not.
"""

import json
import logging
import os
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

PERSON = "asker"
_DIMENSION = 384


class Embedding:
    """The embedder of this project in the place of one behind an API; with `known`, made-up vectors instead."""

    def __init__(self, model: Path) -> None:
        from threadpoolctl import threadpool_limits

        from memory_store.embedding.light_embedder import LightModel

        threadpool_limits(1)
        self._model = LightModel(model)
        self.known: dict[str, list[float]] = {}

    def embed(self, text: str, _action: str | None = None) -> list[float]:
        vector: list[float] = self.known.get(text) or self._model.encode([text])[0].tolist()
        return vector


class Peer:
    """One memory."""

    def __init__(self, store: str, folder: Path, model: Path) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "mem0")}
        from mem0 import Memory  # type: ignore[import-not-found,unused-ignore]

        vectors = {"collection_name": "memories", "path": str(folder / "vectors"), "embedding_model_dims": _DIMENSION}
        vectors |= {"distance_strategy": "cosine"} if store == "faiss" else {"on_disk": True}
        behind_an_api = {"provider": "openai", "config": {"api_key": "none"}}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": store, "config": vectors},
                "embedder": behind_an_api,
                "llm": behind_an_api,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = self._embedding = Embedding(model)

    def fill(self, file: str) -> int:
        """Add many quickly: with made-up vectors, which are stored at once in the end."""
        told = json.loads(Path(file).read_text(encoding="utf-8"))
        store, self._embedding.known = self._memory.vector_store, dict(told)
        insert = store.insert
        kept: dict[str, list[Any]] = {"vectors": [], "ids": [], "payloads": []}

        def keep(**some: list[Any]) -> None:
            for name, values in some.items():
                kept[name] += values

        store.insert = keep
        self._memory.db.connection.execute("PRAGMA synchronous = OFF")
        for text in self._embedding.known:
            self.add(text)
        self._memory.db.connection.execute("PRAGMA synchronous = FULL")
        store.insert, self._embedding.known = insert, {}
        insert(**kept)
        return len(kept["ids"])

    def add(self, text: str) -> int:
        return len(self._memory.add(text, user_id=PERSON, infer=False)["results"])

    def search(self, text: str) -> int:
        return len(self._memory.search(text, filters={"user_id": PERSON})["results"])


def main(store: str, folder: str, model: str, *paths: str) -> None:
    """Do what each line of standard input names; what that took, and on how many memories, is a line of output."""
    sys.path += paths
    told_to, sys.stdout = sys.stdout, sys.stderr  # what else is printed is no answer
    logging.disable(logging.WARNING)  # it says at each start which of its extras are not there
    peer = Peer(store, Path(folder), Path(model))
    for line in sys.stdin:
        name, text = json.loads(line)
        began, cpu = perf_counter(), process_time()
        done: Any = getattr(peer, name)(text)
        wall, processor = (perf_counter() - began) * 1000, (process_time() - cpu) * 1000
        what = {"wall": wall, "processor": processor, "lived": process_time() * 1000, "done": done}
        print(json.dumps(what), file=told_to, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
