"""A host that stops the server in the middle of its work gets an ordinary end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.servers.served import ROOT
from tests.support.sizes import size

# The index at work for as long as the process is there, as where a catch-up takes longer than anybody waits for it.
START = """
import sys, threading
import lancedb
from app import compose
from assistant.settings import Settings
from ui.serve import serve

def index():
    table = lancedb.connect(sys.argv[1]).create_table("t", [{"a": "b"}])
    while True:
        table.add([{"a": "b"}] * 1000)
        table.to_arrow()

for _ in range(4):
    threading.Thread(target=index, daemon=True).start()
    sys.argv[1] += "x"
settings = Settings.load()
serve(compose(settings), settings)
"""


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT][: size(1, 2)])
def test_stopped_while_it_indexes_it_ends_in_order(tmp_path: Path, asked: signal.Signals) -> None:
    environment = {**os.environ, "NOTED_HOME": str(tmp_path / "home"), "NOTED_EMBEDDER": "none"}
    with subprocess.Popen(
        [sys.executable, "-c", START, str(tmp_path / "i")],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert any("Noted is on" in line for line in process.stdout)
        time.sleep(0.5)
        process.send_signal(asked)
        said = process.stderr.read()
        assert process.wait(60) == 0, said
    assert "Fatal" not in said
