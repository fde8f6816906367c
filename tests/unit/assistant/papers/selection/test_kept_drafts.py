"""Drafts stored on a turn by a file or an earlier version: other formats are ignored."""

import math

import pytest
from pydantic import ValidationError

from assistant.kinds import Preference
from assistant.papers.selection.drafts import LEAST, MOST, show, weights_after
from assistant.reply.fields import parse_trace
from assistant.types import Reply, ReplyStatus, Turn

pytestmark = pytest.mark.promise("choices-stay-personal")

FIRST = {"raw": "r", "status": "ok", "fields": {"answer": "a"}, "used": ["e"], "scores": {"x": 1.0}}
SECOND = FIRST | {"raw": "s", "fields": {"answer": "b", "notes": [1, "2 why"]}, "scores": {"x": 0.5}}
KEPT = {"all": [FIRST, SECOND], "best": 0, "shown": 1}


def test_stored_drafts_are_read() -> None:
    older = {**KEPT, "all": [one | {"score": 1.0} for one in (FIRST, SECOND)]}
    for kept in (KEPT, older):
        drafts = parse_trace({"drafts": kept})["drafts"]
        first, _ = drafts["all"]
        assert (drafts["best"], drafts["shown"], first["used"], first["scores"]) == (0, 1, ("e",), {"x": 1.0})
        turn = Turn("t", "c", "me", "q")
        shown = [show(turn, {**drafts, "shown": at}).reply for at in (0, 1)]
        assert shown[0].without("drafts") == Reply.of("r", answer="a", status=ReplyStatus.OK)
        assert (shown[1].answer, shown[1].notes) == ("b", {1: "", 2: "why"})


MANY = {"scores": {f"n{number}": 0.5 for number in range(17)}}


@pytest.mark.parametrize(
    "kept",
    [
        5,
        {**KEPT, "all": []},
        {**KEPT, "best": 2},
        {**KEPT, "all": [FIRST | MANY, SECOND | MANY]},
        *({**KEPT, "all": [FIRST, SECOND | {"scores": scores}]} for scores in ({"x": 7.0}, {"x": float("nan")})),
        *({**KEPT, "all": [FIRST, SECOND | {"fields": fields}]} for fields in ({"answer": 5}, {"notes": ["three"]})),
        {**KEPT, "all": [FIRST, SECOND | {"status": "odd"}]},
        {**KEPT, "all": [FIRST, SECOND | {"used": [5]}]},
    ],
)
def test_drafts_of_another_form_are_none(kept: object) -> None:
    assert not parse_trace({"drafts": kept})


def test_weights_by_hand() -> None:
    up, down = {"a": 1.0, "b": -1.0}, {"a": -1.0}
    assert weights_after([up]) == {"a": pytest.approx(math.e**0.35), "b": pytest.approx(math.e**-0.35)}
    assert weights_after([up] * 5) == {"a": MOST, "b": LEAST}
    assert weights_after([*[up] * 5, down])["a"] == pytest.approx(MOST * math.e**-0.35)


@pytest.mark.parametrize("gains", [{"notes": math.nan}, {f"n{number}": 0.5 for number in range(17)}])
def test_imported_preference_is_bounded(gains: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Preference.model_validate({"gains": gains, "line": "-"})
