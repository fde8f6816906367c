"""Rate limits and permissions of each operation, and hostile arguments."""

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.interfaces import INTERFACES, PROGRAMS, Refused, pairs
from tests.support.people.api_client import ApiClient
from tests.support.texts.json_values import JSON
from tests.ui.actions.conftest import NewAccess, Tried
from ui.actions.table import FOR_PROGRAMS, OPERATIONS
from ui.programs.api import openapi
from ui.server import rate_limit

TOO_OFTEN = "a minute"
# Explicit, so that a test fails when an operation is no longer counted.
SAVES = {
    "clarify", "save_clarification", "dispute", "take", "remember", "change", "revert", "change_key", "reach", "relate",
    "resume", "export", "import", "decide", "change_line", "remove_line", "export_sheet", "import_sheet", "learn",
    "offer", "rename",
}  # fmt: skip
NOT_FOR_PROGRAMS = {"token", "tokens", "revoke", "forget_everything", "verify", "rebuild", "backup"}
TEXTS = st.sampled_from(["", "x", "keep", "1", "all", "../x", "\ud800", "a | b | c", "q,a\nx,y", "\u200b"])


@pytest.mark.promise("operations-are-counted", "changes-are-counted", "calls-take-places", "limits-are-sentences")
@pairs(interfaces=PROGRAMS)
def test_limits_refuse_an_operation(tried: Tried) -> None:
    services, name = tried.me.services, tried.operation.name
    saves = name in SAVES
    assert saves or not tried.operation.saves
    limits: tuple[tuple[object, str, bool, str], ...] = (
        (rate_limit, "_REQUESTS", True, TOO_OFTEN),
        (services.runs, "most", tried.operation.streams, "Too many people"),
        (services.assistant.allowance, "_saves", saves, TOO_OFTEN),
    )

    def do(**arguments: Any) -> Any:
        before = tried.me.everything()
        for owner, limit, applies, sentence in limits:
            if applies:
                with pytest.MonkeyPatch.context() as monkeypatch:
                    monkeypatch.setattr(owner, limit, 0)
                    with pytest.raises(Refused, match=sentence):
                        tried.mine(name, **arguments)
        assert tried.me.everything() == before
        return tried.me(name, **arguments)

    tried.performs(do)


@pytest.mark.promise("tokens-are-hashed")
@pytest.mark.parametrize("interface", PROGRAMS)
def test_programs_do_not_have_what_is_done_in_person(interface: str, embedded_access: NewAccess) -> None:
    ann = embedded_access("ann")
    for name in {"perform", *NOT_FOR_PROGRAMS}:
        with pytest.raises(Refused):
            INTERFACES[interface](ann, name)
    assert set(OPERATIONS) - set(FOR_PROGRAMS) == NOT_FOR_PROGRAMS


def test_openapi_describes_every_operation_argument_and_result(embedded_access: NewAccess) -> None:
    access = embedded_access("ann")
    with ApiClient(access.url, access.token) as program:
        described = program.http.get("/api/openapi.json").json()
    assert described.items() >= openapi().items()
    assert set(described["paths"]) == {f"/api/{name}" for name in FOR_PROGRAMS}
    for path in described["paths"].values():
        operation = path["post"]
        sent = operation["requestBody"]["content"]["application/json"]["schema"]
        assert operation["description"].startswith(operation["summary"])
        assert all(field["description"] for field in sent["properties"].values())
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(described)))
    assert named == set(described["components"]["schemas"])


@pytest.fixture(scope="module")
def hostile(embedded_access: NewAccess) -> Iterator[ApiClient]:
    """Yield a program that sends hostile input."""
    access = embedded_access("somebody hostile")
    with ApiClient(access.url, access.token) as program:
        yield program


@pytest.mark.promise("hostile-ids-reach-nothing")
@pytest.mark.parametrize("name", FOR_PROGRAMS)
@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_is_sent_is_answered_in_a_sentence(data: st.DataObject, name: str, hostile: ApiClient) -> None:
    fields = FOR_PROGRAMS[name].arguments.model_fields
    values = {is_required: dict[str, Any]() for is_required in (True, False)}
    for field_name, field in fields.items():
        values[field.is_required()][field_name] = TEXTS | JSON
    sent = data.draw(st.fixed_dictionaries(values[True], optional=values[False]))
    response = hostile.http.post(f"/api/{name}", content=json.dumps(sent))
    assert response.status_code in {200, 403, 404, 422, 429}
    assert response.status_code == 200 or response.json()["detail"].endswith((".", "?"))


BODIES = (
    b"[", b"null", b"[]", b'"x"', b"[" * 100_000, b"\xff", b'{"question": NaN}', b'{"question": ""}',
    b'{"question": "\\u200b"}', b'{"question": 1}', b'{"question": "x", "conversation": "a b"}',
    b'{"question": "' + b"x" * 9000 + b'"}',
)  # fmt: skip


def test_bodies_that_are_no_arguments_are_refused(embedded_access: NewAccess) -> None:
    access = embedded_access("ann")
    with ApiClient(access.url, access.token) as program:
        for body, accept in itertools.product(BODIES, ("application/json", "text/event-stream")):
            response = program.http.post("/api/ask", content=body, headers={"Accept": accept})
            assert (response.status_code, set(response.json())) == (422, {"detail"}), body[:40]
            answered = program.http.post("/mcp", content=body, headers={"Content-Type": "application/json"})
            assert answered.status_code < 500, body[:40]
        assert program.http.post("/api/ask", content=b"x" * 300_000).status_code == 413
