"""docs/api.md matches the table of operations, and its examples run as written."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.interfaces import Access, with_mcp
from tests.support.threads import run_in_thread
from tests.ui.actions.conftest import NewAccess
from tools import api_page
from ui.actions.operation import Effect
from ui.actions.table import FOR_PROGRAMS


def test_page_is_what_the_table_says() -> None:
    assert api_page.PAGE.read_text(encoding="utf-8") == api_page.render_page(), "Run `make api`."


@pytest.fixture
def access(embedded_access: NewAccess) -> Access:
    return embedded_access("who reads")


def examples(language: str) -> str:
    blocks = re.findall(rf"^```{language}\n(.*?)^```", api_page.INTRODUCTION.read_text(encoding="utf-8"), re.M | re.S)
    return "\n".join(block for block in blocks if "noted token" not in block)


def test_examples_in_shell_and_python_run(access: Access) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "URL": access.url.rstrip("/"), "TOKEN": access.token, "PATH": path}

    def printed_by(*command: str) -> str:
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    said = printed_by("bash", "-euo", "pipefail", "-c", examples("sh"))
    for text in ('"text":"a word with the same meaning"', '"decision":"use"', "event: end"):
        assert text in said
    assert "the opposite of" in printed_by(sys.executable, "-c", examples("python"))


def test_settings_of_an_assistant_lead_to_the_tools(access: Access) -> None:
    told = examples("json").replace("http://127.0.0.1:7860/", access.url).replace("TOKEN", access.token)
    server = json.loads(told)["mcpServers"]["noted"]
    assert (server["url"], server["headers"]) == (f"{access.url}mcp", access.headers)
    listed = run_in_thread(with_mcp(access, lambda client: client.list_tools()))
    tools = {tool.name: tool for tool in listed.tools}
    assert list(tools) == list(FOR_PROGRAMS)
    for name, one in FOR_PROGRAMS.items():
        hints, effect = tools[name].annotations, one.effect
        assert hints is not None
        assert (hints.read_only_hint, hints.destructive_hint) == (effect is Effect.READS, effect is Effect.ERASES)
        assert tools[name].description == one.description
