"""The experiment with a simulated teacher and a language model over HTTP: it runs, goes on, and is reported."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app import compose
from assistant.errors import ModelError
from assistant.papers.teachme.thinking import options_of
from assistant.prompt.envelope import read_blocks
from evaluation.command_line import command_line
from evaluation.facts.bank import Bank, BankQuestion
from evaluation.store_filling import settings_in
from evaluation.streams.pages import mean
from evaluation.streams.step_log import StepLog
from evaluation.teachme.choices import choices
from evaluation.teachme.indexed import found
from evaluation.teachme.report import table_of_indexes, tables, write_report
from evaluation.teachme.simulated import (
    AFTER,
    ALL,
    BEFORE,
    CONTEXT,
    POINTS,
    TAUGHT,
    UPPER,
    Given,
    Plan,
    run,
    split,
)
from evaluation.teachme.simulated import Student as Asking
from tests.support.memory.loop import ME, reply
from tests.support.memory.store import LetterPairs
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer

METALS = ("iron", "copper")


class Student:
    """Believes that the first option is right, unless it is told what the right one rests on."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def __call__(self, body: dict[str, object]) -> str:
        content = str(body["messages"][-1]["content"]) + "\n"  # type: ignore[index]
        blocks = {block.name: block.rows for block in read_blocks(content)[0]}
        if "asked" in blocks:
            self.calls["hypotheses"] += 1
            options = [row["answer"] for row in blocks["options"]]
            number = str(blocks["asked"][0]["question"]).partition("number ")[2][0]
            said = "".join(f"<statement>{option} is number {number}</statement>" for option in options)
            return f"<understanding>which one it is</understanding>{said}"
        if "claim" in blocks:
            self.calls["forced" if "first" in blocks else "free"] += 1
            return "<because>Everybody says so.</because>"
        if "premises" in blocks:
            told = [str(row["says"]) for row in blocks["premises"] if "told" in row]
            conclusion = str(blocks["conclusion"][0]["statement"])
            sure = 99 if conclusion in told else 50
            lines = [f"<premise>{row['premise']} yes 90</premise>" for row in blocks["premises"]]
            return "\n".join([*lines, f"<step>yes {sure}</step>"])
        self.calls["direct"] += 1
        return reply("which one it is", "(A)")


@pytest.fixture
def bank() -> Bank:
    asked = [
        BankQuestion(
            question=f"Which metal is number {at}{way}?", answer=metal, hypothesis="", core=(f"{metal} is number {at}",)
        )
        for at, metal in enumerate(METALS)
        for way in ("", " of all")
    ]
    return Bank(asked, tuple(fact for one in asked for fact in one.core))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("NOTED_EMBEDDER", "none")
    monkeypatch.setenv("NOTED_API_KEY", "sk-test")
    with ChatServer() as server:
        monkeypatch.setenv("NOTED_API_BASE", server.url)
        yield server


def test_it_teaches_tests_goes_on_where_the_model_failed_and_asks_nothing_twice(
    tmp_path: Path, bank: Bank, server: ChatServer
) -> None:
    pytest.importorskip("matplotlib")
    student, plan, out = Student(), Plan(bank, "openai/test"), tmp_path / "out"
    server.answer = student
    server.replies(reply("which one it is", "(A)"), faults.status(401))
    with pytest.raises(ModelError):
        run(out, plan, lambda _: None)
    done: list[int] = []
    measured = run(out, plan, done.append)
    assert student.calls["direct"] == len(split(plan)[1]) - 1
    assert done[-1] == plan.asked
    asked = len(server.requests)
    assert tables(run(out, plan, lambda _: None)) == tables(measured)
    assert len(server.requests) == asked

    right = {way: mean(groups[ALL]) for way, groups in measured.right.items()}
    assert right[UPPER] == right[TAUGHT] == 1
    assert right[BEFORE] == mean(measured.curve[0.0]) < right[AFTER] == mean(measured.curve[1.0])
    sizes = [measured.memory[point][0] for point in (0.0, *POINTS)]
    assert sizes == sorted(sizes)
    assert sizes[0] == 0 < sizes[-1] <= len(METALS)
    assert measured.flips["wrong to right"] > 0 == measured.flips["right to wrong"]
    assert 0 < measured.needed[0] <= 1
    assert student.calls["forced"]
    page = write_report(out, measured, table_of_indexes(*found(bank, LetterPairs()))).read_text(encoding="utf-8")
    assert "<svg" in page
    assert "R@10" in page


def test_facts_are_context_alone_where_no_proof_is_forced(tmp_path: Path, bank: Bank, server: ChatServer) -> None:
    student, plan = Student(), Plan(bank, "openai/test")
    server.answer = student
    taught, hidden = split(plan)
    with closing(compose(settings_in(tmp_path, plan.model))) as services:
        asking = Asking(services.assistant, StepLog(tmp_path / "log.jsonl", Given, lambda _: None))
        for one in taught:
            asking.tell(one, ME)
        asking.answers(hidden[:1], ME, CONTEXT)
        assert (student.calls["forced"], student.calls["free"]) == (0, 2)
        asking.answers(hidden[:1], ME, UPPER)
        assert student.calls["forced"] > 0


def test_a_core_fact_is_found_under_what_it_is_kept_under(bank: Bank) -> None:
    looked_up, ways = found(bank, LetterPairs())
    assert looked_up == 2 * len(METALS)
    by = {(way.index, way.by): way.recall for way in ways}
    assert len(by) == 8
    assert by["fact", "BM25"][0] == 1
    assert all(first <= later for recall in by.values() for first, later in pairwise(recall))


def test_wrong_options_are_answers_of_other_questions_as_long_as_the_right_one() -> None:
    answers = ["iron", "copper", "gold", "tin", "it is a long answer", "it is another long one"]
    questions = [BankQuestion(question=f"Which is {one}?", answer=one, hypothesis="", core=(one,)) for one in answers]
    for one, answer in zip(choices(questions, seed=1), answers, strict=True):
        options = options_of(one.text)
        assert len(set(options)) == len(options) == 4
        assert options["ABCD".index(one.right)] == answer
        if answer in answers[:4]:
            assert set(options) == set(answers[:4])
        assert one.is_right(f"({one.right}) that is it")
        assert one.is_right(f"I say {answer}.")
        assert not one.is_right("no idea")
    assert choices(questions, 1) == choices(questions, 1) != choices(questions, 2)


def test_a_language_model_needs_data() -> None:
    ran = CliRunner().invoke(command_line(), ["run", "teachme", "--model", "openai/test"])
    assert ran.exit_code == 2
    assert "--data" in ran.output
