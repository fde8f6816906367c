"""Contract of `ChatModel`. A new implementation adds a line to `MODELS`."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import pytest

from assistant.model_usage import Usage
from assistant.models.remote.remote import RemoteModel
from assistant.ports import ChatModel
from assistant.types import Message, MessageRole
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.scripted import ScriptedModel

MESSAGES = (
    Message(MessageRole.SYSTEM, "Reply exactly like the examples."),
    Message(MessageRole.USER, "What has the same sense as quick?"),
)
REPLY = "<understanding>You want a synonym of quick.</understanding>\n<answer>The synonym for quick is fast.</answer>"


@contextmanager
def scripted() -> Iterator[ChatModel]:
    yield ScriptedModel(reply=lambda messages: REPLY, usage=Usage(80, 20, told=True))


@contextmanager
def remote() -> Iterator[ChatModel]:
    with ChatServer(answer=lambda body: REPLY) as server:
        model = RemoteModel("openai/any", api_key="a-key", api_base=server.url)
        yield model
        model.close()


MODELS: dict[str, Callable[[], AbstractContextManager[ChatModel]]] = {"scripted": scripted, "remote": remote}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Iterator[ChatModel]:
    with MODELS[request.param]() as model:
        yield model


def test_stream_yields_the_reply_in_pieces(model: ChatModel) -> None:
    pieces = [piece for piece in model.stream(MESSAGES) if piece]
    assert len(pieces) > 1
    assert "".join(pieces) == "".join(model.stream(list(MESSAGES))) == REPLY


def test_stream_can_be_closed_at_any_piece(model: ChatModel) -> None:
    stream = model.stream(MESSAGES)
    next(stream)
    stream.close()
    with pytest.raises(StopIteration):
        next(stream)
    unread = model.stream(MESSAGES)
    unread.close()
    assert list(unread) == []
    assert "".join(model.stream(MESSAGES)) == REPLY


def test_streams_do_not_disturb_each_other(model: ChatModel) -> None:
    first, second = model.stream(MESSAGES), model.stream(MESSAGES)
    beginning = next(piece for piece in first if piece)
    assert "".join(second) == beginning + "".join(first) == REPLY
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(lambda _: "".join(model.stream(MESSAGES)), range(8))) == {REPLY}


def test_usage_is_reported_once_at_the_end(model: ChatModel) -> None:
    told: list[Usage] = []
    list(model.stream(MESSAGES, told.append))
    assert len(told) == 1
    stream = model.stream(MESSAGES, told.append)
    next(piece for piece in stream if piece)
    assert len(told) == 1
    stream.close()
    assert len(told) == 2
    assert told[0].prompt == told[1].prompt > 0
