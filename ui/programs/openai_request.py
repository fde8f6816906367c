"""A request of the OpenAI protocol for a completion: its fields, and the chat in it."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from assistant.clients.chats import Exchange
from assistant.types import MessageRole

NAME, VISIBLE, WITHOUT_TOOLS = NAMES = "noted", "noted-visible", "noted-chat"
"""Names of the model: the understanding as reasoning; in the first line; as reasoning, also where tools are offered."""
ROLES = {"system": MessageRole.SYSTEM, "developer": MessageRole.SYSTEM, "assistant": MessageRole.ASSISTANT}
# Clients ask for titles and the like in one message, which quotes the chat.
_HOUSEKEEPING = re.compile(
    r"\A### Task:|\A(?=.{0,300}\btitle\b)(?=.{0,300}\b(?:chat|conversation)\b).+\n", re.DOTALL | re.IGNORECASE
)
_PASSED = frozenset({
    "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format", "temperature", "top_p", "stop",
    "seed", "presence_penalty", "frequency_penalty",
})  # fmt: skip


class _Image(BaseModel):
    url: Annotated[str, Field(pattern=r"^data:image/")]  # no address, which somebody would have to fetch


class _Part(BaseModel):
    type: Literal["text", "image_url"]
    text: str = ""
    image_url: _Image | None = None


class _ChatMessage(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | Annotated[list[_Part], Field(max_length=100)] | None = None
    name: str | None = None
    tool_calls: Annotated[list[Any], Field(max_length=100)] | None = None
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        parts = self.content if isinstance(self.content, list) else []
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in parts if part.text)


class _Tool(BaseModel):
    type: Literal["function"]
    function: dict[str, Any]


class ChatRequest(BaseModel):
    """A request for a completion; fields that are not here are ignored."""

    model: str = NAME
    messages: Annotated[list[_ChatMessage], Field(min_length=1, max_length=2_000)]
    stream: bool = False
    stream_options: dict[str, Any] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    stop: str | Annotated[list[str], Field(max_length=4)] | None = None
    n: Literal[1] | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    tools: Annotated[list[_Tool], Field(max_length=128)] | None = None
    tool_choice: str | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    response_format: dict[str, Any] | None = None

    @property
    def last(self) -> str:
        return self.messages[-1].text

    @property
    def images(self) -> tuple[str, ...]:
        parts = [part for one in self.messages if isinstance(one.content, list) for part in one.content]
        return tuple(part.image_url.url for part in parts if part.image_url)

    @property
    def most_tokens(self) -> int | None:
        return self.max_completion_tokens or self.max_tokens

    @property
    def instructions(self) -> str:
        """Return the system messages, and the task that Open WebUI puts before the last message."""
        told = [one.text for one in self.messages if ROLES.get(one.role) is MessageRole.SYSTEM]
        return "\n\n".join(filter(None, [*told, self._parts()[0]]))

    @property
    def documents(self) -> str:
        return self._parts()[1]

    @property
    def question(self) -> str:
        return self._parts()[2]

    def _parts(self) -> tuple[str, str, str]:
        """Return task, documents and question of the last message; Open WebUI puts the first two before it."""
        task, _, rest = self.last.partition("<context>")
        documents, _, asked = rest.rpartition("</context>")
        is_task = task.startswith("### Task:") and documents and asked.strip()
        return (task, documents, asked.lstrip()) if is_task else ("", "", self.last)

    @property
    def is_passed_on(self) -> bool:
        """Return True for a request that Noted passes on to the model."""
        is_text = (self.response_format or {}).get("type", "text") == "text"
        is_only = [one.role for one in self.messages if ROLES.get(one.role) is not MessageRole.SYSTEM] == ["user"]
        is_own = is_only and bool(_HOUSEKEEPING.match(self.last)) and not self.documents
        has_tools = bool(self.tools) and self.model != WITHOUT_TOOLS
        return has_tools or not is_text or is_own

    @property
    def options(self) -> dict[str, Any]:
        """Return the parts of the request that are passed to a model."""
        return self.model_dump(include=set(_PASSED), exclude_unset=True) | {"max_tokens": self.most_tokens}

    def exchanges(self) -> list[Exchange]:
        """Return the earlier messages of the user, each with the reply of the assistant."""
        found = list[Exchange]()
        for one in self.messages[:-1]:
            if one.role == "user":
                found.append(Exchange(one.text, ""))
            elif one.role == "assistant" and found:
                found[-1] = found[-1]._replace(reply=f"{found[-1].reply}\n{one.text}")
        return found
