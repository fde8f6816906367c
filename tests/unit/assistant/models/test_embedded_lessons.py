"""The embedded model draws lessons from cases, in words that it reads back, and answers by those of its prompt."""

from collections.abc import Sequence

import pytest

from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.embedded.lessons.book import LessonBook
from assistant.models.embedded.lessons.counterparts import counterpart
from assistant.models.embedded.lessons.family import Noted
from assistant.models.embedded.question_reader import NOT_UNDERSTOOD
from assistant.prompt.envelope import Row, write_block
from assistant.reply.parser import parse_reply
from assistant.teachme.facts import TAUGHT
from assistant.types import Message, Reply, Role
from memory_store.language.languages import LANGUAGES

MODEL = EmbeddedModel(LANGUAGES)
BOOK = LessonBook.of(LANGUAGES)
SPLICE = 'Splice the 5th letter of "sleep", the 2nd letter of "official", and the 5th letter of "neglect" together.'
UNCLE, NEPHEW = "A mother's brother is an uncle.", "A brother's son is a nephew."
STORY = "Bob is Alice's brother. Carl is Bob's son. How is Carl related to Alice?"


def ask(question: str, *lessons: Noted) -> Reply:
    rows: list[Row] = [
        {"note": number, "about": lesson.key, "lesson": lesson.rule} for number, lesson in enumerate(lessons, start=1)
    ]
    blocks = write_block("offered", rows, b"0123456789abcdef") if rows else ""
    content = f"{blocks}Question: {question}"
    return parse_reply("".join(MODEL.stream([Message(Role.USER, content)])), TAUGHT)


def learnt(question: str, answer: str, known: Sequence[Noted] = ()) -> Noted:
    explained = BOOK.explain(question, answer, known)
    assert explained
    return explained.lesson


@pytest.mark.parametrize(
    ("case", "answer", "rule", "question", "told"),
    [
        (
            SPLICE,
            "pfe",
            "For each word, and its number n, take the letters at position n of the word, and join what you get.",
            "join letter 2 of table with letter 1 of chair",
            "ac",
        ),
        (
            'Write "hot" and "big" as their opposites with a dash between.',
            "cold-little",
            'For each word, and its number n, take the opposite of the word, and join what you get with "-" between.',
            'Write "early" and "rich" as opposites',
            "late-poor",
        ),
        ("Who is my mother's brother?", "your uncle", UNCLE, "What do you call a father's sister?", "aunt"),
        (STORY, "nephew", NEPHEW, "Zeb's sister is Ola. Ola's daughter is Ina. What is Ina to Zeb?", "niece"),
        ("what is the child of my child called?", "a grandchild", "A child's child is a grandchild.", "", ""),
        ("mere papa ka bhai kaun hai?", "chacha", "Papa ka bhai chacha hai.", "papa ka bhai kaun hota hai", "chacha"),
        ("मेरे पापा का भाई कौन है?", "चाचा", "पापा का भाई चाचा है।", "पापा का भाई कौन है?", "चाचा"),
        (
            'What does "brb" stand for?',
            "be right back",
            'For "brb" it is "be right back".',
            "what does brb stand for",
            "be right back",
        ),
        (
            'Take the last letters of the words in "Elon Musk" and concatenate them.',
            "nk",
            "For each word, and its number n, take the letters at position n of the word, and join what you get.",
            "Take the last letters of the words in Ada King Lovelace and concatenate them.",
            "age",
        ),
        (
            "What does ASAP stand for?",
            "as soon as possible",
            'For "ASAP" it is "as soon as possible".',
            "what does asap stand for",
            "as soon as possible",
        ),
        ("Which emoji goes with birthday?", "🎂", 'For "birthday" it is "🎂".', "", ""),
    ],
)
def test_what_explains_a_case_is_put_in_words_and_read_back(
    case: str, answer: str, rule: str, question: str, told: str
) -> None:
    assert ask(case).understanding == NOT_UNDERSTOOD
    lesson = learnt(case, answer)
    assert lesson.rule == rule
    reply = ask(question or case, lesson)
    assert (reply.answer, [*reply.notes]) == (told or answer.rsplit(maxsplit=1)[-1], [1])
    assert (question or case) in reply.understanding


def test_lessons_are_put_together_in_any_order() -> None:
    notes = Noted("uncle, son", "An uncle's son is a cousin."), Noted("mother, brother", UNCLE)
    story = "Tami's son is Raku. Zadu's father is Kelo. Kelo has a brother called Tami. What is Raku to Zadu?"
    reply = ask(story, *notes)
    assert (reply.answer, {*reply.notes}) == ("cousin", {1, 2})
    (lesson,) = [learnt(story, "cousin", notes[1:])]  # what one case leaves open, with what is known
    assert (lesson.key, lesson.rule) == ("uncle, son", "An uncle's son is a cousin.")
    brackets = (
        Noted("mother, cousin", "A mother's cousin is a relative."),
        Noted("brother, son", "A brother's son is a cousin."),
    )
    assert ask("Who is my mother's brother's son?", *brackets).answer == "relative"


def test_what_does_not_apply_is_declined() -> None:
    splice = learnt(SPLICE, "pfe")
    notes = splice, Noted("mother, brother", UNCLE), learnt('What does "brb" stand for?', "be right back")
    for question in ("I ate 3 apples, 2 oranges and 4 bananas. How many?", "Who manages Dana's team?", "Is it late?"):
        reply = ask(question, *notes)
        assert (reply.understanding, reply.notes) == (NOT_UNDERSTOOD, {}), question
    assert ask("What is the opposite of hot?", *notes).answer == "cold"
    assert ask("How many letters has brb?", *notes).answer == "3"


def test_what_the_lessons_lack_is_said() -> None:
    reply = ask("Who is my mother's uncle?", Noted("mother, brother", UNCLE))
    assert (reply.answer, reply.notes) == ("I have not learnt what a mother's uncle is.", {})
    reply = ask('What does "lol" stand for?', learnt('What does "brb" stand for?', "be right back"))
    assert (reply.answer, reply.notes) == ("I have not learnt what lol is.", {})


def test_a_value_is_not_given_for_something_else_that_is_named() -> None:
    code = Noted("Dial code for Norway", 'For "code" it is "47".')
    assert ask("what is the dial code for Norway?", code).answer == "47"
    for question in ("dial code for Sweden and Norway", "Dial the code for Norway from Xorb"):
        assert ask(question, code).answer != "47"


COUSINS = "Tami's father is Kelo. Kelo's brother is Zadu. Zadu's daughter is Raku. What is Raku to Tami?"
AUNT = Noted("mother, sister", "A mother's sister is an aunt.")
BY_TWO_GUESSES = AUNT, Noted("aunt, son", "An aunt's son is a cousin.")


def test_an_answer_rests_on_one_guess_by_counterparts_at_most_until_one_turned_out_right() -> None:
    assert ask(COUSINS, *BY_TWO_GUESSES).answer == "I have not learnt what an uncle's daughter is."
    confirmed = learnt("Who is my father's brother?", "uncle", BY_TWO_GUESSES)
    assert (ask(COUSINS, confirmed, *BY_TWO_GUESSES).answer, confirmed.rule) == (
        "cousin",
        "A father's brother is an uncle.",
    )


def test_an_answer_rests_on_more_guesses_where_what_is_known_speaks_for_them() -> None:
    sons = Noted("brother, son", NEPHEW), Noted("sister, daughter", "A sister's daughter is a niece.")
    solved = BOOK.solve(COUSINS, (*sons, *BY_TWO_GUESSES))
    assert solved
    assert (solved.answer, {*solved.rests_on}, {*solved.beside}) == ("cousin", {2, 3}, {0, 1})
    against = Noted("sister, daughter", "A sister's daughter is a bhanji.")
    assert ask(COUSINS, sons[0], against, *BY_TWO_GUESSES).answer == "I have not learnt what an uncle's daughter is."


def test_a_lesson_for_just_these_words_goes_before_one_for_their_counterparts() -> None:
    notes = [Noted("mother, brother", UNCLE), Noted("father, brother", "A father's brother is a chacha.")]
    assert ask("Who is my father's brother?", *notes).answer == "chacha"
    assert ask("Who is my father's brother?", *notes[:1]).answer == "uncle"
    confirmed = BOOK.explain("Who is my father's brother?", "uncle", notes[:1])
    assert confirmed
    assert confirmed.lesson.rule == "A father's brother is an uncle."


def test_a_case_refutes_a_lesson_only_where_that_hurt_more_than_it_helped() -> None:
    question, wrong = "Who is my mother's brother?", "A mother's brother is a nephew."
    for trust in (3, 0):
        assert BOOK.explain(question, "uncle", [Noted("mother, brother", wrong, trust)]) is None
    found = BOOK.explain(question, "uncle", [Noted("brother, son", NEPHEW), Noted("mother, brother", wrong, -1)])
    assert found
    assert (found.lesson.rule, found.refutes) == (UNCLE, 1)


def test_of_two_that_say_otherwise_the_more_trusted_counts() -> None:
    notes = [Noted("father, sister", "A father's sister is a nephew.", -1), Noted("mother, brother", UNCLE, 2)]
    solved = BOOK.solve("Who is my mother's sister?", notes)
    assert solved
    assert (solved.answer, solved.rests_on) == ("aunt", (1,))


def test_what_no_family_explains_is_not_learnt_by_heart() -> None:
    assert BOOK.explain(STORY.replace("How", "Why"), "because", ()) is None
    assert BOOK.explain(SPLICE, "xyz", ()) is None
    assert BOOK.explain("Tell me, please, about the long and varied history of the old town of Pune", "old", ()) is None


@pytest.mark.parametrize(
    ("word", "other"),
    [("mother", "father"), ("grandson", "granddaughter"), ("mother-in-law", "father-in-law"), ("uncle", "aunt")],
)
def test_counterparts_go_both_ways(word: str, other: str) -> None:
    assert (counterpart(word), counterpart(other)) == (other, word)


@pytest.mark.parametrize("word", ["parent", "child", "cousin", "friend", "hot"])
def test_opposites_of_another_sort_are_no_counterparts(word: str) -> None:
    assert counterpart(word) == ""
