"""How weights move with the drafts that a person takes: by hand, and what holds of all."""

import math
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from assistant.kinds import Preference
from assistant.papers.selection.taking import LEAST, MOST, gains_of, weights_after

pytestmark = pytest.mark.promise("choices-stay-personal")

GAINS = st.dictionaries(st.sampled_from("abcd"), st.floats(-1, 1), max_size=4)


def test_weights_by_hand() -> None:
    up, down = {"a": 1.0, "b": -1.0}, {"a": -1.0}
    assert weights_after([up]) == {"a": pytest.approx(math.e**0.35), "b": pytest.approx(math.e**-0.35)}
    assert weights_after([up] * 5) == {"a": MOST, "b": LEAST}
    assert weights_after([*[up] * 5, down])["a"] == pytest.approx(MOST * math.e**-0.35)


def test_gains_by_hand() -> None:
    scores = [{"a": 0.2, "b": 5.0, "c": 1.0}, {"a": 0.6, "b": 1.0, "c": 1.0}, {"a": 0.4, "b": 4.0, "c": 1.0}]
    assert gains_of(scores, 1, 0) == {"a": 1.0, "b": -1.0, "c": 0.0}
    assert gains_of(scores, 2, 0) == {"a": pytest.approx(0.5), "b": pytest.approx(-0.25), "c": 0.0}


@given(st.lists(GAINS, max_size=60))
def test_weights_stay_within_their_bounds(choices: list[dict[str, float]]) -> None:
    weights = weights_after(choices)
    assert weights.keys() == {name for gains in choices for name in gains}
    assert all(LEAST <= weight <= MOST for weight in weights.values())


@given(st.lists(GAINS, max_size=9), GAINS)
def test_weight_moves_with_its_gain(choices: list[dict[str, float]], gains: dict[str, float]) -> None:
    before, after = weights_after(choices), weights_after([*choices, gains])
    for name, weight in after.items():
        gain, earlier = gains.get(name, 0.0), before.get(name, 1.0)
        assert weight >= earlier if gain > 0 else weight <= earlier if gain < 0 else weight == earlier


@pytest.mark.parametrize(
    ("gains", "is_one"),
    [
        ({"notes": -1.0}, True),
        ({"notes": 1.01}, False),
        ({"notes": math.nan}, False),
        ({"notes": "much"}, False),
        ({"n" * 41: 0.5}, False),
        ({f"n{number}": 0.5 for number in range(16)}, True),
        ({f"n{number}": 0.5 for number in range(17)}, False),
    ],
)
def test_imported_preference_is_bounded(gains: dict[str, object], *, is_one: bool) -> None:
    with nullcontext() if is_one else pytest.raises(ValidationError):
        Preference.model_validate({"gains": gains, "line": "-"})
