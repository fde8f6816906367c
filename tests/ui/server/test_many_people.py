"""Many users at once over HTTP, each with a secret word, which reaches no other user and no log."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import pytest

from tests.support.memory.keys import reply_in_background
from tests.support.people.page_client import PageClient, Refused
from tests.support.servers.chat_server import Body, ChatServer, Exchange
from tests.ui.conftest import served_here

PEOPLE = 4
TURNS = 3
CUT = 12
Turn = dict[str, Any]
_SECRET = re.compile(r"qz[a-z]{6}zq")
_CLOSED_WITHIN_SECONDS = 30


def secret_of(number: int) -> str:
    syllables = ("ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu")
    return f"qz{''.join(syllables[number // 10**place % 10] for place in range(3))}zq"


def secrets_in(text: str) -> set[str]:
    return set(_SECRET.findall(text))


def echo(body: Body) -> str | Callable[[Exchange], None]:
    """Reply with all secrets in the prompt; then hang if the question is slow."""
    said = " ".join(sorted(secrets_in(str(body["messages"]))))
    reply = f"<understanding>You ask about {said}.</understanding>\n<answer>It is {said}."

    def then_silent(exchange: Exchange) -> None:
        exchange.begin()
        exchange.text(reply)
        exchange.stall()

    return then_silent if is_slow(body) else f"{reply}</answer>"


def is_slow(body: Body) -> bool:
    """Return True if the last question is to be answered slowly."""
    asked = str(body["messages"][-1]["content"])
    return asked.rfind("slowly") > asked.rfind("plainly")


@dataclass(frozen=True)
class Running:
    """The application and its model."""

    url: str
    model: ChatServer


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    aside = ChatServer(echo, piece=20, aside=reply_in_background)
    with aside as model:
        environment = {
            "NOTED_MODEL": "openai/test", "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none",
            "NOTED_TURNS_PER_MINUTE": "1000000", "NOTED_SAVES_PER_MINUTE": "1000000",
        }  # fmt: skip
        for url in served_here(tmp_path_factory.mktemp("people"), environment):
            yield Running(url, model)


def patiently(does: Callable[[], Turn]) -> Turn:
    """Return the result of an action, repeated while the page is busy."""
    while True:
        try:
            return does()
        except Refused as refused:
            if "busy" not in str(refused):
                raise


class Person:
    """A user with a browser of their own, who talks only about their secret."""

    def __init__(self, url: str, number: int) -> None:
        self.secret = secret_of(number)
        self.page = PageClient(url).open()
        self._numbers = count()

    def question(self, manner: str = "plainly") -> str:
        return f"What of {self.secret} number {next(self._numbers)}, {manner}?"

    def live(self) -> None:
        """Ask, correct, confirm, search and look back, several times."""
        for number in range(TURNS):
            turn = patiently(lambda: self.page.ask(self.question()))
            if number % 3 == 0:
                said = partial(self.page.clarify, turn["id"], f"I meant {self.secret} the {number}th")
                turn = patiently(said)
            if number % 3 == 1:
                self.page.run("conversation.react", {"turn": turn["id"], "reaction": "confirm"})
        self.look()

    def look(self) -> None:
        """Check that everything visible holds only the own secret."""
        assert secrets_in(str(self.page.memory())) <= {self.secret}
        assert secrets_in(str(self.page.memory("qz"))) <= {self.secret}
        for other in range(3):
            # Without its prefix, because the response repeats the search.
            found = self.page.memory(secret_of(other).removeprefix("qz"))
            assert secrets_in(str(found)) <= {self.secret}
        assert secrets_in(str(self.page.turns())) == {self.secret}

    def cut(self) -> None:
        """Start a slow answer and disconnect when it has begun; the page is opened again later."""
        for update in self.page.stream("conversation.ask", self._slow()):
            if f"about {self.secret}" in str(update):
                return
        raise AssertionError("the stream ended by itself")

    def _slow(self) -> dict[str, Any]:
        return {"text": self.question("slowly"), "conversation": self.page.conversation, "run": "run"}

    @property
    def received(self) -> set[str]:
        """Return the secrets in all responses."""
        return secrets_in("".join(self.page.seen))


def at_once(people: list[Person], does: Callable[[Person], None]) -> None:
    with ThreadPoolExecutor(len(people)) as threads:
        list(threads.map(does, people))


@pytest.mark.promise("no-secret-crosses")
def test_no_secret_reaches_anybody_else(
    running: Running, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    people = [Person(running.url, number) for number in range(PEOPLE)]
    asked_before = len(running.model.requests)
    at_once(people, Person.live)

    prompts = running.model.requests[asked_before:]
    assert len(prompts) >= PEOPLE * TURNS
    told = [secrets_in(str(request.body)) for request in prompts]
    assert {len(secrets) for secrets in told} == {1}
    assert set().union(*told) == {person.secret for person in people}
    for person in people:
        assert person.received == {person.secret}
        person.page.close()
    assert secrets_in(caplog.text + "".join(capfd.readouterr())) == set()


@pytest.mark.promise("cut-streams-cross-nothing")
def test_cut_streams_cross_nothing(
    running: Running, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    people = [Person(running.url, 100 + number) for number in range(PEOPLE)]
    steady = [Person(running.url, 500 + number) for number in range(2)]
    asked_before = len(running.model.requests)

    def cuts(person: Person) -> None:
        for _ in range(CUT // PEOPLE):
            person.cut()
            person.page.id = f"{person.page.id[:8]}{next(person._numbers)}"

    def does(person: Person) -> None:
        person.live() if person in steady else cuts(person)

    at_once(people + steady, does)
    slow = [request for request in running.model.requests[asked_before:] if is_slow(request.body)]
    assert len(slow) == CUT // PEOPLE * PEOPLE
    assert [request for request in slow if not request.disconnected.wait(_CLOSED_WITHIN_SECONDS)] == []
    for request in running.model.requests[asked_before:]:
        assert len(secrets_in(str(request.body))) == 1
    for person in people + steady:
        assert person.received == {person.secret}
        person.page.ask(person.question())  # succeeds only if no run of theirs is left
        assert all(secrets_in(str(turn)) == {person.secret} for turn in person.page.turns())
        person.page.close()
    assert secrets_in(caplog.text + "".join(capfd.readouterr())) == set()
