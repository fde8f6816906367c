from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.feedback import correction_in
from assistant.models.lexicon import Lexicon
from assistant.models.offline import OfflineModel
from assistant.reply import parse_reply
from assistant.types import Message, ReplyStatus, Role
from memory_store.surface import fold
from tests.support.word_questions import ask, prompt, questions, task_spoken_of, ways_to_say


@pytest.fixture(scope="module")
def model() -> OfflineModel:
    return OfflineModel(Lexicon(), fold, correction_in)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the opposite of hot?", "cold"),
        ("hot ka ulta kya hai", "cold"),
        ("hot da ulta ki hunda ae", "cold"),
        ("happy का विलोम क्या है", "unhappy"),
        ("give me a synonym for < quick >", "fast"),
        ('which word sounds just like "right"?', "write"),
        ("what sounds like pair", "pear"),
        ("spell olleh backwards", "hello"),
        ("take the symbols out of < h.e/l!l o >", "hello"),
        ("what are letters 1 and 3 of banana?", "b, n"),
        ("which word was rotated into owwind?", "window"),
        ("eelhpnat is jumbled, but its first and last letter are right", "elephant"),
    ],
)
def test_a_question_like_an_example_is_understood(model: OfflineModel, question: str, answer: str) -> None:
    reply = ask(model, question)
    assert reply.status is ReplyStatus.OK
    assert reply.answer == answer


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("What is the opposite of a friend?", "friend"),
        ("use a candle in a sentence", "candle"),
        ("opposite of an enemy", "enemy"),
        ("Find a word that means the same as the sea", "sea"),
        ("what does an apple mean?", "apple"),
        ("what is the opposite of up?", "up"),
        ("which word matches a synonym of huge", "huge"),
        ("what is another way to call the opposite of hot?", "hot"),
        ("what does the word turn mean?", "turn"),
        ("use work in a sentence", "work"),
        ("define match", "match"),
    ],
)
def test_the_word_asked_about_is_no_article_and_no_word_of_asking(
    model: OfflineModel, question: str, word: str
) -> None:
    assert f'"{word}"' in ask(model, question).understanding


@pytest.mark.parametrize(
    ("question", "said", "word"),
    [
        ("what's another way to put happy?", "a synonym", "happy"),
        ("switch tall around", "I meant its opposite", "tall"),
        ("what lies in tca?", "the letters are scrambled", "tca"),
        ("how would you put harbor to use?", "a sentence", "harbor"),
    ],
)
def test_an_everyday_word_loses_to_any_other(model: OfflineModel, question: str, said: str, word: str) -> None:
    assert f'"{word}"' in ask(model, question, said).understanding


def test_what_a_question_shares_with_the_one_that_was_put_right_is_not_asked_about(model: OfflineModel) -> None:
    def understanding(question: str, about: str) -> str:
        return parse_reply("".join(model.stream(prompt(question, "a synonym", about=about)))).understanding

    assert '"huge"' in understanding("what glows huge beside moss", "what glows tall beside moss")
    assert '"moss"' in understanding("what glows huge beside moss", "something else")
    assert '"huge"' in understanding("please find what is akin to huge", "what is akin to huge")


def test_the_understanding_is_that_of_the_example_about_the_new_word(model: OfflineModel) -> None:
    assert ask(model, "what are letters 1 and 3 of banana?").understanding == (
        'You want the letters at positions 1 and 3 of "banana".'
    )
    assert ask(model, "what is the opposite of hot?").understanding == 'You want the opposite of "hot".'


@pytest.mark.parametrize(
    ("question", "said", "answer", "other", "other_answer"),
    [
        ("what is akin to quick?", "a synonym", "fast", "what is akin to brave?", "courageous"),
        ("quick jaisa koi shabd batao", "same meaning wala shabd", "fast", "huge jaisa koi shabd batao", "vast"),
        ("hot se alag matlab kya hai", "ulta shabd", "cold", "tall se alag matlab kya hai", "short"),
        ("fast varga shabad dasso", "ohi matlab wala shabad", "rapid", "huge varga shabad dasso", "vast"),
    ],
)
def test_a_question_unlike_the_examples_is_misunderstood_until_it_is_put_right(
    model: OfflineModel, question: str, said: str, answer: str, other: str, other_answer: str
) -> None:
    misunderstood = ask(model, question)
    assert task_spoken_of(misunderstood.understanding) is not None  # a wrong task, not none
    assert misunderstood.answer != answer
    assert ask(model, question, said).answer == answer
    assert ask(model, other).answer != other_answer
    assert ask(model, other, said).answer == other_answer


def test_the_right_clarification_makes_it_understand_in_any_language(model: OfflineModel) -> None:
    understood: dict[str, list[bool]] = defaultdict(list)
    for item in questions():
        for said in ways_to_say(item.task):
            reply = ask(model, item.question, said)
            understood[item.language].append(
                task_spoken_of(reply.understanding) == item.task and item.word in reply.understanding
            )
    assert {language: len(results) >= 60 for language, results in understood.items()} == {
        "english": True,
        "hindi": True,
        "punjabi": True,
    }
    for language, results in understood.items():
        assert sum(results) / len(results) >= 0.97, language


def test_without_a_clarification_it_misunderstands_some_and_understands_others(model: OfflineModel) -> None:
    results = [task_spoken_of(ask(model, item.question).understanding) == item.task for item in questions()]
    assert 0.2 < sum(results) / len(results) < 0.8


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("not the meaning, a word that sounds the same", "homophone"),
        ("matlab nahi, ulta chahiye", "antonym"),
        ("I don't want the opposite, I want the definition", "definition"),
        ("when I ask what sounds like, I want a synonym", "synonym"),
        ("mujhe matlab nahi vakya chahiye", "sentence"),
    ],
)
def test_what_is_denied_or_only_repeated_in_a_clarification_does_not_count(
    model: OfflineModel, said: str, task: str
) -> None:
    assert task_spoken_of(ask(model, "what is up with < night > ?", said).understanding) == task


def test_a_clarification_about_something_else_leaves_the_question_as_it_is(model: OfflineModel) -> None:
    assert ask(model, "what is the opposite of hot?", "I meant my sister's school").answer == "cold"


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("no, I meant a synonym", "a synonym"),
        ("nahi, mera matlab ulta", "ulta"),
        ("ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ ਉਲਟਾ ਸ਼ਬਦ", "ਉਲਟਾ ਸ਼ਬਦ"),
    ],
)
def test_a_message_that_corrects_the_turn_before_is_told_from_a_question(
    model: OfflineModel, message: str, meant: str
) -> None:
    previous = {"question": "what is akin to quick?", "understanding": 'You want to know what "quick" means.'}
    reply = parse_reply("".join(model.stream(prompt(message, previous=previous))))
    assert reply.correction == meant
    assert ask(model, message).correction is None  # nothing before it that it could correct
    question = parse_reply("".join(model.stream(prompt("what is the opposite of hot?", previous=previous))))
    assert (question.correction, question.answer) == (None, "cold")


AKIN = {"question": "what is akin to quick?", "understanding": 'You want to know what "quick" means.'}


def corrected(model: OfflineModel, message: str) -> str | None:
    return parse_reply("".join(model.stream(prompt(message, previous=AKIN)))).correction


@pytest.mark.parametrize(
    "message",
    [
        "no, a synonym",
        "not the definition, a synonym",
        "I was asking for the opposite",
        "I was actually asking for the meaning",
        "oops, I wanted an example sentence",
        "by akin I mean same meaning",
        "you should have given me a sentence",
        "wrong, unscramble the letters",
        "nahi, vakya banao",
        "maine ulta poocha tha",
        "main ulta shabad mangya si",
        "मुझे उल्टा चाहिए था",
        "ਮੈਂ ਸਮਾਨਾਰਥੀ ਪੁੱਛਿਆ ਸੀ",
    ],
)
def test_a_correction_in_other_words_is_told_by_its_likeness_to_an_explanation(
    model: OfflineModel, message: str
) -> None:
    assert correction_in(message) in {None, corrected(model, message)}
    assert corrected(model, message) is not None
    assert ask(model, message).correction is None  # nothing before it that it could correct


@pytest.mark.parametrize(
    "message",
    [
        "and the opposite?",
        "give me another synonym",
        "what is not a synonym?",
        "I don't know what it means",
        "no, use garden in a sentence",
        "define wrong",
        "use not in a sentence",
        "I asked my teacher yesterday",
        "no idea",
        "iska matlab kya hai?",
        "ab vakya banao",
        "mainu ulta vi chahida",
        "इसका उल्टा भी बताओ",
    ],
)
def test_a_new_question_a_follow_up_and_a_present_wish_are_no_corrections(model: OfflineModel, message: str) -> None:
    assert corrected(model, message) is None


@pytest.mark.parametrize(
    ("question", "said", "beginning"),
    [
        ("quick jaisa koi shabd batao", "synonym", "Aapko"),
        ("quick varga shabad dasso", "synonym", "Tusi"),
        ("river ਬਾਰੇ ਦੱਸੋ", "the definition", "ਤੁਸੀਂ"),
        ("river ke baare mein batao", "matlab", "Aap"),
        ("quick in other words", "samanarthi shabd", "You"),
        ("tca ko theek karo", "unscramble it", "You"),  # no example in Hindi
    ],
)
def test_the_understanding_is_in_the_language_of_the_question_where_an_example_is(
    model: OfflineModel, question: str, said: str, beginning: str
) -> None:
    assert ask(model, question, said).understanding.startswith(f"{beginning} ")


@pytest.mark.parametrize(
    ("said", "beginning"),
    [
        ("unscramble it", "You want a word made of the jumbled letters"),
        ("the letters are mixed up", "You want a word made of the jumbled letters"),
        ("letters ulte pulte hain", "You want a word made of the jumbled letters"),
        ("ਅੱਖਰ ਉਲਟ ਪੁਲਟ ਨੇ", "You want a word made of the jumbled letters"),
        ("the letters in reverse order", 'You want "tca" spelled backwards'),
        ("पीछे से", 'You want "tca" spelled backwards'),
        ("it was rotated", 'You want the word of which "tca" is a rotation'),
        ("akshar ghumaye hain", 'You want the word of which "tca" is a rotation'),
        ("remove the punctuation", 'You want the symbols taken out of "tca"'),
        ("nishan hatao", 'You want the symbols taken out of "tca"'),
    ],
)
def test_the_letter_tasks_can_be_explained_as_well(model: OfflineModel, said: str, beginning: str) -> None:
    assert ask(model, "fix < tca >", said).understanding.startswith(beginning)


@pytest.mark.parametrize(
    "question",
    [
        "tell me a joke",
        "what is the capital of France?",
        "how do i cook rice",
        "light chali gayi, kya karun?",
        "is it going to rain",
        "how to learn python",
        "plan a trip to manali",
        "what is the best way to save money",
        "tell me a story about rain",
        "mere phone ki battery jaldi khatam hoti hai",
        "mainu roti banauni dasso",
        "my laptop is slow, what should i do",
        "thank you",
        "?",
        "kal exam hai, kya padhun",
    ],
)
def test_outside_word_tasks_it_says_what_it_is_and_how_to_connect_a_model(model: OfflineModel, question: str) -> None:
    reply = ask(model, question)
    assert "not a language model" in reply.answer
    assert "NOTED_MODEL" in reply.answer
    assert reply.understanding


def test_an_unknown_word_is_said_to_be_unknown(model: OfflineModel) -> None:
    assert ask(model, "what is the opposite of jhatka?").answer == 'I do not know the word "jhatka".'


@pytest.mark.parametrize(
    "question",
    [
        "x" * 1_000_000,
        "what is like < " + "ab " * 300_000 + ">",
        "\0",
        "what is \0 like hot?",
        "\ud800\udfff",
        "what is the opposite of \udcff?",
        "\u202ewhat is hot\u202c",
        "<<<<>>>>",
        '""',
        "< >",
        "\u202eما معنى\u202c < كتاب > ؟",
        "<img src=x onerror=alert(1)>",
        "![](http://127.0.0.1/x)",
        "letters 99999999999999999999 of hot",
        "\n\n\n",
    ],
)
def test_hostile_text_gets_an_answer(model: OfflineModel, question: str) -> None:
    reply = ask(model, question)
    assert reply.understanding
    assert reply.answer


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.none() | st.text(max_size=80))
def test_any_text_gets_an_answer(question: str, said: str | None) -> None:
    reply = ask(_SHARED, question, said)
    assert reply.status is ReplyStatus.OK


def test_a_very_long_clarification_is_survived(model: OfflineModel) -> None:
    assert ask(model, "what is akin to quick?", "a synonym " + "x " * 500_000).answer == "fast"


def test_a_prompt_without_examples_teaches_nothing(model: OfflineModel) -> None:
    reply = parse_reply("".join(model.stream([Message(Role.USER, "Question: what is the opposite of hot?")])))
    assert "not a language model" in reply.answer


def test_it_follows_the_examples_of_the_prompt_and_not_what_the_words_say(model: OfflineModel) -> None:
    taught = [
        Message(Role.USER, "Example question: give me the zing of hot"),
        Message(Role.ASSISTANT, '<understanding>Zing, for "hot".</understanding><answer>cold</answer>'),
        Message(Role.USER, "Question: give me the zing of rich"),
    ]
    reply = parse_reply("".join(model.stream(taught)))
    assert (reply.understanding, reply.answer) == ('Zing, for "rich".', "poor")


def test_it_streams_in_small_pieces_and_always_the_same(model: OfflineModel) -> None:
    messages = prompt("what is the opposite of hot?")
    pieces = list(model.stream(messages))
    assert len(pieces) > 5
    assert pieces == list(model.stream(messages))


class BrokenEmbedder:
    name = "broken"
    fingerprint = "broken"
    dimension = 3

    def encode(self, texts: Sequence[str]) -> object:
        raise RuntimeError("the weights are damaged")


def test_a_broken_embedder_is_done_without() -> None:
    broken = OfflineModel(Lexicon(), fold, correction_in, BrokenEmbedder())  # type: ignore[arg-type]
    assert ask(broken, "what is the opposite of hot?").answer == "cold"


_SHARED = OfflineModel(Lexicon(), fold, correction_in)
