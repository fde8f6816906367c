"""What a host can set: a seed for everyone, a memory that is only read, visitors who leave nothing."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from starlette.responses import PlainTextResponse

from assistant.errors import NotFound, ReadOnly, SettingsError
from assistant.events import RunSoFar
from assistant.settings import Settings
from assistant.types import Reaction, Scope, Turn, TurnState
from memory_store.maintenance.erasing import Erasing
from memory_store.maintenance.retention import GuestExpiry
from memory_store.store import Store
from memory_store.transfer.export_format import manifest, read
from tests.support.beside import drained, run_beside
from tests.support.memory.store import LetterPairs, small_store, unlike
from tools.build_seed import SEED, seed_lines
from ui.page.conversation.conversation import ConversationHandlers
from ui.server.health import HealthMiddleware
from ui.server.services import Services
from ui.server.status import EXAMPLES, memory_note, model_note, notices

ANN = Scope("visitor:ann")
Compose = Callable[..., Services]
HOUR = timedelta(hours=1)
SEEDED = "hot da ulta dasso"


def asked(services: Services, question: str) -> Turn:
    return RunSoFar().after(services.assistant.ask(question, ANN, "c")).turn


def test_a_seed_is_used_for_everyone_and_is_nobodys(composed: Compose) -> None:
    services = composed(seed=SEED)
    for example in EXAMPLES:
        assert asked(services, example).used == ()  # those, everybody can correct
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


def test_the_seed_in_the_repository_is_what_its_list_says() -> None:
    lines = SEED.read_bytes().splitlines()
    assert [line.decode() for line in lines[1:]] == seed_lines()
    assert len(read(lines)) >= 10


def test_what_cannot_be_a_seed_is_said_at_the_start(composed: Compose, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    for content, sentence in ((b"{}", "no export"), (manifest(["{}"] * 0, "none").encode()[:-9], "no export")):
        broken.write_bytes(content)
        with pytest.raises(SettingsError, match=sentence):
            composed(seed=broken)
    with pytest.raises(SettingsError, match="there is no file"):
        composed(seed=tmp_path / "missing.jsonl")


def test_where_nothing_is_saved_questions_are_answered_and_saves_refused(composed: Compose, tmp_path: Path) -> None:
    kept = asked(composed(), "What is the opposite of hot?")
    services = composed(read_only=True)
    turn = asked(services, "What is akin to quick?")
    assert turn.state is TurnState.ANSWERED
    assert [seen.id for seen in services.assistant.turns("c", ANN)] == [turn.id]
    with pytest.raises(ReadOnly, match="Nothing is saved"):
        list(services.assistant.clarify(turn.id, "I meant a synonym", ANN))
    chat = ConversationHandlers(services)
    *_, shown = drained(chat.clarify({"turn": turn.id, "text": "I meant a homophone"}, ANN, "page"))
    assert shown["refused"] == ReadOnly().sentence
    with pytest.raises(ReadOnly):
        list(services.assistant.react(turn.id, Reaction.CONFIRM, ANN))
    with pytest.raises(ReadOnly):
        services.upkeep.take_in([], ANN)
    told = asked(services, "no, I meant a synonym")
    assert told.state is TurnState.FAILED
    assert told.error == ReadOnly().sentence
    with pytest.raises(NotFound):
        services.assistant.turn(turn.id, Scope("visitor:bob"))
    services.assistant.memory.forget_all(ANN)
    assert services.assistant.turns("c", ANN) == []

    services = composed()
    assert services.assistant.memory.entries(ANN) == []
    assert services.assistant.turns("c", ANN) == []  # also what was kept before is forgotten on request
    assert kept.id not in {seen.id for seen in services.assistant.turns("c", ANN)}


def test_visitors_who_do_not_come_back_leave_nothing(tmp_path: Path) -> None:
    store = small_store(tmp_path, LetterPairs())
    gone, here, signed_in = Scope("visitor:gone"), Scope("visitor:here"), Scope("ann")
    now = datetime.now(UTC)
    for person in (gone, here, signed_in):
        store.memory.remember(unlike(person.person), person)
    answered = Turn("t", "c", here.person, "late", created=now + 30 * HOUR, state=TurnState.ANSWERED)
    store.turn_store.record(answered, here)
    guests = GuestExpiry(store.ledger, Erasing(store.ledger), "visitor:", 24, store.indexer.wake)
    guests.look(now + 23 * HOUR)
    assert left(store, gone, here, signed_in) == [1, 1, 1]
    guests.look(now + 25 * HOUR)
    assert left(store, gone, here, signed_in) == [0, 1, 1]
    guests.look(now + 55 * HOUR)
    assert left(store, gone, here, signed_in) == [0, 0, 1]


def left(store: Store, *people: Scope) -> list[int]:
    return [len(store.memory.entries(person)) for person in people]


def test_who_opens_the_page_is_told_how_long_it_remembers() -> None:
    told = notices(Settings.load({"SPACE_ID": "me/noted"}))
    assert told("visitor:a") == [("notice_visitor", {"hours": "24"})]
    assert told("hf:ann") == told(None) == [("notice_temporary", {})]
    assert notices(Settings.load({"NOTED_READ_ONLY": "1"}))("hf:ann") == [("notice_read_only", {})]
    assert notices(Settings.load({}))("visitor:a") == []
    for model, address, told_of in (
        ("openai/x", "", True), ("openai/x", "http://127.0.0.1:1/v1", False), ("openai/x", "http://10.0.0.1/v1", True),
        ("ollama_chat/x", "", False), ("ollama_chat/x", "http://10.0.0.1", True), ("local/x", "", False),
        ("/srv/x.gguf", "", False), ("local/x", "http://10.0.0.1", False),
    ):  # fmt: skip
        leaves = notices(Settings.load({"NOTED_MODEL": model, "NOTED_API_BASE": address}))("local")
        assert leaves == ([("notice_leaves", {"model": model})] if told_of else [])


def test_only_who_works_on_the_machine_is_told_in_which_folder_memory_is() -> None:
    behind_a_proxy = Settings.load({"NOTED_HOME": "/srv/memory", "NOTED_NAMES": "noted.example"})
    told = memory_note(behind_a_proxy)
    assert "/srv/memory" in str(told("local"))
    assert not any("/srv" in str(told(person)) for person in ("visitor:a", "ann", None))


def test_model_note_tells_no_folder() -> None:
    for model in ("local/small", "/srv/models/small.gguf"):
        note = str(model_note(Settings.load({"NOTED_MODEL": model}))("local"))
        assert note == "small answers on this machine. Nothing you write is sent elsewhere."


def test_it_is_healthy_while_its_memory_can_be_read(composed: Compose, tmp_path: Path) -> None:
    composed()  # and closed: from then on everything is in the file itself
    watched = HealthMiddleware(PlainTextResponse("the page"), composed().check)

    async def health() -> tuple[int, object]:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(watched), base_url="http://here") as client:
            answer = await client.get("/healthz")
            return answer.status_code, answer.json()

    assert run_beside(health()) == (200, {"ok": True})
    (tmp_path / "ledger.sqlite3").write_bytes(b"no database at all" * 500)
    for name in ("ledger.sqlite3-wal", "ledger.sqlite3-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    assert run_beside(health()) == (503, {"ok": False})
