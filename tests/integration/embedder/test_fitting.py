"""`embedder fit`: its table is true, and all is as it was where it is stopped or taken back."""

import json
from pathlib import Path

import pytest

from assistant.choose.gate import Gate
from assistant.errors import InputError
from assistant.reports.embedders import USUAL_EVERY
from assistant.settings import Settings
from assistant.types import Scope
from evaluation.embedders.fitting import fit_embedder
from evaluation.embedders.trial import trial_embedders
from evaluation.gate.data import OWNER, decisions, one_of
from evaluation.gate.fitting import candidates_of
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.embedding.in_use import embedder_in_use, fitted_file, fitted_for, undo_fit
from memory_store.embedding.standard import StandardScale
from tests.support.commands import Commands

SET = "fourth"
EVERY = 15


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(trial_embedders(tmp_path_factory.mktemp("trial"), ["layers-2"])["layers-2"])


def settings_of(home: Path, name: str) -> Settings:
    return Settings.load({"NOTED_HOME": str(home), "NOTED_EMBEDDER": name})


def gate_of(settings: Settings) -> Gate:
    return embedder_in_use(settings, lambda: None).gate()


def test_what_it_says_is_true_and_counts_until_it_is_taken_back(tmp_path: Path, name: str) -> None:
    settings = settings_of(tmp_path, name)
    before = gate_of(settings)
    heard: list[str] = []
    (row,) = fit_embedder(settings, name, EVERY, heard.append, [SET])
    assert len(heard) > 5
    fitted = gate_of(settings)
    assert fitted != before
    assert fitted.without_meaning == before.without_meaning

    memory = one_of(decisions(SET, keys=False), EVERY // USUAL_EVERY)
    embedder = SentenceEmbedder(choose_embedder(name), 600.0)
    first = everyday = 0
    needing = [case for case in memory.questions if case.applies is not None]
    for case, found in zip(
        memory.questions, candidates_of(memory, embedder, scale=StandardScale(embedder)), strict=True
    ):
        decided = fitted(found, Scope(OWNER))
        first += case.applies is not None and decided[0].entry.id == case.applies
        everyday += case.is_unrelated and any(one.action == "use" for one in decided)
    assert row.fitted.first == pytest.approx(first / len(needing))
    assert row.fitted.everyday == pytest.approx(everyday / sum(case.is_unrelated for case in memory.questions))
    assert row.bundled.f1 > row.fitted.f1  # four layers less

    assert "fitted here" in Commands(tmp_path, NOTED_EMBEDDER=name).run("embedder", "list").stdout
    kept = fitted_file(choose_embedder(name), tmp_path)
    was = kept.read_bytes()

    def stop(_line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_embedder(settings, name, EVERY, stop, [SET])
    assert kept.read_bytes() == was
    Commands(tmp_path).run("embedder", "fit", name, "--undo")
    assert gate_of(settings) == before
    assert "Nothing" in Commands(tmp_path).run("embedder", "fit", name, "--undo").stderr
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


@pytest.mark.parametrize("missing", [BUNDLED, "none", "nobody/has-this"])
def test_only_another_one_that_is_here_can_be_fitted(tmp_path: Path, missing: str) -> None:
    settings = settings_of(tmp_path, "none")
    with pytest.raises(InputError):
        fit_embedder(settings, missing, EVERY, print)
    with pytest.raises(InputError):
        undo_fit(settings, missing)


def test_a_file_that_cannot_be_used_counts_as_none(tmp_path: Path, name: str) -> None:
    choice = choose_embedder(name)
    file = fitted_file(choice, tmp_path)
    file.parent.mkdir()
    for content in ("{", "[]", json.dumps({"embedder": name})):
        file.write_text(content)
        assert fitted_for(choice, tmp_path) == {}


def test_the_list_says_what_is_in_use_and_why(tmp_path: Path) -> None:
    shown = Commands(tmp_path, NOTED_EMBEDDER=BUNDLED).run("embedder", "list").stdout
    first, why = shown.splitlines()[:2]
    assert first.startswith(f"{BUNDLED}  (in use, ")
    assert "384 numbers" in first
    assert " ms for a question" in first
    assert "in English" in why
