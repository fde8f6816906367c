"""A model connected by a user: it answers on that page only, and its key is stored nowhere."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import KeyRefused, ModelTimeout, NotAllowed, TooOften, UnknownModel
from assistant.models.remote.library import PROVIDERS
from assistant.types import Reaction, Scope
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.loop import last, reply
from tests.support.people.connected_model import connect_model
from tests.support.people.header import LOCAL, PAGE, Header
from tests.support.people.visitors import visitor
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.scripted import ScriptedModel
from tests.support.threads import drain
from ui.page import header
from ui.page.header import OwnModelGone, OwnModels
from ui.page.teach import LearnHandlers
from ui.server.rate_limit import RateLimit
from ui.server.services import Services
from ui.words.texts import in_language

pytestmark = pytest.mark.promise("own-keys-go-to-providers", "own-model-is-forgotten")

ME, OTHER = Scope("me"), Scope("somebody else")
KEY = "sk-a-very-secret-key-0123456789"
OWN = {"model": "openai/gpt-own", "key": KEY, "address": ""}
ANSWER = '<understanding>You want a synonym of "quick".</understanding>\n<answer>from my own</answer>'


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with ChatServer() as server:
        monkeypatch.setitem(PROVIDERS, "openai", server.url)
        monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/of-the-host")  # must get no user's key
        monkeypatch.setenv("OPENAI_API_KEY", "the-key-of-the-host")
        yield server


@pytest.fixture
def page(services: Services) -> Header:
    return Header(services)


def test_own_model_answers_in_its_page_only(server: ChatServer, services: Services, page: Header) -> None:
    server.replies("yes", ANSWER)
    assert page.head.use(OWN, ME, PAGE)["own"]["model"] == "openai/gpt-own"
    (turn,) = page.ask(ME)["turns"]
    assert "from my own" in turn["answer"]
    _, request = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert services.assistant.turn(turn["id"], ME).model == "openai/gpt-own"
    for scope, elsewhere in ((ME, "another page"), (OTHER, PAGE)):
        page.ask(scope, elsewhere)
        assert page.own.look(scope, elsewhere)["model"] == ""
    assert page.head.stop({}, ME, PAGE)["own"]["model"] == ""
    page.ask(ME)
    assert len(server.requests) == 2


@pytest.mark.promise("own-addresses-are-local")
def test_only_the_local_person_names_an_address(server: ChatServer, page: Header) -> None:
    at_home = OWN | {"key": "any", "address": server.url}
    assert page.head.use(at_home, ME, PAGE)["refused"] == NotAllowed().sentence
    assert page.head.use(at_home | {"address": "file:///etc/passwd"}, LOCAL, PAGE)["refused"]
    assert server.requests == []
    server.replies("yes", ANSWER)
    assert page.head.use(at_home, LOCAL, PAGE)["own"]["model"] == "openai/gpt-own"
    assert "from my own" in page.ask()["turns"][0]["answer"]
    assert not any(KEY in str(request.headers) for request in server.requests)


def test_key_is_in_no_file_log_or_page(
    server: ChatServer, services: Services, page: Header, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    # The server repeats the key in its errors.
    server.replies("yes", faults.refused_key, faults.unknown_model, faults.bad_request, faults.bad_request, ANSWER)
    shown: list[Any] = [page.head.use(OWN, ME, PAGE), in_language(page.head.look({}, ME, PAGE), "en")]
    shown += [in_language(page.ask(ME), "en") for _ in range(4)]
    assert "refused the key" in shown[2]["turns"][0]["error"]
    assert "doesn’t know this model" in shown[3]["turns"][0]["error"]
    assert "from my own" in shown[5]["turns"][0]["answer"]
    shown.append(in_language(page.head.use(OWN | {"model": "http://127.0.0.1/x"}, ME, PAGE), "en"))
    services.settle()
    assert KEY not in json.dumps(shown)
    assert KEY not in caplog.text
    assert KEY not in repr(page.own.model(ME, PAGE))
    assert find_bytes(tmp_path, [KEY]) == []


REFUSED = {
    "own_model.not_offered": [
        {"model": name}
        for name in ("", "gpt-5", "nobody/", "ollama/llama3", "huggingface/https://10.0.0.1/x", "openai/../admin",
                     "openai/a b", "openai/x?api_base=http://10.0.0.1", "hosted_vllm/x", "OPENAI/x")
    ],
    "own_model.no_such_key": [{"key": key} for key in ("", "ключ-ключ-ключ", "a" * 501, "two\n lines here")],
}  # fmt: skip


@pytest.mark.parametrize("code", REFUSED)
def test_other_models_and_keys_are_refused(page: Header, code: str) -> None:
    for wrong in REFUSED[code]:
        assert page.head.use(OWN | wrong, ME, PAGE)["refused"].code == code, wrong
    no_forms: list[Any] = [None, 7, [], {}, {"model": 7, "key": []}, OWN | {"model": {}}, OWN | {"address": 7}]
    for data in no_forms:
        assert page.head.use(data, ME, PAGE)["refused"]
    assert page.own.model(ME, PAGE) is None


def test_own_model_is_forgotten_after_an_hour(server: ChatServer, services: Services) -> None:
    server.replies("yes", "yes")
    now = [0.0]
    page = Header(services, clock=lambda: now[0])
    page.head.use(OWN, ME, PAGE)
    page.head.use(OWN, OTHER, PAGE)
    now[0] = 3000.0
    assert page.own.model(ME, PAGE)
    now[0] = 3700.0
    assert page.own.model(ME, PAGE)
    assert page.own.model(OTHER, PAGE) is None
    now[0] = 8000.0
    assert page.ask(ME) == {**page.ask(ME), "turns": [], "refused": OwnModelGone().sentence}  # no fallback model
    assert page.head.check({}, ME, PAGE)["own"]["gone"] == OwnModelGone().sentence
    assert page.head.stop({}, ME, PAGE)["own"]["gone"] == ""
    assert page.ask(ME)["turns"][0]["answer"]
    page.own.expect(ME, PAGE)  # sent by a page with its own model after a restart of the server
    assert page.ask(ME)["refused"] == OwnModelGone().sentence
    assert len(server.requests) == 2


def test_key_goes_with_its_page_and_with_everything(server: ChatServer, page: Header) -> None:
    server.replies(*["yes"] * 4)
    places = ((ME, PAGE), (ME, "two"), (OTHER, "three"))
    tab, *_ = [page.head.use(OWN, *place)["own"]["tab"] for place in places]
    for scope, left in ((OTHER, tab), (ME, "another tab")):
        page.head.check({"left": left}, scope, "loaded again")
        assert page.own.model(ME, PAGE)
    assert page.head.check({"left": tab}, ME, "loaded again")["own"]["model"] == ""
    assert page.own.model(ME, PAGE) is None
    page.head.use(OWN, ME, PAGE)
    page.own.forget(ME)
    assert [page.own.model(*place) is None for place in places] == [True, True, False]


def test_few_models_are_tried_in_an_hour(server: ChatServer, services: Services, page: Header) -> None:
    server.replies(*[faults.refused_key] * 4, faults.unknown_model)
    *refused, sixth = [page.head.use(OWN, visitor(number), PAGE)["refused"] for number in range(6)]
    assert sixth.code == "own_model.too_many_trials"
    assert refused == [KeyRefused().sentence] * 4 + [UnknownModel().sentence]
    assert page.own.model(visitor(0), PAGE) is None
    server.replies("yes")
    panel = OwnModels(services.models, RateLimit(1, 1))  # a test message counts as an answer
    panel.use(OWN, ME, PAGE)
    with pytest.raises(TooOften):
        panel.use(OWN, ME, PAGE)
    assert len(server.requests) == 6


def test_trial_ends_in_time_or_when_left(server: ChatServer, page: Header, monkeypatch: pytest.MonkeyPatch) -> None:
    server.replies(faults.slow_first_token, faults.slow_first_token)
    assert page.head.use(OWN, ME, PAGE, lambda: True)["refused"] == ModelTimeout().sentence
    monkeypatch.setattr(header, "_SECONDS_OF_TRIAL", 0.3)
    assert page.head.use(OWN, ME, PAGE)["refused"] == ModelTimeout().sentence
    assert all(request.disconnected.wait(20) for request in server.requests)
    assert page.own.model(ME, PAGE) is None


@pytest.fixture
def hosted(server: ChatServer, composed: Callable[..., Services]) -> Services:
    """Return the app with a model set by its host."""
    return composed({**server.settings, "NOTED_PROPOSE_LESSONS": "on"})


@pytest.mark.promise("own-model-answers-stay")
def test_host_draws_no_lesson_of_another_answer(hosted: Services, server: ChatServer) -> None:
    own = hosted.assistant.with_parts(hosted.models.connected, model=ScriptedModel([reply("who", "An uncle.")]))
    turn = last(own.ask("Who is my mother's brother?", ME, "c"))
    list(own.react(turn.id, Reaction.CONFIRM, ME))
    hosted.settle()
    assert server.requests == []


@pytest.mark.promise("own-model-answers-stay")
def test_text_is_read_by_the_model_of_its_page(hosted: Services, server: ChatServer) -> None:
    model = ScriptedModel(["<keep>Dana | works in | Pune</keep>", "none"])
    learn = LearnHandlers(hosted, connect_model(hosted, model))
    views = drain(learn.read({"text": "Dana works in Pune"}, ME, "page"))
    assert [one["line"] for view in views for one in view["read"]] == ["Dana | works in | Pune"]
    assert server.requests == []
