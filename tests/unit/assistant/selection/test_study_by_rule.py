"""Sentences turned into questions by rule, each with its answer; and those that are left alone."""

import pytest

from assistant.reasoning.words import Words
from assistant.selection.study.english import english_questions
from assistant.selection.study.indic import indic_questions
from assistant.selection.study.passages import passages_of
from memory_store.language.languages import LANGUAGES

pytestmark = pytest.mark.promise("study-questions-have-answers")

WORDS = Words(LANGUAGES)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Dana found the ring in the garden on Monday because she looked.",
            {
                "Why did Dana find the ring in the garden on Monday?": "because she looked",
                "Where did Dana find the ring on Monday?": "in the garden",
                "When did Dana find the ring in the garden?": "on Monday",
                "What did Dana find in the garden on Monday?": "the ring",
                "Who found the ring in the garden on Monday?": "Dana",
                "What did Dana do?": "found the ring in the garden on Monday",
            },
        ),
        (
            "When the sun was hot, the boy slept on the heap.",
            {
                "Where did the boy sleep?": "on the heap",
                "When did the boy sleep on the heap?": "when the sun was hot",
                "Who slept on the heap?": "the boy",
                "What did the boy do when the sun was hot?": "slept on the heap",
            },
        ),
        (
            "Marie Curie was born in Warsaw in 1867.",
            {
                "Where was Marie Curie born in 1867?": "in Warsaw",
                "When was Marie Curie born in Warsaw?": "in 1867",
                "Who was born in Warsaw in 1867?": "Marie Curie",
            },
        ),
        (
            "Paris is the capital of France.",
            {"What is Paris?": "the capital of France", "What is the capital of France?": "Paris"},
        ),
        ("The heart is a muscle.", {"What is the heart?": "a muscle"}),
        (
            "Birds have feathers.",
            {"What do birds have?": "feathers", "What has feathers?": "birds", "What do birds do?": "have feathers"},
        ),
        (
            "Snow fell, but the old king could see the tower.",
            {"What could the old king see?": "the tower", "Who could see the tower?": "the old king"},
        ),
        ("She was walking to the market.", {"Where was she walking?": "to the market"}),
    ],
)
def test_an_english_sentence(sentence: str, expected: dict[str, str]) -> None:
    assert dict(english_questions(sentence)) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Hello.",
        "Was the king old?",
        '"Come here," said the king.',
        "The king did not sleep.",
        "She didn't go home.",
        "If it rains, the king sleeps.",
        "It was a lucky ring.",
        "There was a king.",
        "This is the tower.",
        "Run to the tower.",
        "I saw the tower.",
        "What a day!",
        "of of of of",
        "and and and",
    ],
)
def test_what_is_not_simple_is_left_alone(sentence: str) -> None:
    assert [*english_questions(sentence)] == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Dana Pune mein rehti hai.", {"Kaun Pune mein rehti hai?": "Dana", "Dana kahan rehti hai?": "Pune mein"}),
        (
            "Ravi ne kal kitab padhi.",
            {"Kisne kal kitab padhi?": "Ravi", "Ravi ne kab kitab padhi?": "kal", "Ravi ne kal kya padhi?": "kitab"},
        ),
        ("Bharat ki rajdhani Dilli hai.", {"Bharat ki rajdhani kya hai?": "Dilli"}),
        (
            "Meena bazaar gayi kyunki usko doodh chahiye tha.",
            {
                "Meena bazaar kyun gayi?": "kyunki usko doodh chahiye tha",
                "Kaun bazaar gayi?": "Meena",
                "Meena kahan gayi?": "bazaar",
            },
        ),
        (
            "Simran Ludhiane vich rehndi hai.",
            {"Kaun Ludhiane vich rehndi hai?": "Simran", "Simran kithe rehndi hai?": "Ludhiane vich"},
        ),
        ("राम दिल्ली में रहता है।", {"कौन दिल्ली में रहता है?": "राम", "राम कहाँ रहता है?": "दिल्ली में"}),
        ("ਸਿਮਰਨ ਲੁਧਿਆਣੇ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ।", {"ਕੌਣ ਲੁਧਿਆਣੇ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ?": "ਸਿਮਰਨ", "ਸਿਮਰਨ ਕਿੱਥੇ ਰਹਿੰਦੀ ਹੈ?": "ਲੁਧਿਆਣੇ ਵਿੱਚ"}),
        ("ਪੰਜਾਬ ਦੀ ਰਾਜਧਾਨੀ ਚੰਡੀਗੜ੍ਹ ਹੈ।", {"ਪੰਜਾਬ ਦੀ ਰਾਜਧਾਨੀ ਕੀ ਹੈ?": "ਚੰਡੀਗੜ੍ਹ"}),
        ("Dana kahan rehti hai", {}),
        ("Kya Dana aayi?", {}),
        ("Theek hai.", {}),
    ],
)
def test_a_hindi_or_punjabi_sentence(sentence: str, expected: dict[str, str]) -> None:
    assert dict(indic_questions(sentence, WORDS)) == expected


def test_the_places_of_a_text() -> None:
    text = "A long line about the old king and the tower that he\nbuilt."
    text += " Short.\nThe fish swam.\n\nThe king slept in the tower."
    passages = passages_of(text, (), LANGUAGES.fold)
    assert [one.sentence for one in passages] == [
        "A long line about the old king and the tower that he built.",
        "The fish swam.",
        "The king slept in the tower.",
    ]
    assert passages[0].context.endswith("The king slept in the tower.")
    answers = passages_of(text, ["  slept in the tower ", "", "fish"], LANGUAGES.fold)
    assert [(one.sentence, one.answer) for one in answers] == [
        ("The king slept in the tower.", "slept in the tower"),
        ("The fish swam.", "fish"),
    ]
    assert passages_of("  \n", ["a"], LANGUAGES.fold) == passages_of("Yes. No.", [], LANGUAGES.fold) == []
    long = passages_of("\n".join(f"The {at}th king slept here." for at in range(900)), [], LANGUAGES.fold)
    assert (len(long), max(len(one.context) for one in long) <= 6_000) == (500, True)
    assert all(one.sentence in one.context for one in long)
