"""A server that is stopped in the middle of its work ends orderly."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.servers.noted_server import ROOT

pytestmark = pytest.mark.promise("stopping-is-orderly")

# A line on standard input starts long work of the index, like a slow catch-up.
START = """
import sys, threading
import lancedb, pyarrow
from app import compose
from assistant.settings import Settings
from ui.serve import serve

def index(number):
    begin.wait()
    rows = pyarrow.table({"id": [str(row) for row in range(20_000)], "text": ["x" * 50] * 20_000})
    table = lancedb.connect(sys.argv[1] + str(number)).create_table("t", rows)
    while True:
        table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)
        table.optimize()
        sys.stdout.write("indexed\\n")
        sys.stdout.flush()

begin = threading.Event()
for number in range(4):
    threading.Thread(target=index, args=(number,), daemon=True).start()
threading.Thread(target=lambda: sys.stdin.readline() and begin.set(), daemon=True).start()
settings = Settings.load()
serve(compose(settings), settings)
"""


def test_server_stopped_while_indexing_ends_in_order(tmp_path: Path) -> None:
    environment = {**os.environ, "NOTED_HOME": str(tmp_path / "home"), "NOTED_EMBEDDER": "none"}
    command, pipe = [sys.executable, "-c", START, str(tmp_path / "i")], subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdin and process.stdout and process.stderr  # noqa: PT018  for mypy
        assert any("Noted is on" in line for line in process.stdout)
        process.stdin.write("begin\n")
        process.stdin.flush()
        assert any("indexed" in line for line in process.stdout)
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
        assert process.wait(60) == 0, said
    assert "Fatal" not in said
