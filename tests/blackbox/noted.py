"""Noted from outside: its command, its server as a process, and an HTTP client.

Imports nothing of the product, so that the suite survives any rewrite. `NOTED` is the command under test.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[2]
NOTED = (sys.executable, str(ROOT / "app.py"))
_START_SECONDS = 120.0


def build_environment(home: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a data directory, without the settings of the developer."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("NOTED_", "GRADIO_", "SPACE_"))}
    return {**mine, "HF_HUB_OFFLINE": "1", "NOTED_HOME": str(home), "NOTED_EMBEDDER": "none", **settings}


def run(
    home: Path,
    *arguments: str,
    settings: Mapping[str, str] = {},
    noted: tuple[str, ...] = NOTED,
    cwd: Path | None = None,
    text: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a command and return its output; the caller checks the exit code."""
    environment = build_environment(home, settings)
    command = [*noted, *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, input=text, capture_output=True, text=True, timeout=240, check=False
    )


@contextmanager
def serve(
    home: Path, settings: Mapping[str, str] = {}, noted: tuple[str, ...] = NOTED, cwd: Path | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Serve a data directory until the end of the block; yield the address and the process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    environment = build_environment(home, settings)
    process = subprocess.Popen([*noted, "serve", "--port", str(port)], cwd=cwd, env=environment)
    try:
        _wait_for(url, process)
        yield url, process
    finally:
        process.terminate()
        process.wait(60)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended"
        try:
            if httpx.get(f"{url}/healthz", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise TimeoutError("the server did not start")


class Program:
    """A client of one user: with a token, or without one as a visitor with a cookie.

    Args:
        url: address of the server.
        token: the secret; None for a visitor, if `NOTED_API` allows everyone.
        headers: further headers of every request.
    """

    def __init__(self, url: str, token: str | None = None, headers: Mapping[str, str] = {}) -> None:
        own = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=url, headers={**own, **headers}, timeout=180, trust_env=False)

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def post(self, name: str, **arguments: Any) -> httpx.Response:
        """Call an operation and return the response, whatever its status."""
        return self.http.post(f"/api/{name}", json=arguments)

    def call(self, name: str, **arguments: Any) -> Any:
        """Call an operation that must succeed and return its result."""
        response = self.post(name, **arguments)
        assert response.status_code == 200, (name, response.status_code, response.text)
        return response.json()

    def notes(self, search: str = "") -> list[str]:
        """Return the texts of the entries, newest first."""
        return [entry["text"] for entry in self.call("list", search=search, limit=200)["entries"]]


def reply_in_background(body: Mapping[str, Any]) -> str | None:
    """Return a reply to a call that asks for no answer, such as for further keys; None for other calls."""
    return None if "<answer>" in str(body["messages"][0]["content"]) else "none"


def reply(understanding: str, answer: str, **tags: str) -> str:
    """Return a reply with the tags of the prompts, further ones first."""
    first = "".join(f"<{name}>{value}</{name}>\n" for name, value in tags.items())
    return f"{first}<understanding>{understanding}</understanding>\n<answer>{answer}</answer>"


def parse_lines(text: str) -> list[dict[str, Any]]:
    """Parse JSON lines."""
    return [json.loads(line) for line in text.splitlines() if line.strip()]
