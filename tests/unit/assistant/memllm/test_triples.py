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
        ("Dana is the manager of Kim", ["Kim | manager | Dana"]),
        ("Dana works in Pune", ["Dana | works in | Pune"]),
        ("I live in Pune", ["I | lives in | Pune"]),
        ("Meena's phone number is 555", ["Meena | phone number | 555"]),
        ("my wife's name is Priya", ["I | wife | Priya"]),
        ("my birthday is on 5 May", ["I | birthday | 5 May"]),
        ("my new manager is Asha", ["I | manager | Asha"]),
        ("Dana Pune ch kam kardi aa", ["Dana | ch kam karna | Pune"]),
        ("I'm vegetarian", ["I | is | vegetarian"]),
        ("meri behen ka naam Simran hai", ["I | behen | Simran"]),
        ("my son is 5 years old", ["my son | is | 5 years old"]),
        ("My sister Kate lives in York", ["I | sister | Kate", "Kate | lives in | York"]),
        ("Dana is based in Pune", ["Dana | is based in | Pune"]),
        ("ਮੇਰੇ ਮੈਨੇਜਰ ਦਾ ਨਾਂ ਡਾਨਾ ਹੈ", ["I | ਮੈਨੇਜਰ | ਡਾਨਾ"]),
        ("we have two cats", ["we | has | two cats"]),
        ("Priya lives in Mumbai and works for Acme", ["Priya | lives in | Mumbai", "Priya | works for | Acme"]),
        ("mera manager Dana hai", ["I | manager | Dana"]),
        ("Dana Pune mein kaam karti hai", ["Dana | mein kaam karna | Pune"]),
        ("mainu chai pasand hai", ["I | pasand | chai"]),
        ("ज़ेम्बला की राजधानी ओनहावा है", ["ज़ेम्बला | राजधानी | ओनहावा"]),
        ("डाना पुणे में काम करता है", ["डाना | में काम करना | पुणे"]),
        ("ਮੈਂ ਪੁਣੇ ਵਿੱਚ ਰਹਿੰਦਾ ਹਾਂ", ["I | ਵਿੱਚ ਰਹਿਣਾ | ਪੁਣੇ"]),
    ],
)
def test_sentence_tells_triples(text: str, told: list[str]) -> None:
    assert lines(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "dogs bark",
        "Dana is not my manager",
        "you are nice",
        "he works in Pune",
        "Dana worked in Pune",
        "who is Dana?",
        "If Dana works in Pune, I am happy",
        "Dana works in Pune or Delhi",
        "Dana, who lives in Goa, works in Pune",
        "Dana works in Pune, I think",
        "Dana told me Ravi likes tea",
        "Omar quit TCS",
        "mera manager Dana tha",
        "agar Dana Pune mein hai to main khush hoon",
        "Dana Pune ya Delhi mein rehti hai",
        "ਜੇ ਦਾਨਾ ਪੁਣੇ ਵਿੱਚ ਹੈ",
        "दाना पुणे में रहती थी",
    ],
)
def test_sentence_tells_no_triple(text: str) -> None:
    assert lines(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Dana moved from Pune to Delhi last year",
        "Dana is now in Delhi",
        "Dana hun Delhi vich hai",
        "Dana Delhi chali gayi",
        "Dana Pune se Delhi shift ho gayi hai",
    ],
)
def test_move_changes_the_place(text: str) -> None:
    assert REASONER.changes_place(text)
    assert lines(text) == ["Dana | lives in | Delhi"]


@pytest.mark.parametrize(
    "text",
    [
        "Dana is in Delhi",
        "I was moved by the film",
        "did Dana move to Delhi?",
        "We moved Kim to Delhi",
        "Dana school chali gayi",
    ],
)
def test_no_move_changes_no_place(text: str) -> None:
    assert not REASONER.changes_place(text)


@pytest.mark.parametrize(
    ("question", "triples", "words"),
    [
        ("where does my manager work?", ["I | manager | Dana", "Dana | works in | Delhi"], ("Delhi",)),
        ("mera manager kahan kaam karta hai?", ["I | manager | Dana", "Dana | mein kaam karna | Delhi"], ("Delhi",)),
        ("Dana kahan rehti hai?", ["Dana | lives in | Delhi"], ("Delhi",)),
        ("who is the manager of Kim?", ["Dana | manager of | Kim"], ("Dana",)),
        ("how many cats do I have?", ["I | has | two cats"], ("two",)),
    ],
)
def test_triples_are_chained(question: str, triples: list[str], words: tuple[str]) -> None:
    read = [triple for line in triples if (triple := Triple.read(line))]
    notes = [Note(f"Note {number}", triples=(triple,)) for number, triple in enumerate(read)]
    outcome = REASONER.outcome(question, notes)
    assert (outcome.verdict, outcome.words) == (Verdict.WORD, words)
    assert outcome.rests_on == tuple(range(len(triples)))


@pytest.mark.parametrize("now", ["Farhan ab Mysore mein rehta hai", "Farhan hun Mysore vich rehnda hai"])
def test_fact_that_holds_now_is_no_contradiction(now: str) -> None:
    notes = [Note(text, triples=REASONER.triples(text)) for text in (now, "mera boss Farhan hai")]
    outcome = REASONER.outcome("mera boss kahan rehta hai?", notes)
    assert (outcome.verdict, outcome.words) == (Verdict.WORD, ("Mysore",))


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    for triple in REASONER.triples(text):
        assert triple.subject.strip()
        assert triple.object.strip()


def test_invisible_side_makes_no_triple() -> None:
    assert Triple.read("Dana | \u202e | Pune") is None
