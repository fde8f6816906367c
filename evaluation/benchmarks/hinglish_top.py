"""Hinglish-TOP: requests in English and the same in code-mixed Hindi, as benchmarks of decisions across languages.

Memory is in one language, the questions in the other. In the variant `translation` an entry is one request of the
validation split, and right for its own translation only; as many other requests have no entry. Of requests that say the
same by their parse ("snooze my alarm", "snooze alarm please") only one is taken. In the variant
`intent` an entry stands for an intent (the first label of the parse), stored for five requests of the training split,
and is right for every request of the validation split with that intent; a fifth of the intents, and those that the data
calls unsupported, have no entry. The test split is not read. The data set is not part of this repository: see `WHERE`.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from evaluation.benchmarks.clinc150 import entry_of, said_of
from evaluation.cases import UNRELATED, Benchmark, Case, Stored
from evaluation.reading import BadInput, read_text

WHERE = (
    "They are the human-annotated splits of the repository google-research-datasets/Hinglish-TOP-Dataset "
    "(licence Apache-2.0)."
)
TRAIN, VALIDATION = "train.tsv", "validation.tsv"
STORED_PER_INTENT = 5
_COLUMNS = ("en_query", "cs_query", "en_parse")
_LABEL = re.compile(r"\[IN:(\w+)")
_LEFT_OUT = 5  # one intent in so many has no entry


@dataclass(frozen=True, slots=True)
class Request:
    """One request in both languages."""

    english: str
    mixed: str  # in code-mixed Hindi
    intent: str  # the first label of its parse
    says: str  # its parse without the words that fill no slot; the same where two requests say the same

    def text(self, lang: str) -> str:
        return self.english if lang == "en" else self.mixed


def read_hinglish_top(folder: Path) -> tuple[list[Request], list[Request]]:
    """The training and the validation split, less what is there twice.

    Raises:
        BadInput: a file is not there, or is another one.
    """
    missing = [name for name in (TRAIN, VALIDATION) if not (folder / name).is_file()]
    if missing:
        raise BadInput(f"{folder} has no file {' and no '.join(missing)}. {WHERE}")
    return _read(folder / TRAIN), _read(folder / VALIDATION)


def benchmarks(
    train: Sequence[Request], validation: Sequence[Request], entries: int, seed: int
) -> Iterator[tuple[str, Benchmark]]:
    """The four benchmarks with their titles: two variants, each in both directions."""
    for memory, asked in (("en", "hinglish"), ("hinglish", "en")):
        way = f"memory in {_NAMES[memory]}, questions in {_NAMES[asked]}"
        yield f"Hinglish-TOP, translation: {way}", translations(validation, entries, memory, asked, seed)
        yield f"Hinglish-TOP, intent: {way}", intents(train, validation, memory, asked, seed)


def translations(validation: Sequence[Request], entries: int, memory: str, asked: str, seed: int) -> Benchmark:
    """Each of `entries` requests is its own entry; as many others are asked too. No two of them say the same.

    Raises:
        BadInput: there are too few requests.
    """
    different = list({request.says: request for request in reversed(validation)}.values())
    if len(different) < 2 * entries:
        raise BadInput(f"{VALIDATION} has {len(different)} different requests, fewer than two times {entries}.")
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    sample = random.sample(different, 2 * entries)
    stored, others = sample[:entries], sample[entries:]
    return Benchmark(
        tuple(
            Stored(number, (request.text(memory),), said_of(request.intent)) for number, request in enumerate(stored)
        ),
        (
            *(Case(request.text(asked), number, "translation", asked) for number, request in enumerate(stored)),
            *(Case(request.text(asked), None, UNRELATED, asked) for request in others),
        ),
    )


def intents(train: Sequence[Request], validation: Sequence[Request], memory: str, asked: str, seed: int) -> Benchmark:
    """Each intent is an entry, stored for five requests, but for those that are left out.

    Raises:
        BadInput: no intent has enough requests.
    """
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    by_intent: dict[str, list[str]] = defaultdict(list)
    for request in train:
        by_intent[request.intent].append(request.text(memory))
    enough = sorted(
        intent
        for intent, texts in by_intent.items()
        if len(set(texts)) >= STORED_PER_INTENT and not intent.startswith("UNSUPPORTED")
    )
    random.shuffle(enough)
    known = enough[len(enough) // _LEFT_OUT :]
    if not known:
        raise BadInput(f"{TRAIN} has no intent with {STORED_PER_INTENT} different requests.")
    return Benchmark(
        tuple(entry_of(intent, by_intent[intent], STORED_PER_INTENT, random) for intent in known),
        tuple(
            Case(request.text(asked), request.intent, "intent", asked)
            if request.intent in known
            else Case(request.text(asked), None, UNRELATED, asked)
            for request in validation
        ),
    )


_NAMES = {"en": "English", "hinglish": "Hinglish"}


def _read(path: Path) -> list[Request]:
    rows = csv.DictReader(read_text(path).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if not set(_COLUMNS) <= set(rows.fieldnames or ()):
        raise BadInput(f"{path} has no columns {', '.join(_COLUMNS)}. {WHERE}")
    english: dict[str, Request] = {}
    mixed: set[str] = set()
    for row in rows:
        texts = [(row[name] or "").strip() for name in _COLUMNS]
        label = _LABEL.match(texts[2])
        if label is None or not all(texts):
            raise BadInput(f"{path}, line {rows.line_num}: this has no request in both languages with its parse.")
        if texts[0] not in english and texts[1] not in mixed:
            english[texts[0]] = Request(texts[0], texts[1], label[1], _said(texts[2]))
            mixed.add(texts[1])
    return list(english.values())


def _said(parse: str) -> str:
    """Labels, brackets and the words in slots, of "[IN:SET_ALARM set [SL:DATE_TIME for 7 am ] please ]"."""
    kept: list[str] = []
    within: list[str] = []
    for part in parse.split():
        if part.startswith("["):
            within.append(part)
        elif part == "]" and within:
            within.pop()
        elif not (within and within[-1].startswith("[SL:")):
            continue
        kept.append(part.casefold())
    return " ".join(kept)
