"""Many users at once over HTTP, each with a secret word, which reaches no other user and no log."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory.keys import reply_in_background
from tests.support.people.page_client import PageClient, Refused
from tests.support.servers.chat_server import Body, ChatServer, Exchange
from tests.ui.conftest import served_here

PEOPLE = 4
CUTS = 3
STEADY = 2
UNLIMITED = {"NOTED_TURNS_PER_MINUTE": "1000000", "NOTED_SAVES_PER_MINUTE": "1000000"}


def secrets_in(shown: object) -> set[str]:
    return set(re.findall(r"qz[a-z]{6}zq", str(shown)))


def echo(body: Body) -> str | Callable[[Exchange], None]:
    """Reply with all secrets in the prompt; then hang if the question is slow."""
    said = " ".join(sorted(secrets_in(body["messages"])))
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


def patiently(does: Callable[[], dict[str, Any]]) -> dict[str, Any]:
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
        letters = "".join("bcdfghklmn"[number // 10**place % 10] + "a" for place in range(3))
        self.secret = f"qz{letters}zq"
        self.page = PageClient(url).open()

    def live(self) -> None:
        """Ask, correct, confirm, search and look back; see only the own secret."""
        asked = patiently(lambda: self.page.ask(f"What of {self.secret} number one, plainly?"))
        patiently(lambda: self.page.clarify(asked["id"], f"I meant {self.secret} the first"))
        turn = patiently(lambda: self.page.ask(f"What of {self.secret} number two, plainly?"))
        self.page.run("conversation.react", {"turn": turn["id"], "reaction": "confirm"})
        # Without its prefix, because the response repeats the search.
        for search in ("", "qz", "bababazq", "cababazq"):
            assert secrets_in(self.page.memory(search)) <= {self.secret}
        assert secrets_in(self.page.turns()) == {self.secret}

    def cut(self) -> None:
        """Disconnect from slow answers when they have begun; each time as a page of another id."""
        for number in range(CUTS):
            text = f"What of {self.secret} number {number}, slowly?"
            sent = {"question": text, "conversation": self.page.conversation, "run": "run"}
            updates = self.page.stream("conversation.ask", sent)
            assert any(f"about {self.secret}" in str(update) for update in updates)
            del updates  # closes the connection
            self.page.id = f"{self.page.id[:8]}{number}"


@pytest.mark.promise("no-secret-crosses", "cut-streams-cross-nothing")
def test_no_secret_reaches_anybody_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with ChatServer(echo, piece=20, aside=reply_in_background) as model:
        settings = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none"} | UNLIMITED
        for url in served_here(tmp_path, settings):
            people = [Person(url, number) for number in range(PEOPLE + STEADY)]
            with ThreadPoolExecutor(len(people)) as threads:
                list(threads.map(Person.live, people))
                cutting = [threads.submit(person.cut) for person in people[STEADY:]]
                list(threads.map(Person.live, people[:STEADY]))
                for cut in cutting:
                    cut.result()
            slow = [request for request in model.requests if is_slow(request.body)]
            assert len(slow) == CUTS * PEOPLE
            assert all(request.disconnected.wait(30) for request in slow)
            told = [secrets_in(request.body) for request in model.requests]
            assert {len(secrets) for secrets in told} == {1}
            assert set().union(*told) == {person.secret for person in people}
            for person in people:
                person.page.ask(f"What of {person.secret} in the end, plainly?")  # no run of theirs is left
                assert all(secrets_in(turn) == {person.secret} for turn in person.page.turns())
                assert secrets_in(person.page.seen) == {person.secret}
                person.page.close()
    assert secrets_in(caplog.text + "".join(capfd.readouterr())) == set()
