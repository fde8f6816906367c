"""docs/doors.md: everything in it that can be run is run, as it stands there, against an app that serves."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.support.beside import run_beside
from tests.ui.conftest import served_here
from ui.programs.transport import NAMES

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs/doors.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)


def printed_by(command: list[str], environment: dict[str, str]) -> str:
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documented")


@pytest.fixture(scope="module")
def environment(home: Path) -> Iterator[dict[str, str]]:
    """As in a shell of the reader, where `python` is the one of the project."""
    served = served_here(home, {})
    url = next(served).rstrip("/")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    yield {**os.environ, "NOTED_HOME": str(home), "NOTED_EMBEDDER": "none", "URL": url, "PATH": path}
    next(served, None)


@pytest.fixture(scope="module")
def shell(environment: dict[str, str]) -> list[str]:
    """What the commands of the document print, one after another in one shell, and the token that it made."""
    commands = "\n".join([*blocks("sh"), 'echo "TOKEN $TOKEN"'])
    return printed_by(["bash", "-euo", "pipefail", "-c", commands], environment).splitlines()


def test_the_commands_do_what_is_said(shell: list[str]) -> None:
    printed = "\n".join(shell)
    listed, _, answers = printed.partition("{")
    assert "my phone" in listed
    assert '"understanding":"I can\'t answer this one.' in answers
    assert '"meant":"a word with the same meaning"' in answers
    assert '"decision":"use"' in answers
    assert "event: end" in answers
    assert "> What is akin to quick?\nI understood this as: You want a word that means the same" in answers


def test_the_program_with_gradio_client_does(shell: list[str], environment: dict[str, str]) -> None:
    (program,) = blocks("python")
    with_token = {**environment, "TOKEN": shell[-1].split()[1]}
    assert "the opposite of" in printed_by([sys.executable, "-c", program], with_token)


def test_the_settings_of_an_assistant_lead_to_the_tools(shell: list[str], environment: dict[str, str]) -> None:
    (block,) = blocks("json")
    told = block.replace("http://127.0.0.1:7860", environment["URL"]).replace("TOKEN", shell[-1].split()[1])
    server: dict[str, Any] = json.loads(told)["mcpServers"]["noted"]

    async def tools() -> list[str]:
        http = httpx2.AsyncClient(headers=server["headers"])
        async with http, Client(streamable_http_client(server["url"], http_client=http)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert run_beside(tools()) == list(NAMES)


def test_the_table_names_the_functions() -> None:
    assert re.findall(r"^\| `(\w+)` \|", DOCUMENT, re.MULTILINE) == list(NAMES)
