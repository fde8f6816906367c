"""Drafts on a turn, as a file or an earlier version has them: those of another form are not read."""

from typing import Any

import pytest

from assistant.papers.selection.drafts import KeptDraft, kept_drafts
from assistant.reply.fields import readable
from assistant.types import Reply, ReplyStatus, Turn

FIRST = {"raw": "r", "status": "ok", "fields": {"answer": "a"}, "used": ["e"], "scores": {"x": 1.0}}
SECOND = {
    "raw": "s",
    "status": "ok",
    "fields": {"answer": "b", "notes": [1, "2 why"]},
    "used": [],
    "scores": {"x": 0.5},
}
KEPT = {"all": [FIRST, SECOND], "best": 0, "shown": 1}


def is_read(kept: object) -> bool:
    return bool(readable({"drafts": kept}))


def test_drafts_are_read_as_they_were_stored() -> None:
    older = {**KEPT, "all": [one | {"score": 1.0} for one in (FIRST, SECOND)]}
    for kept in (KEPT, older):
        turn = Turn("t", "c", "me", "why?", reply=Reply("s").with_fields(**readable({"drafts": kept})))
        drafts = kept_drafts(turn)
        assert drafts is not None
        assert (drafts.best, drafts.shown) == (0, 1)
        assert drafts.all[0] == KeptDraft(Reply.of("r", answer="a", status=ReplyStatus.OK), ("e",), {"x": 1.0})
        assert drafts.all[1].reply.notes == {1: "", 2: "why"}


@pytest.mark.parametrize(
    "kept", [5, {}, {"all": 1}, {**KEPT, "all": []}, {**KEPT, "best": 2}, {**KEPT, "shown": -1}, {**KEPT, "all": [{}]}]
)
def test_drafts_of_another_form_are_none(kept: object) -> None:
    assert not is_read(kept)


@pytest.mark.parametrize(
    "changed",
    [
        {"status": "odd"},
        {"scores": {}},
        {"scores": {"x": 7.0}},
        {"scores": {"x": -0.1}},
        {"scores": {"x": "nan"}},
        {"scores": {"x": float("nan")}},
        {"scores": {"x": 0.5, "n" * 41: 0.5}},
        {"used": "abc"},
        {"used": [5]},
        {"fields": {"answer": 5}},
        {"fields": {"understanding": ["a"]}},
        {"fields": {"correction": 5}},
        {"fields": {"notes": [["a"]]}},
        {"fields": {"notes": ["x"]}},
        {"fields": {"notes": "1"}},
        {"fields": {"notes": [1, "2 why", "three"]}},
        {"fields": {"why": 5}},
    ],
)
def test_a_draft_of_another_form_is_none(changed: dict[str, Any]) -> None:
    assert not is_read({**KEPT, "all": [FIRST, SECOND | changed]})


def test_drafts_by_too_many_scorers_are_none() -> None:
    for count, is_kept in ((16, True), (17, False)):
        scores = {f"n{number}": 0.5 for number in range(count)}
        assert is_read({**KEPT, "all": [one | {"scores": scores} for one in (FIRST, SECOND)]}) == is_kept
