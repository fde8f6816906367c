import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.types import Key, KeyOrigin, Reply, Turn
from memory_store.language.function_words import folded_words
from memory_store.language.normalize import fold
from memory_store.language.templates.alignment import is_typo
from memory_store.language.templates.slots import mask_slot
from memory_store.language.templates.templates import FrameMatch, masked_key, match_frame, single_substitution

SAME_FRAME = [
    ("what is akin to < quick > ?", "what is akin to enormous ?"),
    ("what is akin to quick ?", "what's akin to < enormous > please"),
    ("what is akin to quick", 'hey, what is akin to "ice cream"?'),
    ("quick jaisa shabd batao", "enormous jesa shabad btao na"),
    ("quick jaisa shabd batao", "enormous जैसा शब्द बताओ"),
    ("quick ka ulta kya hai", "tall का उल्टा क्या है"),
    ("quick varga shabad dasso", "ਖੁਸ਼ ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ"),
    ("what has a mane like ring to it", "what has a pair like ring to it"),
    ("give me another word for “happy”", "give me another word for sad"),
]

# Said more politely, more shortly, or in chat spelling.
EQUIVALENT = [
    ("what is the twin of quick", "can you tell me the twin of brave?"),
    ("what is the twin of quick", "the twin of brave"),
    ("what is the twin of quick", "wat is the twin of brave pls"),
    ("quick ka jodidar kya hai", "brave ka jodidar kya hai sirji"),
    ("quick da jodidar ki hai", "te brave da jodidar ki hai"),
    ("what is the twin of quick", "sorry but what iz teh twin of brave for me"),
    ("how do I turn quick around", "how to turn brave around"),
    ("quick ka jodidar kya hai", "brave\nka jodidar bata do"),
    ("quick ke baare mein batao", "brave k bare me bataiye"),
]

OTHER_FRAME = [
    ("what is like quick", "what is not like quick"),
    ("quick ka ulta", "quick ka matlab"),
    ("quick ka ulta kya hai", "quick ulta nahi kya hai"),
    ("what is like quick", "what is it like living in Paris"),
    ("flights to Delhi", "flights from Delhi"),
    ("is this legal", "is this illegal"),
    ("what is the twin of quick", "not what is the twin of quick"),
]


@pytest.mark.parametrize(("key", "question"), SAME_FRAME)
def test_questions_that_differ_in_the_word_asked_about_share_a_frame(key: str, question: str) -> None:
    assert match_frame(question, key).similarity > 0.8


@pytest.mark.parametrize(("key", "question"), EQUIVALENT)
def test_politeness_shortness_and_chat_spelling_change_no_frame(key: str, question: str) -> None:
    match = match_frame(question, key, hint='You asked about "quick".')
    assert match.similarity > 0.85
    assert match.filler == 1.0


@pytest.mark.parametrize(
    ("key", "first", "question", "least", "most"),
    [
        ("▢ के सामने क्या है", "cold के सामने क्या है", "rich के सामने क्या है", 1.0, 1.0),
        ("▢ के सामने क्या है", "cold के सामने क्या है", "घर के सामने क्या है", 0.0, 0.0),
        ("▢ का उल्टा क्या है", "गरम का उल्टा क्या है", "thanda ka ulta kya hai", 0.7, 1.0),
        ("what about ▢?", "what about bridge?", "what about tomorrow?", 0.0, 0.0),
        ("what about ▢?", "what about friday?", "what about tomorrow?", 1.0, 1.0),
        ("what hides in ▢?", "what hides in lpepa?", "what hides in rgaden?", 1.0, 1.0),
        ("▢ ka chakkar kya hai", "karma ka chakkar kya hai", "is bill ka chakkar kya hai", 0.0, 0.5),
        ("▢ ka chakkar kya hai", "karma ka chakkar kya hai", "stubbonr ka chakkar kya hai", 1.0, 1.0),
        ("▢ ka chakkar kya hai", "karma ka chakkar kya hai", "salman ka chakkar kya hai", 0.0, 0.3),
        ("what's ▢ all about?", "what's envy all about?", "what's the new movie all about?", 0.0, 0.5),
        ("tip for ▢", "tip for 850", "tip for sleepers", 0.0, 0.0),
    ],
)
def test_a_filler_of_another_kind_is_no_filler(key: str, first: str, question: str, least: float, most: float) -> None:
    match = match_frame(question, key, first)
    assert match.similarity > 0.8
    assert least <= match.filler <= most


@pytest.mark.parametrize(
    ("key", "question"),
    [
        ("tell me about ▢", "tell me about yourself"),
        ("▢ ka chakkar kya hai", "mere ka chakkar kya hai"),
        ("▢ ਬਾਰੇ ਦੱਸੋ", "ਆਪਣੇ ਬਾਰੇ ਦੱਸੋ"),
    ],
)
def test_a_slot_holds_nobody(key: str, question: str) -> None:
    assert match_frame(question, key).similarity < 0.6


@pytest.mark.parametrize(("key", "question"), OTHER_FRAME)
def test_questions_with_another_relation_have_another_frame(key: str, question: str) -> None:
    assert match_frame(question, key).similarity < 0.6


@pytest.mark.parametrize(
    ("question", "hint", "said", "masked"),
    [
        ("what is akin to < quick > ?", "", "", "what is akin to ▢ ?"),
        ("ਸੋਹਣਾ ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ", "", "", "▢ ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ"),
        ("pot can be used how ?", 'You want uses of a "pot".', "", "▢ can be used how ?"),
        ("pot can be used how ?", "", "", None),
        # The hint names it without quotes, or names a word that else shapes questions.
        ("let regularly speak", "The opposite of regularly.", "", "let ▢ speak"),
        ("find di goonj vich ki hai", 'You want the opposite of "find".', "", "▢ di goonj vich ki hai"),
        ("find di goonj vich ki hai", 'You want the opposite of "find".', "find is a word here", None),
        # A word that no list has makes an English question no other one.
        ("serenade cos over a trapdoor", "", "no, a word that sounds the same", None),
        # The person repeats all the rest.
        ("what hides inside landlord ?", "", "if I say what hides inside, define it", "what hides inside ▢ ?"),
        # What the person repeats tells more than an understanding that was wrong.
        ("take mean for a walk", 'A homophone of "walk".', '"take ... for a walk" means it', "take ▢ for a walk"),
        ("take bridge for a walk", 'A homophone of "walk".', "I wanted a sentence", "take bridge for a ▢"),
        # What is left out beside a word of content that is left out too only joins.
        ("happy ਵਰਗਾ ਕੋਈ ਸ਼ਬਦ ਦੱਸੋ", "", "ਬੋਲਣ ਵਿੱਚ ਇਸ ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ", "▢ ਵਰਗਾ ਕੋਈ ਸ਼ਬਦ ਦੱਸੋ"),
        ("kaan ko butt aur kya lagta hai", "", "nahi, dusra wala", "▢ ko butt aur kya lagta hai"),
        ("what's the damage?", "", "", None),
        ("", "", "", None),
        ("what is akin to " + "quick " * 500, "", "", None),
    ],
)
def test_the_word_asked_about_is_masked_where_it_can_be_told(
    question: str, hint: str, said: str, masked: str | None
) -> None:
    assert mask_slot(question, hint, said) == masked


def test_a_wrong_understanding_that_names_another_word_hides_no_gap() -> None:
    known, hint = "take bridge for a walk", 'A word that sounds the same as "walk".'
    assert match_frame("take prime for a walk", known, known, hint, "I wanted a sentence").substitution == 1.0
    told = 'by "take bridge for a" I mean a sentence'
    assert match_frame("take prime for a walk", known, known, hint, told).substitution is None


def test_a_question_that_lacks_more_words_than_a_slot_holds_is_asked_in_another_way() -> None:
    key, said = "find the shortest road between two far cities", "I wanted a word for far"
    match = match_frame("find a cheap hotel", key, key, "", said)
    assert match == FrameMatch(match.similarity)
    assert match.similarity < 0.01


@given(st.text(st.characters(codec=None), max_size=80), st.text(max_size=40), st.text(max_size=40))
def test_any_text_can_be_compared(question: str, key: str, hint: str) -> None:
    match = match_frame(question, key, key, hint)
    assert all(0.0 <= number <= 1.0 for number in (match.similarity, match.filler, match.substitution or 0.0))
    masked = mask_slot(question, hint)
    assert masked is None or "▢" in masked


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("what is d.r-iv.e-rs?", ("what", "is", "drivers")),
        ("a state-of-the-art car", ("a", "state", "of", "the", "art", "car")),
        ("yes/no or e-mail", ("yes", "no", "or", "e", "mail")),
    ],
)
def test_symbols_that_are_strewn_into_a_word_do_not_cut_it_apart(text: str, words: tuple[str, ...]) -> None:
    assert folded_words(text) == tuple(token for word in words for token in fold(word).split())


@given(st.text(alphabet=st.characters(min_codepoint=0x0900, max_codepoint=0x0A7F), max_size=12))
def test_signs_of_indic_scripts_are_not_strewn(text: str) -> None:
    assert folded_words(text) == tuple(fold(text).split())


WANTED_A_WORD = "I wanted the definition"


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("what hides inside desert ?", "what hides inside landlord ?"),
        ("What hides insde desert", "what hides inside landlord ?"),
        ("let modest speak", "let regularly speak"),
        ("take prime for a walk", "take bridge for a walk"),
    ],
)
def test_the_one_word_that_differs_may_be_what_is_asked_about(question: str, known: str) -> None:
    assert single_substitution(question, known, WANTED_A_WORD) == 1.0


@pytest.mark.parametrize(
    ("question", "known", "said"),
    [
        ("what hides inside desert ?", "what hides inside landlord ?", "no, I meant the old one"),  # wanted no word
        ("what finds landlord ?", "what hides inside landlord ?", "by hides inside I mean its definition"),
        ("who hides near a desert ?", "what hides inside landlord ?", WANTED_A_WORD),  # two places
        ("quick ka ulta kya hai", "quick ka judwa kya hai", WANTED_A_WORD),  # a word of asking is another wish
        ("what hides inside me ?", "what hides inside landlord ?", WANTED_A_WORD),  # nobody is a word
        ("x " * 400, "y " * 400, WANTED_A_WORD),
    ],
)
def test_another_way_of_asking_is_no_single_substitution(question: str, known: str, said: str) -> None:
    assert single_substitution(question, known, said) is None


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("what hides inside the fort ?", "what hides inside landlord ?"),  # a thing is no word
        ("lantern ka daam batao", "lantern ki kahani batao"),  # another word is likelier asked about
    ],
)
def test_what_speaks_against_a_substitution_makes_it_doubtful(question: str, known: str) -> None:
    assert (single_substitution(question, known, WANTED_A_WORD) or 0.0) <= 0.5


@pytest.mark.parametrize(
    ("typed", "meant", "expected"),
    [
        ("pol", "pole", True),
        ("likho", "likhie", True),
        ("illegal", "legal", False),  # the first letter stays
        ("bin", "ban", False),  # three letters are another word
    ],
)
def test_a_typo_leaves_a_word_readable(typed: str, meant: str, expected: bool) -> None:
    assert is_typo(typed, meant) is is_typo(meant, typed) is expected


def test_the_masked_question_is_a_key() -> None:
    turn = Turn("", "", "ann", "what is akin to quick ?", reply=Reply.of("", 'You want a word like "quick".'))
    assert masked_key(turn, "a synonym") == (Key("what is akin to ▢ ?", KeyOrigin.RULE),)
    assert masked_key(Turn("", "", "ann", "hello"), "I meant goodbye") == ()


def test_a_key_with_several_slots_is_compared_like_any_other() -> None:
    key = "<understanding>x</understanding><answer>y</answer>"
    assert match_frame(key, key, key, said=key).similarity == 1.0
    match = match_frame('"quick" opposite <x> "quick" shabd', '"quick" opposite <x> "quick" is', said="the opposite")
    assert 0 < match.similarity < 1
