"""What the lists are built of: the database files of WordNet 3.0, and the CMU Pronouncing Dictionary."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_OFFENSIVE = re.compile(r"\s*\(?(obscene|vulgar|offensive|ethnic slur|disparaging)")
_FUNCTION = frozenset(
    """the and that with for from used which who whom whose something someone somebody one are was being have has had
    not having any some other its their your our his her usually especially such into upon when where than very more
    most all each both make made cause form act etc""".split()  # noqa: SIM905  read as text
)

# Regular endings, as WordNet's own morphology detaches them.
_ENDINGS = {
    "n": "ies-y ses-s xes-x zes-z ches-ch shes-sh men-man s-",
    "v": "ies-y es-e es- ed-e ed- ing-e ing- s-",
    "a": "er- est- er-e est-e",
    "r": "",
}

Sense = tuple[str, int]  # part of speech and offset: one synset


@dataclass
class Synset:
    """One meaning: its words as WordNet spells them, and pointers (symbol, target, source word, target word)."""

    words: list[str]
    pointers: list[tuple[str, Sense, int, int]]
    offensive: bool
    hints: tuple[str, ...] = ()  # words of content of the definition, which is not taken over


@dataclass
class WordNet:
    """The database files in memory."""

    synsets: dict[Sense, Synset] = field(default_factory=dict)  # by part of speech and offset
    senses: dict[tuple[str, str], list[Sense]] = field(default_factory=dict)  # by lemma and part; the most usual first
    # (lemma, part of speech, number of the sense from 1) to how often it was seen in tagged text.
    counts: dict[tuple[str, str, int], int] = field(default_factory=dict)
    irregular: dict[tuple[str, str], str] = field(default_factory=dict)  # (form, part of speech) to its base form

    def shares(self, lemma: str) -> Iterator[tuple[Sense, float]]:
        """Each meaning of a word with its share of the word's uses."""
        weighted = []
        for part in PARTS.values():
            for number, sense in enumerate(self.senses.get((lemma, part), ()), start=1):
                weighted.append((sense, self.counts.get((lemma, part, number), 0) + 1 / number))
        total = sum(weight for _, weight in weighted)
        return ((sense, weight / total) for sense, weight in weighted)

    def bases(self, form: str) -> Iterator[tuple[str, str]]:
        """The lemmas, with part of speech, that a form can belong to; itself first."""
        for part in PARTS.values():
            if (form, part) in self.senses:
                yield form, part
        for part in PARTS.values():
            if (form, part) in self.irregular:
                yield self.irregular[form, part], part
            for ending, _, replacement in (rule.partition("-") for rule in _ENDINGS[part].split()):
                base = form.removesuffix(ending) + replacement
                if form.endswith(ending) and len(base) > 2 and (base, part) in self.senses:
                    yield base, part
                    break


def read_wordnet(folder: Path) -> WordNet:
    wordnet = WordNet()
    for name, part in PARTS.items():
        for line in _lines(folder / f"data.{name}"):
            offset, synset = _synset(line)
            wordnet.synsets[part, offset] = synset
        for line in _lines(folder / f"index.{name}"):
            fields = line.split()
            offsets = [int(offset) for offset in fields[-int(fields[2]) :]]
            wordnet.senses[fields[0], part] = [(part, offset) for offset in offsets]
        for line in _lines(folder / f"{name}.exc"):
            form, base = line.split()[:2]
            wordnet.irregular[form, part] = base
    kinds = dict(zip("12345", "nvara", strict=True))
    for line in _lines(folder / "cntlist.rev"):
        key, number, count = line.split()
        lemma, _, rest = key.partition("%")
        wordnet.counts[lemma, kinds[rest[0]], int(number)] = int(count)
    return wordnet


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        return iter([line for line in file if not line.startswith("  ")])  # the licence text is indented


def _synset(line: str) -> tuple[int, Synset]:
    relations, _, gloss = line.partition("|")
    fields = relations.split()
    count = int(fields[3], 16)
    words = [re.sub(r"\(.*\)$", "", word) for word in fields[4 : 4 + 2 * count : 2]]
    rest = fields[4 + 2 * count :]
    pointers = []
    for start in range(1, 1 + 4 * int(rest[0]), 4):
        symbol, offset, part, ends = rest[start : start + 4]
        target = ("a" if part == "s" else part, int(offset))
        pointers.append((symbol, target, int(ends[:2], 16), int(ends[2:], 16)))
    told = re.findall(r"[a-z]{3,}", re.split('[;"(]', gloss)[0])
    hints = tuple(dict.fromkeys(word for word in told if word not in _FUNCTION))
    return int(fields[0]), Synset(words, pointers, _OFFENSIVE.match(gloss) is not None, hints)


def read_pronunciations(path: Path) -> dict[str, list[list[str]]]:
    """Word to its pronunciations, with stress, the usual one first; what is noted behind a "#" is part of it."""
    sounds: dict[str, list[list[str]]] = defaultdict(list)
    pattern = re.compile(r'^\s*"?([a-z]+)(?:\(\d\))?"?: "([^"]+)"', re.MULTILINE)
    for word, phones in pattern.findall(path.read_text(encoding="utf-8")):
        sounds[word].append(phones.split())
    return sounds
