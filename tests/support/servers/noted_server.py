"""`python app.py` as a process of its own."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
SERVE = [sys.executable, "app.py", "serve"]
_SECONDS = 120


@dataclass(frozen=True)
class RunningServer:
    """A running server: its address, its process, and its first page."""

    url: str
    process: subprocess.Popen[bytes]
    first_page: str


@contextmanager
def serve(home: Path, root: Path = ROOT, **environment: str) -> Iterator[RunningServer]:
    """Yield a server once it answers; `root` is the folder of `app.py`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    process = subprocess.Popen(
        [*SERVE, "--port", str(port)], cwd=root, env={**os.environ, "NOTED_HOME": str(home), **environment}
    )
    try:
        yield RunningServer(url, process, _first_page(process, url))
    finally:
        process.terminate()
        process.wait(_SECONDS)


def _first_page(process: subprocess.Popen[bytes], url: str) -> str:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended"
        try:
            with urllib.request.urlopen(url) as response:  # noqa: S310  the address is ours
                return str(response.read(), "utf-8")
        except urllib.error.URLError:
            time.sleep(0.02)
    raise TimeoutError("the page was not served")
