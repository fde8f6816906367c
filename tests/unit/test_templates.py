"""The benchmark of ways to ask for a word: complete, repeatable, and without brackets."""

from __future__ import annotations

from collections import Counter

from evaluation.templates import TYPES, templates, ways


def test_each_language_has_five_ways_for_each_type() -> None:
    counted = Counter((way.lang, way.type) for way in ways())
    assert set(counted.values()) >= {5}
    assert min(counted.values()) >= 5
    assert {kind for _, kind in counted} == set(TYPES)
    assert len({lang for lang, _ in counted}) == 3


def test_no_word_asked_about_stands_in_brackets_or_quotes() -> None:
    benchmark = templates(seed=0)
    texts = [asked.question for asked in benchmark.questions]
    texts += [question for entry in benchmark.entries for question in entry.questions]
    assert not [text for text in texts if set(text) & set('<>"“”«»`')]


def test_the_same_seed_makes_the_same_benchmark_and_another_one_another() -> None:
    assert templates(seed=3) == templates(seed=3)
    assert templates(seed=3) != templates(seed=4)


def test_every_way_is_asked_about_and_as_many_questions_need_nothing() -> None:
    benchmark = templates(seed=0)
    needing = Counter(asked.applies for asked in benchmark.questions if asked.applies is not None)
    assert set(needing) == {way.id for way in ways()}
    assert needing.total() <= sum(asked.applies is None for asked in benchmark.questions)
