"""Local models on the page: listed, downloaded in the background, used, and freed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import NotAllowed
from assistant.models.local.local import LocalModel
from assistant.types import Scope
from tests.support.memory.keys import wait_until
from tests.support.people.header import LOCAL, PAGE, SIGNED_IN, VISITOR, Header
from tests.support.servers.hub import Hub
from tests.support.tiny_gguf import write_tiny_gguf
from ui.server.services import Services
from ui.words.texts import in_language

OTHER_PAGE = "other"
NAME = "qwen2.5-0.5b"
FILE, REPO = "qwen2.5-0.5b-instruct-q4_k_m.gguf", "Qwen/Qwen2.5-0.5B-Instruct-GGUF"
USE = {"model": f"local/{NAME}", "key": "", "address": ""}
WINDOW = 16_384  # a letter is a token


class LocalHeader(Header):
    """The header of a server's pages for the local user."""

    def use(self, page: str = PAGE, name: str = NAME) -> Any:
        return in_language(self.head.use(USE | {"model": f"local/{name}"}, LOCAL, page), "en")

    def engine(self, page: str = PAGE) -> Any:
        model = self.own.model(LOCAL, page)
        assert isinstance(model, LocalModel)
        return model.engine


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    tiny = write_tiny_gguf(tmp_path / "tiny.gguf", WINDOW)
    with Hub({FILE: tiny.read_bytes()}, REPO) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield hub


@pytest.fixture
def page(composed: Callable[..., Services], hub: Hub) -> LocalHeader:
    return LocalHeader(composed({"NOTED_REPLY_TOKENS": "100"}))


def put(page: LocalHeader, hub: Hub, tmp_path: Path) -> None:
    """Put the model into its folder."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / f"{NAME}.gguf").write_bytes(hub.files[FILE])


def test_pages_share_an_engine(page: LocalHeader, hub: Hub, tmp_path: Path) -> None:
    put(page, hub, tmp_path)
    own = page.use()["own"]
    assert (own["model"], own["where"]) == (USE["model"], "")
    assert "Nothing you write is sent elsewhere" in own["note"]
    assert page.own.model(LOCAL, OTHER_PAGE) is None
    page.use(OTHER_PAGE)
    page.use()  # again
    shared = page.engine()
    assert page.engine(OTHER_PAGE) is shared
    page.head.stop({}, LOCAL, PAGE)
    turn = page.ask(page=OTHER_PAGE)["turns"][0]
    assert turn["answer"]
    assert page.services.assistant.turn(turn["id"], LOCAL).model == USE["model"]
    page.own.forget(LOCAL)
    wait_until(lambda: shared.is_closed)
    assert page.own.look(LOCAL, OTHER_PAGE)["gone"]
    page.use()
    assert page.engine() is not shared
    page.services.close()
    assert page.engine().is_closed


def test_use_says_why_a_file_fails(page: LocalHeader, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "broken.gguf").write_bytes(b"none")
    assert "can’t load broken.gguf" in page.use(name="broken")["refused"]
    assert page.own.look(LOCAL, PAGE)["model"] == ""
    for name in ("none", "../tiny", "", "/etc/passwd"):
        assert "isn’t on this machine" in page.use(name=name)["refused"], name


def test_only_who_works_here_gets_models(
    page: LocalHeader, hub: Hub, tmp_path: Path, composed: Callable[..., Services]
) -> None:
    put(page, hub, tmp_path)
    asked: dict[str, Any] = {"local": {}, "get": {"model": "gemma-3-1b"}, "stop_getting": {}, "use": USE}
    for scope in (VISITOR, SIGNED_IN, Scope("me")):
        for name, data in asked.items():
            assert getattr(page.head, name)(data, scope, PAGE)["refused"] == NotAllowed().sentence, name
    for settings in ({"NOTED_OWN_MODELS": "off"}, {"SPACE_ID": "a/b"}):
        elsewhere = LocalHeader(composed(settings))
        for name, data in asked.items():
            assert getattr(elsewhere.head, name)(data, LOCAL, PAGE)["refused"] == NotAllowed().sentence, name
    assert hub.asked == []
