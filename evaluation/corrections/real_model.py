"""Sixty questions and twenty corrections, written blind, on a real model: what is shown, and what is followed.

Each reply is a line of a log; a run that was stopped goes on behind the last one.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from assistant import turn_state
from assistant.conversation import Assistant
from assistant.events import Finished
from assistant.gate.gate import just_told
from assistant.generate.generate import Request
from assistant.reply.filter import visible
from assistant.reply.parser import parse_reply
from assistant.types import Candidate, Decision, Entry, Message, Question, Role, Scope, Turn
from evaluation.reading import DATA
from evaluation.store_filling import fresh_app
from ui.server.services import Services

QUESTIONS, CORRECTIONS, PLAIN = (
    DATA / f"real_model_{name}.toml" for name in ("questions", "corrections", "plain_prompt")
)
_ME = Scope("asker")
_MARKS = re.compile(
    r"</?\s*(?:understanding|answer|notes|correction|readings|fact|keep|look)\b|<\|\w|\bnote by the user\b|tavrin"
    r"|\A\W*(?:understanding|answer)\s*:|^\W*question\s*:",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What the user saw of one reply."""

    way: str  # `alone` without memory, `noted` with the note beside the question, `found` if it is found, or `plain`
    place: int  # of the question or correction, from 0
    text: str
    understanding: str
    answer: str
    seconds: float

    @property
    def is_whole(self) -> bool:
        """Whether both an understanding and an answer came."""
        return bool(self.understanding.strip() and self.answer.strip())

    @property
    def shows_marks(self) -> bool:
        """Whether a tag, a mark, a label or the text of an example is in sight."""
        return any(_MARKS.search(text) for text in (self.understanding, self.answer))

    def follows(self, correction: dict[str, Any]) -> bool:
        """Return True if the answer follows a correction, by the expressions that stand beside it."""
        wanted, banned = ([re.compile(each, re.IGNORECASE) for each in correction["followed"][name]]
                          for name in ("any", "none"))  # fmt: skip
        found = not wanted or any(each.search(self.answer) for each in wanted)
        return found and not any(each.search(self.answer) for each in banned)


def corrections() -> list[dict[str, Any]]:
    """Return the twenty corrections."""
    return list(tomllib.loads(CORRECTIONS.read_text(encoding="utf-8"))["correction"])


def answered(model: str, api_base: str | None, log: Path, ways: Sequence[str]) -> Iterator[Answered]:
    """Yield each reply in some ways, from the log or from the model. Raises NotedError: the app cannot be put together.

    Args:
        model: LiteLLM name, `local/NAME`, or the path of a GGUF file.
        api_base: Address of the server; None for the provider's own.
        log: JSON lines of what was answered before, which is not asked again.
        ways: Of `alone`, `noted`, `found`, `plain`.
    """
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    known = {(one.way, one.place): one for one in (Answered(**json.loads(line)) for line in lines)}
    with fresh_app(model, api_base) as services:
        for asked in _asked(services):
            if asked.way in ways:
                yield known.get((asked.way, asked.place)) or _logged(asked.answered(), log)


def _logged(one: Answered, log: Path) -> Answered:
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
    return one


class _Asked(NamedTuple):
    """A question that is asked, and who answers it."""

    way: str
    place: int
    text: str
    assistant: Assistant
    scope: Scope = _ME

    def answered(self) -> Answered:
        began = monotonic()
        events = self.assistant.ask(self.text, self.scope, conversation=f"{self.way}-{self.place}")
        (turn,) = (event.turn for event in events if isinstance(event, Finished))
        shown = turn.reply.understanding, turn.reply.answer
        return Answered(self.way, self.place, self.text, *shown, round(monotonic() - began, 1))


def _asked(services: Services) -> Iterator[_Asked]:
    questions = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))["question"]
    for place, one in enumerate(questions):
        yield _Asked("alone", place, one["text"], services.assistant)
    for place, one in enumerate(corrections()):
        scope = Scope(f"corrected-{place}")
        entry = services.assistant.remember(one["first"], one["said"], scope)
        plain = services.assistant.with_parts(generator=Plainly(entry), fit=lambda _: {})
        by_way = {"noted": _with(services, entry), "found": services.assistant, "plain": plain}
        for way, assistant in by_way.items():
            yield _Asked(way, place, one["later"], assistant, scope)


def _with(services: Services, entry: Entry) -> Assistant:
    """Return an assistant that puts a note beside any question."""
    fit = services.models.connected["fit"]

    def recall(question: Question, scope: Scope) -> list[Candidate]:  # noqa: ARG001
        return [Candidate(entry, entry.keys[0])]

    def gate(candidates: Sequence[Candidate], scope: Scope) -> list[Decision]:  # noqa: ARG001
        return [just_told(entry)]

    return services.assistant.with_parts(
        recall=recall, retrievers=(), gate=gate, fit=lambda model: {**fit(model), "gate": gate}
    )


@dataclass(frozen=True, slots=True)
class Plainly:
    """Implements `AnswerGenerator` with a plain prompt, written by hand, and a note beside the question."""

    entry: Entry

    def __call__(self, request: Request) -> Generator[Any, None, Turn]:
        """Return the turn as it ended; nothing is shown before."""
        plain = tomllib.loads(PLAIN.read_text(encoding="utf-8"))
        note = plain["note"].format(about=self.entry.question, said=self.entry.shown)
        messages = [
            Message(Role.SYSTEM, plain["system"].strip()),
            Message(Role.USER, plain["question"]),
            Message(Role.ASSISTANT, plain["reply"].strip()),
            Message(Role.USER, f"{note}\nQuestion: {request.turn.question}"),
        ]
        reply = parse_reply("".join(visible(request.model.stream(messages))))
        yield from ()
        return turn_state.answered(request.turn, reply, ())
