"""Another embedder in the settings of a home: the one before reads and decides as before, until all is read anew."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.choose.gate import ANY_EMBEDDER, DATA
from assistant.kinds import CLARIFICATION, Clarification
from assistant.limits import Limits
from assistant.settings import Settings
from assistant.types import Draft, Question, Scope
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.embedding.in_use import embedder_in_use, fitted_file, undo_fit, used_before
from memory_store.language.word_translation import READINGS
from memory_store.store import open_home
from tests.support.commands import Commands
from tests.support.memory.switching import go_on
from ui.server.services import Services

ME = Scope("ann")
SAID = {"What is akin to quick?": "I meant a word with the same meaning", "Where is the bank?": "the edge of a river"}
ASKED = "What resembles fast?"


def composed(home: Path, name: str) -> Services:
    return compose(Settings.load({"NOTED_HOME": str(home), "NOTED_EMBEDDER": name}))


def decided(services: Services) -> list[tuple[str, str, float]]:
    found = services.parts.recall(Question(ASKED), ME)
    return [(one.entry.text, one.action, round(one.probability, 4)) for one in services.parts.choose(found, ME)]


def test_the_one_before_reads_and_its_gate_decides_until_the_index_is_made(
    tmp_path: Path, trial: Callable[[str], str]
) -> None:
    folder = trial("layers-2")
    home = tmp_path / "home"
    with closing(composed(home, BUNDLED)) as services:
        for question, text in SAID.items():
            services.assistant.memory.remember(Draft(CLARIFICATION, question, Clarification(text=text), question), ME)
        before = decided(services)
        assert before
    with closing(composed(home, folder)) as services:
        assert decided(services) == before
        assert {found.embedder for found in services.parts.recall(Question(ASKED), ME)} == {BUNDLED}
    shown = Commands(home, NOTED_EMBEDDER=folder).run("memory", "rebuild")
    assert "Done." in shown.stderr
    with closing(composed(home, folder)) as services:
        found = services.parts.recall(Question(ASKED), ME)
        assert {candidate.embedder for candidate in found} == {""}
        assert all("meaning" in candidate.scores for candidate in found)
        assert decided(services) != before
    with closing(composed(home, BUNDLED)) as services:  # its table is there still, and nothing is made
        assert decided(services) == before
        assert {candidate.embedder for candidate in services.parts.recall(Question(ASKED), ME)} == {""}


def test_the_list_says_how_far_it_is_and_the_model_before_is_let_go_of_in_the_end(
    tmp_path: Path, trial: Callable[[str], str]
) -> None:
    folder, home = trial("pieces"), tmp_path / "home"
    with closing(composed(home, BUNDLED)) as services:
        for question, text in SAID.items():
            services.assistant.memory.remember(Draft(CLARIFICATION, question, Clarification(text=text), question), ME)
        decided(services)
    settings = Settings.load({"NOTED_HOME": str(home), "NOTED_EMBEDDER": folder})
    used = embedder_in_use(settings, lambda: None)
    with closing(open_home(settings, used, READINGS, "visitor", Limits())) as store:
        assert store.recall(Question(ASKED), ME)
        (before,) = (each.embedder for each in store.before)
        assert isinstance(before, SentenceEmbedder)
        assert before.loaded
        assert not go_on(store)
        listed = Commands(home, NOTED_EMBEDDER=folder).run("embedder", "list").stdout
        assert f"anew by {folder}: 0 of 2." in listed
        while not go_on(store):
            pass
        assert not before.loaded
        assert store.recall(Question(ASKED), ME)
        assert not before.loaded
    assert "anew by" not in Commands(home, NOTED_EMBEDDER=folder).run("embedder", "list").stdout


def test_a_fit_that_has_it_read_to_in_another_way_is_a_switch_and_so_is_taking_it_back(
    tmp_path: Path, trial: Callable[[str], str]
) -> None:
    folder = trial("pieces")
    home, file = tmp_path / "home", fitted_file(choose_embedder(folder), tmp_path / "home")
    with closing(composed(home, folder)) as services:
        for question, text in SAID.items():
            services.assistant.memory.remember(Draft(CLARIFICATION, question, Clarification(text=text), question), ME)
        in_english = decided(services)
    gate = json.loads(DATA.read_text(encoding="utf-8"))["calibrations"][CLARIFICATION.name][ANY_EMBEDDER]
    file.write_text(json.dumps({"embedder": folder, "english": False, "calibrations": {CLARIFICATION.name: gate}}))
    with closing(composed(home, folder)) as services:
        assert decided(services) == in_english
        assert {found.embedder for found in services.parts.recall(Question(ASKED), ME)} == {folder}
    Commands(home, NOTED_EMBEDDER=folder).run("memory", "rebuild")
    with closing(composed(home, folder)) as services:
        as_it_is = decided(services)
        assert {found.embedder for found in services.parts.recall(Question(ASKED), ME)} == {""}
    assert as_it_is != in_english
    file.write_text(file.read_text().replace("false", "true"))
    with closing(composed(home, folder)) as services:  # the table that was measured is there still
        assert decided(services) == in_english
        assert {found.embedder for found in services.parts.recall(Question(ASKED), ME)} == {""}
    assert undo_fit(Settings.load({"NOTED_HOME": str(home)}), folder)
    with closing(composed(home, folder)) as services:
        assert decided(services) == in_english
        assert {found.embedder for found in services.parts.recall(Question(ASKED), ME)} == {""}


@pytest.mark.parametrize(
    ("now", "now_at", "before", "serves"),
    [
        (BUNDLED, None, ("openai/small", None), False),
        ("openai/large", None, ("openai/small", None), True),
        ("openai/large", None, ("voyage/small", None), False),
        ("openai/large", None, ("openai/small", "http://127.0.0.1:1"), False),
        ("openai/large", "http://127.0.0.1:1", ("openai/small", "http://127.0.0.1:1"), True),
        ("none", None, (BUNDLED, None), False),
        ("openai/large", None, (BUNDLED, None), True),
        (BUNDLED, None, ("/nowhere/model", None), False),
    ],
)
def test_one_behind_an_api_serves_on_only_where_texts_go_there_still(
    tmp_path: Path, now: str, now_at: str | None, before: tuple[str, str | None], serves: bool
) -> None:
    told = {"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": now, "NOTED_EMBEDDER_API_BASE": now_at or ""}
    settings = Settings.load(told)
    found = used_before(
        settings, lambda: None, embedder_in_use(settings, lambda: None), [json.dumps(before), json.dumps(["x"]), "{"]
    )
    assert (before[0] in {each.choice.name for each in found}) is serves
