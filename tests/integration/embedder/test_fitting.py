"""What is fitted for an embedder: it counts, and all is as it was where it is stopped or taken back.

That its table is true is told by test_document.py.
"""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.choose.gate import DATA, Gate
from assistant.errors import InputError
from assistant.kinds import CLARIFICATION
from assistant.limits import DEFAULT_LIMITS
from assistant.memllm.sheet import EDIT, PAPER
from assistant.settings import Settings
from evaluation.command_line import command_line as evaluation
from evaluation.embedders.fitting import _keep, fit_embedder
from evaluation.embedders.profiles import fitted_profiles, relation_likenesses
from evaluation.embedders.results import USUAL_EVERY, Fitting
from evaluation.gate.fitting import bundled
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.embedding.in_use import FittedHere, embedder_in_use, fitted_file, fitted_for, undo_fit
from memory_store.language.word_translation import READINGS
from memory_store.store import open_home
from tests.support.commands import Commands


@pytest.fixture(scope="module")
def name(trial: Callable[[str], str]) -> str:
    return trial("layers-2")


def settings_of(home: Path, name: str) -> Settings:
    return Settings.load({"NOTED_HOME": str(home), "NOTED_EMBEDDER": name})


def gate_of(settings: Settings) -> Gate:
    return embedder_in_use(settings, lambda: None).gate()


def undo(home: Path, name: str) -> str:
    """Return what `fit-embedder --undo` says."""
    result = CliRunner().invoke(evaluation(), ["fit-embedder", name, "--home", str(home), "--undo"])
    assert result.exit_code == 0, result.output
    return result.stderr


def test_what_was_fitted_counts_until_it_is_taken_back_and_all_is_as_before(tmp_path: Path, name: str) -> None:
    settings, file = settings_of(tmp_path, name), fitted_file(choose_embedder(name), tmp_path)
    before = gate_of(settings)
    of_another = json.loads(DATA.read_text(encoding="utf-8"))["calibrations"][CLARIFICATION.name][BUNDLED]
    file.parent.mkdir()
    file.write_text(json.dumps({"embedder": name, "calibrations": {CLARIFICATION.name: of_another}}))
    fitted = gate_of(settings)
    assert fitted.calibrations[CLARIFICATION.name] == Gate.from_file(BUNDLED).calibrations[CLARIFICATION.name]
    assert fitted.without_meaning == before.without_meaning
    assert "fitted here" in Commands(tmp_path, NOTED_EMBEDDER=name).run("embedder", "list").stdout
    elsewhere = Commands(tmp_path, NOTED_EMBEDDER=BUNDLED).run("embedder", "list").stdout.splitlines()
    assert elsewhere[0].endswith("languages: en)")
    assert elsewhere[-2].startswith(f"{name}  (")
    assert "fitted here" in elsewhere[-2]
    assert "Removed" in undo(tmp_path, name)
    assert gate_of(settings) == before
    assert "Nothing" in undo(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_by_its_profiles_it_finds_what_the_bundled_one_does(tmp_path: Path, name: str) -> None:
    theirs, embedder = bundled(), SentenceEmbedder(choose_embedder(name), 600.0)
    profiles = fitted_profiles(embedder, theirs)
    assert profiles.keys() == PAPER.keys()
    told, others = (relation_likenesses(each, "same") for each in (embedder, theirs))
    for by, profile in profiles.items():
        found = sum(one >= profile.relation for one in told)
        assert found == pytest.approx(sum(one >= PAPER[by].relation for one in others), abs=len(told) / 100)
    assert profiles["edit"].entity > EDIT.entity, "two layers tell things apart less well"
    file = fitted_file(choice := choose_embedder(name), tmp_path)
    _keep(file, choice, {}, profiles, Fitting(0.0, 0.0, []))
    used = embedder_in_use(settings_of(tmp_path, name), lambda: None)
    with closing(open_home(settings_of(tmp_path, name), used, READINGS, "", DEFAULT_LIMITS)) as store:
        assert store.sheet.profile == profiles["edit"]
    assert undo_fit(settings_of(tmp_path, name), name)
    assert embedder_in_use(settings_of(tmp_path, name), lambda: None).profile == EDIT


def test_whoever_stops_it_leaves_what_was_there(tmp_path: Path, name: str) -> None:
    file = fitted_file(choose_embedder(name), tmp_path)
    file.parent.mkdir()
    file.write_text("what was fitted before")

    def stop(_line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_embedder(settings_of(tmp_path, name), name, USUAL_EVERY, stop)
    assert [path.read_text() for path in tmp_path.rglob("*.*")] == ["what was fitted before"]


def test_what_was_fitted_for_one_that_is_gone_is_listed(tmp_path: Path) -> None:
    (tmp_path / "embedders").mkdir()
    (tmp_path / "embedders" / "abc.json").write_text(json.dumps({"embedder": "some/where", "calibrations": {}}))
    (tmp_path / "embedders" / "damaged.json").write_text("{")
    *_, line, why = Commands(tmp_path).run("embedder", "list").stdout.splitlines()
    assert line == "some/where  (fitted here)"
    assert "not on this machine" in why
    assert "Removed" in undo(tmp_path, "some/where")
    assert not (tmp_path / "embedders" / "abc.json").exists()


@pytest.mark.parametrize("missing", [BUNDLED, "none", "nobody/has-this"])
def test_only_another_one_that_is_here_can_be_fitted(tmp_path: Path, missing: str) -> None:
    settings = settings_of(tmp_path, "none")
    with pytest.raises(InputError):
        fit_embedder(settings, missing, USUAL_EVERY, print)
    assert not undo_fit(settings, missing)


def test_a_file_that_cannot_be_used_counts_as_none(tmp_path: Path, name: str) -> None:
    choice = choose_embedder(name)
    file = fitted_file(choice, tmp_path)
    file.parent.mkdir()
    for content in ("{", "[]", json.dumps({"embedder": name})):
        file.write_text(content)
        assert fitted_for(choice, tmp_path) == FittedHere()


def test_the_list_says_what_is_in_use_and_why(tmp_path: Path) -> None:
    shown = Commands(tmp_path, NOTED_EMBEDDER=BUNDLED).run("embedder", "list").stdout
    first, why = shown.splitlines()[:2]
    assert first.startswith(f"{BUNDLED}  (in use, ")
    assert "384 numbers" in first
    assert " ms for a question" in first
    assert "in English" in why
