"""`python app.py` as a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_SECONDS = 120


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def first_answer(process: subprocess.Popen[bytes], url: str) -> str:
    """The page, as soon as it is served."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended"
        try:
            with urllib.request.urlopen(url) as response:  # noqa: S310  the address is ours
                return str(response.read(), "utf-8")
        except urllib.error.URLError:
            time.sleep(0.02)
    pytest.fail("the page was not served")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="reads /proc")
def test_the_first_page_comes_before_what_is_heavy_is_loaded(tmp_path: Path) -> None:
    port = free_port()
    environment = {**os.environ, "NOTED_HOME": str(tmp_path), "NOTED_MODEL": "openai/any", "NOTED_API_KEY": "none"}
    process = subprocess.Popen([sys.executable, "app.py", "serve", "--port", str(port)], cwd=ROOT, env=environment)
    try:
        page = first_answer(process, f"http://127.0.0.1:{port}/")
        mapped = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
    finally:
        process.terminate()
        process.wait(_SECONDS)
    assert "Noted" in page
    assert "gradio" in page
    assert "pydantic_core" in mapped
    for library in ("libtorch", "lancedb", "litellm"):
        assert library not in mapped
