"""The tasks and scorers of the experiments: what they ask, and what they count as right."""

from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from assistant.papers.teachme.thinking import options_of
from assistant.types import Reply, ReplyStatus, Turn, TurnState
from evaluation.expnote.cases import TASKS as CASE_TASKS
from evaluation.expnote.cases import UNKNOWN, letters, table, vocabulary
from evaluation.labelled.facts import Mark, ToldLine, mark, says
from evaluation.memllm.experiment import Plan, Sheet, run
from evaluation.memllm.web_questions import TopicQuestion, named_in, read_questions, rest_of
from evaluation.memprompt.experiment import by_panel, measures, streams_of, tables_of
from evaluation.memprompt.stream import Step, StreamSettings
from evaluation.memprompt.word_tasks import LANGS, Brackets, LexicalTask, WordItem, is_answered, type_of
from evaluation.selection.experiment import (
    Asked,
    Drawn,
    bleu_4,
    rouge_l,
    rows_of,
)
from evaluation.teachme.bank import BankLine, split
from evaluation.teachme.bank import choices as options
from memory_store.language.word_translation import READINGS
from memory_store.store import open_store

with_metrics = pytest.mark.skipif(find_spec("rouge_score") is None, reason="needs the group experiments")


def answered(answer: str) -> Turn:
    return Turn("1", "c", "p", "?", state=TurnState.ANSWERED, reply=Reply.of("", "", answer, ReplyStatus.OK))


@pytest.mark.parametrize("name", ["lexical", "described"])
def test_word_task_asks_the_same_for_the_same_seed(name: str) -> None:
    task = LexicalTask(name=name)
    first, again, other = ([item.question for item in islice(task.items("en", seed), 40)] for seed in (1, 1, 2))
    assert first == again != other
    for lang in LANGS:
        asked = {(item.lang, item.type) for item in islice(task.items(lang, 0), 300)}
        assert len(asked) == (15 if lang == "mixed" else 5)


@pytest.mark.parametrize(("brackets", "least", "most"), [("all", 100, 100), ("half", 25, 75), ("none", 0, 0)])
def test_word_task_has_as_many_brackets_as_wanted(brackets: str, least: int, most: int) -> None:
    asked = [item.question for item in islice(LexicalTask(Brackets(brackets)).items("en", 0), 100)]
    assert least <= sum("<" in question for question in asked) <= most


def test_word_task_says_what_is_meant_or_something_else() -> None:
    task, chance = LexicalTask(), Random(3)  # noqa: S311
    item = next(task.items("en", 0))
    rights = {task.said(item, chance) for _ in range(99)}
    assert not rights & {task.said(item, chance, wrongly=True) for _ in range(99)}
    assert not [said for said in rights if "{" in said]


@pytest.mark.parametrize(
    ("kind", "understanding", "about"),
    [
        ("syn", 'You want a word that means the same as "quick".', "quick"),
        ("defn", 'You want to know what "quick" means.', "quick"),
        ("syn", 'Aapko "quick" ka samanarthi shabd chahiye.', "quick"),
        ("hom", 'Tusi oh shabad labhde ho jo sunan vich "quick" varga lagge.', "quick"),
        (None, 'You want the opposite of "slow".', "quick"),
        (None, "Something about quick.", "quick"),
        ("ant", 'You want the opposite of "sound".', "sound"),  # the word asked about tells no type
    ],
)
def test_understanding_is_told_by_its_words(kind: str | None, understanding: str, about: str) -> None:
    assert type_of(understanding, about) == kind


@pytest.mark.parametrize(
    ("kind", "answer", "right"),
    [("syn", "fast", True), ("syn", "breakfast", False), ("sent", "They were quick.", True), ("sent", "quick", False)],
)
def test_answer_is_looked_up(kind: str, answer: str, *, right: bool) -> None:
    item = WordItem("?", kind, "en", "way", about="quick", answers=("fast", "rapid") if kind == "syn" else ())
    assert is_answered(item, answer) is right


def step(*, understood: bool, splice: str = "none", said: str = "") -> Step:
    return Step("syn", "w", ("odd",), "?", "", "", understood, understood, splice, 100, 1, 0.5, said=said)


def test_measures_of_streams_by_hand() -> None:
    right, wrong, idle = (
        step(understood=True, splice="right"),
        step(understood=False, said="no"),
        step(understood=False, splice="right"),
    )
    found = measures({0: [right, wrong, idle, right]}, {0: [wrong, wrong, wrong, right]})
    assert (found["Acc(u)"], found["corrections"], found["right note"], found["without effect"]) == (0.5, 1, 0.75, 0.25)
    assert (found["fixed"], found["broken"], found["against none"]) == (1, 0, 1)


def test_streams_without_memory_are_in_every_panel_of_their_questions() -> None:
    like = StreamSettings("", "half", "", "", "m", 1.0, 0.0, 0, 5)
    streams = streams_of(like, ["lexical"], ["en"], ["none", "noted"], [0.5, 1.0], 2)
    assert len(streams) == 2 + 4
    panels = by_panel({stream: [step(understood=True)] * 5 for stream in streams})
    assert {title: {*panel} for title, panel in panels.items()} == {
        "lexical, en, p = 0.5": {"none", "noted"},
        "lexical, en, p = 1": {"none", "noted"},
    }
    _, by_type = tables_of("lexical, en, p = 1", panels["lexical, en, p = 1"])
    assert by_type.cells("noted")["odd"] == 1
    assert by_type.cells("memprompt, published")["all"] == 0.98


@pytest.mark.parametrize("name", CASE_TASKS)
def test_cases_are_the_same_for_the_same_seed(name: str) -> None:
    made = CASE_TASKS[name](1, 90, 30)
    assert (len(made.cases), len(made.tests)) == (90, 30)
    assert made == CASE_TASKS[name](1, 90, 30) != CASE_TASKS[name](2, 90, 30)


def test_letters_go_by_the_rule_of_the_paper() -> None:
    made, known = letters(0, 50, 50), vocabulary(0)
    for item in (*made.cases, *made.tests):
        named = item.question.split('"')[1::2]
        places = [int("".join(filter(str.isdigit, part.split()[-3]))) for part in item.question.split('"')[:-1:2]]
        assert item.answer == "".join(word[at - 1] for word, at in zip(named, places, strict=True))
        assert {*named} <= {*known}
    assert not {item.question for item in made.cases} & {item.question for item in made.tests}


def test_unseen_keys_are_in_no_case() -> None:
    made = table(0, 120, 40)
    known = " ".join(item.question for item in made.cases)
    for test in made.tests:
        key = test.question.rstrip("?").split('"')[1] if '"' in test.question else test.question.rstrip("?").split()[-1]
        assert (f" {key}?" in known or f'"{key}"' in known) == (test.group == "seen"), test
        assert (test.answer == UNKNOWN) == (test.group == "unseen")


def test_wrong_options_are_answers_as_long_as_the_right_one() -> None:
    answers = ["iron", "copper", "gold", "tin", "it is a long answer", "it is another long one"]
    lines = [BankLine(question=f"Which is {one}?", answer=one, core=(one,)) for one in answers]
    for one, answer in zip(options(lines, seed=1), answers, strict=True):
        shown = options_of(one.text)
        assert len(set(shown)) == len(shown) == 4
        assert shown["ABCD".index(one.right)] == answer
        if answer in answers[:4]:
            assert set(shown) == set(answers[:4])
        assert one.is_right(f"({one.right}) that is it")
        assert one.is_right(f"I say {answer}.")
        assert not one.is_right("no idea")
    taught, hidden = split(options(lines, 1), 1, 4)
    assert (len(taught), len(hidden)) == (2, 2)


@pytest.mark.parametrize(
    ("answer", "right", "mark_"),
    [
        ("Yes.", "yes", Mark.RIGHT),
        ("ਨਹੀਂ।", "no", Mark.RIGHT),
        ("Haan.", "no", Mark.WRONG),
        ("Turin.", "turin", Mark.RIGHT),
        ("Rome.", "Turin", Mark.WRONG),
        ("You told me: Rex is a dog.", "unknown", Mark.RIGHT),
        ("Eh mainu aje nahi pata. Dasso, main yaad rakhanga.", "yes", Mark.DECLINED),
        ("Yes.", "unknown", Mark.WRONG),
    ],
)
def test_answers_are_marked(answer: str, right: str, mark_: Mark) -> None:
    assert mark(ToldLine(facts=(), question="?", answer=right, lang="en"), answer) is mark_
    assert says("I don't know that yet. Tell me, and I'll remember it.") == ""


PERU = TopicQuestion("what money is used in Peru?", "peru", "currency used", ("Sol",))
AGAIN = TopicQuestion("in Peru, which money do they take?", "peru", "currency used", ("Sol",))
CAPITAL = TopicQuestion("what is the main city of peru?", "peru", "capital", ("Lima",))
CHILE = TopicQuestion("who leads Chile?", "chile", "governing officials", ("Boric", "Bachelet"))


def test_question_names_a_thing_and_asks_the_rest(tmp_path: Path) -> None:
    assert rest_of("What money is used in Peru?", "peru") == "What money is used in"
    assert rest_of("in new york, who leads?", "New York") == "in , who leads"
    assert rest_of("Who leads?", "Peru") == "Who leads?"
    forms = Plan.of([PERU, TopicQuestion("who won in new york?", "new york", "team", ("x",))], 0, 9).forms
    assert list(named_in("did New York ever beat Peru?", forms)) == ["New York", "Peru"]
    line = '{"question": "q of x?", "answers": ["a"], "topic": "the_x", "path": ["/people/person/place_of_birth"]}\n'
    (tmp_path / "val.jsonl").write_text(line, encoding="utf-8")
    assert read_questions(tmp_path, "val") == [
        TopicQuestion("q of x?", "the x", "people person place of birth", ("a",))
    ]


def test_edits_are_found(tmp_path: Path) -> None:
    plan = Plan.of([PERU, AGAIN, CAPITAL, CHILE], seed=0, edits=1)
    assert (plan.edits, plan.reworded, plan.unrelated, plan.near) == ([PERU], [[AGAIN]], [CHILE], [CAPITAL])
    names = [f"land {letter * 3}" for letter in "abcdefghi"]
    plan = Plan.of([PERU, *(TopicQuestion(f"who leads {n}?", n, "leader", (f"of {n}",)) for n in names)], 0, 99)
    store = open_store(f"sqlite:///{tmp_path / 'ledger.db'}", str(tmp_path / "index"), None, READINGS)
    heard: list[None] = []
    assert run(Sheet(store, plan.forms), plan, lambda: heard.append(None))["REL"] == 1.0
    assert len(heard) == plan.steps
    store.close()


def asked(story: str, section: str, question: str = "who?", text: str = "A cat.", answer: str = "a cat") -> Asked:
    return Asked(story=story, sections=(section,), text=text, question=question, answers=(answer,))


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
        Drawn(("Who kept a cat?", "Who lost the ring?"), {"round_trip": (0.0, 1.0), "aps": (1.0, 0.0)}),
        Drawn((), {}),
    ]
    rouge = {way: row["ROUGE-L"] for way, row in rows_of(texts, drawn)}
    near = 2 / 8  # "who" of four words each
    assert rouge["greedy"] == rouge["aps"] == near
    assert (
        rouge["round_trip"] == rouge["2-grams"] == rouge["2-grams + round_trip"] == rouge["oracle, by ROUGE-L"] == 1.0
    )
    assert rouge["random (mean of all)"] == (near + 1) / 2
    assert "ops" not in rouge
    assert [*rows_of(texts[1:], drawn[1:])] == []
