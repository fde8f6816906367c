"""The page on embedders cannot lie: its commands work, and what it says of names and folders is so."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean

import pytest
from typer.testing import CliRunner

from assistant.choose.gate import Gate
from assistant.ports import Embedder
from assistant.settings import Settings
from assistant.types import Action, Scope
from evaluation.command_line import command_line as evaluation
from evaluation.embedders import fitting
from evaluation.embedders.results import USUAL_EVERY
from evaluation.embedders.standard import answered, row
from evaluation.gate.data import OWNER, decisions, one_of
from evaluation.gate.fitting import candidates_of
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from memory_store.embedding.in_use import embedder_in_use
from memory_store.embedding.reading import TranslatedEmbedder
from memory_store.embedding.standard import StandardScale
from tests.support.commands import Commands
from tests.support.servers.hub import Hub, use

PAGE = (Path(__file__).parents[3] / "docs" / "embedders.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (\S.*)$", PAGE, re.MULTILINE)
NAME = "intfloat/multilingual-e5-small"
TRIED = ("fourth",)  # sets that a fit is compared on
WHOLE_FIT = f"python -m evaluation fit-embedder {NAME}"


@pytest.fixture
def hub(tmp_path: Path, trial: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub that has a small model, which embeds in no time, by the name on the page."""
    folder = Path(trial("pieces"))
    files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    with Hub(files, NAME) as hub:
        use(hub, tmp_path / "cache", monkeypatch)
        yield hub


@pytest.mark.usefixtures("hub")
def test_every_command_of_the_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "SETS", TRIED)
    monkeypatch.setenv("NOTED_HOME", str(tmp_path / "home"))
    assert WHOLE_FIT in COMMANDS
    for command in COMMANDS:
        words = shlex.split(command)
        set_to = dict(word.split("=") for word in words if word.startswith("NOTED_"))
        if "evaluation" in words:
            # The whole fit takes minutes; the quick look does the same with fewer questions.
            further = ["--help"] if command == WHOLE_FIT else []
            shown = CliRunner().invoke(evaluation(), [*words[3:], *further])
            assert shown.exit_code == 0, shown.output
        else:
            commands = Commands(tmp_path / "home", NOTED_EMBEDDER=set_to.get("NOTED_EMBEDDER", ""))
            shown = commands.run(*words[words.index("noted") + 1 :], text=b"y\n")
        if "pull" in words:
            assert choose_embedder(NAME).name == NAME
        if "models" in words:
            assert "whose server gets the texts" in shown.stdout
        if "60" in words:
            *lines, read = [line for line in shown.stdout.splitlines() if line.strip()]
            rows = {line.split()[0]: line for line in lines[2:]}
            assert tuple(rows) == TRIED
            assert "--undo" in shown.stderr
            assert_true(rows["fourth"], read, tmp_path / "home", NAME)


def assert_true(line: str, read: str, home: Path, name: str) -> None:
    """The line of the fourth set says what the gate that was kept does with it, and the last how it is read to."""
    used = embedder_in_use(Settings.load({"NOTED_HOME": str(home), "NOTED_EMBEDDER": name}), lambda: None)
    gate, embedder = used.gate(), used.reader
    assert gate != Gate.from_file(name)
    assert embedder is not None
    memory = one_of(decisions("fourth", keys=False), 60 // USUAL_EVERY)
    found = candidates_of(memory, embedder, scale=StandardScale(embedder))
    decided = [(case, gate(some, Scope(OWNER))) for case, some in zip(memory.questions, found, strict=True)]
    first = [some[0].entry.id == case.applies for case, some in decided if case.applies is not None]
    spliced = [any(one.action is Action.USE for one in some) for case, some in decided if case.is_look_alike]
    mine = [float(cell) for cell in re.findall(r"([\d.]+) % /", line)]
    assert mine[0] == pytest.approx(100 * sum(first) / len(first), abs=0.051)
    assert mine[3] == pytest.approx(100 * sum(spliced) / len(spliced), abs=0.051)
    plain = SentenceEmbedder(choose_embedder(name), 600.0)
    ways: dict[str, Embedder] = {"as they are": plain, "in English": TranslatedEmbedder(plain)}
    asked = [one_of(decisions(one, keys=False), 60 // USUAL_EVERY) for one in TRIED]
    before = {
        way: mean(row(Gate.from_file(name), answered(memory, each, StandardScale(each))).f1 for memory in asked)
        for way, each in ways.items()
    }
    told = {way: float(share) for way, share in re.findall(r"(as they are|in English) ([\d.]+) %", read)}
    assert told == pytest.approx({way: 100 * share for way, share in before.items()}, abs=0.051)
    assert read.endswith(f"{max(before, key=lambda way: (before[way], way == 'as they are'))}.")
    assert isinstance(embedder, TranslatedEmbedder) is (before["in English"] > before["as they are"])


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_a_name_of_a_provider_is_behind_an_api(tmp_path: Path, provider: str) -> None:
    (name,) = re.findall(rf"`({provider}/[\w-]*embed[\w-]*)`", PAGE)[:1]
    shown = Commands(tmp_path, NOTED_EMBEDDER=name).run("models").stdout
    assert name in shown
    assert "whose server gets the texts" in shown
