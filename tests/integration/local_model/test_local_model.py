"""A model in the process: a tiny one with random weights, in llama.cpp."""

import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import ContextFull, ModelError
from assistant.events import Phase, RunState, Sign
from assistant.model_usage import Meter
from assistant.models.local import local
from assistant.models.local.local import FileDamaged, FileGone, LocalModel, PackageMissing, read_header
from assistant.prompt.envelope import LABELS_GRAMMAR
from assistant.reply.parser import parse_reply
from assistant.settings import EMBEDDED
from assistant.types import Message, MessageRole, Scope, Turn
from tests.support.tiny_gguf import LAYERS, WINDOW
from ui.server.services import Services

SECONDS = 60.0
MANY = 10_000
SYSTEM = Message(MessageRole.SYSTEM, "You answer questions about words. " * 5)


def asked(question: str = "What does light mean?", grammar: str = "") -> list[Message]:
    return [SYSTEM, Message(MessageRole.USER, question, grammar=grammar)]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Semaphore]:
    """Yield a semaphore of steps for llama.cpp; the tiny model would finish too fast."""
    steps, take = threading.Semaphore(0), local.Engine._take

    def wait(self: local.Engine, job: local.Job, chunk: dict[str, Any]) -> bool:
        steps.acquire(timeout=SECONDS)
        return take(self, job, chunk)

    monkeypatch.setattr(local.Engine, "_take", wait)
    yield steps
    steps.release(MANY)


def refused(model: LocalModel) -> ModelError:
    with closing(model), pytest.raises(ModelError) as raised:
        "".join(model.stream(asked()))
    return raised.value


def test_counts_tokens_and_stops_between_them(model: LocalModel, steps: threading.Semaphore) -> None:
    stopped, after = Meter(), Meter()
    pieces = model.stream(asked(), stopped)
    steps.release(20)
    next(piece for piece in pieces if piece)
    pieces.close()
    steps.release(MANY)
    assert len([piece for piece in model.stream(asked(), after) if piece]) > 10
    assert stopped.sum is not None
    assert stopped.sum.reply < 20
    assert after.sum is not None
    assert after.sum.told
    assert after.sum.prompt > len(SYSTEM.content)  # a letter is a token
    assert (model.window, after.sum.reply) == (WINDOW, WINDOW // 4)


def test_keeps_to_the_grammar_of_short_prompts(model: LocalModel) -> None:
    reply = parse_reply("".join(model.stream(asked("a\ud800b\0c ਗਰਮ \U0001f600", LABELS_GRAMMAR))))
    assert reply.understanding
    assert "\n" not in reply.understanding


def test_requests_run_in_order_and_know_their_place(tiny: Path, steps: threading.Semaphore) -> None:
    with closing(LocalModel(tiny)) as model:
        streams = [model.stream(asked(f"What is {word}?")) for word in ("one", "two", "three")]
        steps.release(20)
        next(piece for piece in streams[0] if piece)
        signs = [next(piece for piece in stream if isinstance(piece, Sign)) for stream in streams]
        assert [(sign.phase, sign.ahead) for sign in signs[1:]] == [(Phase.QUEUED, 1), (Phase.QUEUED, 2)]
        streams[1].close()  # its user left
        assert next(piece.ahead for piece in streams[2] if isinstance(piece, Sign)) == 1
        steps.release(MANY)
        assert "".join(streams[2]).strip()
        assert "".join(streams[0]).strip()


def test_refuses_what_exceeds_the_window(model: LocalModel) -> None:
    with pytest.raises(ContextFull):
        "".join(model.stream(asked("Why? " * WINDOW)))
    assert "".join(model.stream(asked())).strip()


def test_marks_in_a_text_stay_text(model: LocalModel) -> None:
    meters = [Meter(), Meter()]
    for meter, said in zip(meters, ("</s>", "</z>"), strict=True):
        "".join(model.stream(asked(said * 20), meter))
    with_marks, without = (meter.sum.prompt for meter in meters if meter.sum)
    assert with_marks > without  # as one token each, they would be three letters shorter


def listening() -> set[str]:
    """Return the ports on which this process listens."""
    lines = [line.split() for line in Path("/proc/self/net/tcp").read_text("ascii").splitlines()[1:]]
    mine = {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink() and link.exists()}
    return {line[1] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in mine}


def test_opens_no_port(model: LocalModel) -> None:
    before = listening()  # servers of other tests
    "".join(model.stream(asked()))
    assert listening() == before


def test_says_what_is_missing_or_damaged(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = refused(LocalModel(tmp_path / "gone.gguf"))
    assert isinstance(gone, FileGone)
    assert "noted models get" in str(gone)
    content, file = tiny.read_bytes(), tmp_path / "broken.gguf"
    for damaged in (
        content[:-1],
        b"<html>Welcome</html>" * 100,
        content[:16] + struct.pack("<Q", 2**63) + content[24:],  # endless metadata
        content.replace(b"tokenizer.ggml.tokens", b"tokenizer.ggml.tokuns"),
    ):
        file.write_bytes(damaged)
        told = refused(LocalModel(file))
        assert isinstance(told, FileDamaged)
        assert "broken.gguf" in str(told)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    missing = refused(LocalModel(tiny))
    assert isinstance(missing, PackageMissing)
    assert 'pip install ".[local]"' in str(missing)


def test_refuses_what_memory_does_not_hold(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "free_memory", lambda: 1_000_000)
    assert "1.0 MB is free" in str(refused(LocalModel(tiny)))
    header = read_header(tiny)
    cached = WINDOW * LAYERS * 2 * 16 * 2  # keys and values of one head of 16 two-byte numbers
    assert header.memory(WINDOW) == header.memory(100_000) == tiny.stat().st_size + cached + (256 << 20)


def test_embedded_model_answers_on_a_space_until_the_model_is_loaded(
    composed: Callable[..., Services], tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_load, load = threading.Event(), local.open_server

    def wait(path: str, window: int) -> Any:
        may_load.wait(SECONDS)
        return load(path, window)

    monkeypatch.setattr(local, "open_server", wait)
    services = composed({"SPACE_ID": "me/noted"}, model=tiny, window=4096)
    services.start()

    def ask() -> Turn:
        return RunState().after(services.assistant.ask("What is the opposite of hot?", Scope("ann"))).turn

    early = ask()
    assert (early.model, early.reply.answer) == (EMBEDDED, "cold")
    may_load.set()
    "".join(services.assistant.runner.model.stream(asked()))
    assert ask().model == "local/tiny"
