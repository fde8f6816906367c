"""What the embedded model makes of a clarification: which task was meant, and which word is asked about.

`tests/support/texts/ways_of_asking.toml` has the ways to ask and what people say.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.texts import word_questions
from tests.support.texts.word_questions import prompt, reply_to

_TABLE = tomllib.loads((Path(word_questions.__file__).parent / "ways_of_asking.toml").read_text(encoding="utf-8"))
_TASKS = {"syn": "synonym", "ant": "antonym", "hom": "homophone", "defn": "definition", "sent": "sentence"}
_WORDS = {
    "syn": ("huge", "have"),
    "ant": ("tall", "well"),
    "hom": ("knight", "two"),
    "defn": ("harbor", "like"),
    "sent": ("bridge", "mean"),
}


class Told(NamedTuple):
    """A question, the earlier one in which another word stood, and how a person put that one right."""

    task: str
    template: str
    said: str

    def is_understood(self, word: str, about: str) -> bool:
        messages = prompt(self.template.format(word=word), self.said, about=self.template.format(word=about))
        before, asked, after = reply_to(messages).understanding.partition(f'"{word}"')
        return bool(asked) and word_questions.task_spoken_of(before + after) == _TASKS[self.task]


def told(asked_in: str, said_in: str) -> Iterator[Told]:
    """Every way to ask, each with every way to put it right."""
    for task, templates in _TABLE["ways"][asked_in].items():
        for template in templates:
            rest = template.replace("?", "")
            phrase, gap = (" ".join(rest.replace("{word}", left).split()) for left in ("", "..."))
            for said in _TABLE["said"][said_in][task]:
                yield Told(task, template, said.format(phrase=phrase, gap=gap))


@pytest.mark.parametrize(
    ("asked_in", "said_in"),
    [("en", "en"), ("hi-latn", "hi-latn"), ("pa-latn", "pa-latn"), ("en", "pa-latn"), ("hi-latn", "en")],
)
def test_a_clarification_holds_for_the_same_way_of_asking_about_any_word(asked_in: str, said_in: str) -> None:
    some = list(told(asked_in, said_in))[::2]
    results = [each.is_understood(_WORDS[each.task][place % 2], "fruit") for place, each in enumerate(some)]
    assert len(results) >= 50
    assert sum(results) / len(results) >= 0.94


@pytest.mark.parametrize("language", ["en", "hi-latn", "pa-latn"])
def test_who_repeats_the_question_says_which_word_is_asked_about(language: str) -> None:
    repeating = [each for each in told(language, language) if any(sign in each.said for sign in ('"', "="))]
    results = [each.is_understood(word, word) for each in repeating for word in _WORDS[each.task]]
    assert sum(results) / len(results) >= 0.94


@pytest.mark.parametrize(
    ("question", "said", "understood"),
    [
        # A word that is the sign between the two says nothing of what was meant.
        ("feed bridge to gulls", "feed to gulls means a sentence", 'You want a sentence with the word "bridge".'),
        # Where nothing is repeated: one that the task can be done with.
        ("march tall into a tavern", "I meant the antonym", 'You want the opposite of "tall".'),
    ],
)
def test_what_was_said_tells_task_and_word(question: str, said: str, understood: str) -> None:
    assert reply_to(prompt(question, said, about=question)).understanding == understood


@pytest.mark.parametrize("question", ["गरम का उल्टा बताओ", "garam ka ulta batao", "ਗਰਮ ਦਾ ਉਲਟਾ ਦੱਸੋ"])
def test_who_only_asks_otherwise_than_before_asks_about_the_same_word(question: str) -> None:
    understanding = reply_to(prompt(question, "उसका मतलब", about="गरम का उल्टा क्या है?")).understanding
    assert f'"{question.split(maxsplit=1)[0]}"' in understanding
