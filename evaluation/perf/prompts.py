"""What the prompt of each kind of turn costs in tokens, for each prompt."""

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from assistant.gate.gate import JUST_TOLD
from assistant.prompt.prompt import estimate_tokens
from assistant.prompt.sections import Asking
from assistant.types import Action, Candidate, Decision, Entry, Reply, ReplyStatus, Scope, Turn, TurnState
from evaluation.decide.benchmark import EVERYBODY, decision_set
from evaluation.decide.run import filled
from evaluation.perf.timing import Row

BARS = {"a first question": 900, "a first question with five notes": 1_100}  # of the connected model
_ENCODING = "o200k_base"
_OF_MESSAGE = 4  # tokens that most providers count for each
_WINDOW = 128_000
_TODAY = date(2026, 1, 5)
_ANSWER = "Begin with the part that takes longest, and do the rest while it goes on. " * 5


def tokenizer() -> Callable[[str], int]:
    """Return what counts tokens: o200k of OpenAI if LiteLLM has brought it along, else our own estimate."""
    found = find_spec("litellm")
    folder = Path(found.origin).parent / "litellm_core_utils" / "tokenizers" if found and found.origin else Path()
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
    try:
        import tiktoken

        encoding = tiktoken.get_encoding(_ENCODING)
    except (ImportError, OSError):
        return estimate_tokens
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def measure_prompts() -> list[Row]:
    """Return the tokens of each kind of turn with each prompt."""
    count, benchmark, rows = tokenizer(), decision_set("fourth", keys=False), list[Row]()
    with filled(benchmark.entries) as app:
        assistant = app.services.assistant
        entries = assistant.memory.entries(Scope(EVERYBODY))
        builders = {
            "connected": app.services.models.connected["prompt_builder"],
            "embedded": assistant.runner.prompt_builder,
        }
        asked = [case.question for case in benchmark.questions if case.lang == "en"]
        for prompt, builder in builders.items():
            for turn, asking in _turns(asked, entries):
                messages = builder.answer(asking, _WINDOW).messages
                tokens = sum(count(message.content) + _OF_MESSAGE for message in messages)
                bar = BARS.get(turn) if prompt == "connected" else None
                rows.append(Row(f"{prompt}: {turn}", tokens, bar=bar, unit="tokens"))
    return rows


def _turns(asked: Sequence[str], entries: Sequence[Entry]) -> Iterator[tuple[str, Asking]]:
    me, first, *earlier = Scope(EVERYBODY), *asked[:4]
    history = [_answered(question) for question in earlier]
    yield "a first question", Asking(first, me, today=_TODAY)
    yield "a first question with five notes", Asking(first, me, _decided(Action.OFFER, entries[:5]), today=_TODAY)
    yield "after three others", Asking(first, me, (), history, history[-1], _TODAY)
    yield "corrected", Asking(first, me, _decided(Action.USE, entries[:1]), history, today=_TODAY)


def _answered(question: str) -> Turn:
    reply = Reply.of("", f"You want to know: {question}", _ANSWER, ReplyStatus.OK)
    return Turn(question, "c", EVERYBODY, question, state=TurnState.ANSWERED, reply=reply)


def _decided(action: Action, entries: Sequence[Entry]) -> list[Decision]:
    return [Decision(Candidate(entry, entry.keys[0]), action, 1.0, JUST_TOLD) for entry in entries]
