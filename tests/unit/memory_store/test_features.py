"""Scores and features of a question and an entry, in [0, 1]; letter similarity against a plain TF-IDF cosine."""

import math
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assistant.types import Candidate, Entry, Key, KeyOrigin, Scope
from memory_store.language.letters import compare_letters, load_rarity_table, measure_letters
from memory_store.language.normalize import fold
from memory_store.language.word_translation import fold_for_comparison
from memory_store.ledger.indexed_keys import indexed_keys
from memory_store.retrieval.features import score_texts
from memory_store.retrieval.retriever import MOST_SHARED, build_candidate, read_texts, select_nearest
from tests.support.memory.entries import build_owned_entry
from tests.support.memory.store import LetterPairEmbedder

ANN = Scope("ann")
EMBEDDER = LetterPairEmbedder()
OF_MEANING = {"meaning", "middle", "all_letters", "copied", "written", "named"}
WORDS = ["what", "is", "akin", "unlike", "to", "quick", "quickly", "aaaa", "kal", "match", "पानी", "ਉਲਟਾ", "?", "12"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)


def found(question: str, entries: Sequence[Entry], embedder: LetterPairEmbedder | None) -> dict[str, Candidate]:
    near = read_texts(entries)
    if embedder:
        asked = embedder.encode([question])[0]
        for entry in entries:
            vectors = embedder.encode([text.text for text in indexed_keys(entry)])
            near[entry.id] = near[entry.id]._replace(cosines=(vectors @ asked).tolist())
    nearest = select_nearest(score_texts(fold_for_comparison(question), near))
    by_id = {entry.id: entry for entry in entries}
    return {name: build_candidate(one, by_id[name], question, ANN) for name, one in nearest.items()}


@example("what akin akin", [("what akin akin", "", [])], True)
@given(TEXT, st.lists(st.tuples(TEXT, TEXT, st.lists(TEXT, max_size=2)), min_size=1, max_size=4), st.booleans())
def test_scores_are_those_of_two_alone(
    question: str, notes: list[tuple[str, str, list[str]]], is_embedded: bool
) -> None:
    embedder = EMBEDDER if is_embedded else None
    entries = [
        build_owned_entry(asked, said, id=str(at), keys=(Key(asked), *(Key(text, KeyOrigin.MODEL) for text in written)))
        for at, (asked, said, written) in enumerate(notes)
    ]
    among = found(question, entries, embedder)
    for entry in entries:
        scores, alone = among[entry.id].scores, found(question, [entry], embedder)[entry.id].scores
        assert {name: value for name, value in scores.items() if not 0.0 <= value <= 1.0} == {}
        assert scores.keys() == alone.keys()
        assert dict(scores) == pytest.approx(dict(alone), abs=1e-5)
        assert is_embedded or OF_MEANING.isdisjoint(scores)


@pytest.mark.parametrize(
    ("question", "known", "said", "way"),
    [
        ("what is akin to hot", "what is akin to quick", "I want a synonym", 1.0),
        ("what is akin to hot", "what is akin to quick", "I can't use that one twice", 1.0),
        ("what is akin to a hot meal", "what is akin to quick", "I can't use that one twice", 0.0),
        ("cheapest flights rome in december", "cheapest flights home in december", "jaipur is what I call that", 1.0),
        ("book the cheapest flights rome in december", "book the cheapest flights home in december", "to jaipur", 0.0),
        ("book the cheapest flights rome in december", "book the cheapest flights home in december", "", 1.0),
    ],
)
def test_way_of_asking_is_about_a_word(question: str, known: str, said: str, way: float) -> None:
    assert found(question, [build_owned_entry(known, said, id="one")], None)["one"].scores["way"] == way


def test_short_written_key_is_named() -> None:
    keys = (Key("ask to prepone it"), *(Key(text, KeyOrigin.MODEL) for text in ("prepone", "move to an earlier date")))
    entry = build_owned_entry("ask to prepone it", "sooner", id="one", keys=keys)
    named = [found(question, [entry], EMBEDDER)["one"].scores["named"] for question in ("I prepone it", "postpone it")]
    assert named == [1.0, 0.0]


def test_shared_entries_leave_room_for_own() -> None:
    shared = [build_owned_entry("akin to quick", str(at), id=f"s{at}", owner="", shared=True) for at in range(12)]
    names = found("akin to quick", [*shared, build_owned_entry("quick match", "a game", id="own")], None)
    assert ("own" in names, len(names)) == (True, 1 + MOST_SHARED)


WRITTEN = st.text(st.characters(codec=None), max_size=60) | TEXT
CLOSE = 1e-4  # 32-bit numbers


def naive_weights(text: str) -> dict[int, float]:
    codes, values, unknown = load_rarity_table()
    rare = dict(zip(codes.tolist(), values.tolist(), strict=True))
    padded = [f" {word} " for word in fold(text).split()]
    grams = (word[at : at + size] for word in padded for size in (2, 3, 4) for at in range(len(word) - size + 1))
    counts = Counter(int.from_bytes(gram.encode("ascii"), "big") for gram in grams)
    return {code: (1 + math.log(times)) * rare.get(code, unknown) for code, times in counts.items()}


def naive_cosine(first: str, second: str) -> float:
    one, other = naive_weights(first), naive_weights(second)
    lengths = math.hypot(*one.values()) * math.hypot(*other.values())
    return sum(weight * other.get(code, 0.0) for code, weight in one.items()) / lengths if lengths else 0.0


@given(asked=WRITTEN, known=st.lists(WRITTEN, min_size=1, max_size=6))
def test_similarity_is_tf_idf_cosine(asked: str, known: list[str]) -> None:
    folded = [fold(text) for text in known]
    found = compare_letters(fold(asked), folded, measure_letters(folded).tolist()).tolist()
    assert found == pytest.approx([naive_cosine(asked, text) for text in known], abs=CLOSE)
