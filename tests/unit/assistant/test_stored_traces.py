"""Traces of answers, as imports of earlier versions stored them, with arbitrary content: each field is well-formed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from assistant.reply.fields import Trace, parse_trace

pytestmark = pytest.mark.promise("hostile-turns")

TOLD = "My manager is Dana."
PREMISE = {"text": "t", "believed": True}
WHOLE: dict[str, Any] = {
    "readings": ["other"], "fact": [TOLD], "keep": ["I | manager | Dana"], "because": ["so"], "disputed": ["so"],
    "in_view": ["e"],
    "why": {"premises": [PREMISE], "claim": "c", "follows": None},
    "thought": {"claim": ""},
    "keep_said": {"1": ""},
    "looked": [{"asked": "Dana | is | ?", "outcome": "found", "found": [
        {"entry": "e", "subject": "Dana", "relation": "is", "object": "here"},
    ]}],
    "drafts": {"best": 0, "shown": 0, "all": [
        {"raw": "r", "status": "ok", "fields": {"answer": "a"}, "used": [], "scores": {"x": 1.0}},
        {"raw": "s", "status": "ok", "fields": {"answer": "b"}, "used": [], "scores": {"x": 0.5}},
    ]},
    "drafted_lesson": {"key": "k", "rule": "r", "state": "dropped"},
    "learnt_from": True,
}  # fmt: skip
LEAVES = st.sampled_from([None, True, 1, -1, 0.5, "", "x", "a | b | c", "1", "found", "kept"])
NAMES = st.sampled_from(["1", "entry", "text", "premises", "all", "found", "fields", "why", "rule", "key", "state"])
ANY = st.recursive(LEAVES, lambda of: st.lists(of, max_size=3) | st.dictionaries(NAMES, of, max_size=3), max_leaves=6)


def changed(value: Any, what: st.DataObject) -> Any:
    """Return a copy with a random part replaced by arbitrary data."""
    places = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    if not places or not what.draw(st.integers(0, 3)):
        return what.draw(ANY)
    at = what.draw(st.sampled_from(list(places)))
    copy = value.copy()
    copy[at] = changed(value[at], what)
    return copy


def test_well_formed_trace_is_read_whole() -> None:
    assert Trace.__annotations__.keys() == WHOLE.keys()
    found = parse_trace({**WHOLE, "of an old version": {"x": 1}})
    assert json.loads(json.dumps(found)) == {**WHOLE, "of an old version": {"x": 1}}


@given(st.data(), st.sampled_from(sorted(WHOLE)))
def test_malformed_fields_are_left_out(what: st.DataObject, name: str) -> None:
    found = parse_trace({"fact": [TOLD], name: changed(WHOLE[name], what)})
    TypeAdapter(Trace).validate_python(found, strict=True)
    assert name == "fact" or found["fact"] == (TOLD,)
