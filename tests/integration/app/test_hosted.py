"""Settings of a host: a seed for everyone, expiring guests."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from assistant.errors import NotFound, SettingsError
from assistant.events import RunState
from assistant.settings import Settings
from assistant.types import Scope, Turn, TurnState
from memory_store.maintenance.erasure import Eraser
from memory_store.transfer.export_format import build_manifest
from tests.support.memory.store import LetterPairEmbedder, small_store, unrelated_clarification
from tests.support.servers.noted_server import ROOT
from ui.server.services import Services, memory_note, notices
from ui.words.texts import EXAMPLES

ANN = Scope("visitor:ann")
Compose = Callable[..., Services]
HOUR = timedelta(hours=1)
SEED = ROOT / "seed" / "demo.jsonl"
SEEDED = "hot da ulta dasso"


def asked(services: Services, question: str) -> Turn:
    return RunState().after(services.assistant.ask(question, ANN, "c")).turn


def test_seed_is_used_for_everyone(composed: Compose) -> None:
    services = composed(seed=SEED)
    for example in EXAMPLES:
        assert asked(services, example).used == ()  # examples stay correctable
    turn = asked(services, SEEDED)
    assert [decision.entry.seeded for decision in turn.from_memory] == [True]
    assert "cold" in turn.reply.answer
    memory = services.assistant.memory
    assert memory.entries(ANN) == []
    seeded = turn.used[0]
    for change in (lambda: memory.edit(seeded, "other", ANN), lambda: memory.forget(seeded, ANN)):
        with pytest.raises(NotFound):
            change()

    again = asked(composed(seed=SEED), SEEDED)
    assert again.used == turn.used  # the same file changes nothing
    assert asked(composed(), SEEDED).used == ()


def test_bad_seed_is_refused_at_the_start(composed: Compose, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(build_manifest([], "none").encode()[:-9])
    for file, sentence in ((broken, "not an export"), (tmp_path / "missing.jsonl", "there is no file")):
        with pytest.raises(SettingsError, match=sentence):
            composed(seed=file)


@pytest.mark.promise("retention")
def test_visitors_who_stay_away_leave_nothing(tmp_path: Path) -> None:
    store = small_store(tmp_path, LetterPairEmbedder())
    here = Scope("visitor:here")
    people = Scope("visitor:gone"), here, Scope("ann")
    now = datetime.now(UTC)
    for person in people:
        store.memory.remember(unrelated_clarification(person.person), person)
    answered = Turn("t", "c", here.person, "late", created=now + 30 * HOUR, state=TurnState.ANSWERED)
    store.turn_store.record(answered, here)
    for hours, left in ((23, [1, 1, 1]), (25, [0, 1, 1]), (55, [0, 0, 1])):
        Eraser(store.ledger).forget_inactive("visitor:", 24, now + hours * HOUR)
        assert [len(store.memory.entries(person)) for person in people] == left


def test_notices_say_what_is_kept_and_sent() -> None:
    told = partial(notices, Settings.load({"SPACE_ID": "me/noted"}))
    assert told("visitor:a") == [("notice_visitor", {"hours": "24"})]
    assert told("hf:ann") == told(None) == [("notice_temporary", {})]
    assert notices(Settings.load({}), "visitor:a") == []
    for model, address in (("openai/x", ""), ("openai/x", "http://10.0.0.1/v1")):
        leaves = notices(Settings.load({"NOTED_MODEL": model, "NOTED_API_BASE": address}), "local")
        assert leaves == [("notice_leaves", {"model": model})]
    for model, address in (
        ("openai/x", "http://127.0.0.1:1/v1"),
        ("ollama_chat/x", ""),
        ("local/x", "http://10.0.0.1"),
    ):
        assert notices(Settings.load({"NOTED_MODEL": model, "NOTED_API_BASE": address}), "local") == []


def test_only_the_local_user_reads_of_folders() -> None:
    told = partial(memory_note, Settings.load({"NOTED_HOME": "/srv/memory", "NOTED_NAMES": "noted.example"}))
    assert "/srv/memory" in str(told("local"))
    assert not any("/srv" in str(told(person)) for person in ("visitor:a", "ann", None))
