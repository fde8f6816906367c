"""An assistant that drafts answers on a real store with scripted models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.papers.selection.drafts import DraftSelection
from assistant.prompt.prompt import PromptBuilder
from assistant.types import Message, Turn
from memory_store.language.normalize import fold
from memory_store.store import Store
from tests.support.memory.loop import ME, Loop, last
from tests.support.servers.scripted import ScriptedModel, ScriptedReply


@dataclass
class DraftingModel(ScriptedModel):
    """A model with drafts by `ways`, the first by itself."""

    ways: Sequence[ScriptedModel] = ()
    drafted: list[int] = field(default_factory=list)

    def drafting(self, count: int) -> Sequence[ScriptedModel]:
        self.drafted.append(count)
        return [self, *self.ways][:count]


class DraftingLoop(Loop):
    """A loop in which the models reply with `drafts`, one each, and the first replies to round trips with `back`."""

    model: DraftingModel

    def __init__(self, store: Store, *drafts: ScriptedReply, back: Sequence[ScriptedReply] = (), **parts: Any) -> None:
        super().__init__(store)
        self.ways = [ScriptedModel([text]) for text in drafts[1:]]
        self.model = DraftingModel([*drafts[:1], *back], ways=self.ways)
        self.store, self.parts = store, parts
        self.assistant = self.assistant.with_parts(model=self.model)

    @property
    def drafts(self) -> DraftSelection:
        runner = self.assistant.runner
        assert isinstance(runner.prompt_builder, PromptBuilder)
        drafts = DraftSelection(runner.generator, fold, runner.prompt_builder, count=1 + len(self.ways))
        return replace(drafts, **{"allowance": self.assistant.allowance, **self.parts})

    def draft(self, question: str = "What is akin to quick?", conversation: str = "c") -> Turn:
        return last(self.assistant.with_parts(generator=self.drafts).ask(question, ME, conversation))

    @property
    def calls(self) -> int:
        return sum(len(model.asked) for model in (self.model, *self.ways))


def reply_to_round_trip(by_answer: Mapping[str, str]) -> Callable[[Sequence[Message]], str]:
    """Return a function that replies to a round trip by the answer in the prompt."""

    def said(messages: Sequence[Message]) -> str:
        return next(back for answer, back in by_answer.items() if f'"answer":"{answer}"' in _compact(messages))

    return said


def _compact(messages: Sequence[Message]) -> str:
    return messages[-1].content.replace('": "', '":"')
