"""How alike texts are by their words: by the stems that they share, and by how much each of these tells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from assistant.language.arguments import COUNTS, FURTHER_PLACES, NTH, NUMBER
from assistant.language.lexicon import lexicon

if TYPE_CHECKING:
    from assistant.language.languages import Languages

_STEM = 5  # letters by which words are told apart; a slip or an ending behind them does no harm
# How much a word of each kind tells; all others tell all.
_TELLS = {"common": 0.8, "link": 0.2, "question": 0.3, "person": 0.1, "request": 0.1, "light": 0.15, "adverb": 0.3}
_UNKNOWN = 0.8  # weight of a token that stands in no known text

Tokens = Mapping[str, float]
"""The stems of the words of a text, with how much each tells."""


@dataclass(frozen=True, slots=True)
class Known:
    """A text that stands for a label."""

    label: str
    text: str
    trust: float = 1.0  # how much more than what somebody said


@dataclass(frozen=True, slots=True, eq=False)
class WordingIndex:
    """The tokens of n known texts: how rare each is, in which texts it stands, and what it tells of each.

    Rare tokens tell more: 1 for one that stands with one label alone, near 0 for one that stands with all.
    """

    count: int  # n
    rarity: Mapping[str, float]
    rows: Mapping[str, slice]  # where the texts of a token stand in what follows
    places: Any  # of texts, shape (pairs of token and text,)
    shares: Any  # one by the length of the text, same shape
    tells: Any = None  # how much of what the text tells, in [0, 1], same shape; None where `shared` is not asked for

    @classmethod
    def of(cls, tokens: Sequence[Tokens], labels: Iterable[str]) -> WordingIndex:
        """The index of texts with these tokens, each of its label."""
        import numpy as np

        seen: dict[str, set[str]] = {}
        for each, label in zip(tokens, labels, strict=True):
            seen.setdefault(label, set()).update(each)
        counts = Counter(token for told in seen.values() for token in told)
        most = math.log(len(seen) + 1)
        rarity = {token: math.log((len(seen) + 1) / count) / most for token, count in counts.items()}
        found: dict[str, list[tuple[int, float, float]]] = {}
        for place, each in enumerate(tokens):
            weights = {token: (told * rarity[token]) ** 2 for token, told in each.items()}
            whole = sum(weights.values())
            for token, weight in weights.items() if whole else ():
                found.setdefault(token, []).append((place, 1 / math.sqrt(whole), weight / whole))
        pairs = [pair for places in found.values() for pair in places]
        ends = np.cumsum([0, *map(len, found.values())]).tolist()
        rows = dict(zip(found, map(slice, ends, ends[1:]), strict=True))
        places, shares, tells = zip(*pairs, strict=True) if pairs else ((), (), ())
        numbers = np.array(places, np.int32), np.array(shares, np.float64), np.array(tells, np.float64)
        return cls(len(tokens), rarity, rows, *numbers)

    def near(self, told: Tokens) -> Any:
        """How near each text is to one with these tokens, in [0, 1], shape (n,)."""
        import numpy as np

        weights = self._weights(told)
        length = math.sqrt(sum(weights.values())) or 1.0
        near = np.zeros(self.count)
        for token in weights.keys() & self.rows.keys():
            row = self.rows[token]
            near[self.places[row]] += weights[token] / length * self.shares[row]
        return near

    def among_each_other(self, tokens: Sequence[Tokens]) -> Any:
        """How near each of the texts, which have these tokens, is to each, shape (n, n)."""
        import numpy as np

        near = np.zeros((self.count, self.count), np.float32)
        for token, row in self.rows.items():
            at, shares = self.places[row], self.shares[row]
            weights = np.array([(tokens[place][token] * self.rarity[token]) ** 2 for place in at])
            near[np.ix_(at, at)] += np.outer(weights * shares, shares)
        return near

    def _weights(self, told: Tokens) -> dict[str, float]:
        return {token: (weight * self.rarity.get(token, _UNKNOWN)) ** 2 for token, weight in told.items()}

    def weighed(self, told: Tokens) -> Tokens:
        """Tokens by what they tell among these texts."""
        return {token: weight * self.rarity.get(token, _UNKNOWN) for token, weight in told.items()}

    def shared(self, told: Iterable[str]) -> Any:
        """How much of what each text tells some tokens have, in [0, 1], shape (n,)."""
        import numpy as np

        shared = np.zeros(self.count)
        for token in self.rows.keys() & told:
            row = self.rows[token]
            shared[self.places[row]] += self.tells[row]
        return shared


@lru_cache(maxsize=4_096)
def tokens_of(languages: Languages, text: str) -> Tokens:
    """The stems of the words of a text, and of what they say in English, with how much each tells."""
    english = languages.english(text)
    told: dict[str, float] = {}
    for word in (*languages.words(text), *(languages.words(english) if english != text else ())):
        known = lexicon().find(languages.english(word.written))
        stem = (known.base if known and known.base else word.folded)[:_STEM]
        if word.written.isdecimal() or word.written.lower() in COUNTS:
            stem = NUMBER
        if word.written.lower() in FURTHER_PLACES:
            stem = NTH
        is_adverb = known is not None and known.parts == "r" and known.text.endswith("ly")
        told[stem] = max(told.get(stem, 0.0), _TELLS.get("adverb" if is_adverb else word.kind, 1.0))
    return told


def cosine(ours: Tokens, theirs: Tokens) -> float:
    """How alike two texts are by what each token tells."""
    shared = sum(ours[token] ** 2 for token in ours.keys() & theirs.keys())
    lengths = [math.sqrt(sum(weight**2 for weight in tokens.values())) for tokens in (ours, theirs)]
    return shared / math.prod(lengths) if all(lengths) else 0.0
