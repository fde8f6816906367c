"""The embedded model learns what an example shows, whatever it is called, and does nothing else than it says."""

import pytest

from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.types import Message, Reply, Role
from tests.support.texts.word_questions import ask, prompt, reply_to


def taught(question: str, *shown: tuple[str, str]) -> Reply:
    """The reply after examples of "blorp of …" with these answers."""
    messages = prompt(question)
    for word, answer in shown:
        reply = f'<understanding>You want the blorp of "{word}".</understanding>\n<answer>{answer}</answer>'
        messages[-1:-1] = [Message(Role.USER, f"Example question: blorp of {word}"), Message(Role.ASSISTANT, reply)]
    return reply_to(messages)


@pytest.mark.parametrize(("shown", "word", "answer"), [
    ((("hat", "tah"), ("river", "revir")), "stone", "enots"),
    ((("hat", "a"), ("sun", "u")), "lip", "i"),
    ((("hat", "hats"), ("lady", "ladies")), "foot", "feet"),
    ((("hot", "dloc"), ("up", "nwod")), "big", "elttil"),
    ((("hat", "h-t"), ("sun", "s-n")), "lip", "l-p"),
    ((("12", "15"), ("20", "23")), "31", "34"),
    ((("one two", "two one"), ("a b c", "c b a")), "red green blue", "blue green red"),
])  # fmt: skip
def test_what_two_examples_show_is_done_with_another_word_whatever_it_is_called(
    shown: tuple[tuple[str, str], ...], word: str, answer: str
) -> None:
    reply = taught(f"blorp of {word}", *shown)
    assert (reply.understanding, reply.answer) == (f'You want the blorp of "{word}".', answer)


@pytest.mark.parametrize(
    "shown",
    [
        (("lemon", "yellow"), ("grass", "green")),
        (("norway", "oslo"), ("peru", "lima")),
        (("hot", "DLOC"), ("up", "NWOD")),
    ],
)
def test_what_no_operation_does_is_not_done(shown: tuple[tuple[str, str], ...]) -> None:
    assert taught("blorp of window", *shown).understanding == NOT_UNDERSTOOD


def test_an_example_beats_the_definition_of_its_name() -> None:
    messages = prompt("mirror dog")
    for word, answer in (("cat", "catcat"), ("sun", "sunsun")):
        reply = f'<understanding>You want the mirror of "{word}".</understanding>\n<answer>{answer}</answer>'
        messages[-1:-1] = [Message(Role.USER, f"Example question: mirror {word}"), Message(Role.ASSISTANT, reply)]
    assert reply_to(messages).answer == "dogdog"


@pytest.mark.parametrize(("question", "said", "answer"), [
    ("reverse hello", None, "olleh"),
    ("unscramble tca", None, "act"),
    ("another word for happy", None, "glad"),
    ("what is the plural of city, backwards", None, "seitic"),
    ("what is akin to city", "its plural, backwards", "seitic"),
    ("what about banana", "letter number 3", "n"),
    ("what rhymes with light", None, "right"),
    ("garam ka ulta", None, "thanda"),
    ("गरम का उल्टा", None, "ठंडा"),
    ("ਗਰਮ ਦਾ ਉਲਟਾ", None, "ਠੰਢਾ"),
    ("ठंडा किसके समान है", "मुझे उलटा शब्द चाहिए", "गर्म"),
    ("सुंदर का मतलब क्या है", None, "सुंदर: beautiful"),
    ("ਦੋਸਤ ਦਾ ਮਤਲਬ ਕੀ ਹੈ?", None, "ਦੋਸਤ: friend"),
])  # fmt: skip
def test_what_is_defined_is_done(question: str, said: str | None, answer: str) -> None:
    assert ask(question, said).answer == answer


def test_no_word_of_another_language_is_said_to_be_english() -> None:
    """Of "towards" nothing is known, so it is what else the word says, "side"."""
    assert ask("तरफ़ का मतलब क्या है?").answer == "तरफ़: towards"


def test_how_a_word_of_another_language_sounds_is_not_told_by_its_english() -> None:
    assert ask("achha se rhyme karne wala shabd").answer == 'Mujhe "achha" shabd nahi pata.'


def test_a_clarification_that_it_cannot_follow_is_said_to_be_none_that_was_followed() -> None:
    assert "<notes>none</notes>" in ask("what sits by huge", "book me a hotel in Goa").raw
    assert "<notes>" not in ask("what sits by huge", "I want a synonym").raw


@pytest.mark.parametrize(("question", "answer"), [
    ("what is dog in capitals", "DOG"),
    ("last two letters of apple", "le"),
    ("first three letters of orange", "ora"),
    ("how many letters are in banana", "6"),
    ("spell cat backwards", "tac"),
    ("give me the opposite of hot in capital letters", "COLD"),
    ("what's the plural of mouse", "mice"),
    ("hello in upper case", "HELLO"),
    ("vowels in umbrella", "uea"),
    ("can you reverse the word planet", "tenalp"),
    ("past tense of swim", "swam"),
    ("how many vowels does education have", "5"),
    ("5th letter of elephant", "h"),
    ("what is the last letter of pizza", "a"),
    ("garden without the letter d", "garen"),
    ("how do you spell rhythm", "r-h-y-t-h-m"),
    ("give me a similar word to angry", "mad"),
    ("make city plural and then write it backwards", "seitic"),
])  # fmt: skip
def test_what_a_stranger_types_is_done(question: str, answer: str) -> None:
    assert ask(question).answer == answer
