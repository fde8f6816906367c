from collections import defaultdict
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.feedback.corrections import correction_in
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.types import Message, ReplyStatus, Role
from memory_store.language.languages import LANGUAGES
from tests.support.texts.word_questions import (
    BY_WORDING,
    MODEL,
    ask,
    prompt,
    questions,
    reply_to,
    task_spoken_of,
    ways_to_say,
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the opposite of hot?", "cold"),
        ("hot ka ulta kya hai", "cold"),
        ("give me a synonym for < quick >", "fast"),
        ('which word sounds just like "right"?', "write"),
        ("what are letters 1 and 3 of banana?", "b, n"),
        ("which word was rotated into owwind?", "window"),
        ("eelhpnat is jumbled, but its first and last letter are right", "elephant"),
        ("write hello in capitals", "HELLO"),
        ("what is the third letter of banana", "n"),
        ("remove the vowels from orange", "rng"),
    ],
)
def test_a_question_like_an_example_is_understood(question: str, answer: str) -> None:
    reply = ask(question)
    assert reply.status is ReplyStatus.OK
    assert reply.answer == answer


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("use a candle in a sentence", "candle"),
        ("which word matches a synonym of huge", "huge"),
        ("what is another way to call the opposite of hot?", "hot"),
        ("define match", "match"),
    ],
)
def test_the_word_asked_about_is_no_article_and_no_word_of_asking(question: str, word: str) -> None:
    assert f'"{word}"' in ask(question).understanding


@pytest.mark.parametrize(
    ("question", "said", "word"),
    [
        ("what's another way to put happy?", "a synonym", "happy"),
        ("what lies in tca?", "the letters are scrambled", "tca"),
    ],
)
def test_an_everyday_word_loses_to_any_other(question: str, said: str, word: str) -> None:
    assert f'"{word}"' in ask(question, said).understanding


def test_what_a_question_shares_with_the_one_that_was_put_right_is_not_asked_about() -> None:
    def understanding(question: str, about: str) -> str:
        return reply_to(prompt(question, "a synonym", about=about)).understanding

    assert '"huge"' in understanding("what glows huge beside moss", "what glows tall beside moss")
    assert '"moss"' in understanding("what glows huge beside moss", "what glows huge beside sand")
    assert '"huge"' in understanding("please find what is akin to huge", "what is akin to huge")


@pytest.mark.parametrize(
    ("question", "said", "answer", "other", "other_answer"),
    [
        ("what is akin to quick?", "a synonym", "fast", "what is akin to brave?", "courageous"),
        ("quick ke aas paas kya hai", "same meaning wala shabd", "fast", "huge ke aas paas kya hai", "vast"),
    ],
)
def test_a_question_unlike_the_examples_is_not_understood_until_it_is_put_right(
    question: str, said: str, answer: str, other: str, other_answer: str
) -> None:
    assert ask(question, model=BY_WORDING).answer != answer
    assert ask(question, said, BY_WORDING).answer == answer
    assert ask(other, said, BY_WORDING).answer == other_answer


@pytest.mark.parametrize(("model", "share"), [(MODEL, 0.93), (BY_WORDING, 0.8)])
def test_the_right_clarification_makes_it_understand_in_any_language(model: EmbeddedModel, share: float) -> None:
    understood: dict[str, list[bool]] = defaultdict(list)
    for item in list(questions())[::2]:
        for said in ways_to_say(item.task):
            reply = ask(item.question, said, model)
            understood[item.language].append(
                task_spoken_of(reply.understanding) == item.task and item.word in reply.understanding
            )
    assert understood.keys() == {"english", "hindi", "punjabi"}
    for language, results in understood.items():
        assert len(results) >= 30
        assert sum(results) / len(results) >= share, language


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("not the meaning, a word that sounds the same", "homophone"),
        ("matlab nahi, ulta chahiye", "antonym"),
        ("when I ask what sounds like, I want a synonym", "synonym"),
    ],
)
def test_what_is_denied_or_only_repeated_in_a_clarification_does_not_count(said: str, task: str) -> None:
    assert task_spoken_of(ask("what is up with < night > ?", said).understanding) == task


AKIN = {"question": "what is akin to quick?", "understanding": 'You want to know what "quick" means.'}


def corrected(message: str) -> str | None:
    return reply_to(prompt(message, previous=AKIN)).correction


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("no, I meant a synonym", "a synonym"),
        ("nahi, mera matlab ulta", "ulta"),
        ("ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ ਉਲਟਾ ਸ਼ਬਦ", "ਉਲਟਾ ਸ਼ਬਦ"),
    ],
)
def test_a_message_that_corrects_the_turn_before_is_told_from_a_question(message: str, meant: str) -> None:
    assert corrected(message) == meant
    assert ask(message).correction is None  # nothing before it that it could correct
    question = reply_to(prompt("what is the opposite of hot?", previous=AKIN))
    assert (question.correction, question.answer) == (None, "cold")


@pytest.mark.parametrize(
    "message", ["no, a synonym", "by akin I mean same meaning", "nahi, vakya banao", "ਮੈਂ ਸਮਾਨਾਰਥੀ ਪੁੱਛਿਆ ਸੀ"]
)
def test_a_correction_in_other_words_is_told_by_its_likeness_to_an_explanation(message: str) -> None:
    found = correction_in(message)
    assert found is None or found.meant == corrected(message)
    assert corrected(message) is not None
    assert ask(message).correction is None  # nothing before it that it could correct


@pytest.mark.parametrize(
    "message",
    ["give me another synonym", "what is not a synonym?", "no, use garden in a sentence", "mainu ulta vi chahida"],
)
def test_a_new_question_a_follow_up_and_a_present_wish_are_no_corrections(message: str) -> None:
    assert corrected(message) is None


@pytest.mark.parametrize(
    ("question", "said", "beginning"),
    [
        ("quick jaisa koi shabd batao", "synonym", "Aapko"),
        ("quick in other words", "samanarthi shabd", "You"),
        ("tca ko theek karo", "unscramble it", "Aapko"),  # no example in Hindi
    ],
)
def test_the_understanding_is_in_the_language_of_the_question(question: str, said: str, beginning: str) -> None:
    assert ask(question, said).understanding.startswith(f"{beginning} ")


@pytest.mark.parametrize(
    ("question", "says", "offers"),
    [
        ("tell me a joke", "I know words", "connect a model"),
        ("light chali gayi, kya karun?", "Main shabd jaanta hoon", "model jodiye"),
        ("mainu ik gaana sunao ji", "Main shabad jaanda haan", "model jodo"),
        ("?", "I know words", "connect a model"),
    ],
)
def test_says_what_it_knows_in_the_language_asked(question: str, says: str, offers: str) -> None:
    reply = ask(question)
    assert reply.answer.startswith(says)
    assert offers in reply.answer
    assert reply.understanding


HOSTILE = ("x" * 1_000_000, "what is like < " + "ab " * 300_000 + ">", "\ud800", "< >", "letters 99999999999 of hot")


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(HOSTILE) | st.text(max_size=80), st.none() | st.text(max_size=80))
def test_any_text_gets_an_answer(question: str, said: str | None) -> None:
    assert ask(question, said).status is ReplyStatus.OK


def test_it_follows_the_examples_of_the_prompt_and_not_what_the_words_say() -> None:
    taught = [
        Message(Role.USER, "Example question: give me the zing of hot"),
        Message(Role.ASSISTANT, '<understanding>Zing, for "hot".</understanding><answer>cold</answer>'),
        Message(Role.USER, "Question: give me the zing of rich"),
    ]
    reply = reply_to(taught)
    assert (reply.understanding, reply.answer) == ('Zing, for "rich".', "poor")


def test_whatever_else_it_says_may_be_meant_it_does_when_told_so() -> None:
    ways = ("a word like {}", "what is a word close to {}?", "different word from {}", "which word sounds like {}?")
    asked = [way.format(word) for way in ways for word in ("quick", "big", "happy")]
    told = [(question, reading) for question in asked for reading in ask(question).fields.get("readings", ())]
    assert told
    for question, reading in told:
        reply = ask(question, reading)
        assert (reply.understanding, reply.fields.get("notes"), reply.fields.get("readings")) == (reading, None, None)
        assert ask(question).answer != reply.answer


class BrokenEmbedder:
    name = "broken"
    fingerprint = "broken"
    dimension = 3

    def encode(self, texts: Sequence[str]) -> object:
        raise RuntimeError("the weights are damaged")


def test_a_broken_embedder_is_done_without() -> None:
    broken = EmbeddedModel(LANGUAGES, BrokenEmbedder())  # type: ignore[arg-type]
    assert ask("what is the opposite of hot?", model=broken).answer == "cold"
