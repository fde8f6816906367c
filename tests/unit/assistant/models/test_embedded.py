"""The embedded model's understanding of questions, corrections, facts and examples, by language."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.papers.teachme.facts import TAUGHT
from assistant.prompt.envelope import Row, write_block
from assistant.reply.parser import NONE_FOLLOWED, parse_reply
from assistant.types import Message, MessageRole, ReplyStatus
from tests.support.texts.word_questions import BY_WORDING, ask, find_task, prompt, reply_to

HOSTILE = ("x" * 1_000_000, "what is like < " + "ab " * 300_000 + ">", "\ud800", "< >", "letters 99999999999 of hot")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the opposite of hot?", "cold"),
        ("opposite of blue", 'I know no opposite of "blue".'),
        ("what rhymes with love?", "glove, dove, shove"),
        ("गरम का उल्टा", "ठंडा"),
        ('which word sounds just like "right"?', "write"),
        ("what is the third letter of banana?", "n"),
        ("how many vowels does education have", "5"),
        ("what's the oposite of right", "left"),
        ("paani ko punjabi mein kya kehte hain", "pani"),
        ("What sounds like night?", "knight"),
        ("छोटा का उल्टा क्या है?", "बड़ा"),
        (
            "words like big",
            "I know words: meanings, opposites, rhymes, spelling, and what you teach me. "
            "For anything else, connect a model.",
        ),
        ("achha se rhyme karne wala shabd", 'Mujhe "achha" shabd nahi pata.'),
    ],
)
def test_question_about_a_word_is_answered(question: str, answer: str) -> None:
    reply = ask(question)
    assert (reply.status, reply.answer) == (ReplyStatus.OK, answer)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(HOSTILE) | st.text(max_size=80), st.none() | st.text(max_size=80))
def test_any_text_gets_an_answer(question: str, said: str | None) -> None:
    assert ask(question, said).status is ReplyStatus.OK


def test_example_shows_how_the_next_is_meant() -> None:
    messages = prompt("what is akin to fog ?")
    assert find_task(reply_to(messages, BY_WORDING).understanding) != "synonym"
    shown = '<understanding>You want a word that means the same as "quick".</understanding>\n<answer>fast</answer>'
    messages[-1:-1] = [
        Message(MessageRole.USER, "Example question: what is akin to quick ?"),
        Message(MessageRole.ASSISTANT, shown),
    ]
    assert find_task(reply_to(messages, BY_WORDING).understanding) == "synonym"


@pytest.mark.promise("correction-never-worse")
def test_correction_is_followed() -> None:
    for question, said, answer in (
        ("What does crane mean?", "I mean the bird", "a kind of bird"),
        ("what is the first letter of knife", "no, the last letter", "e"),
        ("garam ka ulta kya hai?", "angrezi mein batao", "cold"),
        ("whats my name", "my name is Harpreet", "Harpreet"),
        ("opposite of right", "the direction", "left"),
        ("What does light mean?", "I meant not heavy", "the opposite of heavy"),
        ("opposite of hard", "hard as in difficult", "easy"),
        ("what does ring mean", "verb", "to sound"),
        ("garam ka ulta kya hai?", "hindi mein", "ठंडा"),
        ("another word for beautiful", "give me 3", "lovely, gorgeous, pretty"),
        ("what rhymes with light", "in capitals", "RIGHT, MIGHT, NIGHT"),
    ):
        assert answer in reply_to(prompt(question, said, about=question)).answer


def test_wish_to_forget_everything_leads_to_memory() -> None:
    for message in ("delete everything", "ok delete everything you know about me"):
        assert "Memory" in ask(message).answer


@pytest.mark.promise("correction-never-worse")
@pytest.mark.parametrize(("question", "said"), [
    ("what does weather mean", "kal ka mausam bata delhi ka"),
    ("India ka pradhan mantri kaun hai", "nahi pehla wala, sabse pehla"),
    ("boss ko chutti ka mail likh do", "english mein likhna tha"),
    ("ek chutkula sunao", "santa banta wala sunao ye kya hai"),
    ("what's the weather today?", "in Delhi"),
    ("opposite of good", "not bad"),
])  # fmt: skip
def test_correction_that_fails_changes_nothing(question: str, said: str) -> None:
    reply = reply_to(prompt(question, said, about=question))
    assert reply.raw.startswith(NONE_FOLLOWED)
    assert reply.answer == ask(question).answer


@pytest.mark.parametrize(("question", "said"), [
    ("another word for sick", "just one"),
    ("which word is the reverse of hot ?", "the opposite in meaning"),
])  # fmt: skip
def test_correction_that_asks_for_the_answer_given_is_followed(question: str, said: str) -> None:
    reply = reply_to(prompt(question, said, about=question))
    assert NONE_FOLLOWED not in reply.raw
    assert reply.answer == ask(question).answer


@pytest.mark.parametrize(("question", "message", "corrects"), [
    ("What does crane mean?", "the bird", True),
    ("what does present mean", "a gift", True),
    ("garam ka ulta kya hai?", "pani ka matlab batao", False),
    ("the meaning of blue", "synonym for big", False),
    ("What does light mean?", "talk about < harbor >", False),
    ("ਪਾਣੀ ਦਾ ਮਤਲਬ ਕੀ ਹੈ?", "ਰਾਤ ਦਾ ਉਲਟ ਸ਼ਬਦ", False),
    ("ਖੁਸ਼ ਦਾ ਮਤਲਬ", "ਉਸ ਦਾ ਉਲਟਾ", True),
    ("meri kitab kahan hai?", "tuhada naam ki hai", False),
    ("light da opposite ki hai", "bhaar wala", True),
    ("opposite of strong", "no i want a synonym", True),
    ("thanda ka ulta kya hai", "english me bolo", True),
    ("which word is the reverse of hot ?", "the opposite in meaning", True),
    ("what does bank mean", "meaning of river", False),
    ("opposite of strong", "opposite of hot", False),
    ("hot da ulta dasso", "hot da ulta dasso", False),
])  # fmt: skip
def test_message_corrects_the_question_before(question: str, message: str, corrects: bool) -> None:
    content = f"{write_block('previous', [{'question': question}], b'0123456789abcdef')}Question: {message}"
    raw = "".join(BY_WORDING.stream([Message(MessageRole.USER, content)]))
    assert raw.startswith("<correction>") is corrects


def test_answer_names_notes_and_reasons() -> None:
    facts = ("Dogs can bark.", "Cats drink milk.", "Rex is a dog.")
    rows: list[Row] = [{"note": number, "true": fact} for number, fact in enumerate(facts, 1)]
    content = f"{write_block('offered', rows, b'0123456789abcdef')}Question: Can Rex bark?"
    reply = parse_reply("".join(BY_WORDING.stream([Message(MessageRole.USER, content)])), TAUGHT)
    assert reply.answer == "Yes."
    assert [*reply.notes] == [3, 1]
    assert reply.fields["because"] == ("Rex is a dog.", "Dogs can bark.")
    assert "Can Rex bark?" in reply.understanding
