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

NAME = "qwen2.5-0.5b"
FILE, REPO = "qwen2.5-0.5b-instruct-q4_k_m.gguf", "Qwen/Qwen2.5-0.5B-Instruct-GGUF"
USE = {"model": f"local/{NAME}", "key": "", "address": ""}
WINDOW = 16_384  # a letter is a token


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    tiny = write_tiny_gguf(tmp_path / "tiny.gguf", WINDOW)
    with Hub({FILE: tiny.read_bytes()}, REPO) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield hub


@pytest.fixture
def installed(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / f"{NAME}.gguf").write_bytes(hub.files[FILE])


@pytest.mark.usefixtures("installed")
def test_pages_share_an_engine(composed: Callable[..., Services]) -> None:
    page = Header(composed({"NOTED_REPLY_TOKENS": "100"}))

    def engine(name: str = PAGE) -> Any:
        model = page.own.model(LOCAL, name)
        assert isinstance(model, LocalModel)
        return model.engine

    own = page.head.use(USE, LOCAL, PAGE)["own"]
    assert (own["model"], own["where"]) == (USE["model"], "")
    assert page.own.model(LOCAL, "other") is None
    for name in ("other", PAGE):
        page.head.use(USE, LOCAL, name)
    shared = engine()
    assert engine("other") is shared
    page.head.stop({}, LOCAL, PAGE)
    turn = page.ask(page="other")["turns"][0]
    assert turn["answer"]
    assert page.services.assistant.turn(turn["id"], LOCAL).model == USE["model"]
    page.own.forget(LOCAL)
    wait_until(lambda: shared.is_closed)
    assert page.own.look(LOCAL, "other")["gone"]
    page.head.use(USE, LOCAL, PAGE)
    assert engine() is not shared
    page.services.close()
    assert engine().is_closed


def test_only_files_of_the_folder_are_used(services: Services) -> None:
    for name in ("none", "../tiny", "", "/etc/passwd"):
        refused = in_language(Header(services).head.use(USE | {"model": f"local/{name}"}, LOCAL, PAGE), "en")["refused"]
        assert "isn’t on this machine" in refused, name


@pytest.mark.usefixtures("installed")
def test_only_who_works_here_gets_models(services: Services, hub: Hub, composed: Callable[..., Services]) -> None:
    asked: dict[str, Any] = {"local": {}, "get": {"model": "gemma-3-1b"}, "stop_getting": {}, "use": USE}
    for scope in (VISITOR, SIGNED_IN, Scope("me")):
        for name, data in asked.items():
            assert getattr(Header(services).head, name)(data, scope, PAGE)["refused"] == NotAllowed().sentence, name
    for settings in ({"NOTED_OWN_MODELS": "off"}, {"SPACE_ID": "a/b"}):
        elsewhere = Header(composed(settings)).head
        for name, data in asked.items():
            assert getattr(elsewhere, name)(data, LOCAL, PAGE)["refused"] == NotAllowed().sentence, name
    assert hub.asked == []
