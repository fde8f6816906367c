"""A model hub over HTTP: one model's metadata, files and ranges, and faults."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import pytest

COMMIT = "c" * 40
_LFS = (".safetensors", ".gguf")
NAME = "someone/small"
HubFault = Callable[["Handler"], None]


class Hub:
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
        self.closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("OfThisHub", (Handler,), {"hub": self}))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def metadata(self) -> dict[str, Any]:
        """Return the metadata of the model."""
        return {"id": self.name, "sha": COMMIT, "siblings": [self._sibling(name) for name in self.files]}

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

    def _sibling(self, name: str) -> dict[str, Any]:
        size, digest = len(self.files[name]), self.digest(name)
        lfs = {"lfs": {"sha256": digest, "size": size, "pointerSize": 9}} if name.endswith(_LFS) else {}
        return {"rfilename": name, "size": size, "blobId": digest, **lfs}


def use(hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process use this hub and cache."""
    from huggingface_hub import constants

    files = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, hub.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", files)
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))


class Handler(BaseHTTPRequestHandler):
    """Handler of a request."""

    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.hub.asked.append(f"{self.command} {path}")
        for end, faults in self.hub.faults.items():
            if faults and path.endswith(end) and self.command == "GET":
                faults.pop(0)(self)
                return
        name = path.rpartition(f"/{COMMIT}/")[2]
        model = f"/api/models/{self.hub.name}"
        if path in {model, f"{model}/revision/main"}:
            self.answer(json.dumps(self.hub.metadata()).encode(), Content_Type="application/json")
        elif path == f"{model}/tree/{COMMIT}":
            self.answer(json.dumps(self.hub.tree()).encode(), Content_Type="application/json")
        elif path.startswith(f"/{self.hub.name}/resolve/{COMMIT}/") and name in self.hub.files:
            self.file(self.hub.files[name])
        else:
            self.answer(b"", 404, X_Error_Code="RepoNotFound")

    do_HEAD = do_GET  # noqa: N815

    def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        """Send a response. Underscores in header names become hyphens."""
        self.send_response(status)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
            self.hub.sent += len(body)

    def file(self, content: bytes, **headers: str) -> None:
        """Send a file from the requested offset."""
        name = self.path.rpartition(f"/{COMMIT}/")[2]
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")[0])
        told = {"ETag": f'"{self.hub.digest(name)}"', "X_Repo_Commit": COMMIT, **headers}
        if start:
            told["Content_Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self.answer(content[start:], 206 if start else 200, **told)

    def log_message(self, *_: object) -> None:
        """Log nothing; tests read `asked`."""


def fails(status: int, **headers: str) -> HubFault:
    return lambda handler: handler.answer(b"", status, **headers)


def stalls(handler: Handler) -> None:
    handler.hub.closing.wait()


def reply_without_hub(handler: Handler) -> None:
    handler.answer(b"<html>Welcome</html>", Content_Type="text/html")


def cut_file(handler: Handler) -> None:
    """Send half of a file."""
    content = handler.hub.files[handler.path.rpartition(f"/{COMMIT}/")[2]]
    handler.file(content[: len(content) // 2], Content_Length=str(len(content)))
