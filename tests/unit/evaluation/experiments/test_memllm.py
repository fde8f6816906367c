"""The experiment with fact sheets: which thing a question names, what it asks of it, and what counts as an answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.memllm.edits import Plan, Sheet, forms_of, run, run_again, steps
from evaluation.memllm.questions import TopicQuestion, named_in, read_questions, rest_of
from evaluation.memllm.reading import WAYS, fill, measured
from memory_store.language.word_translation import READINGS
from memory_store.store import Store, open_store

PERU = TopicQuestion("what money is used in Peru?", "peru", "currency used", ("Sol",))
AGAIN = TopicQuestion("in Peru, which money do they take?", "peru", "currency used", ("Sol",))
CAPITAL = TopicQuestion("what is the main city of peru?", "peru", "capital", ("Lima",))
CHILE = TopicQuestion("who leads Chile?", "chile", "governing officials", ("Boric", "Bachelet"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path / 'ledger.db'}", str(tmp_path / "index"), None, READINGS)
    yield opened
    opened.close()


def test_a_question_without_the_thing_that_it_names() -> None:
    assert rest_of("What money is used in Peru?", "peru") == "What money is used in"
    assert rest_of("in new york, who leads?", "New York") == "in , who leads"
    assert rest_of("Who leads?", "Peru") == "Who leads?"


def test_the_longest_known_name_is_the_one_that_is_named() -> None:
    forms = forms_of(Plan.of([PERU, TopicQuestion("who won in new york?", "new york", "team", ("x",))], 0))
    assert list(named_in("did New York ever beat Peru?", forms)) == ["New York", "Peru"]
    assert list(named_in("what is york?", forms)) == []


def test_paths_are_read_as_words(tmp_path: Path) -> None:
    line = '{"question": "q of x?", "answers": ["a"], "topic": "the_x", "path": ["/people/person/place_of_birth"]}\n'
    (tmp_path / "val.jsonl").write_text(line, encoding="utf-8")
    (read,) = read_questions(tmp_path, "val")
    assert read == TopicQuestion("q of x?", "the x", "people person place of birth", ("a",))


def test_what_is_stored_is_read_by_its_relation(store: Store) -> None:
    asked = [PERU, CAPITAL, CHILE]
    assert fill(store, (triple for one in asked for triple in one.triples)) == 4
    heard: list[None] = []
    by_relation = measured(store, asked, next(iter(WAYS)), lambda: heard.append(None))
    assert (by_relation.hit, by_relation.precision, len(heard)) == (1.0, 1.0, 3)


def test_edits_are_told_apart_from_what_is_asked_otherwise_of_the_same_and_of_others() -> None:
    plan = Plan.of([PERU, AGAIN, CAPITAL, CHILE], seed=0, edits=1)
    assert plan.edits == [PERU]
    assert plan.reworded == {0: [AGAIN]}
    assert plan.unrelated == [CHILE]
    assert plan.near == [CAPITAL]


def test_the_newest_edit_counts_and_what_was_before_is_kept(store: Store) -> None:
    plan = Plan.of([PERU, *(TopicQuestion(f"who leads {n}?", n, "leader", (f"of {n}",)) for n in _names())], 0)
    heard: list[None] = []
    sheet = Sheet(store, forms_of(plan))
    measures = run(sheet, plan, lambda: heard.append(None))
    assert measures["REL"] == 1.0
    assert len(heard) == steps(plan)
    assert run_again(sheet, plan, lambda: None) == {"edited again": 1.0, "not edited again": 1.0, "history whole": 1.0}


def _names() -> list[str]:
    return [f"land {letter * 3}" for letter in "abcdefghi"]
