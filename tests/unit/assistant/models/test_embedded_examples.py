"""The embedded model and examples that a person confirmed: they help it, and never lead it astray."""

import pytest

from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.types import Message, Reply, Role
from tests.support.texts.word_questions import BY_WORDING, prompt, questions, reply_to, task_spoken_of, ways_to_say

Confirmed = tuple[str, str, str]  # question, understanding, answer

SYNONYM = ("what is akin to quick ?", 'You want a word that means the same as "quick".', "fast")
OF_OTHERS = (
    ("How long do I boil an egg?", "You want to know how long an egg boils.", "Eight minutes."),
    ("river ke paas hotel?", "Aap river ke paas hotel dhoondh rahe hain.", "Do hotel hain."),
    ("Who wrote The Happy Prince?", 'You want to know who wrote "The Happy Prince".', "Oscar Wilde"),
    ("What clashes with < river > ?", NOT_UNDERSTOOD, "I am a small embedded example-follower."),
)


def ask(question: str, *confirmed: Confirmed, said: str | None = None) -> Reply:
    messages = prompt(question, said)
    shown = [
        message
        for asked, understanding, answer in confirmed
        for message in (
            Message(Role.USER, f"Example question: {asked}"),
            Message(
                Role.ASSISTANT, f"<understanding>{understanding}</understanding>\n<answer>{answer}</answer>"
            ),
        )
    ]  # fmt: skip
    return reply_to([*messages[:-1], *shown, messages[-1]], BY_WORDING)


@pytest.mark.parametrize(("question", "confirmed", "task"), [
    ("what is akin to fog ?", SYNONYM, "synonym"),
    ("fog de naal da ki hai ?", ("quick de naal da ki hai ?", 'Tusi "quick" da samanarthi shabad labhde ho.', "fast"),
     "synonym"),
    ("what has a ring of < sale > to it?",
     ("what has a ring of < night > to it?", 'You want a word that sounds the same as "night".', "knight"),
     "homophone"),
])  # fmt: skip
def test_a_confirmed_answer_shows_how_the_next_question_of_its_kind_is_meant(
    question: str, confirmed: Confirmed, task: str
) -> None:
    assert task_spoken_of(ask(question).understanding) != task
    assert task_spoken_of(ask(question, confirmed).understanding) == task


def test_an_understanding_of_another_model_that_quotes_no_word_is_followed() -> None:
    free = ("what is akin to brave ?", "You are looking for a synonym of brave", "bold")
    assert ask("what is akin to rich ?", free).understanding == "You are looking for a synonym of rich"


def test_that_nothing_was_understood_teaches_nothing() -> None:
    confirmed = ("What is akin to < river > ?", NOT_UNDERSTOOD, "I am a small embedded example-follower.")
    assert ask("what is akin to < fog > ?", confirmed) == ask("what is akin to < fog > ?")


def test_a_word_in_a_confirmed_question_can_still_be_asked_about() -> None:
    confirmed = ("river bank ka matlab?", 'Aap jaanna chahte hain ki "bank" ka matlab kya hai.', "kinara")
    assert ask("river ka matlab kya hai", confirmed).understanding == ask("river ka matlab kya hai").understanding


def test_whatever_else_was_confirmed_what_was_understood_still_is() -> None:
    astray = []
    for number, item in list(enumerate(questions()))[::4]:
        ways = [None, *ways_to_say(item.task)]
        said = ways[number % len(ways)]
        if task_spoken_of(ask(item.question, said=said).understanding) == item.task:
            understood = ask(item.question, SYNONYM, *OF_OTHERS, said=said).understanding
            astray += [item.question] if task_spoken_of(understood) != item.task else []
    assert astray == []
