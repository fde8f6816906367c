"""The embedded model replies in the script in which it is asked, whatever script its examples are in."""

import re

import pytest

from assistant.models.embedded.operations import NAMED, definitions
from assistant.models.embedded.phrases import VOICES, script_of
from assistant.types import Message, Role
from tests.support.texts.word_questions import ask, prompt, reply_to

QUESTIONS = (
    "happy का विलोम क्या है",
    "happy ਦਾ ਸਮਾਨਾਰਥੀ ਸ਼ਬਦ",
    "happy का मतलब क्या है",
    "quick ਦਾ ਮਤਲਬ ਕੀ ਹੈ",
    "happy का एक वाक्य",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_understanding_is_in_the_script_of_the_question(question: str) -> None:
    understanding = ask(question).understanding
    assert script_of(understanding) == script_of(question)
    assert not re.search("[A-Za-z]", re.sub('"[^"]*"', "", understanding))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("quick का मतलब क्या है", "quick: तेज़"),
        ("what does quick mean।", "quick:\n1. speedy\n2. flying\n3. agile or nimble"),
    ],
)
def test_the_answer_is_in_the_script_of_the_question(question: str, answer: str) -> None:
    assert ask(question).answer == answer


@pytest.mark.parametrize("name", NAMED)
def test_what_is_wanted_is_said_in_the_script_of_each_voice(name: str) -> None:
    for (_, script), says in zip(VOICES, definitions()[name].says, strict=True):
        assert script_of(says) == script
        assert script == "latin" or not re.search("[A-Za-z]", says.format(it="", n="").replace("-ing", ""))


def test_the_positions_of_letters_are_listed_in_the_words_of_the_script() -> None:
    reply = ask("banana ਦਾ ਅੱਖਰ 1 ਅਤੇ 3", "letters at those positions")
    assert "1 ਅਤੇ 3" in reply.understanding
    assert reply.answer == "b, n"


@pytest.mark.parametrize(
    ("question", "understanding"),
    [
        ("brave जैसा कोई शब्द बताओ", '"brave" का समानार्थी बताना है।'),  # as the example stands
        ("brave ਵਰਗਾ ਕੋਈ ਸ਼ਬਦ ਦੱਸੋ", 'ਤੁਹਾਨੂੰ "brave" ਦਾ ਸਮਾਨਾਰਥੀ ਸ਼ਬਦ ਚਾਹੀਦਾ ਹੈ।'),
    ],
)
def test_an_example_is_followed_in_the_script_of_the_question(question: str, understanding: str) -> None:
    asked = prompt(question)
    confirmed = [
        Message(Role.USER, "Example question: quick जैसा कोई शब्द बताओ"),
        Message(Role.ASSISTANT, '<understanding>"quick" का समानार्थी बताना है।</understanding>\n<answer>fast</answer>'),
    ]
    reply = reply_to([*asked[:-1], *confirmed, asked[-1]])
    assert (reply.understanding, reply.answer) == (understanding, "courageous")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("happy ਵਰਗਾ ਕੋਈ ਸ਼ਬਦ ਦੱਸੋ", "ਮੇਰਾ ਮਤਲਬ ਇੱਕੋ ਮਤਲਬ ਵਾਲਾ ਸ਼ਬਦ"),
        ("happy जैसा कोई शब्द बताओ", "मिलते-जुलते मतलब वाला शब्द"),
    ],
)
def test_what_people_say_in_their_script_is_understood(question: str, said: str) -> None:
    assert ask(question, said).answer == "glad"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("flower da koi hor shabad dasso", "sunan vich flower da shabad dasso"),
    ],
)
def test_a_word_that_only_joins_is_not_asked_about_though_it_is_not_repeated(question: str, said: str) -> None:
    assert ask(question, said).answer.startswith("flour")
