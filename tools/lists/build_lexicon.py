"""Builds `lexicon.marisa` of assistant/language/data.

    python -m tools.lists.build_lexicon /usr/share/wordnet node_modules/cmu-pronouncing-dictionary/index.js

Needs the WordNet 3.0 database files (Debian: `wordnet-base`), the CMU Pronouncing Dictionary (npm:
`cmu-pronouncing-dictionary`) and, for the frequency of words, `wordfreq`; none of them when Noted runs. Only relations
are taken over: no definition, no example sentence. Their notices stand beside the file.

The lexicon maps a word to a record (see `assistant.language.lexicon.Word`); words stand in it from frequent to rare.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import typer
import wordfreq

from assistant.language.lexicon import LEXICON, PLACES, RARE, SENSES, SPECIAL, SPELLINGS, WORDS, in_order
from assistant.language.text_table import save_tables
from tools.lists.sources import Sense, WordNet, read_pronunciations, read_wordnet

MOST_WORDS = 45_000
MOST_SPECIAL = 20_000  # words that are given as examples of a more general one
GENERAL = 4  # the column of that
LIST_LENGTH = 4
SHORTEST_RARE = 3  # letters
# Weights of a relation against plain synonymy, set by looking at the results for a few hundred frequent words.
SIMILAR = {"&": 0.6, "^": 0.5}  # similar to, see also
MORE_GENERAL = 0.08
PARTICIPLE = 0.4  # laughing for happy: less apt than glad
OPPOSITE_OF_SIMILAR = 0.3
OPPOSITE_OF_SYNONYM = 0.25
RAREST_MEANING = 0.08  # share of a word's uses below which a meaning gives no synonyms
# Pronouns and the like are not in WordNet, or only as names (ME, the state). By rank of frequency.
COMMON_FORMS = 150
LESS_COMMON_FORMS = 2_000
LONGEST_CLIMB = 6
# Senses of a word: how many, from which share of its uses on, and what no sense is told apart by.
MOST_SENSES, RAREST_SENSE, MOST_HINTS = 8, 0.01, 4
COMMONEST = 5.2  # frequency (Zipf) of a word that tells nothing
LEANS_TO = {"n": 1.0, "a": 0.8, "v": 0.4, "r": 0.2}  # what is asked for is mostly a noun
TELLS_NOTHING = frozenset(
    """abstraction abstract abstract_entity act action activity attraction attribute be become being beingness case
    cause change collection condition control covering definite_quantity do entity event example existence experience
    feeling get go group happening have instance kind make matter measure move object part period_of_time
    physical_entity place point position property psychological_feature quality relation scene state subject thing
    time_period tract unit view whole""".split()  # noqa: SIM905  read as text
)
LEAST_FREQUENT, LEAST_APT = 2.5, 0.25  # of a synonym: its frequency (Zipf), and how often it has this sense
OFFENSIVE = {"obscenity", "disparagement", "ethnic_slur"}
# Marked nowhere in WordNet.
OFFENSIVE_WORDS = ["bitch", "whore", "slut", "bastard", "arse", "ass", "asshole", "fucked", "shitty", "crappy"]


class Relations:
    """Ranks what stands in a relation to a word: the usual meaning and the frequent word first."""

    def __init__(self, wordnet: WordNet, frequency: Mapping[str, float]) -> None:
        self._wordnet = wordnet
        self._frequency = frequency
        self._offensive = set(_offensive(wordnet))
        self._share = {
            (lemma, sense): share
            for lemma in {lemma for lemma, _ in wordnet.senses}
            for sense, share in wordnet.shares(lemma)
        }

    def synonyms(self, lemma: str) -> list[str]:
        scores = defaultdict[str, float](float)
        for sense, share in self._wordnet.shares(lemma):
            if share < RAREST_MEANING:
                continue
            self._add(scores, sense, share)
            for symbol, target, _, _ in self._wordnet.synsets[sense].pointers:
                self._add(scores, target, SIMILAR.get(symbol, 0.0) * share)
        general = self.general(lemma)
        if general:
            scores[general] += MORE_GENERAL * self._weight(general)
        opposites = set(self.antonyms(lemma))
        return [word for word in self._ranked(scores, lemma) if word not in opposites][:LIST_LENGTH]

    def antonyms(self, lemma: str) -> list[str]:
        scores = defaultdict[str, float](float)
        for sense, share in self._wordnet.shares(lemma):
            synset = self._wordnet.synsets[sense]
            self._add_opposites(scores, sense, share, lemma)
            self._add_opposites(scores, sense, OPPOSITE_OF_SYNONYM * share)
            for symbol, target, _, _ in synset.pointers:
                if symbol == "&":
                    self._add_opposites(scores, target, OPPOSITE_OF_SIMILAR * share)
        return self._ranked(scores, lemma)[:LIST_LENGTH]

    def general(self, lemma: str) -> str:
        """The nearest more general single word of the most usual meaning, empty where there is none."""
        senses = list(self._wordnet.shares(lemma))
        if not senses:
            return ""
        synset = self._wordnet.synsets[max(senses, key=lambda item: item[1])[0]]
        for _ in range(LONGEST_CLIMB):
            targets = [target for symbol, target, _, _ in synset.pointers if symbol in {"@", "@i"}]
            if not targets:
                break
            synset = self._wordnet.synsets[targets[0]]
            words = [word for word in synset.words if self._weight(word) and not _same_stem(word, lemma)]
            if words:
                return max(words, key=self._weight)
        return ""

    def senses(self, lemma: str) -> list[str]:
        """Return the senses of a word, the most usual first, each as its columns (see `lexicon.Sense`)."""
        weights = {}
        for part, lean in LEANS_TO.items():
            for number, sense in enumerate(self._wordnet.senses.get((lemma, part), ()), start=1):
                weights[sense] = lean * (self._wordnet.counts.get((lemma, part, number), 0) + 1 / number)
        total = sum(weights.values())
        rows: dict[str, str] = {}
        for sense in sorted(weights, key=weights.__getitem__, reverse=True):
            synset = self._wordnet.synsets[sense]
            is_name = not any(word.lower() == lemma and word.islower() for word in synset.words)
            if is_name or synset.offensive or weights[sense] < RAREST_SENSE * total:
                continue
            row = self._sense(sense, lemma)
            said, examples, _ = row.rsplit("\t", 2)
            if said.strip(f"\t{sense[0]}") or examples:
                rows.setdefault(said, row)
        found = [*rows.values()][:MOST_SENSES]
        return found if len(found) > 1 else [row[: row.rindex("\t") + 1] for row in found]  # nothing to pick from

    def _sense(self, sense: Sense, lemma: str) -> str:
        synset = self._wordnet.synsets[sense]
        near = [target for symbol, target, _, _ in synset.pointers if symbol in SIMILAR]
        below = [target for symbol, target, _, _ in synset.pointers if symbol in {"~", "~i"}]
        above = [target for symbol, target, _, _ in synset.pointers if symbol in {"@", "@i"}][:1]
        synonyms = [word for word in synset.words if self._is_said(word, sense, lemma)]
        similar = [
            word
            for target in near
            for word in self._wordnet.synsets[target].words
            if self._is_said(word, target, lemma)
        ]
        similar.sort(key=lambda word: -self._zipf(word))
        general = [word for target in above for word in self._wordnet.synsets[target].words]
        general = [word for word in general if word not in TELLS_NOTHING and not _same_stem(word, lemma)][:1]
        opposites = [
            self._wordnet.synsets[target].words[to - 1]
            for symbol, target, of, to in synset.pointers
            if symbol == "!" and synset.words[of - 1].lower() == lemma
        ]
        narrower = [word for target in below for word in self._wordnet.synsets[target].words[:1] if word.islower()]
        narrower = narrower if sense[0] == "n" else []
        examples = sorted(dict.fromkeys(narrower), key=lambda word: -self._zipf(word))[:2]
        known = {*synonyms, *general, lemma}
        hints = [word for word in synset.hints if word not in known and LEAST_FREQUENT < self._zipf(word) < COMMONEST]
        hints = sorted(hints, key=self._zipf)[:MOST_HINTS]  # rare words tell most
        columns = (synonyms[:3] or similar[:2] * (sense[0] in "ar"), general, opposites[:2], examples, hints)
        words = (",".join(word.replace("_", " ") for word in column) for column in columns)
        return "\t".join([sense[0], *words])

    def _is_said(self, word: str, sense: Sense, lemma: str) -> bool:
        """Return True if a word is used for this sense often enough that it helps to say it."""
        if word.lower() == lemma or not word.islower() or word in self._offensive or _same_stem(word, lemma):
            return False
        return self._zipf(word) >= LEAST_FREQUENT and self._share.get((word, sense), 0.0) >= LEAST_APT

    @staticmethod
    def _zipf(word: str) -> float:
        return float(wordfreq.zipf_frequency(word.replace("_", " "), "en"))

    def _add(self, scores: dict[str, float], sense: Sense, weight: float) -> None:
        for word in self._wordnet.synsets[sense].words:
            scores[word] += weight * (0.15 + self._share.get((word.lower(), sense), 0.0)) * self._weight(word)

    def _add_opposites(self, scores: dict[str, float], sense: Sense, weight: float, lemma: str = "") -> None:
        synset = self._wordnet.synsets[sense]
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol != "!" or (lemma and synset.words[source_word - 1].lower() != lemma):
                continue
            word = self._wordnet.synsets[target].words[target_word - 1]
            scores[word] += weight * self._weight(word)

    def _weight(self, word: str) -> float:
        """Grows with the frequency; nothing for names, expressions of several words, and offensive words."""
        plain = word.isalpha() and word.islower() and word not in self._offensive
        inflected = word.endswith(("ing", "ed")) and any(base != word for base, _ in self._wordnet.bases(word))
        return (self._frequency.get(word, 0.0) / 8) ** 3 * (PARTICIPLE if inflected else 1.0) if plain else 0.0

    def _ranked(self, scores: dict[str, float], lemma: str) -> list[str]:
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [word for word, score in ranked if score > 0 and not _same_stem(word, lemma)]


def _offensive(wordnet: WordNet) -> Iterator[str]:
    """Words with a meaning that WordNet marks or describes as obscene or as a slur: they are no answers."""
    yield from OFFENSIVE_WORDS
    for synset in wordnet.synsets.values():
        if synset.offensive:
            yield from synset.words
        for symbol, target, source, _ in synset.pointers:
            if symbol == ";u" and OFFENSIVE & {word.lower() for word in wordnet.synsets[target].words}:
                yield from synset.words if source == 0 else [synset.words[source - 1]]


def _same_stem(word: str, lemma: str) -> bool:
    """Whether one is only the other with an ending (quick, quickly): no use as an answer. Unhappy for happy is."""
    shorter, longer = sorted((word, lemma), key=len)
    return longer.startswith(shorter) and len(longer) - len(shorter) <= 3


def sounding_alike(words: Iterable[str], sounds: Mapping[str, set[str]]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Word to the words that sound the same; and to one word that differs in a single sound. Frequent ones first."""
    by_sound: dict[str, list[str]] = defaultdict(list)
    by_gap: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for word in words:
        for sound in sorted(sounds.get(word, ())):
            by_sound[sound].append(word)
            for gap in _gaps(sound):
                by_gap[gap].append(word)
    same, near = {}, {}
    for word in words:
        alike = [other for sound in sorted(sounds.get(word, ())) for other in by_sound[sound] if other != word]
        if alike:
            same[word] = list(dict.fromkeys(alike))[:LIST_LENGTH]
            continue
        # The first gap is the first sound: a rhyme sounds nearest.
        close = (other for sound in sorted(sounds.get(word, ())) for gap in _gaps(sound) for other in by_gap[gap])
        near[word] = next((other for other in close if other != word), "")
    return same, near


def _gaps(sound: str) -> list[tuple[str, ...]]:
    phones = sound.split()
    if len(phones) < 3:
        return []
    return [(*phones[:place], "_", *phones[place + 1 :]) for place in range(len(phones))]


def choose_words(wordnet: WordNet, sounds: Mapping[str, set[str]]) -> dict[str, list[tuple[str, str]]]:
    """Forms to their base forms, from frequent to rare: no names, no fragments."""
    ordinary = {word for synset in wordnet.synsets.values() for word in synset.words if word.islower()}
    ordinary -= set(_offensive(wordnet))
    chosen = {}
    for rank, form in enumerate(wordfreq.top_n_list("en", 200_000)):
        fragment = len(form) < 3 and (rank > 200 or form not in sounds)
        if fragment or not form.isascii() or not form.isalpha():
            continue
        bases = [(base, part) for base, part in wordnet.bases(form) if base in ordinary]
        unlisted = rank < COMMON_FORMS or (rank < LESS_COMMON_FORMS and not any(wordnet.bases(form)))
        if bases or (form in sounds and unlisted):
            chosen[form] = list(dict.fromkeys(bases))
        if len(chosen) == MOST_WORDS:
            break
    return chosen


def build(wordnet: WordNet, sounds: Mapping[str, set[str]]) -> dict[str, list[str | list[str]]]:
    chosen = choose_words(wordnet, sounds)
    frequency = {word: wordfreq.zipf_frequency(word, "en") for word in chosen}
    relations = Relations(wordnet, frequency)
    same, near = sounding_alike(list(chosen), sounds)
    records: dict[str, list[str | list[str]]] = {}
    for word, bases in chosen.items():
        own = any(base == word for base, _ in bases)
        base = "" if own or not bases else bases[0][0]
        parts = "".join(dict.fromkeys(part for part in _parts_by_use(wordnet, bases, word if own else base)))
        found = (relations.synonyms(word), relations.antonyms(word), relations.general(word)) if own else ([], [], "")
        records[word] = [parts, base, *found, same.get(word, []), near.get(word, "")]
    return records


def _parts_by_use(wordnet: WordNet, bases: list[tuple[str, str]], lemma: str) -> list[str]:
    use = defaultdict[str, float](float)
    for (part, _), share in wordnet.shares(lemma):
        use[part] += share
    known = {part for base, part in bases if base == lemma}
    return [part for part in sorted(use, key=use.__getitem__, reverse=True) if part in known]


def rare_words(wordnet: WordNet, known: Collection[str]) -> list[str]:
    """The words of WordNet that are not known, in alphabetical order, and no name."""
    found = {word for synset in wordnet.synsets.values() for word in synset.words if word not in known}
    plain = (word for word in found if word.isascii() and word.isalpha() and word.islower())
    return sorted(word for word in plain if len(word) >= SHORTEST_RARE)


def save_lexicon(records: Mapping[str, str], senses: Mapping[str, str], rare: Collection[str]) -> None:
    """Keep what is known of words, the most frequent first, and that rarer ones are words."""
    spellings, special = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for word in records:
        spellings[in_order(word)].append(word)
    for word in islice(records, MOST_SPECIAL):
        special[records[word].split("\t")[GENERAL]].append(word)
    tables = {
        WORDS: records,
        SENSES: senses,
        PLACES: {str(place): word for place, word in enumerate(records)},
        SPELLINGS: {letters: " ".join(words) for letters, words in spellings.items()},
        SPECIAL: {general: " ".join(words) for general, words in special.items() if general},
        RARE: dict.fromkeys(rare, ""),
    }
    save_tables(LEXICON, tables)


def _column(found: str | list[str]) -> str:
    return found if isinstance(found, str) else " ".join(found)


def main(wordnet: Path, pronunciations: Path) -> None:
    """Build both of the WordNet database files in a folder and the index.js of cmu-pronouncing-dictionary."""
    sounds = {
        word: {" ".join(phone.rstrip("012") for phone in phones) for phones in heard}
        for word, heard in read_pronunciations(pronunciations).items()
    }
    database = read_wordnet(wordnet)
    records = build(database, sounds)
    rare = rare_words(database, records)
    relations = Relations(database, {word: wordfreq.zipf_frequency(word, "en") for word in records})
    senses = {
        word: "\n".join(found)
        for word, record in records.items()
        if not record[1] and (found := relations.senses(word))
    }
    save_lexicon({word: "\t".join(map(_column, record)) for word, record in records.items()}, senses, rare)
    print(f"{LEXICON.name}: {len(records):,} words, {len(rare):,} rarer ones, {LEXICON.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    typer.run(main)
