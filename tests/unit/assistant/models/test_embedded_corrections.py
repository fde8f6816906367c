"""What a correction changes of an answer about a word; what cannot be followed for sure changes nothing."""

import pytest

from assistant.reply.grammar import NONE_FOLLOWED
from assistant.reply.parser import parse_reply
from tests.support.texts.word_questions import MODEL, ask, prompt

pytestmark = pytest.mark.promise("correction-never-worse")


@pytest.mark.parametrize(
    ("question", "said", "answer"),
    [
        ("What does crane mean?", "I mean the bird", "a kind of wading bird"),
        ("what does spring mean", "the season", "springtime"),
        ("what does mean mean", "as in unkind", "hateful"),
        ("meaning of novel", "the adjective", "new"),
        ("opposite of hard", "hard like difficult", "easy"),
        ("what does bank mean", "not money, side of a river", "a kind of slope"),
        ("what does current mean", "bijli wala", "electric current"),
        ("garam ka ulta kya hai?", "angrezi mein batao", "cold"),
        ("opposite of hot", "in capitals", "COLD"),
        ("how many letters in strawberry", "no how many r's", "3"),
        ("kutta nu english ch ki kehnde", "kutta ni yaar, billi", "cat"),
        ("meaning of flour", "flower*", "blossom"),
        ("first letter of orange", "last one sorry", "e"),
        ("plural of fish", "no wait plural of cactus", "cacti"),
        ("whats another word for bug", "oops typo, big", "large"),
        ("opposite of generous", "wrong. it's selfish", "selfish"),
        ("what does light mean?", "I want the opposite", "heavy"),
        ('What does "brb" mean?', "be right back", "be right back"),
        ("what does asap mean?", "as soon as possible", "as soon as possible"),
        ("iirc ka matlab", "arre if i recall correctly hota hai", "if i recall correctly"),
        ("what's the opposite of acend", "typed it wrong, ascend", "descend"),
        ("chhota ka ulta", "matlab nahi, english mein", "big"),
        ("how do you spell rhythm", "in capitals pls", "R-H-Y-T-H-M"),
        ("past tense of go", "went hota hai", "went"),
        ("what's the capital of France?", "Paris", "Paris"),
        ("whats my name", "my name is Harpreet", "Harpreet"),
        ("paani ko english me kya bolte h", "nahi punjabi mein pucha tha", "pani"),
        ("synonym for big", "one that starts with h", "huge"),
        ("what is water in punjabi", "i meant in gurmukhi", "ਪਾਣੀ"),
        ("ਘਰ ਨੂੰ ਹਿੰਦੀ ਵਿੱਚ ਕੀ ਕਹਿੰਦੇ ਹਨ", "roman vich likho", "ghar"),
    ],
)
def test_a_correction_is_followed(question: str, said: str, answer: str) -> None:
    assert answer in _replied(question, said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what does resignation mean", "i need a letter, two weeks notice"),
        ("what does java mean", "code a for loop in it"),
        ("capital of france", "capital letters? no, where is it on the map"),
        ("opposite of generous", "honestly i want to know if i should quit"),
        ("what does weather mean", "kal ka mausam bata delhi ka"),
        ("what does snake mean", "the computer one, show me how to write a chess engine in it"),
        ("slow ka opposite", "galat hai yaar"),
        ("what rhymes with cat", "my landlord keeps my deposit"),
        ("who is my boss?", "!!!"),
        ("what's the capital of France?", "🙏"),
    ],
)
def test_what_cannot_be_followed_is_said_first_and_changes_nothing(question: str, said: str) -> None:
    raw = _raw(question, said)
    assert raw.startswith(NONE_FOLLOWED)
    assert parse_reply(raw).answer == ask(question).answer


@pytest.mark.parametrize(
    "question", ["my boss is mean to me", "what's the weather like in Leeds", "kal ka match kaun jeeta", "asdfghjkl"]
)
def test_no_task_is_guessed(question: str) -> None:
    assert ask(question).understanding == "I can't answer this one."


@pytest.mark.parametrize(
    ("question", "answer"), [("how do you spell recieve", "r-e-c-e-i-v-e"), ("seperate ka ulta", "joint")]
)
def test_a_misspelled_word_is_mended(question: str, answer: str) -> None:
    assert ask(question).answer == answer


def test_senses_stand_in_a_line_each() -> None:
    answer = ask("what does bank mean").answer
    assert [line[:2] for line in answer.splitlines()] == ["ba", "1.", "2.", "3."]
    assert "slope" in answer
    assert "financial institution" in answer


def _raw(question: str, said: str) -> str:
    return "".join(MODEL.stream(prompt(question, said, about=question)))


def _replied(question: str, said: str) -> str:
    return parse_reply(_raw(question, said)).answer
