"""Ways to ask for a word that have to be explained once, as in MemPrompt (appendix C), as a benchmark of decisions.

Each way of asking ("what runs alongside quick ?", for a synonym) is asked once, misunderstood and corrected; that is
its entry. Then it is asked about other words, with typos and words around it, in one memory of all ways of all
languages. An entry of another way is as right as its own if it is of the same type, because it says the same; all
others are wrong. As many questions need nothing: look-alikes made of the same words, and everyday ones. No word asked
about is in brackets. `data/templates.toml` has the ways and the words around them; the words asked about come from the
lexicon of the embedded model. Another file may bring ways and words of its own.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from random import Random
from string import Formatter
from typing import Any

from assistant.language.lexicon import Lexicon
from evaluation.decisions.benchmark import EVERYDAY, LOOK_ALIKE, Benchmark, Case, Stored
from evaluation.harness import dataset

DATA = dataset.DATA / "templates.toml"
TYPES = ("syn", "ant", "hom", "defn", "sent")
WORD = "{word}"
_LONG = 4  # letters from which a slip leaves a word readable
_FREQUENT = 8_000  # the words asked about are among so many
_SHORTEST = 3  # letters
_NOT_UNDERSTOOD = 0.2  # share of the ways that were not understood at all; the others were taken for another type
_SAID_IN_ANOTHER_LANGUAGE = 0.25


@dataclass(frozen=True, slots=True)
class Way:
    """A way to ask."""

    id: str  # its name in the benchmark
    type: str  # what is meant, one of `TYPES`
    lang: str
    template: str  # the question, with `{word}` in it
    look_alikes: tuple[str, ...]  # questions that look like it and need nothing

    @property
    def phrase(self) -> str:
        """What a person quotes of it: all but the word asked about."""
        return " ".join(self.template.replace("{word}", " ").replace("?", " ").split())


@dataclass(frozen=True, slots=True)
class Around:
    """What people of one language put around a question, and how they spell."""

    before: Sequence[str]
    after: Sequence[str]
    slips: Mapping[str, Sequence[str]]  # usual other spellings of single words


def askings(template: str, around: Around, random: Random) -> tuple[str, ...]:
    """The question in eight ways, `{word}` still in it: as it is, without its mark, with slips, words around it."""
    bare = template.removesuffix("?").rstrip()
    capitalised = template if template.startswith(WORD) else template[:1].upper() + template[1:]
    shouted = template.upper().replace(WORD.upper(), WORD)  # but for the word asked about, which is filled in later
    first, last = random.choice(around.before), random.choice(around.after)
    return (
        template,
        bare,
        mistyped(template, random),
        respelled(mistyped(bare, random), around, random),
        f"{first} {template}",
        f"{bare} {last}",
        f"{first}, {respelled(bare, around, random)}",
        capitalised if random.random() < 0.5 else shouted,
    )


def mistyped(template: str, random: Random) -> str:
    """One of its longer words with two letters swapped, one left out or one doubled; its first letter stays."""
    words = template.split()
    places = [place for place, word in enumerate(words) if word.isalpha() and len(word) >= _LONG]
    if not places:
        return template
    place = random.choice(places)
    word = words[place]
    at = random.randrange(1, len(word) - 1)
    slips = (
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + 2 * word[at] + word[at + 1 :],
    )
    return " ".join([*words[:place], random.choice(slips), *words[place + 1 :]])


def respelled(template: str, around: Around, random: Random) -> str:
    """Its first word that has a usual other spelling, in that."""
    words = template.split()
    for place, word in enumerate(words):
        if word in around.slips:
            return " ".join([*words[:place], random.choice(around.slips[word]), *words[place + 1 :]])
    return template


def templates(seed: int, path: Path = DATA) -> Benchmark:
    """The benchmark; the same seed makes the same one.

    Each way is asked eight times; its look-alikes follow, and everyday questions until they are as many, if there are.
    The file at `path` has the ways to ask; it may also have `around` and, as `words` by type, what is asked about. With
    `asks_plainly`, no everyday question asks about a word, for it might do so in one of these ways.
    Raises whatever it raises where the file cannot be used.
    """
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    found, entries, questions = list(ways(path)), [], []
    if not found:
        raise ValueError("it has no way to ask")
    table = _table(path)
    everyday = {lang: _everyday(lang, random, about_words=not table.get("asks_plainly")) for lang in table["everyday"]}
    for way in found:
        around = Around(**table["around"][way.lang])
        as_good = frozenset(other.id for other in found if other.type == way.type)
        asked = askings(way.template, around, random)
        words = table.get("words") or words_by_type()
        own = set(way.template.casefold().split())
        first, *others = random.sample([word for word in words[way.type] if word not in own], len(asked) + 1)
        entries.append(_entry(way, first, random))
        questions += [
            Case(text.format(word=word), way.id, "template", way.lang, groups=(way.type,), as_good=as_good - {way.id})
            for text, word in zip(asked, others, strict=True)
        ]
        questions += [Case(text, None, LOOK_ALIKE, way.lang) for text in way.look_alikes]
        others_needed = len(asked) - len(way.look_alikes)
        questions += [Case(text, None, EVERYDAY, way.lang) for text in islice(everyday[way.lang], others_needed)]
    title = f"{path.stem}: {len(entries)} ways to ask, {len(questions):,} questions, seed {seed}"
    return Benchmark(title, tuple(entries), tuple(questions))


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


def _everyday(lang: str, random: Random, *, about_words: bool) -> Iterator[str]:
    """Everyday questions, none twice, those from different templates by turns."""
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
    needed = {"syn": "synonyms", "ant": "antonyms", "hom": "homophones", "defn": "general", "sent": "parts"}
    return {kind: [word.text for word in words if getattr(word, needed[kind])] for kind in TYPES}


def _table(path: Path = DATA) -> dict[str, Any]:
    """What a file says, and what it leaves out from the own one."""
    return _read(DATA) | _read(path)


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
