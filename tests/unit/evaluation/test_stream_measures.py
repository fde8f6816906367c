"""The measures of the experiments, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.streams.report.measures import (
    acc_y,
    by_group,
    clarifications,
    estimate,
    final,
    flips,
    prompt_tokens,
    running,
    seconds,
    splices,
)
from evaluation.streams.stream import Step

STEP = Step(
    number=0, person=0, type="syn", lang="en", way="syn-1", question="?", understanding="", answer="", understood=True,
    answered=True, used=(), splice="none", prompt_tokens=100,
    cost={"calls": 1, "prompt": 100, "reply": 10}, ms={"recall": 5.0}, seconds=0.5,
)  # fmt: skip
WRONG = replace(STEP, understood=False, answered=False, type="ant", said="no, an antonym", prompt_tokens=300)


def test_accuracies() -> None:
    assert running([STEP, WRONG, STEP]) == [1.0, 0.5, pytest.approx(2 / 3)]
    assert final([WRONG] * 5 + [STEP] * 100) == 1.0
    assert by_group([replace(STEP, groups=("odd",)), WRONG, WRONG]) == {
        "syn": 1.0,
        "odd": 1.0,
        "ant": 0.0,
        "all": pytest.approx(1 / 3),
    }
    assert acc_y([STEP, WRONG, replace(STEP, answered=None)]) == 0.5
    assert acc_y([replace(STEP, answered=None)]) == 0.0
    assert clarifications([STEP, WRONG]) == 1


def test_splices_are_shares_of_all_questions() -> None:
    right, wrong, missed = (replace(STEP, splice=name) for name in ("right", "wrong", "missed"))
    idle = replace(right, understood=False)
    assert splices([right, idle, wrong, missed]) == {"right": 0.5, "wrong": 0.25, "missed": 0.25, "no effect": 0.25}


def test_flips_count_what_a_memory_changed() -> None:
    counted = flips([STEP, STEP, WRONG, WRONG, WRONG], [STEP, WRONG, STEP, STEP, WRONG])
    assert counted == {"stayed right": 1, "mended": 2, "spoilt": 1, "stayed wrong": 1}


def test_the_interval_is_that_of_student() -> None:
    found = estimate([0.9, 1.0, 0.8])
    assert found.mean == pytest.approx(0.9)
    assert found.spread == pytest.approx(0.1)
    assert found.half_width == pytest.approx(4.303 * 0.1 / 3**0.5)
    assert estimate([0.5]).half_width is None
    assert estimate([0.5] * 20).half_width == 0.0


def test_tokens_and_time() -> None:
    assert prompt_tokens([STEP, WRONG]) == 200
    assert seconds([STEP, replace(STEP, seconds=1.5, ms={})]) == {"question": 1.0, "recall": 0.0025}
