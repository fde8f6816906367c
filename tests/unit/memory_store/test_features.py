"""Features: numbers in [0, 1] of a question and one entry, absent where unknown; a new one is picked up by itself."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.choose.gate import Gate
from assistant.types import Action, Candidate, Entry, Key, KeyOrigin, ReactionTo, Scope
from memory_store.embedding.embedder import BUNDLED
from memory_store.index.key_matrix import KeyMatrix
from memory_store.language.word_translation import READINGS
from memory_store.ledger.indexed_keys import indexed_keys
from memory_store.recall.features import AGAINST, kind_similarity, margins, reactions_like, similar
from memory_store.recall.recall import candidates, nearest
from tests.support.memory.entries import made_entry
from tests.support.memory.store import LetterPairs, asked

ANN = Scope("ann")
EMBEDDER = LetterPairs()
MARGINS = {"margin", "margin_behind"}
OF_MEANING = {"meaning", "with_feedback", "with_misreading", "second_meaning", "middle_meaning", "further_meaning"}
TEXT = st.lists(
    st.sampled_from(["what", "is", "akin", "unlike", "to", "quick", "kal", "match", "पानी", "ਉਲਟਾ", "?", "12"]),
    max_size=5,
).map(" ".join)
KEYS = st.lists(st.builds(Key, TEXT.filter(bool), st.sampled_from(list(KeyOrigin))), max_size=4)
REACTIONS = st.lists(st.builds(ReactionTo, TEXT, st.booleans()), max_size=3)


def an_entry(
    name: str, question: str, said: str = "", wrong: str = "", keys: Sequence[Key] = (), owner: str = "ann"
) -> Entry:
    fields = {"owner": owner, "shared": owner != "ann", "keys": (Key(question), *keys), "wrong_understanding": wrong}
    return made_entry(question, said, id=name, **fields)


def known(name: str, said: str) -> st.SearchStrategy[Entry]:
    """Clarifications: such an entry always has something that a person said."""
    return st.builds(
        lambda question, more, wrong, keys, owner, counts, reactions: replace(
            an_entry(name, question, f"{said} {more}", wrong, keys, owner),
            helped=counts[0], hurt=counts[1], reactions=tuple(reactions),
        ),
        TEXT.filter(bool), TEXT, TEXT, KEYS, st.sampled_from(["ann", "bob"]),
        st.tuples(st.integers(0, 3), st.integers(0, 3)), REACTIONS,
    )  # fmt: skip


ENTRY = known("one", "I meant")
OTHERS = st.lists(st.integers(0, 99), max_size=3, unique=True).flatmap(
    lambda numbers: st.tuples(*(known(f"other {number}", "that is") for number in numbers))
)


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    found("quick", [an_entry("one", "quick")])


def found(question: str, entries: Sequence[Entry], embedder: LetterPairs | None = EMBEDDER) -> dict[str, Candidate]:
    """What recall would find among these entries, all of them in one matrix."""
    rows = [row for entry in entries for row in indexed_keys(entry, READINGS)]
    vectors = None if embedder is None else embedder.encode([row.text for row in rows])
    hits = nearest([KeyMatrix(rows, vectors)], asked(question, READINGS, embedder))
    by_id = {entry.id: entry for entry in entries}
    joined = [(near, by_id[near.entry_id]) for part in hits.values() for near in part]
    return {candidate.entry.id: candidate for candidate in candidates(joined, question, ANN)}


def scores(question: str, entry: Entry, embedder: LetterPairs | None = EMBEDDER) -> dict[str, float]:
    return dict(found(question, [entry], embedder)[entry.id].scores)


@given(TEXT, ENTRY, OTHERS, st.booleans())
def test_what_else_is_remembered_changes_only_how_far_ahead_or_behind(
    question: str, entry: Entry, others: tuple[Entry, ...], embedded: bool
) -> None:
    embedder = EMBEDDER if embedded else None
    alone = found(question, [entry], embedder)["one"]
    among = found(question, [*others, entry], embedder)["one"]
    assert among.key == alone.key
    assert among.scores.keys() == alone.scores.keys()
    for name in alone.scores.keys() - MARGINS:
        assert among.scores[name] == pytest.approx(alone.scores[name], abs=1e-5), name


@given(TEXT, st.tuples(ENTRY, OTHERS), st.booleans())
def test_every_feature_lies_between_0_and_1(
    question: str, entries: tuple[Entry, tuple[Entry, ...]], embedded: bool
) -> None:
    for candidate in found(question, [entries[0], *entries[1]], EMBEDDER if embedded else None).values():
        assert AGAINST - {"copied", "with_misreading"} <= candidate.scores.keys()
        assert {name: value for name, value in candidate.scores.items() if not 0.0 <= value <= 1.0} == {}


@given(TEXT, ENTRY)
def test_without_vectors_nothing_is_said_of_meaning_and_all_else_is_the_same(question: str, entry: Entry) -> None:
    rows = indexed_keys(entry, READINGS)
    matrix = KeyMatrix(rows, EMBEDDER.encode([row.text for row in rows]))
    embedded = similar(matrix.compare(asked(question, READINGS, EMBEDDER)), 0)
    spelled = {name: value for name, value in embedded.items() if "meaning" not in name and name not in OF_MEANING}
    assert OF_MEANING & embedded.keys() - spelled.keys() >= {"meaning", "with_feedback", "with_misreading"}
    for some, embedder in ((KeyMatrix(rows), EMBEDDER), (matrix, None)):
        assert similar(some.compare(asked(question, READINGS, embedder)), 0) == pytest.approx(spelled)


@given(TEXT, ENTRY)
def test_what_cannot_be_known_is_absent_not_zero(question: str, entry: Entry) -> None:
    origins = [key.origin for key in entry.keys]
    names = scores(question, entry).keys()
    has_further = KeyOrigin.MODEL in origins
    assert any(name.startswith("further_") for name in names) is has_further
    assert ("copied" in names) is has_further
    assert any(name.startswith("second_") for name in names) is (len(origins) - origins.count(KeyOrigin.RULE) > 1)


@given(TEXT, ENTRY, TEXT.filter(bool))
def test_a_few_words_that_a_rule_took_from_a_question_help_to_find_and_say_nothing_more(
    question: str, entry: Entry, phrase: str
) -> None:
    longer = replace(entry, keys=(*entry.keys, Key(phrase, KeyOrigin.RULE)))
    plain, found_by_more = found(question, [entry])["one"], found(question, [longer])["one"]
    assert found_by_more.key == plain.key
    assert found_by_more.scores["relevance"] >= plain.scores["relevance"] - 1e-5
    for name in ("meaning", "ngrams"):
        assert found_by_more.scores[name] == pytest.approx(plain.scores[name], abs=1e-5), name


@pytest.mark.parametrize("missing", ["question", "further"])
def test_an_entry_of_which_a_vector_is_missing_has_no_meaning_and_the_others_have(missing: str) -> None:
    keys = [Key("a word", KeyOrigin.MODEL)]
    entries = [an_entry(name, "what is akin to quick", "a synonym", keys=keys) for name in "ab"]
    rows = [row for entry in entries for row in indexed_keys(entry, READINGS)]
    vectors = EMBEDDER.encode([row.text for row in rows])
    (gone,) = (place for place, row in enumerate(rows) if row.entry_id == "b" and row.role.value == missing)
    vectors[gone] = float("nan")
    compared = KeyMatrix(rows, vectors).compare(asked("what is akin to quick", READINGS, EMBEDDER))
    whole, partly = similar(compared, 0), similar(compared, 1)
    assert whole["meaning"] == pytest.approx(1.0)
    assert not OF_MEANING & partly.keys()
    assert partly["ngrams"] == pytest.approx(1.0)


@given(TEXT, ENTRY, OTHERS)
def test_what_stands_in_another_matrix_never_matters(question: str, entry: Entry, others: tuple[Entry, ...]) -> None:
    def near(*groups: Sequence[Entry]) -> dict[str, dict[str, float]]:
        matrices = []
        for group in groups:
            rows = [row for one in group for row in indexed_keys(one, READINGS)]
            matrices.append(KeyMatrix(rows, EMBEDDER.encode([row.text for row in rows])))
        hits = [hit for part in nearest(matrices, asked(question, READINGS, EMBEDDER)).values() for hit in part]
        return {hit.entry_id: {**similar(hit.scores, hit.place), "relevance": hit.relevance} for hit in hits}

    assert near([entry], others) == near([entry]) | near(others)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5).map(lambda some: sorted(some, reverse=True)))
def test_only_one_is_ahead_and_the_others_are_behind(similarities: list[float]) -> None:
    first, *others = (margins(near, similarities) for near in similarities)
    assert first == {"margin": similarities[0] - similarities[1] if others else 0.0, "margin_behind": 0.0}
    assert [other["margin_behind"] for other in others] == [similarities[0] - near for near in similarities[1:]]
    assert all(other["margin"] == 0.0 for other in others if other["margin_behind"])


@pytest.mark.parametrize(("question", "alike"), [
    ("what is akin to enormous ?", True), ("wat is akin to enormous", True), ("what is unlike quick ?", False),
    ("use quick in a sentence", False), ("cold se bilkul alag kya hai", False),
])  # fmt: skip
def test_a_reaction_weighs_for_its_kind_of_question(question: str, alike: bool) -> None:
    reactions = (ReactionTo("what is akin to quick ?", helped=False),)
    entry = replace(an_entry("one", "what is akin to big ?", "a synonym"), hurt=1, reactions=reactions)
    found = scores(question, entry)
    assert (found["hurt_like"] > 0.4) if alike else (found["hurt_like"] == 0)
    assert (found["hurt"], found["helped_like"]) == (0.5, 0)


@given(TEXT, REACTIONS, st.booleans())
def test_one_more_reaction_to_the_same_question_only_raises_its_own_number(
    question: str, reactions: list[ReactionTo], helped: bool
) -> None:
    entry = an_entry("one", "a question", "a synonym")
    before = reactions_like(question, replace(entry, reactions=tuple(reactions)))
    after = reactions_like(question, replace(entry, reactions=(ReactionTo(question, helped), *reactions)))
    own, other = (0, 1) if helped else (1, 0)
    assert all(0 <= number < 1 for number in (*before, *after))
    assert after[own] > before[own]
    assert after[other] == before[other]


@given(TEXT, TEXT)
def test_likeness_of_kind_has_no_direction(first: str, second: str) -> None:
    assert 0 <= kind_similarity(first, second) == kind_similarity(second, first) <= 1
    assert kind_similarity(first, first) == 1


STORED = [
    ("what is akin to quick ?", "a synonym", "a word that sounds like quick"),
    ("what is unlike quick ?", "an antonym", "a synonym of quick"),
    ("kal match kab hai", "kal means yesterday here", "tomorrow's match"),
    ("ਗਰਮ ਦਾ ਉਲਟਾ ਦੱਸੋ", "the opposite word", ""),
    ("is the bank open", "the bank of the river", "whether the branch is open"),
    ("¿qué hora es?", "in India", "the time in Spain"),
    ("lit", "by lit I mean literature", ""),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(STORED)))
@pytest.mark.parametrize("keys", [(), (Key("another way to ask it", KeyOrigin.MODEL),), (Key("once more"),)])
@pytest.mark.parametrize("embedded", [True, False])
def test_the_same_question_asked_again_is_used(number: int, keys: tuple[Key, ...], embedded: bool) -> None:
    entries = [an_entry(f"{place}", *texts, keys=keys) for place, texts in enumerate(STORED)]
    candidates = found(STORED[number][0], entries, EMBEDDER if embedded else None)
    decision, *others = Gate.from_file(BUNDLED)(list(candidates.values()), ANN)
    assert (decision.entry.id, decision.action) == (str(number), Action.USE)
    assert str(decision.reason) == f'The same question as "{STORED[number][0]}".'
    assert all(other.action is not Action.USE for other in others)
