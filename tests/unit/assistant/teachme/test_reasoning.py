"""What follows from simple sentences, in three languages, and what does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.reasoning.chaining import Outcome, Verdict
from assistant.reasoning.reasoner import Note, Reasoner
from memory_store.language.languages import LANGUAGES

REASONER = Reasoner(LANGUAGES)


def outcome(question: str, *facts: str) -> Outcome:
    """What follows; a fact after "!" is denied."""
    return REASONER.outcome(question, [Note(fact.lstrip("!"), fact.startswith("!")) for fact in facts])


def said(question: str, *facts: str) -> str:
    found = outcome(question, *facts)
    return " / ".join(found.words) if found.verdict is Verdict.WORD else found.verdict.value


FLIES = ("Birds can fly.", "Penguins are birds.", "Penguins cannot fly.", "Pingu is a penguin.")
OLGA = ("Olga is my dentist.", "Olga works in Turin.", "Turin is in Italy.")
POODLE = ("Rex is a poodle.", "Poodles are dogs.", "Dogs can bark.", "Cats drink milk.")


@pytest.mark.parametrize(
    ("question", "facts", "answer"),
    [
        # kinds, upwards only
        ("can rex bark?", POODLE, "yes"),
        ("so rex is a dog, right?", POODLE, "yes"),
        ("can rex bark?", (*POODLE, "Rex is not a poodle."), "disputed"),
        ("is every dog a poodle?", POODLE, "unknown"),
        ("does rex drink milk", POODLE, "unknown"),
        ("are poodles able to bark", POODLE, "yes"),
        ("is jerry a rodent", ("Jerry is a mouse.", "Mice are rodents."), "yes"),
        ("is bella a dog", ("Bella is a poodle.", "Poodles are small dogs."), "yes"),
        # exceptions beat the rule
        ("can pingu fly?", FLIES, "no"),
        ("can birds fly?", FLIES, "yes"),
        ("can ozzy fly?", (*FLIES, "Ozzy is a penguin.", "Ozzy can fly."), "yes"),
        (
            "does a tesla need fuel?",
            ("Cars need fuel.", "A Tesla is an electric car.", "Electric cars do not need fuel."),
            "no",
        ),
        # some, all, no
        ("is tim lazy", ("Some students are lazy.", "Tim is a student."), "unknown"),
        ("are all apples green?", ("Some apples are green.",), "unknown"),
        ("is dr mehta a surgeon?", ("Not all doctors are surgeons.", "Dr Mehta is a doctor."), "unknown"),
        ("do geckos have fur?", ("No reptile has fur.", "Geckos are reptiles."), "no"),
        ("do bats have wings?", ("Bats are not birds.", "Birds have wings."), "unknown"),
        # places and parts
        ("where does my dentist work?", OLGA, "Turin"),
        ("does my dentist work in italy", OLGA, "yes"),
        (
            "is the spoke part of the bike",
            ("The wheel is part of the bike.", "The spoke is a part of the wheel."),
            "yes",
        ),
        (
            "is the bike part of the spoke",
            ("The wheel is part of the bike.", "The spoke is a part of the wheel."),
            "unknown",
        ),
        # relations
        ("who is my boss's husband", ("Nisha is my boss.", "Vikram is Nisha's husband."), "Vikram"),
        ("is simran the wife of jaspreet?", ("Simran is Jaspreet's wife.",), "yes"),
        ("is jaspreet the wife of simran?", ("Simran is Jaspreet's wife.",), "unknown"),
        ("does my brother live in delhi?", ("My sister lives in Delhi.",), "unknown"),
        ("what is the capital of france?", ("Paris is the capital of France.",), "Paris"),
        # what something is called
        ("where does my manager work?", ("my manager's name is Dana", "Dana works in Pune"), "Pune"),
        ("mera manager kahan hai?", ("mere manager ka naam Dana hai", "Dana Pune mein hai"), "Pune"),
        ("ਮੇਰਾ ਮੈਨੇਜਰ ਕਿੱਥੇ ਰਹਿੰਦਾ ਹੈ?", ("ਮੇਰੇ ਮੈਨੇਜਰ ਦਾ ਨਾਂ ਡਾਨਾ ਹੈ", "ਡਾਨਾ ਪੁਣੇ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ"), "ਪੁਣੇ"),
        ("what is my manager's name?", ("my manager is a doctor", "my manager is Dana"), "Dana"),
        ("what is my name?", ("I am a doctor",), "unknown"),
        # of what kind of place
        ("Dana kis sheher mein rehti hai?", ("Dana Pune mein rehti hai",), "Pune"),
        ("ਡਾਨਾ ਕਿਹੜੇ ਸ਼ਹਿਰ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ?", ("ਡਾਨਾ ਪੁਣੇ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ",), "ਪੁਣੇ"),
        ("in which city does my manager work?", ("my manager is Dana", "Dana works in Pune"), "Pune"),
        ("Dana kaha rhti h?", ("Dana Pune me rehti hai",), "Pune"),
        # what somebody's own is not theirs
        ("Dana kahan rehti hai?", ("Dana ki behen Jaipur mein rehti hai",), "unknown"),
        ("Dana kithe rehndi hai?", ("Dana da bhra Ludhiana vich rehnda hai",), "unknown"),
        ("where do I work?", ("mera bhai Pune mein kaam karta hai",), "unknown"),
        ("where do I live?", ("I live in Amritsar", "meri behen Jaipur mein rehti hai"), "Amritsar"),
        ("Dana ki behen kahan rehti hai?", ("Dana ki behen Jaipur mein rehti hai",), "Jaipur"),
        ("mera bhai kithe rehnda hai?", ("mera bhai patiale rehnda hai",), "patiale"),
        # what is asked for
        ("whats my wifi password", ("my wifi password is x",), "x"),
        ("do you know where my manager works?", ("my manager is dana", "dana works in pune"), "pune"),
        ("who is my dad?", ("my father is Raj",), "Raj"),
        ("am I vegetarian?", ("I'm vegetarian",), "yes"),
        ("can Bruno bark?", ("my dog is Bruno", "dogs can bark"), "yes"),
        ("who is Bruno?", ("my dog is Bruno", "Bruno likes bones"), "my dog"),
        ("how many legs does a crab have?", ("A crab has ten legs.",), "ten"),
        ("what colour is this flower?", ("This flower is a rose.", "All roses are red."), "red"),
        ("who can play the violin?", ("Sana can play the violin.", "Rita cannot play the violin."), "Sana"),
        ("when is the meeting?", ("The meeting is on Friday.",), "Friday"),
        ("whats the wifi password again", ("my wifi password is x",), "x"),
        ("where is my car", ("car is at spot 41", "my sister's car is at spot 7"), "spot 41"),
        ("what's my number", ("my phone number is 5567", "my mother's number is 11"), "5567"),
        ("which band do i like", ("my favourite band is Muse",), "Muse"),
        ("what's my shoe size", ("i wear a size 9 shoe",), "9"),
        ("whats my cats name", ("my cat is Lona",), "Lona"),
        ("what are my dogs called", ("i have a dog named Rex", "i've got another dog named Coco"), "Rex / Coco"),
        ("मेरा जन्मदिन कब है", ("मेरा जन्मदिन 5 मई को है",), "5 मई"),
        ("plumber kaun hai", ("hamare plumber ka naam Salim hai",), "Salim"),
        # several things told at once
        ("what does kim like?", ("Kim lives in Goa and likes tea.",), "tea"),
        ("where does my sister live?", ("My sister Kate lives in York.",), "York"),
        # how people ask
        ("would you say rex is a dog?", POODLE, "yes"),
        ("I wonder if rex can bark", POODLE, "yes"),
        ("can't pingu fly?", FLIES, "no"),
        # other languages and scripts
        ("kya moti doodh peeti hai?", ("Moti ek billi hai.", "Billiyan doodh peeti hain."), "yes"),
        ("mera chacha kithe rehnda hai", ("Gurpreet mera chacha hai.", "Gurpreet Moga vich rehnda hai."), "Moga"),
        ("क्या चंपा की सूँड है?", ("चंपा एक हाथी है।", "हाथियों की सूँड होती है।"), "yes"),
        ("ਕੀ ਕਿਰਨ ਗਾ ਸਕਦੀ ਹੈ", ("ਕੁਝ ਕੁੜੀਆਂ ਗਾ ਸਕਦੀਆਂ ਹਨ।", "ਕਿਰਨ ਇੱਕ ਕੁੜੀ ਹੈ।"), "unknown"),
        ("makdi ke kitne pair hote hain?", ("Makdi ke aath pair hote hain.",), "aath"),
        ("can moti bark?", ("Moti ek kutta hai.", "Dogs can bark."), "yes"),
        ("is pune in india?", ("पुणे महाराष्ट्र में है।", "Maharashtra is in India."), "yes"),
        # names, work, age, places and likes in few words
        ("meri nani da naa ki aa", ("meri nani da naa Harbans aa",), "Harbans"),
        ("sadi kutti da naa dass", ("sadi kutti da naa Rani aa",), "Rani"),
        ("what's my name", ("I am Omar",), "Omar"),
        ("mera bhai kya karta hai", ("mera bhai driver hai",), "driver"),
        ("what do i do for work", ("I am a plumber",), "plumber"),
        ("how old is Ada", ("my niece Ada is 9",), "9"),
        ("where's the ladder", ("the ladder is behind the old shed",), "behind the old shed"),
        ("cycle ki chabi kahan hai", ("cycle ki chaabi table ke upar rakhi hai",), "table ke upar"),
        ("nani ka bday kab hai", ("nani ka birthday 3 june ko aata hai",), "3 june"),
        ("mere bhai kaun hain", ("mere do bhai hain Ravi aur Sunil",), "Ravi aur Sunil"),
        ("mainu ki pasand aa", ("mainu makki bahut pasand aa",), "makki"),
        ("mujhe kya pasand nahi hai", ("mujhe karela pasand nahi", "mujhe aam pasand hai"), "karela"),
        ("mera chacha kithe rehnda", ("mera chacha Gurpreet aa", "Gurpreet Moge rehnda"), "Moge"),
    ],
)
def test_what_follows(question: str, facts: tuple[str, ...], answer: str) -> None:
    assert said(question, *facts) == answer


def test_it_says_on_what_it_rests_in_the_order_of_the_proof() -> None:
    assert outcome("can rex bark?", *POODLE).rests_on == (0, 1, 2)
    assert outcome("where does my dentist work?", *OLGA).rests_on == (0, 1)


def test_a_denied_fact_is_not_gone_by_and_beats_a_rule() -> None:
    assert said("can rex bark?", *POODLE, "!Rex is a poodle.") == "unknown"
    assert said("can rex bark?", *POODLE, "!Rex can bark.") == "no"
    assert said("is rex a poodle?", *POODLE, "!Rex is a poodle.") == "no"
    assert said("is rex a cat?", "Rex is not a cat.", "!Rex is not a cat.") == "yes"


def test_of_two_that_are_equally_specific_both_are_said() -> None:
    found = outcome("is nixon a pacifist?", "Nixon is a quaker.", "Nixon is a republican.",
                    "Quakers are pacifists.", "Republicans are not pacifists.")  # fmt: skip
    assert found.verdict is Verdict.DISPUTED
    assert set(found.disagree) == {2, 3}
    assert said("where does dana work?", "Dana works in Pune.", "Dana works in Agra.") == "disputed"


def test_not_told_it_says_which_facts_speak_of_the_thing() -> None:
    found = outcome("can rex fly?", *POODLE)
    assert (found.verdict, bool(found.about)) == (Verdict.UNKNOWN, True)
    assert not outcome("can felix fly?", *POODLE).about


@pytest.mark.parametrize(
    "text",
    ["Rex is a dog.", "Dogs can bark", "Olga works in Turin.", "My sister has a cat", "No reptile has fur.",
     "The bakery opens on Sunday.", "Mammals breathe air", "Rex ek kutta hai", "राकेश डॉक्टर नहीं है।", "ਮੋਰ ਇੱਕ ਪੰਛੀ ਹੈ।"],
)  # fmt: skip
def test_a_plain_statement_tells_something(text: str) -> None:
    assert REASONER.tells(text)


@pytest.mark.parametrize(
    "text",
    ["is Rex a dog", "Find a word for quick", "what does quick mean।", "write a poem about cats", "thank you",
     "another word for happy", "hot means what?", "you are stupid", "kya rex kutta hai", "",
     "my niece is two and tall for her age, what size jumper should I get her", "why is the lassi so sweet",
     "सिलाई मशीन का धागा क्यों टूट रहा है", "set me an alarm for seven, I can not be late again", "?", "light ka ulta",
     "I wish my name was Max", "kaash mera naam Salman hota"],
)  # fmt: skip
def test_what_asks_or_wants_something_is_no_statement(text: str) -> None:
    assert not REASONER.tells(text)


HELD = (
    "is are not no all some my of 's who what where how many the a part in has can Rex dog and that named ? , . hai ki "
    "ka mein kya kaun nahi ek mera मेरा है की ਹੈ 7 Ravi's i you it there ’ \u200d"
)
WORDS = st.sampled_from(HELD.split())
SENTENCES = st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=60)


@settings(max_examples=200, deadline=None)
@given(SENTENCES, st.lists(st.tuples(SENTENCES, st.booleans()), max_size=4))
def test_any_text_has_a_reading(question: str, told: list[tuple[str, bool]]) -> None:
    found = REASONER.outcome(question, [Note(text, denied) for text, denied in told])
    assert all(0 <= place < len(told) for place in (*found.rests_on, *found.about))
    assert REASONER.tells(question) in {True, False}


def test_many_facts_are_looked_at_and_no_more() -> None:
    chain = [f"Kind{at}x is a kind{at + 1}x." for at in range(150)]
    assert said("is kind0x a kind4x?", *chain) == "yes"
    assert said("is kind0x a kind9x?", *chain) == "unknown"


@pytest.mark.parametrize(
    ("question", "facts", "answer"),
    [
        ("where does Kim work?", ("Kim works in Goa", "Kim doesn't work in Goa any more"), "unknown"),
        ("does Kim work in Goa?", ("Kim works in Goa", "Kim no longer works in Goa"), "no"),
        ("who is my manager?", ("my manager is Dana", "Dana isn't my manager anymore"), "unknown"),
        ("Kim kithe kamm karda hai?", ("Kim Goa vich kamm karda hai", "Kim hun Goa vich kamm nahi karda"), "unknown"),
        ("किम कहाँ काम करता है?", ("किम गोवा में काम करता है", "किम अब गोवा में काम नहीं करता"), "unknown"),
        ("where does Kim work?", ("Kim works in Goa", "Kim doesn't work in Goa"), "disputed"),
        ("where does Dana work?", ("Dana works in Pune", "Dana moved to Delhi"), "Pune"),
        ("where does Dana live?", ("Dana works in Pune", "Dana moved to Delhi"), "Delhi"),
        ("where does Dana work?", ("Dana moved to Delhi",), "unknown"),
        ("where does Dana work?", ("Dana works in Pune", "Dana lives in Goa", "Dana moved to Delhi"), "Pune"),
        (
            "Dana kahan kaam karti hai?",
            ("Dana Noida mein kaam karti hai", "Dana TCS mein kaam karti hai"),
            "disputed",
        ),
    ],
)
def test_what_is_so_no_longer_or_may_be_is_not_gone_by(question: str, facts: tuple[str, ...], answer: str) -> None:
    assert said(question, *facts) == answer


@pytest.mark.parametrize(
    ("text", "spoken", "mirrored"),
    [
        ("Dana Pune me kaam karti h", "hi", "Dana Pune me kaam karti h"),
        ("my sister goes to DPS", "en", "your sister goes to DPS"),
        ("mere bhra da ghar Moga ch aa", "pa", "tuhade bhra da ghar Moga ch aa"),
        ("mera manager kaun hai?", "hi", "aapka manager kaun hai?"),
        ("mera manager kithe kamm karda hai?", "pa", "tuhada manager kithe kamm karda hai?"),
        ("Dana hun Delhi vich hai", "pa", "Dana hun Delhi vich hai"),
    ],
)
def test_the_language_of_a_text_is_told_by_its_small_words(text: str, spoken: str, mirrored: str) -> None:
    assert (REASONER.words.spoken(text), REASONER.words.mirrored(text)) == (spoken, mirrored)
