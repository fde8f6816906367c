import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.feedback.telling import Told, forgotten_in, told_in, without_lead_in
from assistant.reasoning.reasoner import Reasoner
from memory_store.language.languages import LANGUAGES

REASONER = Reasoner(LANGUAGES)


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("remember that Rex is a dog.", "Rex is a dog"),
        ("btw, keep in mind we eat at 8", "we eat at 8"),
        ("yaad rakhna ki didi Pune mein rehti hai", "didi Pune mein rehti hai"),
        ("ਯਾਦ ਰੱਖੀਂ, ਮੇਰੀ ਭੈਣ ਨਰਸ ਹੈ", "ਮੇਰੀ ਭੈਣ ਨਰਸ ਹੈ"),
        ("वैसे याद रखना कि मेरी परीक्षा कल है।", "मेरी परीक्षा कल है"),
    ],
)
def test_what_says_that_it_is_to_be_kept_is_certain(message: str, fact: str) -> None:
    assert told_in(message, LANGUAGES) == Told(fact, is_certain=True)


@pytest.mark.parametrize(
    "message", ["by the way, Rex is a dog", "whales are not fish.", "mera bhai Delhi mein rehta hai"]
)
def test_what_only_states_something_may_be_one(message: str) -> None:
    told = told_in(message, LANGUAGES)
    assert told is not None
    assert not told.is_certain


@pytest.mark.parametrize(
    "message",
    [
        "remember when we met?",
        "do you remember my dog's name",
        "what is akin to quick",
        "my manager is quitting, should i be pleased",
        "translate: my brother is a doctor",
        "write a note that says I am ill",
        "no, I meant that it is a river bank",
        "kya rex kutta hai",
        "thanks!",
        "",
        "remember",
    ],
)
def test_what_asks_or_corrects_tells_nothing(message: str) -> None:
    assert told_in(message, LANGUAGES) is None


@pytest.mark.parametrize(
    "message",
    [
        "do you think aliens exist",
        "don't you think that dogs bark",
        "would you say aliens exist",
        "what do you think dogs eat",
        "you think aliens exist",
        "did the bus leave the city",
        "splonk of the bus was late",
        "Splonk of the bus was late",
        "tumhe lagta hai aliens hote hain",
        "kya tumhe lagta hai ki aliens hote hain",
        "ki tuhanu lagda hai ke aliens hunde han",
        "tuhanu lagda hai aliens hunde han",
        "क्या आपको लगता है कि एलियन होते हैं",
        "ਤੁਹਾਨੂੰ ਲੱਗਦਾ ਹੈ ਕਿ ਏਲੀਅਨ ਹੁੰਦੇ ਹਨ",
    ],
)
def test_what_asks_without_a_sign_is_no_plain_statement(message: str) -> None:
    assert not REASONER.tells(message)
    told = told_in(message, LANGUAGES)
    assert told is None or not told.is_certain


@pytest.mark.parametrize(
    "message",
    [
        "I think aliens exist",
        "the roof of the bus was wet",
        "copies of the book were late",
        "mujhe lagta hai aliens hote hain",
        "main bus chalaunda",
        "mere do bhai hain Ravi aur Sunil",
    ],
)
def test_what_tells_does(message: str) -> None:
    assert REASONER.tells(message)


@pytest.mark.parametrize(
    "message",
    [
        *("I'm fine", "it's ok", "that is great", "I'm just kidding", "i am tired today"),
        *("I need help with my homework", "i don't know", "main theek hoon", "theek aa hun", "ਮੈਂ ਠੀਕ ਹਾਂ", "मैं ठीक हूँ"),
    ],
)
def test_passing_state_is_no_fact(message: str) -> None:
    assert not REASONER.tells(without_lead_in(message))


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("forget that", []),
        ("delete that please", []),
        ("wo bhool jao", []),
        ("इसे भूल जाओ", []),
        ("pls erase the pin", ["pin"]),
        ("delete what i said about my brother", ["brother"]),
        ("ਤਾਲੇ ਦਾ ਕੋਡ ਭੁੱਲ ਜਾਓ", ["ਤਾਲੇ", "ਕੋਡ"]),
    ],
)
def test_what_is_to_be_forgotten_is_named(message: str, wanted: list[str]) -> None:
    folded = frozenset(word.folded for text in wanted for word in LANGUAGES.words(text))
    assert forgotten_in(message, LANGUAGES) == folded


@pytest.mark.parametrize(
    "message",
    ["forget everything", "sab bhool jao", "don't forget that Rex is a dog", "i often forget my keys", "forget what?"],
)
def test_other_message_forgets_nothing(message: str) -> None:
    assert forgotten_in(message, LANGUAGES) is None


def test_fillers_are_taken_off_the_end() -> None:
    assert without_lead_in("hi im Omar these days, lol!") == "I am Omar"


@given(st.text())
def test_any_text_can_be_read(message: str) -> None:
    told = told_in(message, LANGUAGES)
    assert told is None or "?" not in told.fact
