"""Triples of simple sentences, in English, Hindi, Punjabi and mixed, and back: what is chained over them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.kinds import Triple
from assistant.reasoning.chaining import Verdict
from assistant.reasoning.reasoner import Note, Reasoner
from memory_store.language.languages import LANGUAGES

pytestmark = pytest.mark.promise("triples-are-proposed")

REASONER = Reasoner(LANGUAGES)


def lines(text: str) -> list[str]:
    return [triple.line for triple in REASONER.triples(text)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My manager is Dana.", ["I | manager | Dana"]),
        ("Dana is my manager", ["I | manager | Dana"]),
        ("Dana is the manager of Kim", ["Kim | manager | Dana"]),
        ("Dana works in Pune", ["Dana | works in | Pune"]),
        ("I live in Pune", ["I | lives in | Pune"]),
        ("the capital of Zembla is Onhava", ["Zembla | capital | Onhava"]),
        ("Meena's phone number is 555", ["Meena | phone number | 555"]),
        ("my wife's name is Priya", ["I | wife | Priya"]),
        ("the name of my manager is Dana", ["I | manager | Dana"]),
        ("my birthday is on 5 May", ["I | birthday | 5 May"]),
        ("mera janamdin 5 May ko hai", ["I | janamdin | 5 May"]),
        ("my new manager is Asha", ["I | manager | Asha"]),
        ("meri nayi manager Asha hai", ["I | manager | Asha"]),
        ("my manager is Will", ["I | manager | Will"]),
        ("Dana Pune ch kam kardi aa", ["Dana | ch kam karna | Pune"]),
        ("I'm vegetarian", ["I | is | vegetarian"]),
        ("my wifi password is x", ["I | wifi password | x"]),
        ("meri behen ka naam Simran hai", ["I | behen | Simran"]),
        ("mera bhai patiale rehnda hai", ["mera bhai | rehna | patiale"]),
        ("my son is 5 years old", ["my son | is | 5 years old"]),
        ("main vegetarian hoon", ["I | hoon | vegetarian"]),
        ("My sister Kate lives in York", ["I | sister | Kate", "Kate | lives in | York"]),
        ("Dana is based in Pune", ["Dana | is based in | Pune"]),
        ("ਮੇਰਾ ਭਰਾ ਮੋਗੇ ਵਿੱਚ ਰਹਿੰਦਾ ਹੈ", ["ਮੇਰਾ ਭਰਾ | ਵਿੱਚ ਰਹਿਣਾ | ਮੋਗੇ"]),
        ("my name is Ravi", ["I | name | Ravi"]),
        ("mere manager ka naam Dana hai", ["I | manager | Dana"]),
        ("ਮੇਰੇ ਮੈਨੇਜਰ ਦਾ ਨਾਂ ਡਾਨਾ ਹੈ", ["I | ਮੈਨੇਜਰ | ਡਾਨਾ"]),
        ("my brother is a doctor", ["my brother | is | doctor"]),
        ("Rex is a dog", ["Rex | is | dog"]),
        ("we have two cats", ["we | has | two cats"]),
        ("Priya lives in Mumbai and works for Acme", ["Priya | lives in | Mumbai", "Priya | works for | Acme"]),
        ("Dana works in Delhi and Ravi lives in Goa", ["Dana | works in | Delhi", "Ravi | lives in | Goa"]),
        ("Dana wants to work in Pune", ["Dana | wants to work in | Pune"]),
        ("Nadia is my cousin, she teaches in Leeds", ["I | cousin | Nadia"]),
        ("meri mausi Kanpur mein rehti hain, wahan unka boutique hai", ["meri mausi | mein rehna | Kanpur"]),
        ("Dana works in Pune, Maharashtra", ["Dana | works in | Pune Maharashtra"]),
        ("light from the sun takes eight minutes", ["light from the sun | takes | eight minutes"]),
        ("our Amritsar flight leaves from Terminal 1", ["our Amritsar flight | leaves from | Terminal 1"]),
        ("our kids like games", ["our kids | likes | games"]),
        ("my mother's birthday is on the 14th of March", ["my mother | birthday | 14th of March"]),
        ("Dana likes walks in the park", ["Dana | likes walks in | park"]),
        ("mera manager Dana hai", ["I | manager | Dana"]),
        ("Dana Pune mein kaam karti hai", ["Dana | mein kaam karna | Pune"]),
        ("Dana TCS mein kaam karti hai", ["Dana | mein kaam karna | TCS"]),
        ("Dana Pune vich kamm karda hai", ["Dana | vich kamm karna | Pune"]),
        ("mainu chai pasand hai", ["I | pasand | chai"]),
        ("Simran di maa doctor hai", ["Simran di maa | hai | doctor"]),
        ("main Pune mein rehta hu", ["I | mein rehna | Pune"]),
        ("ज़ेम्बला की राजधानी ओनहावा है", ["ज़ेम्बला | राजधानी | ओनहावा"]),
        ("डाना पुणे में काम करता है", ["डाना | में काम करना | पुणे"]),
        ("ਮੇਰਾ ਮੈਨੇਜਰ ਡਾਨਾ ਹੈ", ["I | ਮੈਨੇਜਰ | ਡਾਨਾ"]),
        ("ਮੈਂ ਪੁਣੇ ਵਿੱਚ ਰਹਿੰਦਾ ਹਾਂ", ["I | ਵਿੱਚ ਰਹਿਣਾ | ਪੁਣੇ"]),
    ],
)
def test_a_sentence_tells(text: str, told: list[str]) -> None:
    assert lines(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dogs bark",
        "Dana is not my manager",
        "you are nice",
        "he works in Pune",
        "Dana worked in Pune",
        "who is Dana?",
        "is Dana my manager",
        "If Dana works in Pune, I am happy",
        "Dana works in Pune or Delhi",
        "Dana used to live in Goa",
        "My manager was Dana",
        "Dana hopes Ravi lives in Goa",
        "Dana, who lives in Goa, works in Pune",
        "Vikram left Acme in June, he's in Goa now",
        "Dana works in Pune, but she may move to Goa",
        "Dana works in Pune, I think",
        "in summer Dana lives in Goa",
        "Dana told me Ravi likes tea",
        "Dana says my manager is Kim",
        "my manager thinks Dana is great",
        "Dana's office is in Pune near the lake",
        "Dana works out of the Pune office",
        "Omar quit yesterday.",
        "Omar quit TCS",
        "my ex-manager is Kim",
        "Dana kal Pune gayi",
        "Asha ne nayi scooty le li hai",
        "papa bimar ho gaye",
        "tera naam Rex hai",
        "tuhada ghar Moga ch hai",
        "Dana Pune chhod ke Delhi chali gayi",
        "mera manager Dana tha",
        "agar Dana Pune mein hai to main khush hoon",
        "Dana Pune ya Delhi mein rehti hai",
        "Dana Pune vich rehndi si",
        "ਜੇ ਦਾਨਾ ਪੁਣੇ ਵਿੱਚ ਹੈ",
        "दाना पुणे में रहती थी",
    ],
)
def test_a_sentence_without_two_things_or_that_asks_denies_or_tells_of_then_has_none(text: str) -> None:
    assert lines(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Dana moved to Delhi",
        "Dana has shifted to Delhi",
        "Dana moved from Pune to Delhi last year",
        "Dana is now in Delhi",
        "Dana ab Delhi mein hai",
        "Dana hun Delhi vich hai",
        "Dana Delhi chali gayi",
        "Dana Pune se Delhi shift ho gayi hai",
        "Dana ne Delhi shift kar liya hai",
    ],
)
def test_what_changed_its_place_is_known_as_such(text: str) -> None:
    assert REASONER.changes_place(text)
    assert lines(text) == ["Dana | lives in | Delhi"]


@pytest.mark.parametrize(
    "text",
    [
        "Dana works in Delhi",
        "Dana is in Delhi",
        "I was moved by the film",
        "did Dana move to Delhi?",
        "Dana moved to tears",
        "We moved Kim to Delhi",
        "the meeting moved to Friday",
        "Dana ne gaadi li hai",
        "Dana bimar ho gayi",
        "Dana school chali gayi",
    ],
)
def test_what_did_not_is_not(text: str) -> None:
    assert not REASONER.changes_place(text)


@pytest.mark.parametrize(
    ("question", "triples", "words"),
    [
        ("where does my manager work?", ["I | manager | Dana", "Dana | works in | Delhi"], ("Delhi",)),
        ("mera manager kahan kaam karta hai?", ["I | manager | Dana", "Dana | mein kaam karna | Delhi"], ("Delhi",)),
        ("ਮੇਰਾ ਮੈਨੇਜਰ ਕਿੱਥੇ ਕੰਮ ਕਰਦਾ ਹੈ?", ["I | ਮੈਨੇਜਰ | ਡਾਨਾ", "ਡਾਨਾ | ਵਿੱਚ ਕੰਮ ਕਰਨਾ | ਦਿੱਲੀ"], ("ਦਿੱਲੀ",)),
        ("Dana kahan rehti hai?", ["Dana | lives in | Delhi"], ("Delhi",)),
        ("who is the manager of Kim?", ["Dana | manager of | Kim"], ("Dana",)),
        ("how many cats do I have?", ["I | has | two cats"], ("two",)),
        ("what does Dana like?", ["Dana | likes | tea"], ("tea",)),
    ],
)
def test_triples_are_chained_whatever_their_fact_says(question: str, triples: list[str], words: tuple[str]) -> None:
    read = [triple for line in triples if (triple := Triple.read(line))]
    notes = [Note(f"Note {number}", triples=(triple,)) for number, triple in enumerate(read)]
    outcome = REASONER.outcome(question, notes)
    assert (outcome.verdict, outcome.words) == (Verdict.WORD, words)
    assert outcome.rests_on == tuple(range(len(triples)))


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    for triple in REASONER.triples(text):
        assert triple.subject.strip()
        assert triple.object.strip()


def test_a_side_of_nothing_that_can_be_seen_makes_no_triple() -> None:
    assert Triple.read("Dana | \u202e | Pune") is None
