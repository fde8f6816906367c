"""Ways to ask for a word that have to be cleared up once, as in MemPrompt (appendix C), as a benchmark of decisions.

Each way of asking ("what runs alongside quick ?", for a synonym) is asked once, misunderstood and put right; that is
its entry. Then it is asked about other words, with the slips that people make, in one memory of all ways of all
languages. An entry of another way is as right as its own where it is of the same type, for it says the same, in
whatever language; everything else is wrong. As many questions need nothing: look-alikes made of the same words, and
everyday ones.
No word asked about stands in brackets. `data/templates.toml` has the ways and the words around them; the words asked
about come from the lexicon of the embedded model. Another file may bring ways of its own, with words of either kind.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from random import Random
from string import Formatter
from typing import Any

from assistant.models.lexicon import Lexicon, Word
from evaluation.cases import LOOK_ALIKE, UNRELATED, Asked, Benchmark, Id, Stored
from evaluation.slips import Around, askings

DATA = Path(__file__).parent / "data" / "templates.toml"
TYPES = ("syn", "ant", "hom", "defn", "sent")
_FREQUENT = 8_000  # the words asked about are among so many
_SHORTEST = 3  # letters
_NOT_UNDERSTOOD = 0.2  # share of the ways that were not understood at all; the others were taken for another type
_SAID_IN_ANOTHER_LANGUAGE = 0.25


@dataclass(frozen=True, slots=True)
class Way:
    """A way to ask.

    Args:
        id: its name in the benchmark.
        type: what is meant, one of `TYPES`.
        lang: its language.
        template: the question, with `{word}` in it.
        look_alikes: questions that look like it and need nothing.
    """

    id: str
    type: str
    lang: str
    template: str
    look_alikes: tuple[str, ...]

    @property
    def phrase(self) -> str:
        """What a person quotes of it: all but the word asked about."""
        return " ".join(self.template.replace("{word}", " ").replace("?", " ").split())


def templates(seed: int, path: Path = DATA) -> Benchmark:
    """The benchmark; the same seed makes the same one.

    Each way is asked eight times; its look-alikes follow, and everyday questions until they are as many, if there are.

    Args:
        seed: of all that is chosen by chance.
        path: where the ways to ask stand; it may also have `around` and, as `words` by type, what is asked about. With
            `asks_plainly`, no everyday question asks about a word, for it might do so in one of these ways.
    """
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    found, entries, questions = list(ways(path)), [], []
    table = _table(path)
    everyday = {lang: _everyday(lang, random, about_words=not table.get("asks_plainly")) for lang in table["everyday"]}
    for way in found:
        around = Around(**table["around"][way.lang])
        as_good = frozenset(other.id for other in found if other.type == way.type)
        asked = askings(way.template, around, random)
        words = table.get("words") or words_by_type()
        first, *others = _words(way, words[way.type], len(asked) + 1, random)
        entries.append(_entry(way, first, random))
        questions += [
            Asked(text.format(word=word), way.id, "template", way.lang, groups=(way.type,), as_good=as_good - {way.id})
            for text, word in zip(asked, others, strict=True)
        ]
        questions += [_needing_nothing(text, LOOK_ALIKE, way.lang, way.id) for text in way.look_alikes]
        questions += [
            _needing_nothing(text, UNRELATED, way.lang)
            for text in islice(everyday[way.lang], len(asked) - len(way.look_alikes))
        ]
    return Benchmark(tuple(entries), tuple(questions))


def ways(path: Path = DATA) -> Iterator[Way]:
    """All ways to ask, by language and type."""
    for lang, types in _read(path)["ways"].items():
        for kind in TYPES:
            for number, (template, look_alikes) in enumerate(types.get(kind, {}).items(), 1):
                yield Way(f"{kind}-{lang}-{number}", kind, lang, template, tuple(look_alikes))


def ways_to_say(path: Path = DATA) -> dict[str, dict[str, list[str]]]:
    """What a person says who puts it right, by language and type; `{phrase}` is the way of asking."""
    said: dict[str, dict[str, list[str]]] = _read(path)["said"]
    return said


def _entry(way: Way, word: str, random: Random) -> Stored:
    """What is kept after the question was misunderstood, and put right by the person."""
    understood = _table()["understood"][way.lang]
    others = [kind for kind in TYPES if kind != way.type]
    taken_for = "none" if random.random() < _NOT_UNDERSTOOD else random.choice(others)
    lang = way.lang
    if random.random() < _SAID_IN_ANOTHER_LANGUAGE:
        lang = random.choice([other for other in ways_to_say() if other != way.lang])
    said = random.choice(ways_to_say()[lang][way.type]).format(phrase=way.phrase)
    return Stored(way.id, (way.template.format(word=word),), said, understood[taken_for].format(word=word))


def _needing_nothing(text: str, kind: str, lang: str, near: Id | None = None) -> Asked:
    return Asked(text, None, kind, lang, near)


def _words(way: Way, words: Sequence[str], number: int, random: Random) -> list[str]:
    """So many different ones of the words, none of the way itself."""
    own = set(way.template.casefold().split())
    return random.sample([word for word in words if word not in own], number)


def _everyday(lang: str, random: Random, *, about_words: bool) -> Iterator[str]:
    """Everyday questions, none twice, those from different templates by turns.

    Args:
        lang: their language.
        random: chooses.
        about_words: whether some ask about a word.
    """
    fillings = _table()["fillings"] | {"word": random.sample(words_by_type()["syn"], 8)}
    templates = _table()["everyday"][lang]["questions"]
    groups = [list(_filled(text, fillings)) for text in templates if about_words or "{word}" not in text]
    for group in groups:
        random.shuffle(group)
    random.shuffle(groups)
    while any(groups):
        yield from [group.pop() for group in groups if group]


def _filled(template: str, fillings: Mapping[str, Sequence[str]]) -> Iterator[str]:
    names = [name for _, name, *_ in Formatter().parse(template) if name]
    for chosen in product(*(fillings[name] for name in names)):
        yield template.format(**dict(zip(names, chosen, strict=True)))


@cache
def words_by_type() -> dict[str, list[str]]:
    """Frequent words by the type of what can be asked about them."""
    words = [word for word in Lexicon().frequent(_FREQUENT) if len(word.text) >= _SHORTEST and not word.base]
    return {kind: [word.text for word in words if _has(word, kind)] for kind in TYPES}


def _has(word: Word, kind: str) -> bool:
    has = {"syn": word.synonyms, "ant": word.antonyms, "hom": word.homophones, "defn": word.general, "sent": word.parts}
    return bool(has[kind])


def _table(path: Path = DATA) -> dict[str, Any]:
    """What a file says, and what it leaves out from the own one."""
    return _read(DATA) | _read(path)


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
