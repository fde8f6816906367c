"""Drafts on a turn, as a file or an earlier version has them: those of another form are not read."""

from typing import Any

import pytest

from assistant.papers.selection.drafts import KeptDraft, kept_drafts
from assistant.reply.fields import readable
from assistant.types import Reply, ReplyStatus, Turn

FIRST = {"raw": "r", "status": "ok", "fields": {"answer": "a"}, "used": ["e"], "scores": {"x": 1.0}}
SECOND = FIRST | {"raw": "s", "fields": {"answer": "b", "notes": [1, "2 why"]}, "scores": {"x": 0.5}}
KEPT = {"all": [FIRST, SECOND], "best": 0, "shown": 1}


def is_read(kept: object) -> bool:
    return bool(readable({"drafts": kept}))


def test_stored_drafts_are_read() -> None:
    older = {**KEPT, "all": [one | {"score": 1.0} for one in (FIRST, SECOND)]}
    for kept in (KEPT, older):
        turn = Turn("t", "c", "me", "why?", reply=Reply("s").with_fields(**readable({"drafts": kept})))
        drafts = kept_drafts(turn)
        assert drafts is not None
        assert (drafts.best, drafts.shown) == (0, 1)
        assert drafts.all[0] == KeptDraft(Reply.of("r", answer="a", status=ReplyStatus.OK), ("e",), {"x": 1.0})
        assert drafts.all[1].reply.notes == {1: "", 2: "why"}


MANY = {"scores": {f"n{number}": 0.5 for number in range(17)}}


@pytest.mark.parametrize(
    "kept",
    [
        5,
        {**KEPT, "all": []},
        {**KEPT, "best": 2},
        {**KEPT, "shown": -1},
        {**KEPT, "all": [{}]},
        {**KEPT, "all": [FIRST | MANY, SECOND | MANY]},
    ],
)
def test_drafts_of_another_form_are_none(kept: object) -> None:
    assert not is_read(kept)


@pytest.mark.parametrize(
    "changed",
    [
        {"status": "odd"},
        {"scores": {}},
        {"scores": {"x": 7.0}},
        {"scores": {"x": float("nan")}},
        {"scores": {"x": 0.5, "n" * 41: 0.5}},
        {"used": [5]},
        {"fields": {"answer": 5}},
        {"fields": {"notes": [1, "2 why", "three"]}},
        {"fields": {"why": 5}},
    ],
)
def test_draft_of_another_form_is_none(changed: dict[str, Any]) -> None:
    assert not is_read({**KEPT, "all": [FIRST, SECOND | changed]})
