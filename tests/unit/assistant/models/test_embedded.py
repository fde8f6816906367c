"""The embedded model: what it understands of a question, of what was meant, and of examples; in which language."""

from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.feedback.corrections import correction_in
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.embedded.phrases import SMALL_TALK
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.types import Message, Reply, ReplyStatus, Role
from memory_store.language.languages import LANGUAGES
from tests.support.texts.word_questions import BY_WORDING, ask, prompt, reply_to, task_spoken_of

AKIN = {"question": "what is akin to quick?", "understanding": 'You want to know what "quick" means.'}
HOSTILE = ("x" * 1_000_000, "what is like < " + "ab " * 300_000 + ">", "\ud800", "< >", "letters 99999999999 of hot")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the opposite of hot?", "cold"),
        ("garam ka ulta", "thanda"),
        ("गरम का उल्टा", "ठंडा"),
        ('which word sounds just like "right"?', "write"),
        ("what are letters 1 and 3 of banana?", "b, n"),
        ("unscramble tca", "act"),
        ("how many vowels does education have", "5"),
        ("तरफ़ का मतलब क्या है?", "तरफ़: towards"),
        ("achha se rhyme karne wala shabd", 'Mujhe "achha" shabd nahi pata.'),
    ],
)
def test_question_about_a_word_is_answered(question: str, answer: str) -> None:
    reply = ask(question)
    assert (reply.status, reply.answer) == (ReplyStatus.OK, answer)


@pytest.mark.parametrize(
    ("question", "said", "about", "word"),
    [
        ("flower da koi hor shabad dasso", "sunan vich flower da shabad dasso", "", "flower"),
        ("what glows huge beside moss", "a synonym", "what glows huge beside sand", "moss"),
        ("ਗਰਮ ਦਾ ਉਲਟਾ ਦੱਸੋ", "उसका मतलब", "गरम का उल्टा क्या है?", "ਗਰਮ"),
    ],
)
def test_word_asked_about_is_found(question: str, said: str | None, about: str, word: str) -> None:
    assert f'"{word}"' in reply_to(prompt(question, said, about=about)).understanding


def test_clarification_is_followed_for_other_words() -> None:
    question, said = "quick ke aas paas kya hai", "same meaning wala shabd"
    assert ask(question, model=BY_WORDING).answer != "fast"
    assert ask(question, said, BY_WORDING).answer == "fast"
    assert ask("huge ke aas paas kya hai", said, BY_WORDING).answer == "vast"


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("matlab nahi, ulta chahiye", "antonym"),
        ("main paribhasha mangda si", "definition"),
    ],
)
def test_clarification_names_the_task(said: str, task: str) -> None:
    assert task_spoken_of(ask("what is up with < night > ?", said).understanding) == task


def corrected(message: str) -> str | None:
    return reply_to(prompt(message, previous=AKIN)).correction


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("nahi, mera matlab ulta", "ulta"),
        ("by akin I mean same meaning", None),
        ("nahi, vakya banao", None),
    ],
)
def test_message_that_corrects_is_told_from_a_question(message: str, meant: str | None) -> None:
    found = correction_in(message)
    assert corrected(message) is not None
    assert meant is None or corrected(message) == meant
    assert found is None or found.meant == corrected(message)
    assert ask(message).correction is None  # nothing before it that it could correct


@pytest.mark.parametrize(
    "message", ["give me another synonym", "no, use garden in a sentence", "mainu ulta vi chahida", "opposite of hot?"]
)
def test_new_question_is_no_correction(message: str) -> None:
    assert corrected(message) is None


@pytest.mark.parametrize(
    ("question", "says", "offers"),
    [
        ("tell me a joke", "I know words", "connect a model"),
        ("mainu ik gaana sunao ji", "Main shabad jaanda haan", "model jodo"),
    ],
)
def test_refusal_says_what_it_knows(question: str, says: str, offers: str) -> None:
    reply = ask(question)
    assert reply.answer.startswith(says)
    assert offers in reply.answer
    assert reply.understanding


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Hello!", "greeted"),
        ("मेरे बारे में क्या जानते हो?", "asked_known"),
        ("forget that my manager is Bob", "asked_to_forget"),
        ("what does hello mean?", None),
    ],
)
def test_small_talk_is_answered(message: str, kind: str | None) -> None:
    assert SMALL_TALK.get(ask(message).understanding) == kind


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(HOSTILE) | st.text(max_size=80), st.none() | st.text(max_size=80))
def test_any_text_gets_an_answer(question: str, said: str | None) -> None:
    assert ask(question, said).status is ReplyStatus.OK


def test_each_reading_is_followed_when_told() -> None:
    asked = [f"a word like {word}" for word in ("quick", "big", "happy")]
    told = [(question, reading) for question in asked for reading in ask(question).fields.get("readings", ())]
    assert told
    for question, reading in told:
        reply = ask(question, reading)
        assert (reply.understanding, reply.fields.get("readings")) == (reading, None)
        assert ask(question).answer != reply.answer


def test_broken_embedder_is_done_without() -> None:
    broken = EmbeddedModel(LANGUAGES, Mock(encode=Mock(side_effect=RuntimeError)))
    assert ask("what is the opposite of hot?", model=broken).answer == "cold"


Example = tuple[str, str, str]
"""A confirmed question, its understanding and its answer."""
SYNONYM = ("what is akin to quick ?", 'You want a word that means the same as "quick".', "fast")


def ask_after(question: str, *examples: Example, model: EmbeddedModel = BY_WORDING) -> Reply:
    messages = prompt(question)
    for asked, understanding, answer in examples:
        reply = f"<understanding>{understanding}</understanding>\n<answer>{answer}</answer>"
        messages[-1:-1] = [Message(Role.USER, f"Example question: {asked}"), Message(Role.ASSISTANT, reply)]
    return reply_to(messages, model)


def test_example_shows_how_the_next_is_meant() -> None:
    question = "what is akin to fog ?"
    assert task_spoken_of(ask_after(question).understanding) != "synonym"
    assert task_spoken_of(ask_after(question, SYNONYM).understanding) == "synonym"


@pytest.mark.parametrize(
    ("shown", "word", "answer"),
    [
        ((("hat", "tah"), ("river", "revir")), "stone", "enots"),
        ((("hot", "dloc"), ("up", "nwod")), "big", "elttil"),
        ((("one two", "two one"), ("a b c", "c b a")), "red green blue", "blue green red"),
        ((("norway", "oslo"), ("peru", "lima")), "window", ""),
    ],
)
def test_task_without_a_name_is_learnt(shown: tuple[tuple[str, str], ...], word: str, answer: str) -> None:
    examples = [(f"blorp of {one}", f'You want the blorp of "{one}".', says) for one, says in shown]
    reply = ask_after(f"blorp of {word}", *examples)
    expected = (f'You want the blorp of "{word}".', answer) if answer else (NOT_UNDERSTOOD, reply.answer)
    assert (reply.understanding, reply.answer) == expected
