"""Rate limits for asking and saving."""

from pathlib import Path

import pytest

from app import compose
from assistant.errors import TooOften
from assistant.events import RunState
from assistant.settings import Settings
from assistant.types import Reaction, Scope
from ui.server.rate_limit import RateLimit

pytestmark = pytest.mark.promise("limits-are-sentences")

ANN, BOB, LOCAL = Scope("ann"), Scope("bob"), Scope("local")
SENTENCE = "You can do this 2 times a minute. Wait a moment, then try again."


def test_each_person_has_an_allowance_of_their_own_and_the_local_one_any() -> None:
    allowance = RateLimit(turns=2, saves=1)
    for _ in range(2):
        allowance.turn(ANN)
    with pytest.raises(TooOften) as refused:
        allowance.turn(ANN)
    assert str(refused.value) == SENTENCE
    allowance.turn(BOB)
    allowance.save(ANN)
    with pytest.raises(TooOften):
        allowance.save(ANN)
    for _ in range(50):
        allowance.turn(LOCAL)
        allowance.save(LOCAL)


def test_whatever_costs_an_answer_or_a_save_is_counted(tmp_path: Path) -> None:
    services = compose(Settings.load({}, home=tmp_path, embedder="none", turns_per_minute=4, saves_per_minute=2))
    services.start()
    assistant = services.assistant
    asked = RunState().after(assistant.ask("What is akin to quick?", ANN)).turn
    list(assistant.clarify(asked.id, "I meant a synonym", ANN))
    list(assistant.retry(asked.id, ANN))
    list(assistant.react(asked.id, Reaction.CONFIRM, ANN))
    with pytest.raises(TooOften):
        list(assistant.clarify(asked.id, "I meant an antonym", ANN))
    with pytest.raises(TooOften):
        list(assistant.ask("What is akin to brave?", ANN))

    list(assistant.ask("What is akin to brave?", BOB))
    services.close()
