"""Its task, its teacher and its report. It stands under its own name for the processes that run its streams."""

import json

from assistant.events import Noted
from evaluation.streams.experiment import Experiment, Item, Taught, Verdict
from evaluation.streams.log import read_logs
from evaluation.streams.report.measures import by_group

WORDS = ("quick", "enormous", "happy")


class Akin:
    def items(self, lang, seed):
        for number, word in enumerate(WORDS):
            yield Item(f"What is akin to {word}?", "synonym", lang, "akin", groups=("test" if number else "practice",))

    def verdict(self, item, turn):
        return Verdict(bool(turn.used), None)


def says_it_in_practice(asked):
    if "practice" not in asked.item.groups:
        return Taught()
    said = "a word with the same meaning"
    events = list(asked.assistant.clarify(asked.turn.id, said, asked.scope))
    return Taught(said=said, entry=next(event.entry.id for event in events if isinstance(event, Noted)))


def prepare(settings, assistant, services):
    return Experiment(Akin(), says_it_in_practice, assistant)


def write_report(folder):
    (log,) = read_logs(folder)
    page = folder / "shares.json"
    page.write_text(json.dumps(by_group(log.steps)), encoding="utf-8")
    return page
