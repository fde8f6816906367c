"""What streams share: the measures by hand, logs that are none, and replies that are kept."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.types import Message, Role
from evaluation.reading import BadInput
from evaluation.replies import KeptReplies, prompt_hash
from evaluation.streams.log import read_log
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
from tests.support.servers.scripted import ScriptedModel

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
    assert found.half_width == pytest.approx(4.303 * 0.1 / 3**0.5, rel=1e-3)
    assert estimate([0.5]).half_width is None
    assert estimate([0.5] * 20).half_width == 0.0


def test_tokens_and_time() -> None:
    assert prompt_tokens([STEP, WRONG]) == 200
    assert seconds([STEP, replace(STEP, seconds=1.5, ms={})]) == {"question": 1.0, "recall": 0.0025}


@pytest.mark.parametrize("text", ["", "{}\n", "no json\n", '{"version": 0, "settings": {}}\n'])
def test_a_file_that_is_no_log_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput):
        read_log(path)


def test_a_model_is_not_asked_the_same_twice(tmp_path: Path) -> None:
    asked = [Message(Role.SYSTEM, "s"), Message(Role.USER, "q")]
    model = ScriptedModel(replies=["first", "second"])
    kept = KeptReplies(model, tmp_path / "replies.sqlite3")
    assert "".join(kept.stream(asked)) == "first"
    assert "".join(kept.stream(asked)) == "first"
    assert "".join(kept.stream(asked[1:])) == "second"
    assert len(model.asked) == 2


def test_a_reply_that_was_cut_is_not_kept(tmp_path: Path) -> None:
    kept = KeptReplies(ScriptedModel(replies=["a long reply", "another"], piece=2), tmp_path / "replies.sqlite3")
    asked = [Message(Role.USER, "q")]
    reading = kept.stream(asked)
    next(reading)
    reading.close()
    assert "".join(kept.stream(asked)) == "another"


def test_prompts_that_say_the_same_in_two_stores_are_one(tmp_path: Path) -> None:
    def block(marker: str, day: str, said: str = "x") -> Sequence[Message]:
        row = f'{{"said": "{said}", "on": "{day}"}}'
        asked = f"Today is Sunday, {day}.\nQuestion: q"
        return [Message(Role.USER, f"<clarification {marker}>\n{row}\n</clarification {marker}>\n{asked}")]

    one = prompt_hash("m", block("012345", "2026-01-01"))
    assert one == prompt_hash("m", block("fedcba", "2027-02-02"))
    assert one != prompt_hash("m", block("012345", "2026-01-01", "y"))
    assert one != prompt_hash("n", block("012345", "2026-01-01"))
