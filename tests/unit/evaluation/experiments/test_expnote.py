"""The generated tasks of the ExpNote experiment, what is counted, and that a run goes on."""

from pathlib import Path

import pytest

from assistant.models.embedded.lessons import LessonBook, Noted
from evaluation.expnote.pupil import Answer
from evaluation.expnote.report import tables, write_report
from evaluation.expnote.running import CURVES, Measured
from evaluation.expnote.tasks.kinship import kinship
from evaluation.expnote.tasks.letters import letters, words
from evaluation.expnote.tasks.table import table
from evaluation.expnote.tasks.task import UNKNOWN, Item, MakeSplit
from evaluation.streams.step_log import StepLog
from memory_store.language.languages import LANGUAGES


@pytest.mark.parametrize("make", [letters, kinship, table])
def test_the_same_seed_is_the_same_split_of_the_size_that_was_asked_for(make: MakeSplit) -> None:
    split = make(1, 90, 30)
    assert (len(split.cases), len(split.tests)) == (90, 30)
    assert split == make(1, 90, 30) != make(2, 90, 30)


def test_letters_go_by_the_rule_of_the_paper() -> None:
    split, known = letters(0, 50, 50), words(0)
    assert (len(known), {len(word) for word in known} <= {*range(4, 11)}) == (100, True)
    for item in (*split.cases, *split.tests):
        named = item.question.split('"')[1::2]
        places = [int("".join(filter(str.isdigit, part.split()[-3]))) for part in item.question.split('"')[:-1:2]]
        assert item.answer == "".join(word[at - 1] for word, at in zip(named, places, strict=True))
        assert len({*named} & {*known}) == 3
    assert not {item.question for item in split.cases} & {item.question for item in split.tests}


def test_nobody_of_the_tests_is_in_a_case() -> None:
    split = kinship(0, 90, 90)
    names = [{word.strip(".'s?") for word in item.question.split() if word[0].isupper()} for item in split.tests]
    others = {word.strip(".'s?") for item in split.cases for word in item.question.split()}
    people = {name for some in names for name in some} - {"The", "How", "What"}
    assert people
    assert not people & others
    assert {item.group for item in split.tests} == {"length 2", "length 3 and 4"}


def test_unseen_keys_are_in_no_case_and_seen_ones_are() -> None:
    split = table(0, 120, 40)
    known = " ".join(item.question for item in split.cases)
    for test in split.tests:
        key = test.question.rstrip("?").split('"')[1] if '"' in test.question else test.question.rstrip("?").split()[-1]
        assert (f" {key}?" in known or f'"{key}"' in known) == (test.group == "seen"), test
        assert (test.answer == UNKNOWN) == (test.group == "unseen")
    assert sum(test.group == "unseen" for test in split.tests) == 12


def test_of_ten_cases_one_is_answered_wrongly() -> None:
    split = kinship(0, 100, 10)
    wrong = split.with_wrong(0.1, 0)
    assert sum(one != other for one, other in zip(split.cases, wrong.cases, strict=True)) == 10
    assert wrong.tests == split.tests


def test_a_run_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    StepLog(path, Answer, lambda _: None).of("a", lambda: Answer("uncle", right=True, lesson="A rule."))
    path.write_text(path.read_text(encoding="utf-8") + '["b", {"torn', encoding="utf-8")
    log = StepLog(path, Answer, lambda _: None)
    assert log.of("a", lambda: pytest.fail("asked twice")) == Answer("uncle", right=True, lesson="A rule.")
    assert log.of("b", lambda: Answer("aunt", right=False)) == Answer("aunt", right=False)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_the_report_has_the_shares_the_worth_of_a_lesson_and_the_curve(tmp_path: Path) -> None:
    tests = [Item("a", "a", "seen"), Item("b", "b", "unseen")]
    measured = Measured()
    for setting, right in (("disabled", (False, False)), ("positive", (False, True)), ("both", (True, True))):
        measured.add(setting, tests, [Answer("", right=one) for one in right])
    measured.lessons.update({"positive": [2], "both": [4]})
    measured.flips.update({"wrong to right": 3, "wrong to wrong": 1})
    for setting in CURVES:
        measured.curve[setting].update({0: [0.0, 0.0], 100: [0.5, 0.7], 200: [0.9, 1.0]})
    assert (measured.efficiency("positive"), measured.efficiency("both"), measured.efficiency("negative")) == (
        25,
        25,
        None,
    )
    assert [measured.cases_to(share, "both") for share in (0.6, 0.95, 0.96)] == [100, 200, None]
    shares, curves, _, flips = tables({"table": measured})
    assert curves.columns == ("0", "100", "200", "area", "cases to 0.95")
    assert ["table, both", "0.000", "0.600", "0.950", "0.537", "200"] in curves.rows
    assert [row[0] for row in shares.rows] == ["table, all", "table, seen", "table, unseen"]
    assert flips.rows[0][1:] == ["0.250", "0.750", "0.000", "0.000"]
    page = write_report(tmp_path, {"table": measured}).read_text(encoding="utf-8")
    assert page.count("<table>") == 4
    assert "<svg" in page


def test_lessons_of_the_table_answer_what_was_asked_before() -> None:
    book, split, known = LessonBook(LANGUAGES), table(0, 100, 20), list[Noted]()
    for case in split.cases:
        if explained := book.explain(case.question, case.answer, known):
            known.append(explained[0])
    solved = {test.question: book.solve(test.question, known) for test in split.tests}
    right = {test.question: test.answer for test in split.tests}
    answered = {question: one.answer for question, one in solved.items() if one}
    asked = right.keys() & {case.question for case in split.cases}
    assert len(asked) >= 8
    assert asked <= answered.keys()
    assert answered.items() <= right.items()
