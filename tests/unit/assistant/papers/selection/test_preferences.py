"""How weights move with the drafts that a person takes: by hand, and what holds of all."""

import math
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from assistant.kinds import Preference
from assistant.papers.selection.preferences import LEAST, MOST, gains_of, line_of, moved

pytestmark = pytest.mark.promise("choices-stay-personal")

GAINS = st.dictionaries(st.sampled_from("abcd"), st.floats(-1, 1), max_size=4)


def test_by_hand() -> None:
    assert moved({}, {"a": 1.0, "b": -1.0}) == {"a": pytest.approx(math.e**0.35), "b": pytest.approx(math.e**-0.35)}
    assert moved({"a": 3.9}, {"a": 1.0}) == {"a": MOST}
    assert moved({"a": 0.26}, {"a": -1.0}) == {"a": LEAST}
    scores = [{"a": 0.2, "b": 5.0, "c": 1.0}, {"a": 0.6, "b": 1.0, "c": 1.0}, {"a": 0.4, "b": 4.0, "c": 1.0}]
    assert gains_of(scores, 1, 0) == {"a": 1.0, "b": -1.0, "c": 0.0}
    assert gains_of(scores, 2, 0) == {"a": pytest.approx(0.5), "b": pytest.approx(-0.25), "c": 0.0}
    assert line_of({"a": 1.0, "b": -0.25}) == "a +1.00, b -0.25"
    assert line_of({}) == "-"


@given(st.lists(GAINS, max_size=60))
def test_weights_stay_within_their_bounds(preferences: list[dict[str, float]]) -> None:
    weights: dict[str, float] = {}
    for gains in preferences:
        weights = moved(weights, gains)
    assert weights.keys() == {name for gains in preferences for name in gains}
    assert all(LEAST <= weight <= MOST for weight in weights.values())


@given(GAINS, st.dictionaries(st.sampled_from("abcd"), st.floats(LEAST, MOST), max_size=4))
def test_what_liked_it_better_counts_for_more_and_else_for_less(
    gains: dict[str, float], weights: dict[str, float]
) -> None:
    after = moved(weights, gains)
    for name, weight in after.items():
        gain, before = gains.get(name, 0.0), weights.get(name, 1.0)
        assert weight >= before if gain > 0 else weight <= before if gain < 0 else weight == before
    assert moved(weights, {}) == weights


@given(GAINS)
def test_the_opposite_takes_it_back_within_the_bounds(gains: dict[str, float]) -> None:
    back = moved(moved({}, gains), {name: -gain for name, gain in gains.items()})
    assert back == pytest.approx(dict.fromkeys(gains, 1.0))


@pytest.mark.parametrize("gain", [2.0, -1.01, math.nan, math.inf, "much"])
def test_what_is_brought_in_moves_no_more_than_a_person_could(gain: object) -> None:
    with pytest.raises(ValidationError):
        Preference.model_validate({"gains": {"notes": gain}, "line": "-"})


@pytest.mark.parametrize(("names", "longest", "is_one"), [(16, 40, True), (17, 1, False), (1, 41, False)])
def test_what_is_brought_in_names_few_scorers(names: int, longest: int, *, is_one: bool) -> None:
    gains = {chr(ord("a") + name) * longest: 0.5 for name in range(names)}
    with nullcontext() if is_one else pytest.raises(ValidationError):
        Preference.model_validate({"gains": gains, "line": "-"})
