"""What the prompt of each kind of turn costs, by part, for each model's prompt."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from assistant.gate.gate import JUST_TOLD
from assistant.kinds import Triple
from assistant.prompt.envelope import read_blocks
from assistant.prompt.prompt import estimate_tokens
from assistant.prompt.sections import Asking
from assistant.types import (
    Action,
    Candidate,
    Decision,
    Entry,
    Message,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
    TurnState,
)
from evaluation.cases import EVERYBODY
from evaluation.reading import decision_set
from evaluation.store_filling import fact_draft, filled

PROMPTS = Path(__file__).parents[2] / "prompts"
PARTS = ("system", "examples", "earlier turns", "blocks", "question", "sum")
_ENCODING = "o200k_base"
_OF_MESSAGE = 4  # tokens that most providers count for each
_WINDOW = 128_000
_TODAY = date(2026, 1, 5)
_FACT = fact_draft("Dana works in Pune", Triple(subject="Dana", relation="works in", object="Pune"))
_ANSWER = "Begin with the part that takes longest, and do the rest while it goes on. " * 5

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens of one prompt, by part."""

    prompt: str  # whose it is
    turn: str  # kind of turn
    tokens: tuple[int, ...]  # in the order of `PARTS`


def tokenizer() -> tuple[CountTokens, str]:
    """What counts tokens, and its name: o200k of OpenAI where LiteLLM has brought it along, else our own estimate."""
    found = find_spec("litellm")
    folder = Path(found.origin).parent / "litellm_core_utils" / "tokenizers" if found and found.origin else Path()
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
    try:
        import tiktoken

        encoding = tiktoken.get_encoding(_ENCODING)
    except (ImportError, OSError):
        return estimate_tokens, "estimate"
    return lambda text: len(encoding.encode(text, disallowed_special=())), _ENCODING


def measure(count: CountTokens) -> Iterator[Cost]:
    """The cost of each kind of turn with each prompt, then that of a memory layer that always sends ten memories."""
    benchmark = decision_set("fourth")
    with filled(benchmark.entries) as app:
        assistant = app.services.assistant
        entries = assistant.memory.entries(Scope(EVERYBODY))
        made_by = {
            "connected": app.services.models.connected["prompt_builder"],
            "embedded": assistant.runner.prompt_builder,
        }
        questions = [case.question for case in benchmark.questions if case.lang == "en"]
        for job, prompt_builder in made_by.items():
            for turn, asking in _turns(questions, entries):
                yield Cost(job, turn, _parts(prompt_builder.answer(asking, _WINDOW).messages, count))
        assistant.memory.remember(_FACT, Scope(EVERYBODY))
        asking = Asking(questions[0], Scope(EVERYBODY), today=_TODAY)
        messages = made_by["connected"].answer(asking, _WINDOW).messages
        yield Cost("connected", "a first question, with a fact sheet", _parts(messages, count))
    ten = sum(count(f"- {entry.text}") for entry in entries[:10])
    asked = count(questions[0])
    yield Cost("no gate", "ten memories, always", (0, 0, 0, ten, asked, ten + asked))


def _turns(questions: Sequence[str], entries: Sequence[Entry]) -> Iterator[tuple[str, Asking]]:
    me, first, *earlier = Scope(EVERYBODY), *questions[:4]
    history = [_answered(question) for question in earlier]
    yield "a first question", Asking(first, me, today=_TODAY)
    yield "with five notes", Asking(first, me, _decided(Action.OFFER, entries[:5]), today=_TODAY)
    yield "after three others", Asking(first, me, (), history, history[-1], _TODAY)
    yield "put right", Asking(first, me, _decided(Action.USE, entries[:1]), history, today=_TODAY)


def _answered(question: str) -> Turn:
    reply = Reply.of("", f"You want to know: {question}", _ANSWER, ReplyStatus.OK)
    return Turn(question, "c", EVERYBODY, question, state=TurnState.ANSWERED, reply=reply)


def _decided(action: Action, entries: Sequence[Entry]) -> list[Decision]:
    return [Decision(Candidate(entry, entry.keys[0]), action, 1.0, JUST_TOLD) for entry in entries]


def _parts(messages: Sequence[Message], count: CountTokens) -> tuple[int, ...]:
    stable = next(place for place, message in enumerate(messages) if message.ends_stable) + 1
    tokens = [count(message.content) + _OF_MESSAGE for message in messages]
    asked = count(read_blocks(messages[-1].content)[1])
    return tokens[0], sum(tokens[1:stable]), sum(tokens[stable:-1]), tokens[-1] - asked, asked, sum(tokens)
