"""What every `Insights` promises: each number is what one would count by hand."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from assistant.errors import NoIdentity
from assistant.model_usage import Usage
from assistant.reports.insights import ENOUGH, PER, Overview, Stretch, Tally, Worked
from assistant.sharing import Curator
from assistant.types import Entry, Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.ledger.ledger import Ledger
from memory_store.turns.insights import MOST_STRETCHES, overview
from memory_store.turns.spending import LedgerSpending
from memory_store.turns.turns import LedgerTurnStore
from tests.support.memory.store import ANN, BOB, ledger_memory, ledger_url, unlike

MANY_HEALTH = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
PEOPLE = (ANN, BOB)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
NO_QUESTION = {TurnState.CORRECTION, TurnState.UNDONE, TurnState.RUNNING, TurnState.DELETED}
CORA = Curator(Scope("cora"), frozenset({"cora"}))


@dataclass(frozen=True)
class Found:
    """What became of one of the person's entries in a turn."""

    entry: int
    was_used: bool
    reaction: str


@dataclass(frozen=True)
class Made:
    """One made-up turn: whose, how it ended, and what became of the entries that it found."""

    person: Scope
    state: TurnState
    corrected: bool = False
    again: bool = False
    found: tuple[Found, ...] = ()
    ms: dict[str, float] = field(default_factory=dict)


REACTION = st.sampled_from(["", "helped", "hurt"])
FOUND = st.builds(Found, st.integers(0, 3), st.booleans(), REACTION)
MADE = st.builds(
    Made,
    person=st.sampled_from(PEOPLE),
    state=st.sampled_from([TurnState.ANSWERED] * 5 + list(TurnState)),
    corrected=st.booleans(),
    again=st.sampled_from([False, False, True]),
    found=st.lists(FOUND, max_size=3, unique_by=lambda found: found.entry).map(tuple),
    ms=st.dictionaries(st.sampled_from(["recall", "gate", "prompt", "model", "total"]), st.integers(0, 900).map(float)),
)


class Books:
    """A ledger with what a test writes into it."""

    def __init__(self, url: str) -> None:
        self.ledger = Ledger(url, lambda: BEGAN)
        self.turn_store, self.memory = LedgerTurnStore(self.ledger), ledger_memory(self.ledger)
        self.insights = partial(overview, self.ledger)
        self._numbers = itertools.count()

    def remember(self, person: Scope) -> Entry:
        return self.memory.remember(unlike(f"{person.person} {next(self._numbers)}"), person)

    def record(self, made: Made, entries: list[Entry]) -> Turn:
        number = next(self._numbers)
        used = tuple(entries[one.entry].id for one in made.found if one.was_used)
        turn = Turn(
            f"t{number}", "c", made.person.person, "q", created=BEGAN + timedelta(minutes=number), state=made.state,
            reply=Reply.of("raw", "u", "a", ReplyStatus.OK), used=used,
            answers_again="t" if made.again else None,
            corrected_by="e" if made.corrected else None, ms=made.ms,
        )  # fmt: skip
        self.turn_store.record(turn, made.person)
        for one in made.found:
            for event in ("used", one.reaction) if one.was_used else ():
                if event:
                    self.memory.count(entries[one.entry].id, event, turn.id, made.person)
        return turn


@contextmanager
def books_at(url: str) -> Iterator[Books]:
    books = Books(url)
    try:
        yield books
    finally:
        books.ledger.close()


@pytest.fixture
def fresh_url(request: pytest.FixtureRequest, any_ledger_url: str, tmp_path: Path) -> Callable[[], str]:
    """The URL of one more empty ledger, in the same database as `any_ledger_url`."""
    if any_ledger_url.startswith("sqlite"):
        number = itertools.count()
        return lambda: ledger_url(tmp_path / str(next(number)))
    return request.getfixturevalue("postgres").url  # type: ignore[no-any-return]


def is_question(turn: Turn) -> bool:
    if turn.answers_again or turn.state in NO_QUESTION:
        return False
    return turn.state is TurnState.ANSWERED or turn.corrected_by is not None


def stretches_of(turns: list[Turn]) -> list[Stretch]:
    blocks = [turns[start : start + PER] for start in range(0, len(turns), PER)]
    parts = [([turn for turn in block if turn.used], [turn for turn in block if not turn.used]) for block in blocks]
    return [
        Stretch(block[0].created, block[-1].created, tally(those), tally(others))
        for block, (those, others) in zip(blocks, parts, strict=True)
    ]


def tally(turns: list[Turn]) -> Tally:
    return Tally(len(turns), sum(turn.corrected_by is not None for turn in turns))


@settings(max_examples=4, suppress_health_check=MANY_HEALTH, phases=[Phase.explicit, Phase.generate])
@given(made=st.lists(MADE, max_size=50), more=st.lists(st.sampled_from(PEOPLE), max_size=6))
def test_every_number_is_what_one_counts_by_hand(
    fresh_url: Callable[[], str], made: list[Made], more: list[Scope]
) -> None:
    with books_at(fresh_url()) as books:
        entries = {person: [books.remember(person) for _ in range(4)] for person in PEOPLE}
        for person in more:
            books.remember(person)
        recorded = [(one, books.record(one, entries[one.person])) for one in made]
        for who in ((ANN,), (BOB,), PEOPLE):
            seen = books.insights(CORA if who == PEOPLE else who[0])
            mine = [(one, turn) for one, turn in recorded if one.person in who]
            check(seen, mine, entries, is_whole=who == PEOPLE)
            assert seen.remembered == sum(4 + more.count(person) for person in who)


def check(
    seen: Overview,
    made: list[tuple[Made, Turn]],
    entries: dict[Scope, list[Entry]],
    *,
    is_whole: bool,
) -> None:
    turns = [turn for _, turn in made if is_question(turn)]
    used = [(one.person, found) for one, _ in made for found in one.found if found.was_used]
    came = [(entries[person][found.entry].id, found.reaction) for person, found in used]
    uses = Counter(of for of, _ in came)
    worked = [Worked(one, uses[one], came.count((one, "helped")), came.count((one, "hurt"))) for one in uses]
    assert list(seen.stretches) == stretches_of(turns)
    assert (seen.all, seen.people) == (tally(turns), len({turn.person for turn in turns}))
    assert seen.saved == sum(bool(turn.used) and turn.corrected_by is None for turn in turns)
    reactions = [reaction for _, reaction in came]
    assert (seen.used, seen.helped, seen.hurt) == (len(came), reactions.count("helped"), reactions.count("hurt"))
    ordered = sorted(worked, key=lambda one: (-one.used, one.hurt, one.entry_id))
    assert list(seen.worked) == ([] if is_whole else ordered)
    timed = [turn for _, turn in made if turn.state is TurnState.ANSWERED and "total" in turn.ms]
    totals = [turn.ms["total"] for turn in timed]
    assert seen.times.answers == len(totals)
    if totals:
        assert min(totals) <= seen.times.median <= seen.times.slowest <= max(totals)
        assert sum(seen.times.parts.values()) >= fmean(totals) - 1e-6


def test_of_nothing_and_of_few_questions_little_is_told(any_ledger_url: str) -> None:
    with books_at(any_ledger_url) as books:
        assert books.insights(ANN) == books.insights(CORA) == Overview()
    assert [Tally(questions, 1).per_twenty for questions in (0, 1, ENOUGH - 1, ENOUGH)] == [None, None, None, 4.0]


def test_very_many_questions_are_told_in_longer_stretches(any_ledger_url: str) -> None:
    number = MOST_STRETCHES * PER + 1
    with books_at(any_ledger_url) as books:
        for _ in range(number):
            books.record(Made(ANN, TurnState.ANSWERED, corrected=True), [])
        seen = books.insights(ANN)
    assert [stretch.all.questions for stretch in seen.stretches][:2] == [2 * PER, 2 * PER]
    assert (seen.all, seen.all.per_twenty) == (Tally(number, number), PER)


def test_only_a_curator_sees_the_whole_and_only_with_a_scope_anything(any_ledger_url: str) -> None:
    with books_at(any_ledger_url) as books:
        with pytest.raises(NoIdentity):
            books.insights(None)  # type: ignore[arg-type]
        LedgerSpending(books.ledger, 5.0, lambda: BEGAN)(0.25)
        assert [(spent.day, spent.dollars) for spent in books.insights(CORA).spent] == [("2026-01-01", 0.25)]
        assert books.insights(ANN).spent == ()


USAGE = st.none() | st.builds(
    Usage,
    prompt=st.integers(0, 9000),
    reply=st.integers(0, 900),
    told=st.booleans(),
    dollars=st.none() | st.integers(0, 80).map(lambda cents: cents / 64),
)


@settings(max_examples=4, suppress_health_check=MANY_HEALTH, phases=[Phase.explicit, Phase.generate])
@given(usages=st.lists(st.tuples(st.sampled_from(PEOPLE), USAGE), max_size=120))
def test_what_answers_took_of_the_model(fresh_url: Callable[[], str], usages: list[tuple[Scope, Usage | None]]) -> None:
    one = Made(ANN, TurnState.ANSWERED)
    with books_at(fresh_url()) as books:
        for person, usage in usages:
            turn = books.record(replace(one, person=person), [])
            books.turn_store.record(replace(turn, usage=usage), person)
            books.turn_store.record(
                replace(turn, id=f"{turn.id} stopped", state=TurnState.STOPPED, usage=usage), person
            )
        for who in (ANN, BOB, None):
            seen = books.insights(who or CORA).taken
            mine = [usage for person, usage in usages if usage and who in {person, None}]
            prices = [usage.dollars for usage in mine if usage.dollars is not None]
            assert (seen.answers, seen.priced) == (len(mine), len(prices))
            assert seen.told == sum(usage.told for usage in mine)
            if mine:
                assert seen.prompt == pytest.approx(fmean(usage.prompt for usage in mine))
                assert seen.reply == pytest.approx(fmean(usage.reply for usage in mine))
            assert seen.dollars == sum(prices)
            assert seen.each == (fmean(prices) if prices else None)


def test_where_the_time_goes_and_what_is_damaged_counts_for_nothing(any_ledger_url: str) -> None:
    ms = {"recall": 10.0, "gate": 2.0, "prompt": 3.0, "first_token": 100.0, "model": 400.0, "total": 420.0}
    damaged: Any = "a damaged value"
    one = Made(ANN, TurnState.ANSWERED, ms=ms)
    with books_at(any_ledger_url) as books:
        turn = books.record(one, [])
        books.record(replace(one, ms=ms | {"model": damaged}), [])
        times = books.insights(ANN).times
        for wrong in (Usage(10, 2, told=True), Usage("ten", 2, told=True), Usage(20, None, told=True)):  # type: ignore[arg-type]
            books.turn_store.record(replace(turn, id=f"took {wrong.prompt}", usage=wrong), ANN)
        taken = books.insights(ANN).taken
    assert (times.answers, times.median, times.slowest) == (2, 420.0, 420.0)
    parts = {"recall": 10.0, "gate": 2.0, "prompt": 3.0, "first_token": 50.0, "writing": 150.0, "rest": 205.0}
    assert times.parts == parts
    assert (taken.answers, taken.prompt, taken.reply) == (1, 10, 2)
