"""The tasks of the experiments: what they ask, and what they count as understood and answered."""

from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.types import Reply, ReplyStatus, Turn, TurnState
from evaluation.memprompt.plans import TASKS, task_named
from evaluation.memprompt.tasks.lexical import JUDGE, Lexical
from evaluation.memprompt.tasks.word_tasks import Brackets, Scramble, WordItem, WordTask, peppered, rotated, shuffled

LEXICAL, SCRAMBLE = Lexical(), Scramble()


def random(seed: int) -> Random:
    return Random(seed)  # noqa: S311  the same numbers each time


SCRAMBLED = st.text(alphabet="abcdefgh", min_size=6, max_size=10).filter(lambda word: len(set(word[2:-2])) > 1)


def answered(answer: str) -> Turn:
    return Turn("1", "c", "p", "?", state=TurnState.ANSWERED, reply=Reply.of("", "", answer, ReplyStatus.OK))


@pytest.mark.parametrize("name", TASKS)
def test_the_same_seed_asks_the_same_and_another_one_other_things(name: str) -> None:
    task = task_named(name, "half")
    first, again, other = (
        [item.question for item in islice(task.items(task.langs[0], seed), 40)] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_every_type_is_asked_for_in_every_language() -> None:
    for lang in LEXICAL.langs:
        asked = {(item.lang, item.type) for item in islice(LEXICAL.items(lang, 0), 300)}
        assert len(asked) == (15 if lang == "mixed" else 5)


@pytest.mark.parametrize("kind", [Lexical, Scramble])
@pytest.mark.parametrize(("brackets", "least", "most"), [("all", 100, 100), ("half", 25, 75), ("none", 0, 0)])
def test_as_many_questions_have_brackets_as_are_wanted(
    kind: type[Lexical | Scramble], brackets: str, least: int, most: int
) -> None:
    task = kind(Brackets(brackets))
    asked = [item.question for item in islice(task.items(task.langs[0], 0), 100)]
    assert least <= sum("<" in question for question in asked) <= most


@pytest.mark.parametrize("task", [LEXICAL, SCRAMBLE])
def test_what_is_said_means_the_type_and_what_is_said_wrongly_another(task: WordTask) -> None:
    chance = random(3)
    for item in islice(task.items(task.langs[0], 0), 60):
        assert task.said(item, chance) != ""
        assert "{" not in task.said(item, chance, wrongly=True)
    rights = {task.said(item, chance) for _ in range(99)}
    wrongs = {task.said(item, chance, wrongly=True) for _ in range(99)}
    assert not rights & wrongs


@pytest.mark.parametrize(
    ("kind", "understanding", "about"),
    [
        ("syn", 'You want a word that means the same as "quick".', "quick"),
        ("defn", 'You want to know what "quick" means.', "quick"),
        ("sent", 'You want a sentence with the word "quick".', "quick"),
        ("syn", 'Aapko "quick" ka samanarthi shabd chahiye.', "quick"),
        ("hom", 'Tusi oh shabad labhde ho jo sunan vich "quick" varga lagge.', "quick"),
        ("syn", "The user is asking for a synonym of QUICK", "quick"),
        (None, 'You want the opposite of "slow".', "quick"),
        (None, "Something about quick.", "quick"),
        ("ant", 'You want the opposite of "sound".', "sound"),  # the word asked about tells no type
        ("hom", 'You want a word that sounds the same as "reverse".', "reverse"),
    ],
)
def test_an_understanding_is_told_by_its_words(kind: str | None, understanding: str, about: str) -> None:
    assert JUDGE(understanding, about) == kind


@pytest.mark.parametrize(
    ("kind", "answer", "right"),
    [
        ("syn", "fast", True),
        ("syn", "breakfast", False),
        ("sent", "They were quick to answer.", True),
        ("sent", "quick", False),
    ],
)
def test_an_answer_is_looked_up(kind: str, answer: str, *, right: bool) -> None:
    item = WordItem("?", kind, "en", "way", about="quick", answers=("fast", "rapid") if kind == "syn" else ())
    assert LEXICAL.verdict(item, answered(answer)).answered is right


@given(SCRAMBLED, st.integers(0, 99))
def test_scrambling_keeps_every_letter_and_what_is_to_stay(word: str, seed: int) -> None:
    for kept in (1, 2):
        mixed = shuffled(word, random(seed), kept)
        assert sorted(mixed) == sorted(word)
        assert mixed != word
        assert (mixed[:kept], mixed[-kept:]) == (word[:kept], word[-kept:])
    turned = rotated(word, random(seed))
    assert turned in word + word
    assert len(turned) == len(word)
    strewn = peppered(word, random(seed))
    assert "".join(filter(str.isalpha, strewn)) == word
    assert strewn != word


def test_each_scrambled_word_has_one_answer() -> None:
    for item in islice(SCRAMBLE.items("en", 0), 50):
        assert SCRAMBLE.verdict(item, answered(f"{item.answers[0]}.")).answered
        assert not SCRAMBLE.verdict(item, answered(item.about)).answered or item.about == item.answers[0]
