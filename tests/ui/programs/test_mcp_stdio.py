"""MCP over standard input and output: `noted mcp`, started by a client."""

import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.support.threads import run_in_thread
from ui.actions.table import FOR_PROGRAMS

ROOT = Path(__file__).parents[3]


@pytest.mark.promise("no-access-across-people")
def test_client_starts_noted_and_calls_it_for_one_user(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(ROOT), "NOTED_EMBEDDER": "none", "NOTED_HOME": str(tmp_path)}

    async def talk(user: str) -> list[str]:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "app", "mcp", "--user", user], env=environment, cwd=str(tmp_path)
        )
        async with Client(stdio_client(command)) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(FOR_PROGRAMS)
            refused = await client.call_tool("token", {})
            assert refused.is_error
            await client.call_tool("remember", {"question": f"Who is {user}?", "text": "me"})
            listed = (await client.call_tool("list", {})).structured_content
            return [entry["question"] for entry in (listed or {})["entries"]]

    assert [run_in_thread(talk(user)) for user in ("ann", "bob")] == [["Who is ann?"], ["Who is bob?"]]
