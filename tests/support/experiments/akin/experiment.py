"""Its task, its teacher and its report. It stands under its own name for the processes that run its streams."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.conversation import Assistant
from assistant.events import Saved
from assistant.types import Turn
from evaluation.streams.experiment import Asked, Experiment, Item, StreamSettings, Taught, Verdict
from evaluation.streams.log import read_logs
from evaluation.streams.report.measures import by_group
from ui.server.services import Services

WORDS = ("quick", "enormous", "happy")


class Akin:
    def items(self, lang: str, seed: int) -> Iterator[Item]:
        for number, word in enumerate(WORDS):
            yield Item(f"What is akin to {word}?", "synonym", lang, "akin", groups=("test" if number else "practice",))

    def verdict(self, item: Item, turn: Turn) -> Verdict:
        return Verdict(bool(turn.used), None)


def says_it_in_practice(asked: Asked[Any]) -> Taught:
    if "practice" not in asked.item.groups:
        return Taught()
    said = "a word with the same meaning"
    events = list(asked.assistant.clarify(asked.turn.id, said, asked.scope))
    return Taught(said=said, entry=next(event.entry.id for event in events if isinstance(event, Saved)))


def prepare(settings: StreamSettings, assistant: Assistant, services: Services) -> Experiment:
    return Experiment(Akin(), says_it_in_practice, assistant)


def write_report(folder: Path) -> Path:
    (log,) = read_logs(folder)
    page = folder / "shares.json"
    page.write_text(json.dumps(by_group(log.steps)), encoding="utf-8")
    return page
