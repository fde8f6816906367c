"""What is served first, and what is loaded by then."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.served import served


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="reads /proc")
def test_the_first_page_comes_before_what_is_heavy_is_loaded(tmp_path: Path) -> None:
    with served(tmp_path, NOTED_MODEL="openai/any", NOTED_API_KEY="none") as server:
        mapped = Path(f"/proc/{server.process.pid}/maps").read_text(encoding="utf-8")
    assert "Noted" in server.first_page
    assert "gradio" in server.first_page
    assert "pydantic_core" in mapped
    for library in ("libtorch", "lancedb", "litellm"):
        assert library not in mapped
