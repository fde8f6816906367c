"""Every operation by every interface: effect, refusals, limits, and isolation of users."""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from assistant.errors import InputError, NotedError, NotFound
from tests.support.interfaces import Refused, in_process, pairs
from tests.ui.actions.conftest import NewAccess, Tried
from tests.ui.actions.scenarios import CURATOR, MEANT, QUESTION, SCENARIOS
from ui.actions.operation import Operation, Who
from ui.actions.table import OPERATIONS

CONTINUES_NOTHING = {"ask"}  # continues one's own conversation, which another user's id does not name
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


def test_each_operation_has_a_scenario() -> None:
    assert set(SCENARIOS) == set(OPERATIONS)


@pytest.mark.promise("reasons-by-every-interface", "triples-are-decided", "lessons-are-decided", "drafts-are-taken")
@pairs()
def test_operation_has_its_effect(tried: Tried) -> None:
    def do(**arguments: Any) -> Any:
        result = tried.mine(tried.operation.name, **arguments)
        tried.operation.result.validate_python(result, extra="forbid")
        return result

    tried.performs(do)


@pytest.mark.promise("no-access-across-people")
@pairs(Who.ANYONE, Who.CURATOR, Who.IN_PERSON)
def test_another_user_reaches_nothing(tried: Tried) -> None:
    def do(**arguments: Any) -> Any:
        before, name = tried.me.everything(), tried.operation.name
        sent = json.dumps(arguments)
        texts = {entry["text"] for entry in tried.me("list", limit=1000)["entries"]}
        secrets = [one for one in {*ID.findall("".join(before)), *texts} if one not in sent]
        names_something = any(str(value) in "".join(before) for value in arguments.values() if ID.match(str(value)))
        try:
            shown = json.dumps(tried.others(name, **arguments))
        except Refused as refused:
            with pytest.raises(Refused, match=re.escape(str(refused).splitlines()[-1])):
                in_process(tried.other, name, **arguments)
        else:
            assert name in CONTINUES_NOTHING or not names_something
            assert [secret for secret in secrets if secret in shown] == []
        assert tried.me.everything() == before
        return tried.me(name, **arguments)

    tried.performs(do)


@pairs()
def test_wrong_arguments_are_refused_in_a_sentence(tried: Tried, interface: str) -> None:
    def do(**arguments: Any) -> Any:
        before = tried.me.everything()
        for wrong in wrong_arguments(tried.operation, arguments, has_types=interface != "command line"):
            with pytest.raises(Refused) as refused:
                tried.mine(tried.operation.name, **wrong)
            assert str(refused.value).endswith((".", ")."))
        assert tried.me.everything() == before
        return tried.me(tried.operation.name, **arguments)

    tried.performs(do)


def wrong_arguments(
    operation: Operation[Any, Any], arguments: Mapping[str, Any], *, has_types: bool
) -> Iterator[dict[str, Any]]:
    """Yield arguments with one unknown, missing, or of a wrong type if the interface has types."""
    yield {**arguments, "person": "ann"}
    for name, field in operation.arguments.model_fields.items():
        if field.is_required():
            yield {other: value for other, value in arguments.items() if other != name}
        if has_types:
            yield {**arguments, name: [[]]}


@pytest.mark.parametrize("name", ["forget", "offer", "withdraw", "resume", "revert"])
def test_entry_that_is_not_named_is_not_the_last_one(name: str, embedded_access: NewAccess) -> None:
    me = embedded_access(str(uuid.uuid4()))
    me("clarify", turn=me("ask", question=QUESTION)["turn"], text=MEANT)
    with pytest.raises(InputError):
        me(name, entry="")
    assert me.remembers() == [MEANT]
    assert me("erases", entry="")["result"]["turns"] == 2


def test_entry_is_named_by_how_it_begins_among_ones_own(embedded_access: NewAccess) -> None:
    me, other = (embedded_access(str(uuid.uuid4())) for _ in range(2))
    entry = me.told()
    for start in (entry[:8], entry):
        assert "result" in me("erases", entry=start)
        with pytest.raises(NotFound):
            other("erases", entry=start)
    with pytest.raises(NotFound):
        me("forget", entry="-")


@pytest.mark.promise("curator-sees-every-field")
def test_offer_is_accepted_by_its_seal_only(embedded_access: NewAccess) -> None:
    me, curator = embedded_access(str(uuid.uuid4())), embedded_access(CURATOR)
    entry = me.told()
    offer = me("offer", entry=entry)["id"]
    for seal in ("", "0" * 64):
        with pytest.raises(NotedError):
            curator("accept", offer=offer, seal=seal)
    me("withdraw", entry=entry)
