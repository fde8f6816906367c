"""The experiments on the real assistant with a real store: streams, memories, going on, and the report."""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app import compose
from evaluation.command_line import command_line
from evaluation.memprompt.memories import LAST_ENTRIES
from evaluation.memprompt.plans import experiment, paper, quick
from evaluation.memprompt.report import write_report
from evaluation.replies import CountedModel
from evaluation.store_filling import settings_in
from evaluation.streams.experiment import Person, StreamSettings
from evaluation.streams.log import StreamLog
from evaluation.streams.report.measures import acc_u, prompt_tokens
from evaluation.streams.running import groups, run_group
from evaluation.streams.stream import Step, Stream

LENGTH = 32  # more than one round of the ways to ask
ALWAYS = Person(clarifies=1.0)


def settings(memory: str, **changed: object) -> StreamSettings:
    """English questions with brackets, of which the embedded model makes something by wording alone."""
    known = StreamSettings("lexical", "all", "en", memory, "embedded", ALWAYS, seed=0, length=LENGTH)
    return replace(known, **changed)  # type: ignore[arg-type]


WITHOUT, LOOKUP = settings("none", person=Person(0.0)), settings("memprompt-levenshtein")
GROWING = settings("grow", length=LAST_ENTRIES + 4)
APART, TOGETHER = settings("noted", people=3), settings("noted", people=3, is_shared=True)
MISLED = settings("noted", person=Person(1.0, 0.5), length=30)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which these streams were run to their ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NOTED_EMBEDDER", "none")
        folder = tmp_path_factory.mktemp("ran")
        for group in groups([WITHOUT, LOOKUP, GROWING, APART, TOGETHER, MISLED]):
            run_group(group, experiment, folder)
        yield folder


def steps(ran: Path, chosen: StreamSettings) -> tuple[Step, ...]:
    return StreamLog(ran, chosen).steps()


@contextmanager
def stream(home: Path, chosen: StreamSettings) -> Iterator[Stream]:
    with closing(compose(settings_in(home))) as services:
        model = CountedModel(services.assistant.runner.model)
        parts = experiment(chosen, services.assistant.with_parts(model=model), services)
        yield Stream(chosen, parts, model, services.settle)


def comparable(step: Step) -> Step:
    return replace(step, entry="", ms={}, seconds=0.0)


def test_who_is_told_gets_better_and_who_keeps_nothing_does_not(ran: Path) -> None:
    without, noted = steps(ran, WITHOUT), steps(ran, TOGETHER)
    assert [step.question for step in without] == [step.question for step in noted]
    assert not any(step.said or step.used for step in without)
    assert sum(step.splice == "right" for step in noted) >= 3
    assert acc_u(noted) > acc_u(without)
    assert prompt_tokens(noted) < 1.1 * prompt_tokens(without)
    assert all(step.cost["calls"] == 1 + bool(step.said) for step in noted)


def test_a_growing_prompt_grows_and_stops_growing(ran: Path) -> None:
    growing = steps(ran, GROWING)
    mended = sum(bool(step.again) for step in growing)
    assert mended > 3
    assert growing[-1].prompt_tokens > 1.15 * growing[0].prompt_tokens
    assert max(step.prompt_tokens for step in growing) < 3 * growing[0].prompt_tokens


def test_the_lookup_of_the_paper_takes_the_nearest_question(ran: Path) -> None:
    looked_up = steps(ran, LOOKUP)
    assert any(step.splice == "right" for step in looked_up)
    assert all(len(step.used) <= 1 for step in looked_up)


def test_a_stream_that_was_stopped_goes_on_as_if_it_had_not_been(ran: Path, tmp_path: Path) -> None:
    done: list[Step] = []
    for stopped in (1, 9):
        with stream(tmp_path, APART) as part:
            done += islice(part.run(list(done)), stopped - len(done))
    assert [comparable(step) for step in done] == [comparable(step) for step in steps(ran, APART)][: len(done)]


def test_people_who_share_a_memory_profit_from_each_other_and_others_do_not(ran: Path) -> None:
    alone, together = steps(ran, APART), steps(ran, TOGETHER)
    told: dict[int, set[str]] = {0: set(), 1: set(), 2: set()}
    for step in alone:
        assert set(step.used) <= told[step.person]
        told[step.person] |= {step.type} if step.said else set()
    assert sum(step.splice == "right" for step in together) > sum(step.splice == "right" for step in alone)


def test_what_was_said_wrongly_is_left_out_once_it_misleads(ran: Path) -> None:
    misled = [step for step in steps(ran, MISLED) if step.splice == "wrong"]
    assert misled
    assert all(step.left_out for step in misled if not step.understood)


def test_a_log_with_a_torn_line_goes_on_from_the_last_whole_one(ran: Path, tmp_path: Path) -> None:
    shutil.copytree(ran, tmp_path, dirs_exist_ok=True)
    log = StreamLog(tmp_path, WITHOUT)
    whole = log.steps()
    assert [step.number for step in whole] == list(range(LENGTH))
    text = log.path.read_text(encoding="utf-8")
    log.path.write_text(text[: text.rstrip().rfind("\n") + 30], encoding="utf-8")
    assert len(log.steps()) == LENGTH - 1
    run_group([WITHOUT], experiment, tmp_path)
    assert [comparable(step) for step in log.steps()] == [comparable(step) for step in whole]
    before = log.path.read_bytes()
    run_group([WITHOUT], experiment, tmp_path)
    assert log.path.read_bytes() == before


def test_the_report_shows_every_memory_beside_the_published_numbers(ran: Path) -> None:
    page = write_report(ran).read_text(encoding="utf-8")
    assert "memprompt, published" in page
    assert "0.98" in page
    assert page.count("<svg") == 1
    assert not re.search(r'(src|href)="?https?:', page)
    assert "not at their end" not in page
    pictures = list(ran.glob("*.png"))
    assert [picture.read_bytes()[:4] for picture in pictures] == [b"\x89PNG"]
    tables = json.loads((ran / "report.json").read_text(encoding="utf-8"))["embedded"]
    assert any({row["name"] for row in table["rows"]} >= {"none", "noted"} for table in tables)


def test_the_plans_hold_what_the_paper_did() -> None:
    lexical = {(one.lang, one.memory, one.person.clarifies, one.seed) for one in paper("m") if one.task == "lexical"}
    assert len(lexical) == 4 * 3 * (3 * 2 + 1)
    assert all(one.length == 300 for one in paper("m"))
    assert {one.memory for one in quick("m")} == {"none", "grow", "memprompt", "noted"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "nothing"], "No such command"),
        (["run", "lexical", "--lang", "xx"], "not asked in xx"),
        (["run", "lexical", "--memory", "elephant"], "no memory elephant"),
        (["run", "lexical", "--p", "2"], "from 0 to 1"),
        (["run", "lexical", "--p", "often"], "number"),
        (["run", "lexical", "--brackets", "some"], "all, half or none"),
        (["report", "/nowhere"], "holds no run"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    out = ["--out", str(tmp_path)] if arguments[0] == "run" else []
    result = CliRunner().invoke(command_line(), [*arguments, *out])
    assert result.exit_code == 2
    assert sentence in result.output


@pytest.mark.parametrize("line", [["run", "paper", "--quick"], ["report", "."]])
def test_without_what_draws_the_report_nothing_is_begun(line: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = CliRunner().invoke(command_line(), line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "python -m pip install --group experiments" in result.stderr
    assert result.stderr.count("\n") == 1
