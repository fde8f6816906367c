"""A model hub over HTTP: one model's metadata, files and ranges, and faults."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.servers.local_server import LocalServer, SilentHandler

COMMIT = "c" * 40
_LFS = (".safetensors", ".gguf")
NAME = "someone/small"
HubFault = Callable[["Handler"], None]


class Hub(LocalServer):
    """The server on 127.0.0.1 with one model, as a context manager.

    Attributes:
        files: of the model.
        faults: replies by suffix of the path, in order, used once each.
        asked: methods and paths of requests, oldest first.
        sent: bytes of all responses.
    """

    def __init__(self, files: Mapping[str, bytes], name: str = NAME) -> None:
        self.files = dict(files)
        self.name = name
        self.faults: dict[str, list[HubFault]] = {}
        self.asked: list[str] = []
        self.sent = 0
        super().__init__(Handler)

    def metadata(self) -> dict[str, Any]:
        """Return the metadata of the model."""
        siblings = []
        for name, content in self.files.items():
            told: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": self.digest(name)}
            lfs = {"sha256": self.digest(name), "size": len(content), "pointerSize": 9}
            siblings.append(told | ({"lfs": lfs} if name.endswith(_LFS) else {}))
        return {"id": self.name, "sha": COMMIT, "siblings": siblings}

    def tree(self) -> list[dict[str, Any]]:
        """Return the list of files, as a hub lists those of a commit."""
        return [
            {"type": "file", "path": one["rfilename"], "size": one["size"], "oid": one["blobId"]}
            | ({"lfs": {**one["lfs"], "oid": one["blobId"]}} if "lfs" in one else {})
            for one in self.metadata()["siblings"]
        ]

    def digest(self, name: str) -> str:
        content = self.files[name]
        if name.endswith(_LFS):
            return hashlib.sha256(content).hexdigest()
        return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def use(hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process use this hub and cache."""
    from huggingface_hub import constants

    files = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, hub.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", files)
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))


class Handler(SilentHandler):
    """Handler of a request."""

    server: Hub

    def do_GET(self) -> None:  # noqa: N802
        path = self.path.partition("?")[0]
        self.server.asked.append(f"{self.command} {path}")
        for end, faults in self.server.faults.items():
            if faults and path.endswith(end) and self.command == "GET":
                faults.pop(0)(self)
                return
        name = path.rpartition(f"/{COMMIT}/")[2]
        model = f"/api/models/{self.server.name}"
        if path in {model, f"{model}/revision/main"}:
            self.answer(json.dumps(self.server.metadata()).encode(), Content_Type="application/json")
        elif path == f"{model}/tree/{COMMIT}":
            self.answer(json.dumps(self.server.tree()).encode(), Content_Type="application/json")
        elif path.startswith(f"/{self.server.name}/resolve/{COMMIT}/") and name in self.server.files:
            self.file(self.server.files[name])
        else:
            self.answer(b"", 404, X_Error_Code="RepoNotFound")

    do_HEAD = do_GET  # noqa: N815

    def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_head(status, {"Content_Length": str(len(body))} | headers)
        if self.command == "GET":
            self.wfile.write(body)
            self.server.sent += len(body)

    def file(self, content: bytes, **headers: str) -> None:
        """Send a file from the requested offset."""
        name = self.path.rpartition(f"/{COMMIT}/")[2]
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")[0])
        told = {"ETag": f'"{self.server.digest(name)}"', "X_Repo_Commit": COMMIT, **headers}
        if start:
            told["Content_Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self.answer(content[start:], 206 if start else 200, **told)


def fails(status: int, **headers: str) -> HubFault:
    return lambda handler: handler.answer(b"", status, **headers)


def stalls(handler: Handler) -> None:
    handler.server.closing.wait()


def reply_without_hub(handler: Handler) -> None:
    handler.answer(b"<html>Welcome</html>", Content_Type="text/html")


def cut_file(handler: Handler) -> None:
    """Send half of a file."""
    content = handler.server.files[handler.path.rpartition(f"/{COMMIT}/")[2]]
    handler.file(content[: len(content) // 2], Content_Length=str(len(content)))
