"""Which models can draft, and how, through the composition of `app.py`: over HTTP at a temperature, embedded by its
next-best readings.
"""

import itertools
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from assistant.errors import ReadOnly, SettingsError
from assistant.papers.selection.drafts import kept_drafts
from assistant.papers.selection.taking import Taking
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.memory.loop import last
from tests.support.servers.chat_server import Body, ChatServer
from ui.server.services import Services

pytestmark = pytest.mark.promise("best-draft-is-shown", "drafts-can-fail")

ME = Scope("me")
QUESTION = "What is akin to quick?"
SOUND = "What sounds like night?"
WAYS = {0.0: ("You want a sound.", "kwik"), 0.7: ('You want a word like "quick".', "fast")}
JUDGING = {"NOTED_DRAFTS": "2", "NOTED_DRAFT_JUDGING": "on"}


def model(body: Body) -> str:
    """Drafts by its temperature, knows what was asked where the answer is right, and likes what comes at the end."""
    system, *_, last_message = (message["content"] for message in body["messages"])
    if "Say what was asked." in system:
        return 'You want a word like "quick".' if "fast" in last_message else "You want nothing."
    if "Judge a sample" in system:
        return "3" if '"option"' in last_message else "It is well."
    understanding, answer = WAYS[body.get("temperature", 0.0)]
    return f"<understanding>{understanding}</understanding>\n<answer>{answer}</answer>"


def connected(composed: Callable[..., Services], server: ChatServer, **environment: str) -> Services:
    server.answer = model
    return composed({**server.settings, **environment})


def test_further_drafts_have_a_temperature(composed: Callable[..., Services], server: ChatServer) -> None:
    last(connected(composed, server).assistant.ask("What is akin to big?", ME))
    (plain,) = server.requests
    assert "temperature" not in plain.body
    turn = last(connected(composed, server, NOTED_DRAFTS="3").assistant.ask(QUESTION, ME))
    assert turn.reply.answer == "fast"
    drafts = kept_drafts(turn)
    assert drafts is not None
    assert [one.reply.answer for one in drafts.all] == ["kwik", "fast"]  # the third said what the second did
    drawn = [request.body for request in server.requests if "temperature" in request.body]
    assert sorted(body["temperature"] for body in drawn) == [0.0, 0.7, 0.7]
    assert len({str(body["messages"]) for body in drawn}) == 1
    assert len(server.requests) == 1 + 3 + 2


@pytest.mark.parametrize("setting", ["1", "5"])
def test_button_says_the_most_calls(composed: Callable[..., Services], server: ChatServer, setting: str) -> None:
    turn = last(composed({"NOTED_DRAFTS": "1"}).assistant.ask("What is the opposite of hot?", ME))
    services = connected(composed, server, NOTED_DRAFTS=setting, NOTED_TURNS_PER_MINUTE="99")
    (part,) = (part for part in services.card_parts if part.name == "drafts")
    answers = itertools.count()
    server.answer = lambda _: f"plain {next(answers)}"  # each is asked for the understanding that it lacks
    again = last(Taking(services.assistant).several_ways(turn.id, ME))
    drafts, kept = max(3, int(setting)), kept_drafts(again)
    assert kept is not None
    assert (again.answers_again, len(kept.all)) == (turn.id, drafts)
    assert part.view(turn) == {"calls": 4 * drafts}  # one more for each that comes back empty
    assert len(server.requests) == 3 * drafts


def test_judging_takes_sixteen_calls_a_draft(composed: Callable[..., Services], server: ChatServer) -> None:
    turn = last(connected(composed, server, **JUDGING, NOTED_TURNS_PER_MINUTE="99").assistant.ask(QUESTION, ME))
    assert len(server.requests) == 2 * (1 + 1 + 16)
    drafts = kept_drafts(turn)
    assert drafts is not None
    assert [{**one.scores} for one in drafts.all] == [
        {"round_trip": pytest.approx(2 * 2 / 7), "aps": 1.0, "ops": 1.0},
        {"round_trip": 1.0, "aps": 1.0, "ops": 1.0},
    ]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (SOUND, ["knight", "night: nighttime, a kind of period, the opposite of day"]),  # its next-best reading
        ("What is the opposite of hot?", ["cold", "cool", "legal"]),  # further answers of the same relation
    ],
)
def test_embedded_model_drafts(composed: Callable[..., Services], question: str, answers: list[str]) -> None:
    drafts = kept_drafts(last(composed({"NOTED_DRAFTS": "3"}).assistant.ask(question, ME)))
    assert drafts is not None
    assert ([one.reply.answer for one in drafts.all][: len(answers)], drafts.shown) == (answers, 0)
    sure = [one.scores["sure"] for one in drafts.all]
    assert sure == sorted({*sure}, reverse=True)


@pytest.mark.parametrize("read_only", ["on", "off"])
def test_read_only_takes_no_draft(composed: Callable[..., Services], read_only: str) -> None:
    composed({}).close()
    services = composed({"NOTED_DRAFTS": "2", "NOTED_READ_ONLY": read_only})
    (part,) = (part for part in services.card_parts if part.name == "drafts")
    turn = last(services.assistant.ask(SOUND, ME))
    assert part.view(turn)["takes"] == (read_only == "off")
    with pytest.raises(ReadOnly) if read_only == "on" else nullcontext():
        Taking(services.assistant).take(turn.id, 2, ME)


@pytest.mark.parametrize("value", ["0", "6", "many"])
def test_there_are_one_to_five_drafts(value: str) -> None:
    with pytest.raises(SettingsError, match="NOTED_DRAFTS must be"):
        Settings.load({"NOTED_DRAFTS": value})
