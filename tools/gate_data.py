"""The data that the gate is fitted on: memories with questions, of which it is known which entry each one needs."""

from __future__ import annotations

import json
import random
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from assistant.models.lexicon import Lexicon
from assistant.types import Entry, Key, KeyOrigin, Kind, Reply, Status, Turn
from evaluation.cases import LOOK_ALIKE, UNRELATED, Id
from evaluation.templates import Way, templates, ways
from memory_store.rule_keys import rule_keys

PAIRS = Path(__file__).parent / "data" / "gate_pairs.jsonl"
WAYS = PAIRS.with_name("ways.toml")
DECISIONS = Path(__file__).parents[1] / "evaluation" / "data"
OWNER = "somebody"
_FREQUENT = 8_000  # words that keys are about


@dataclass(frozen=True)
class Question:
    """A question of the data.

    Args:
        text: the question.
        needs: id of the entry that it needs; None for none.
        near: id of the entry that it was written for; None where there is none. It is held out together with it.
        kind: `yes`, `look-alike` or `everyday`.
        also: entries that say the same about another wording: neither wanted nor wrong.
    """

    text: str
    needs: str | None
    near: str | None
    kind: str
    also: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Remembered:
    """One memory and what is asked of it.

    Args:
        name: of the data.
        entries: what is remembered.
        questions: what is asked.
        weight: how much each of its pairs counts.
        whole: the memory that this is a part of; empty where it is all of it.
    """

    name: str
    entries: Sequence[Entry]
    questions: Sequence[Question]
    weight: float = 1.0
    whole: str = ""

    def weighing(self, weight: float) -> Remembered:
        """The same, counting so much."""
        return replace(self, weight=weight)

    def only(self, *kinds: str) -> Remembered:
        """The same, asked only questions of these kinds."""
        asked = [question for question in self.questions if question.kind in kinds]
        return replace(self, name=f"{self.name}, {' and '.join(kinds)}", questions=asked, whole=self.name)


def word_pairs(path: Path = PAIRS) -> Remembered:
    """Questions about words, by people who ask in their own way; see the file."""
    rows = _read(path)
    stored = [row for row in rows if "everyday" not in row]
    groups: dict[str, set[str]] = defaultdict(set)
    for row in stored:
        groups[row["group"]].add(row["id"])
    questions = [Question(row["everyday"], None, None, "everyday") for row in rows if "everyday" in row]
    for row in stored:
        also = frozenset(groups[row["group"]] - {row["id"]})
        questions += [Question(text, row["id"], row["id"], "yes", also) for text in row["yes"]]
        questions += [Question(text, None, row["id"], "look-alike", also) for text in row["look_alikes"]]
    entries = [_entry(row, (row["question"],), ()) for row in stored]
    return Remembered("word questions", entries, questions)


def ways_to_ask(seed: int, *, keys: bool = False, path: Path = WAYS) -> Remembered:
    """Other ways to ask for a word than those of the benchmark, with slips; see `evaluation/templates.py`."""
    made = templates(seed, path)
    chance = random.Random(seed)  # noqa: S311  a repeatable choice is wanted
    known = {way.id: way for way in ways(path)}
    entries = []
    for stored in made.entries:
        row = {"id": str(stored.id), "wrong_understanding": stored.wrong_understanding, "feedback": stored.feedback}
        further = _further(known[str(stored.id)], chance, path) if keys else ()
        entries.append(_entry(row, stored.questions, further))
    questions = [
        Question(
            asked.question,
            _name(asked.applies),
            _name(asked.applies or asked.near),
            {LOOK_ALIKE: "look-alike", UNRELATED: "everyday"}.get(asked.kind, "yes"),
            frozenset(map(str, asked.as_good)),
        )
        for asked in made.questions
    ]
    return Remembered(f"ways to ask, seed {seed}{' with further keys' if keys else ''}", entries, questions)


def _further(way: Way, chance: random.Random, path: Path) -> tuple[str, ...]:
    table = tomllib.loads(path.read_text(encoding="utf-8"))["further"]
    words = [word.text for word in Lexicon().frequent(_FREQUENT)]
    asked = [text.format(word=chance.choice(words)) for text in chance.sample(table["asked"][way.type], 6)]
    return (way.phrase, table["meaning"][way.type], table["applies"][way.type], *asked)


def _name(entry: Id | None) -> str | None:
    return None if entry is None else str(entry)


def decisions(name: str, *, keys: bool, folder: Path = DECISIONS) -> Remembered:
    """The decision benchmark's own data: `first` or `second`, with or without the further keys of a model."""
    further = {row["id"]: row["keys"] for row in _read(folder / f"{name}_keys.jsonl")} if keys else {}
    entries = [
        _entry(row, (row["question"],), further.get(row["id"], ())) for row in _read(folder / f"{name}_entries.jsonl")
    ]
    kinds = {"look-alike": "look-alike", "everyday": "everyday"}
    questions = [
        Question(row["question"], row["applies"], row["near"], kinds.get(row["kind"], "yes"))
        for row in _read(folder / f"{name}_questions.jsonl")
    ]
    return Remembered(f"{name}{' with further keys' if keys else ''}", entries, questions)


def asked_again(memory: Remembered, stored: int, seed: int = 0) -> Remembered:
    """The same memory after so many of the questions that need each entry were asked and joined to it as keys."""
    chance = random.Random(seed)  # noqa: S311  a repeatable choice is wanted
    entries, joined = [], set()
    for entry in memory.entries:
        asked = [question.text for question in memory.questions if question.needs == entry.id]
        chosen = chance.sample(asked, min(stored, len(asked) - 1))
        joined.update(chosen)
        entries.append(replace(entry, keys=(*entry.keys, *(Key(text) for text in chosen))))
    questions = [question for question in memory.questions if question.needs is None or question.text not in joined]
    return Remembered(f"{memory.name}, asked {stored + 1} times", entries, questions, memory.weight)


def intents(path: Path, stored: int, most: int, *, further: bool = False, seed: int = 0) -> Remembered:
    """CLINC150: an entry for each intent, with so many of its questions stored, and at most so many others asked.

    Only the splits `train` and `oos_train` are read; the benchmark asks the others.

    Args:
        path: folder with the data as `dev.json`.
        stored: questions for each entry.
        most: questions asked.
        further: whether all stored questions but the first count as keys that a model wrote.
        seed: of the samples.
    """
    data = json.loads((path / "dev.json").read_text(encoding="utf-8"))
    chance = random.Random(seed)  # noqa: S311  a repeatable choice is wanted
    examples: dict[str, list[str]] = defaultdict(list)
    for text, intent in data["train"]:
        examples[intent].append(text)
    entries, others = [], []
    for intent in sorted(examples):
        row = {"id": intent, "wrong_understanding": "", "feedback": f"this is about: {intent.replace('_', ' ')}"}
        asked = chance.sample(examples[intent], stored)
        entries.append(_entry(row, asked[:1], asked[1:]) if further else _entry(row, asked, ()))
        others += [(text, intent) for text in examples[intent] if text not in asked]
    asked_about = chance.sample(others, min(most, len(others)))
    questions = [Question(text, intent, intent, "yes") for text, intent in asked_about]
    questions += [Question(text, None, None, "everyday") for text, _ in data["oos_train"]]
    name = f"CLINC150, {stored} stored{', as further keys' if further else ''}"
    return Remembered(name, entries, questions)


def _entry(row: Mapping[str, str], asked: Sequence[str], further: Sequence[str]) -> Entry:
    # Either understanding may name the word asked about; the right one is there only after the corrected answer.
    hints = (row["wrong_understanding"], row.get("understanding", ""))
    turns = [
        Turn("", "", OWNER, asked[0], reply=Reply("", hint), clarified_with=again)
        for hint, again in zip(hints, ("", "it"), strict=True)
    ]
    keys = [
        *(Key(text) for text in asked),
        *dict.fromkeys(key for turn in turns for key in rule_keys(turn, row["feedback"])),
        *(Key(text, KeyOrigin.MODEL) for text in further),
    ]
    return Entry(
        id=row["id"],
        kind=Kind.CLARIFICATION,
        owner=OWNER,
        shared=False,
        status=Status.ACTIVE,
        question=asked[0],
        text=row["feedback"],
        sequence=0,
        created=datetime(2000, 1, 1, tzinfo=UTC),
        keys=tuple(keys),
        wrong_understanding=row["wrong_understanding"],
    )


def _read(path: Path) -> list[dict[str, str]]:
    return list(_lines(path))


def _lines(path: Path) -> Iterator[dict[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)
