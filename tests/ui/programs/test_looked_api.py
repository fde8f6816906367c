"""What was looked up for an answer, by every door for programs."""

import uuid
from pathlib import Path
from typing import Any

import httpx2
import pytest
from gradio_client import Client as GradioClient
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from tests.support.beside import run_beside
from tests.support.memory.looking import HEAD, MANAGER, QUESTION, WORKS, kept_in, look
from tests.support.people.api_client import ApiClient, token_for
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from ui.programs.transport import functions

pytestmark = pytest.mark.promise("lookups-are-shown")

BEGUN = f"{HEAD}<answer>In {look('Dana | manager is | ?; Kim | works in | ?; Zed | boss is | ?')}"
GOES_ON = "Delhi.</answer>"


@pytest.fixture
def token(remote_home: Path, remote_url: str, chat_server: ChatServer) -> str:
    """That of a person with two facts."""
    assert remote_url
    person = f"person-{uuid.uuid4()}"
    kept_in(remote_home, person, MANAGER, WORKS)
    chat_server.replies(faults.stalls_after(BEGUN), GOES_ON)
    return token_for(person, remote_home)


def check(answer: Any) -> None:
    functions()["ask"].result.validate_python(answer, extra="forbid")
    assert (answer["answer"], answer["state"]) == ("In Delhi.", "answered")
    told = [
        (one["asked"], one["outcome"], [(row["subject"], row["object"]) for row in one["found"]])
        for one in answer["looked_up"]
    ]
    assert told == [
        ("Dana | manager is | ?", "found", [("Dana", "Kim")]),
        ("Kim | works in | ?", "found", [("Kim", "Delhi")]),
        ("Zed | boss is | ?", "nothing", []),
    ]
    found = {row["entry"] for one in answer["looked_up"] for row in one["found"]}
    assert found == {used["note"]["entry"] for used in answer["used"] if used["use"] == "followed"}


def test_over_http_at_once_and_as_it_comes(token: str, remote_url: str, chat_server: ChatServer) -> None:
    with ApiClient(remote_url, token) as program:
        check(program.call("ask", question=QUESTION))
        assert chat_server.requests[0].disconnected.wait(10)
        chat_server.replies(BEGUN, GOES_ON)
        check([result for name, result in program.stream("ask", question=QUESTION) if name == "result"][-1])
    assert len(chat_server.requests) == 4


def test_the_client_of_gradio(token: str, remote_url: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    client = GradioClient(f"{remote_url}api", headers=headers, verbose=False, analytics_enabled=False)
    check(client.predict(question=QUESTION, api_name="/ask"))
    client.close()


def test_an_assistant_that_speaks_mcp(token: str, remote_url: str) -> None:
    async def talk() -> Any:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
            transport = streamable_http_client(f"{remote_url}mcp", http_client=http)
            async with McpClient(transport) as mcp:
                return await mcp.call_tool("ask", {"question": QUESTION})

    check(run_beside(talk()).structured_content)
