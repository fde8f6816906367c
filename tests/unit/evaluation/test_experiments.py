"""The tasks and scorers of the experiments."""

from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from evaluation.expnote.cases import choose_vocabulary, make_letters
from evaluation.labelled.facts import AnswerMark, ToldLine, mark, parse_answer
from evaluation.memllm.experiment import EditPlan, SheetEditor, run
from evaluation.memllm.web_questions import TopicQuestion, find_names, read_questions, remove_name
from evaluation.memprompt.everyday import FIRST, OTHER, EverydayItem, ask_everyday
from evaluation.memprompt.stream import StreamStep, measure_runs
from evaluation.memprompt.word_tasks import WordItem, find_type
from evaluation.selection.experiment import (
    QuestionSamples,
    StoryQuestion,
    bleu_4,
    build_rows,
    rouge_l,
)
from memory_store.store import open_store

with_metrics = pytest.mark.skipif(find_spec("rouge_score") is None, reason="needs the group experiments")


@pytest.mark.parametrize(
    ("kind", "understanding", "about"),
    [
        ("syn", 'You want a word that means the same as "quick".', "quick"),
        ("defn", 'You want to know what "quick" means.', "quick"),
        ("hom", 'Tusi oh shabad labhde ho jo sunan vich "quick" varga lagge.', "quick"),
        (None, 'You want the opposite of "slow".', "quick"),
        ("ant", 'You want the opposite of "sound".', "sound"),  # the word asked about tells no type
    ],
)
def test_understanding_is_told_by_its_words(kind: str | None, understanding: str, about: str) -> None:
    assert find_type(understanding, about) == kind


@pytest.mark.parametrize(
    ("kind", "answer", "right"),
    [("syn", "fast", True), ("syn", "breakfast", False), ("sent", "They were quick.", True), ("sent", "quick", False)],
)
def test_answer_is_looked_up(kind: str, answer: str, *, right: bool) -> None:
    item = WordItem("?", kind, "quick", ("fast", "rapid") if kind == "syn" else ())
    assert item.is_answer(answer) is right


def step(*, understood: bool, note: str = "", said: str = "", again: bool = False) -> StreamStep:
    return StreamStep("syn", ("odd",), "?", "", "", understood, understood, note, 100, said, again)


def test_measures_of_streams_by_hand() -> None:
    right, wrong = step(understood=True, note="right"), step(understood=False, note="wrong", said="no", again=True)
    found = measure_runs([[right, wrong, wrong, right, step(understood=False)], [right] * 5])
    assert (found["Acc(u)"], found["last quarter"], found["odd"], found["corrected"]) == (0.7, 0.75, 0.7, 1)
    assert (found["corrections"], found["right note"], found["wrong note"], found["questions"]) == (2, 7, 2, 10)


def test_everyday_stream_asks_each_misunderstanding_first_in_its_own_words() -> None:
    items = [*ask_everyday("everyday", "en", seed=0, length=40)]
    kinds = Counter(item.groups[0] for item in items)
    assert (kinds[FIRST], kinds["again"], kinds[OTHER]) == (10, 20, 10)
    seen = set[str]()
    for item in items:
        assert (item.groups == (FIRST,)) == (bool(item.said) and item.type not in seen)
        seen.add(item.type)
    assert items == [*ask_everyday("everyday", "en", seed=0, length=40)]


@pytest.mark.parametrize(
    ("understanding", "shown"),
    [
        ("You want to know whether the ironing man should pay you.", True),
        ("You want to know whether the press should pay you for the kurta.", False),  # repeats the question
        ("You want to know whether the newspaper has time to pay you.", False),  # misunderstood
    ],
)
def test_everyday_understanding_is_told_by_words_of_the_meaning(understanding: str, *, shown: bool) -> None:
    meant = ("no no, by press I mean the ironing man's stall, any time. not newspapers",)
    wrong = "The person asks about a newspaper office."
    item = EverydayItem("the press lost my kurta, should he pay?", "f", (), meant[0], meant, wrong)
    assert item.is_shown(understanding) is shown


def test_letters_go_by_the_rule_of_the_paper() -> None:
    made, known = make_letters(0, 50, 50), choose_vocabulary(0)
    for item in (*made.cases, *made.tests):
        named = item.question.split('"')[1::2]
        places = [int("".join(filter(str.isdigit, part.split()[-3]))) for part in item.question.split('"')[:-1:2]]
        assert item.answer == "".join(word[at - 1] for word, at in zip(named, places, strict=True))
        assert {*named} <= {*known}
    assert not {item.question for item in made.cases} & {item.question for item in made.tests}


@pytest.mark.parametrize(
    ("answer", "right", "mark_"),
    [
        ("Yes.", "yes", AnswerMark.RIGHT),
        ("Haan.", "no", AnswerMark.WRONG),
        ("Rome.", "Turin", AnswerMark.WRONG),
        ("You told me: Rex is a dog.", "unknown", AnswerMark.RIGHT),
        ("Eh mainu aje nahi pata. Dasso, main yaad rakhanga.", "yes", AnswerMark.DECLINED),
        ("Yes.", "unknown", AnswerMark.WRONG),
    ],
)
def test_answers_are_marked(answer: str, right: str, mark_: AnswerMark) -> None:
    assert mark(ToldLine(facts=(), question="?", answer=right, lang="en"), answer) is mark_
    assert parse_answer("I don't know that yet. Tell me, and I'll remember it.") == ""


PERU = TopicQuestion("what money is used in Peru?", "peru", "currency used", ("Sol",))
AGAIN = TopicQuestion("in Peru, which money do they take?", "peru", "currency used", ("Sol",))
CAPITAL = TopicQuestion("what is the main city of peru?", "peru", "capital", ("Lima",))
CHILE = TopicQuestion("who leads Chile?", "chile", "governing officials", ("Boric", "Bachelet"))


def test_question_names_a_thing_and_asks_the_rest(tmp_path: Path) -> None:
    assert remove_name("What money is used in Peru?", "peru") == "What money is used in"
    assert remove_name("in new york, who leads?", "New York") == "in , who leads"
    assert remove_name("Who leads?", "Peru") == "Who leads?"
    forms = EditPlan.of([PERU, TopicQuestion("who won in new york?", "new york", "team", ("x",))], 0, 9).forms
    assert list(find_names("did New York ever beat Peru?", forms)) == ["New York", "Peru"]
    line = '{"question": "q of x?", "answers": ["a"], "topic": "the_x", "path": ["/people/person/place_of_birth"]}\n'
    (tmp_path / "val.jsonl").write_text(line, encoding="utf-8")
    assert read_questions(tmp_path, "val") == [
        TopicQuestion("q of x?", "the x", "people person place of birth", ("a",))
    ]


def test_edits_are_found(tmp_path: Path) -> None:
    plan = EditPlan.of([PERU, AGAIN, CAPITAL, CHILE], seed=0, edits=1)
    assert (plan.edits, plan.reworded, plan.unrelated, plan.near) == ([PERU], [[AGAIN]], [CHILE], [CAPITAL])
    names = [f"land {letter * 3}" for letter in "abcdefghi"]
    plan = EditPlan.of([PERU, *(TopicQuestion(f"who leads {n}?", n, "leader", (f"of {n}",)) for n in names)], 0, 99)
    store = open_store(f"sqlite:///{tmp_path / 'ledger.db'}", str(tmp_path / "index"), None)
    assert run(SheetEditor(store, plan.forms), plan)["REL"] == 1.0
    store.close()


def asked(
    story: str, section: str, question: str = "who?", text: str = "A cat.", answer: str = "a cat"
) -> StoryQuestion:
    return StoryQuestion(story=story, sections=(section,), text=text, question=question, answers=(answer,))


@with_metrics
def test_bleu_and_rouge_by_hand() -> None:
    written, reference = "Where did the king of the land live?", "Where did the king live?"
    assert bleu_4([written], [reference]) == pytest.approx((5 / 8 * 3 / 7 * 2 / 6 * 1 / 5) ** 0.25)
    assert bleu_4(["Who found a ring?"], ["Who lost the cat?"]) == pytest.approx(0, abs=1e-9)
    assert bleu_4([""], ["Who?"]) == 0.0
    assert rouge_l("who found the ring", "Who lost the old ring?") == pytest.approx(
        2 * (3 / 4) * (3 / 5) / (3 / 4 + 3 / 5)
    )
    assert rouge_l("", "Who?") == 0.0


@with_metrics
def test_each_way_chooses_its_question() -> None:
    texts = [
        asked("s", "1", "Who lost the ring?", "The king lost the ring.", "the king"),
        asked("s", "1", "Who found it?"),
    ]
    drawn = [
        QuestionSamples(("Who kept a cat?", "Who lost the ring?"), {"round_trip": (0.0, 1.0), "aps": (1.0, 0.0)}),
        QuestionSamples((), {}),
    ]
    rouge = {way: row["ROUGE-L"] for way, row in build_rows(texts, drawn)}
    near = 2 / 8  # "who" of four words each
    assert rouge["greedy"] == rouge["aps"] == near
    assert (
        rouge["round_trip"] == rouge["2-grams"] == rouge["2-grams + round_trip"] == rouge["oracle, by ROUGE-L"] == 1.0
    )
    assert rouge["random (mean of all)"] == (near + 1) / 2
    assert "ops" not in rouge
    assert [*build_rows(texts[1:], drawn[1:])] == []
