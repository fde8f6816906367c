"""What is told is proposed as triples, kept, answered with, replaced and taken back; through the whole app."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app import compose
from assistant.errors import InputError, NotFound
from assistant.events import Finished
from assistant.kinds import Place
from assistant.proposals import State
from assistant.settings import Settings
from assistant.types import Scope, Turn
from ui.server.services import Services

pytestmark = pytest.mark.promise("triples-are-decided", "kept-triples-answer")

ME, OTHER = Scope("me"), Scope("somebody else")
TALKS = {
    "English": ("my manager is Dana", "Dana lives in Pune", "Dana moved to Delhi", "where does my manager live?"),
    "Hinglish": (
        "mera manager Dana hai",
        "Dana Pune mein rehti hai",
        "Dana ab Delhi mein rehti hai",
        "mera manager kahan rehta hai?",
    ),
    "Punjabi": (
        "mera manager Dana hai",
        "Dana Pune vich rehndi hai",
        "Dana hun Delhi vich rehndi hai",
        "mera manager kithe rehnda hai?",
    ),
    "Hindi": (
        "मेरी मैनेजर दाना है",
        "दाना पुणे में रहती है",
        "दाना अब दिल्ली में रहती है",
        "मेरी मैनेजर कहाँ रहती है?",
    ),
    "Punjabi in its own script": (
        "ਮੇਰੀ ਮੈਨੇਜਰ ਡਾਨਾ ਹੈ",
        "ਡਾਨਾ ਪੁਣੇ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ",
        "ਡਾਨਾ ਹੁਣ ਦਿੱਲੀ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ",
        "ਮੇਰੀ ਮੈਨੇਜਰ ਕਿੱਥੇ ਰਹਿੰਦੀ ਹੈ?",
    ),
    "mixed": (
        "my manager is Dana",
        "Dana lives in Pune",
        "Dana Delhi shift ho gayi hai",
        "where does my manager live?",
    ),
}

NAMES = {"Hindi": ("दाना", "पुणे", "दिल्ली"), "Punjabi in its own script": ("ਡਾਨਾ", "ਪੁਣੇ", "ਦਿੱਲੀ")}


class Talk:
    """A person's talk with the app, in one conversation, over one data directory."""

    def __init__(self, home: Path, **settings: str) -> None:
        self._environment = {"NOTED_HOME": str(home), "NOTED_EMBEDDER": "none", **settings}

    @contextmanager
    def opened(self) -> Iterator[Services]:
        with closing(compose(Settings.load(self._environment))) as services:
            yield services

    def ask(self, message: str, scope: Scope = ME) -> Turn:
        with self.opened() as services:
            events = services.assistant.ask(message, scope, "c")
            return [event.turn for event in events if isinstance(event, Finished)][-1]

    def keep(self, turn: Turn, line: str = "") -> None:
        with self.opened() as services:
            services.triples.keep(turn.id, 1, ME, line)

    def proposals(self, turn: Turn) -> list[tuple[str, State]]:
        with self.opened() as services:
            now = services.assistant.turn(turn.id, ME)
            return [(one.said.line, one.state) for one in services.triples.of(now, ME)]

    def facts(self) -> list[tuple[str, list[str]]]:
        with self.opened() as services:
            entries = services.assistant.memory.entries(ME)
            return [(entry.shown, [one.line for one in entry.body.triples]) for entry in entries]  # type: ignore[attr-defined]


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(tmp_path)


@pytest.mark.parametrize("language", TALKS)
def test_two_facts_that_were_kept_answer_after_a_restart_and_a_newer_one_takes_the_place(
    talk: Talk, language: str
) -> None:
    manager, works, moved, question = TALKS[language]
    dana, pune, delhi = NAMES.get(language, ("Dana", "Pune", "Delhi"))
    for message in (manager, works):
        talk.keep(talk.ask(message))
    turn = talk.ask(question)
    assert turn.reply.answer.startswith(pune)
    assert turn.reply.fields["because"] == (manager, works)

    change = talk.ask(moved)
    ((line, state),) = talk.proposals(change)
    assert (line.split(" | ")[::2], state) == ([dana, delhi], State.PROPOSED)
    talk.keep(change)
    turn = talk.ask(question)
    assert turn.reply.answer.startswith(delhi)
    assert turn.reply.fields["because"] == (manager, moved)
    assert works not in [text for text, _ in talk.facts()]

    with talk.opened() as services:
        services.triples.undo(change.id, 1, ME)
    assert talk.proposals(change) == [(line, State.PROPOSED)]
    with talk.opened() as services:
        services.assistant.undo(services.assistant.memory.entries(ME)[0].id, ME)
    assert talk.ask(question).reply.answer.startswith(pune)  # as told, since nothing takes its place any more


def test_kept_it_stands_on_the_fact_of_its_sentence(talk: Talk) -> None:
    turn = talk.ask("my manager is Dana")
    assert talk.facts() == [("my manager is Dana", [])]
    talk.keep(turn)
    talk.keep(turn)
    assert talk.facts() == [("my manager is Dana", ["I | manager | Dana"])]
    assert talk.proposals(turn) == [("I | manager | Dana", State.KEPT)]


def test_changed_dropped_and_taken_back_it_is_as_it_was(talk: Talk) -> None:
    turn = talk.ask("my manager is Dana")
    talk.keep(turn, "I | chief | Dana K")
    assert talk.facts() == [("my chief is Dana K", ["I | chief | Dana K"])]
    assert talk.proposals(turn) == [("I | chief | Dana K", State.KEPT)]
    with talk.opened() as services:
        services.triples.discard(turn.id, 1, ME)
    assert talk.facts() == [("my manager is Dana", [])]
    assert talk.proposals(turn) == [("I | manager | Dana", State.DISCARDED)]
    with talk.opened() as services:
        services.triples.undo(turn.id, 1, ME)
    assert talk.proposals(turn) == [("I | manager | Dana", State.PROPOSED)]


def test_taking_the_fact_back_says_that_its_triple_is_gone(talk: Talk) -> None:
    turn = talk.ask("my manager is Dana")
    talk.keep(turn)
    with talk.opened() as services:
        (entry,) = services.assistant.memory.entries(ME)
        services.assistant.undo(entry.supersedes or "", ME)
    assert talk.facts() == []
    assert talk.proposals(turn) == [("I | manager | Dana", State.GONE)]
    talk.keep(turn)
    assert talk.facts() == [("my manager is Dana", ["I | manager | Dana"])]


def test_where_it_is_set_so_it_is_kept_by_itself_and_undone_as_easily(tmp_path: Path) -> None:
    talk = Talk(tmp_path, NOTED_KEEP_TRIPLES="on")
    turn = talk.ask("my manager is Dana")
    assert talk.proposals(turn) == [("I | manager | Dana", State.KEPT)]
    with talk.opened() as services:
        services.triples.undo(turn.id, 1, ME)
    assert talk.facts() == [("my manager is Dana", [])]
    assert talk.proposals(turn) == [("I | manager | Dana", State.PROPOSED)]


def test_what_is_no_triple_is_not_kept_and_nobody_else_keeps_it(talk: Talk) -> None:
    turn = talk.ask("my manager is Dana")
    with talk.opened() as services:
        for line in ("boss", "a | b", "a | | c", "a | b | c | d"):
            with pytest.raises(InputError):
                services.triples.keep(turn.id, 1, ME, line)
        for number in (0, 2):
            with pytest.raises(NotFound):
                services.triples.keep(turn.id, number, ME)
        with pytest.raises(NotFound):
            services.triples.keep(turn.id, 1, OTHER)
    assert talk.facts() == [("my manager is Dana", [])]


@pytest.mark.parametrize(
    ("place", "firm", "question", "moved"),
    [
        (
            "Dana Pune mein kaam karti hai",
            "Dana Infosys mein kaam karti hai",
            "Dana kahan kaam karti hai?",
            "Dana ab Delhi mein hai",
        ),
        ("ਡਾਨਾ ਪੁਣੇ ਵਿੱਚ ਕੰਮ ਕਰਦੀ ਹੈ", "ਡਾਨਾ ਇਨਫੋਸਿਸ ਵਿੱਚ ਕੰਮ ਕਰਦੀ ਹੈ", "ਡਾਨਾ ਕਿੱਥੇ ਕੰਮ ਕਰਦੀ ਹੈ?", "ਡਾਨਾ ਹੁਣ ਦਿੱਲੀ ਵਿੱਚ ਹੈ"),
        ("Dana works in Pune", "Dana Infosys mein kaam karti hai", "Dana kahan kaam karti hai?", "Dana moved to Delhi"),
    ],
)
def test_a_firm_takes_no_towns_place_and_both_are_asked_about(
    talk: Talk, place: str, firm: str, question: str, moved: str
) -> None:
    for message in (place, firm):
        talk.keep(talk.ask(message))
    assert [text for text, _ in talk.facts()] == [firm, place]
    answer = talk.ask(question).reply.answer
    assert all(triple.rpartition(" | ")[2] in answer for _, (triple,) in talk.facts())
    talk.keep(talk.ask(moved))
    assert firm in [text for text, _ in talk.facts()]


def test_of_two_that_stand_on_one_fact_each_gives_back_what_it_replaced(talk: Talk) -> None:
    talk.keep(talk.ask("Dana works in Pune"))
    turn = talk.ask("Dana works in Delhi and Dana lives in Goa")
    with talk.opened() as services:
        for number in (1, 2):
            services.triples.keep(turn.id, number, ME)
    assert [text for text, _ in talk.facts()] == [turn.question]
    with talk.opened() as services:
        services.triples.undo(turn.id, 1, ME)
    assert [lines for _, lines in talk.facts()] == [["Dana | lives in | Goa"], ["Dana | works in | Pune"]]
    with talk.opened() as services:
        services.triples.undo(turn.id, 2, ME)
    assert [lines for _, lines in talk.facts()] == [[], ["Dana | works in | Pune"]]


def test_what_its_person_changes_is_what_the_fact_says(talk: Talk) -> None:
    turn = talk.ask("Dana works in Pune")
    talk.keep(turn)
    talk.keep(turn, "Dana | works in | Delhi")
    assert talk.facts() == [("Dana works in Delhi", ["Dana | works in | Delhi"])]
    with talk.opened() as services:
        services.triples.undo(turn.id, 1, ME)
    assert talk.facts() == [("Dana works in Pune", [])]
    assert talk.proposals(turn) == [("Dana | works in | Pune", State.PROPOSED)]


def test_where_somebody_works_is_no_name_for_whom_they_work_at(talk: Talk) -> None:
    talk.keep(talk.ask("Dana works in Pune"))
    talk.keep(talk.ask("Dana works at Acme"))
    assert [lines for _, lines in talk.facts()] == [["Dana | works at | Acme"], ["Dana | works in | Pune"]]


def test_what_was_dropped_does_not_come_back(talk: Talk) -> None:
    pune, delhi = talk.ask("Dana works in Pune"), talk.ask("Dana works in Delhi")
    for turn in (pune, delhi):
        talk.keep(turn)
    assert talk.proposals(pune) == [("Dana | works in | Pune", State.GONE)]
    with talk.opened() as services:
        services.triples.discard(pune.id, 1, ME)
        services.triples.discard(delhi.id, 1, ME)
    assert [lines for _, lines in talk.facts()] == [[], []]


def test_what_is_kept_last_counts(talk: Talk) -> None:
    pune, delhi = talk.ask("Dana works in Pune"), talk.ask("Dana works in Delhi")
    for turn in (delhi, pune):
        talk.keep(turn)
    assert [lines for _, lines in talk.facts()] == [["Dana | works in | Pune"]]
    with talk.opened() as services:
        services.triples.undo(pune.id, 1, ME)
    assert [lines for _, lines in talk.facts()] == [["Dana | works in | Delhi"], []]


@pytest.mark.parametrize(
    "message", ["Farhan ab Mysore mein rehta hai", "फरहान अब मैसूर में रहता है", "Farhan hun Mysore vich rehnda hai"]
)
def test_what_is_so_now_is_no_contradiction(talk: Talk, message: str) -> None:
    talk.keep(talk.ask("mera boss Farhan hai"))
    talk.keep(talk.ask(message))
    assert talk.ask("mera boss kahan rehta hai?").reply.answer.strip(".।") in {"Mysore", "मैसूर"}


def test_a_person_who_believes_and_moves_believes_as_before(talk: Talk) -> None:
    for message in ("Rohit believes in God", "Rohit moved to Surat"):
        talk.keep(talk.ask(message))
    assert [lines for _, lines in talk.facts()] == [["Rohit | lives in | Surat"], ["Rohit | believes in | God"]]


def test_instead_is_learnt_from_what_was_kept(talk: Talk) -> None:
    for message in ("Dana plays chess", "Dana plays tennis"):
        talk.keep(talk.ask(message))
    with talk.opened() as services:
        newer, older = services.assistant.memory.entries(ME)
        services.assistant.memory.put(newer.id, Place.INSTEAD, older.id, ME)
    assert [text for text, _ in talk.facts()] == ["Dana plays tennis"]
    talk.keep(talk.ask("Dana plays golf"))
    assert [text for text, _ in talk.facts()] == ["Dana plays golf"]
    with talk.opened() as services:
        (newest,) = services.assistant.memory.entries(ME)
        services.assistant.memory.retract(newest.id, ME)
    assert "Dana plays tennis" in [text for text, _ in talk.facts()]


@pytest.mark.parametrize(
    ("works", "ended", "question"),
    [
        ("Kim works in Goa", "Kim doesn't work in Goa any more", "where does Kim work?"),
        ("Kim works in Goa", "Kim ab Goa mein kaam nahi karta", "Kim kahan kaam karta hai?"),
    ],
)
def test_what_is_so_no_longer_takes_the_place_of_what_was_kept(
    talk: Talk, works: str, ended: str, question: str
) -> None:
    talk.keep(talk.ask(works))
    talk.ask(ended)
    assert talk.facts() == [(ended, [])]
    assert "Goa" not in talk.ask(question).reply.answer
    with talk.opened() as services:
        (entry,) = services.assistant.memory.entries(ME)
        assert [earlier.shown for earlier in services.assistant.memory.earlier([entry.id], ME)[entry.id]] == [works] * 2
        services.assistant.undo(entry.id, ME)
    assert talk.ask(question).reply.answer.startswith("Goa")


def test_what_was_told_is_put_right_in_plain_words_and_comes_back(talk: Talk) -> None:
    talk.ask("remember that Dana is my boss")
    again = talk.ask("no, I meant Asha is my boss")
    assert again.reply.understanding == "You told me that Asha is your boss."
    assert talk.facts() == [("Asha is my boss", [])]
    assert talk.ask("who is my boss?").reply.answer.startswith("Asha")
    with talk.opened() as services:
        (entry,) = services.assistant.memory.entries(ME)
        services.triples.keep(again.id, 1, ME)
        (kept,) = services.assistant.memory.entries(ME)
        assert [one.line for one in kept.body.triples] == ["I | boss | Asha"]  # type: ignore[attr-defined]
        services.triples.undo(again.id, 1, ME)
        services.assistant.undo(entry.id, ME)
    assert talk.ask("who is my boss?").reply.answer.startswith("Dana")
