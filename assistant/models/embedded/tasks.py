"""Find the task of a text and the word that it is about, by linear models.

The task: probes on meaning and words. They are multinomial logistic regressions (Alain and Bengio, "Understanding
intermediate layers using linear classifier probes", 2016), one for questions and one for corrections. Their features
are the vector of the embedder and the bag of known word stems, so that they still work, less well, without a vector.

The subject: usually a word, else letters, a phrase or a number. Brackets or quotes may mark it, or a question with the
same wording in the prompt. A note may reveal it: its question differs in that word only ("put nuts to work", "put
binary to work"). Otherwise, a linear model ranks the words by features of themselves and their neighbours.

`tools/lists/fit_tasks.py` fits both on wordings that people wrote.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.language.asked_word import COUNTS, FURTHER_PLACES, NTH, NUMBER, marked_words, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.phrases import DEFINITIONS
from assistant.models.embedded.prompt_reader import PromptQuestion

if TYPE_CHECKING:
    from assistant.ports import Embedder

FILE = Path(__file__).with_name("data") / "tasks.npz"
OUTSIDE, TOLD = "outside", "told"
"""Labels: a question about something else, and a fact in place of a question."""
PRESENT = 0.5  # value of a stem, next to a vector of length 1
STEP = 1 / 16  # of the weights, stored as 8-bit integers
_ALONE = 1.6  # factor for the stems if there is no vector
PLACE = "it"  # placeholder for the subject
BUCKETS = 4_096  # of the features of a word
_POSSESSIVE = "'s"
_NOT_POSSESSIVE = frozenset({"what", "who", "it", "that", "let", "there", "how", "where"})
_LEAST = 0.02  # minimum probability of a subject
_ARTICLES = frozenset({"a", "an", "the"})
_FEWEST_SHARED = 2  # words of two questions of one wording
_OPENING, _CLOSING = "<\"“‘'[ ", ">\"”’'] "  # quotes and brackets

_log = logging.getLogger(__name__)


class TaskFinder:
    """Classifier of tasks. Thread-safe."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self.languages, self.embedder = languages, embedder
        self._features = lru_cache(maxsize=2_048)(self._compute_features)

    def asked(self, text: str, whole: str) -> dict[str, float]:
        """Return the probability of each task of a question, highest first.

        `text` is the question with its subject masked; `whole` is unmasked, since the subject may show that it asks for
        no task.
        """
        return self._classify("asked", text, whole)

    def said(self, text: str) -> dict[str, float]:
        """Return the probability of each task or other kind of a correction, highest first."""
        return self._classify("said", text)

    def _classify(self, probe: str, *texts: str) -> dict[str, float]:
        """Return the probability of each label: the mean of a softmax; the last row of the weights is the bias."""
        import numpy as np

        weights = load_array(f"{probe}.weights").astype("float32") * STEP
        scores = np.stack([self._features(text) for text in texts]) @ weights[:-1] + weights[-1]
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely = (likely / likely.sum(axis=1, keepdims=True)).mean(axis=0)
        found = zip(load_array(f"{probe}.labels").tolist(), likely.tolist(), strict=True)
        return dict(sorted(found, key=lambda one: -one[1]))

    def _compute_features(self, text: str) -> Any:
        """Compute the features of a text: its vector and the bag of its known stems."""
        import numpy as np

        known, stems = known_stems(), stems_of(self.languages, text)
        bag = np.zeros(len(known), np.float32)
        bag[[known[stem] for stem in stems if stem in known]] = PRESENT
        if self.embedder is not None and self.embedder.fingerprint == str(load_array("fingerprint")):
            found = encode(self.embedder, [self.languages.in_plain_english(text)])
            if found is not None:
                return np.concatenate([found[0], bag])
        size = load_array("said.weights").shape[0] - len(known) - 1
        return np.concatenate([np.zeros(size, np.float32), _ALONE * bag])


def encode(embedder: Embedder | None, texts: Sequence[str]) -> Any:
    """Return the vectors of texts; None without an embedder, and if it fails."""
    try:
        return embedder.encode(texts) if embedder else None
    except Exception:  # any failure of the embedder: only the wording counts
        _log.warning("The embedder failed; the wording alone counts.", exc_info=True)
        return None


def stems_of(languages: Languages, text: str) -> frozenset[str]:
    """Return the stems of a text as the probes read it."""
    return frozenset(stem_of(languages, word) for word in languages.in_plain_english(text).split())


def stem_of(languages: Languages, word: str) -> str:
    """Return the English base form of a word; one stem for all numbers, and one for all ordinals from "second" on."""
    written = languages.english(word).lower()
    if written.isdecimal() or written in COUNTS:
        return NUMBER
    if written in FURTHER_PLACES:
        return NTH
    if known := lexicon().find(written):
        return known.base or written
    near = lexicon().nearest(written)  # "opposite" for "oppsite"
    return near if near in known_stems() else written


@cache
def known_stems() -> dict[str, int]:
    """Return the indices of the stems that are frequent in questions and corrections of any subject."""
    return {stem: at for at, stem in enumerate(load_array("stems").tolist())}


@cache
def load_array(name: str) -> Any:
    """Load an array that `tools/lists/fit_tasks.py` wrote."""
    import numpy as np

    with np.load(FILE) as file:
        return file[name]


@dataclass(frozen=True, slots=True)
class SubjectFinder:
    """Finder of subjects. Thread-safe."""

    languages: Languages

    def find(self, asked: PromptQuestion, frames: Iterable[str]) -> dict[str, float]:
        """Return possible subjects of a question with their probabilities, highest first.

        `frames` are the example questions, with `PLACE` for the subject.
        """
        revealed = (self._differing(asked.question, other) for other in (*frames, *asked.about))
        marked = marked_words(asked.question) or [*filter(None, revealed)]
        return {marked[0]: 1.0} if marked else self.likely(asked.question)

    def _differing(self, question: str, other: str) -> str:
        """Return the only word that differs from another question, or the words in the place of `PLACE`.

        Both must share all other words with a place, and half of their words without one.
        """
        words, before = words_in(question), words_in(other)
        folded, old = ([*map(self.languages.fold, each)] for each in (words, before))
        pairs = enumerate(zip(folded, old, strict=False))
        at = next((place for place, (one, other) in pairs if one != other), len(old))
        rest, shared = old[at + 1 :], len(old) - 1
        end, is_place = len(words) - len(rest), before[at : at + 1] == [PLACE]
        is_enough = shared >= _FEWEST_SHARED and (is_place or (end == at + 1 and shared >= len(words) / 2 - 0.5))
        if not is_enough or folded[end:] != rest:
            return ""
        at += is_place and end - at > 1 and words[at].lower() in _ARTICLES
        return " ".join(words[at:end])

    def likely(self, question: str) -> dict[str, float]:
        """Return the probability of each word to be the subject, highest first."""
        import numpy as np

        words, weights = parts_of(question), load_array("word.weights").astype("float32") * STEP
        scores = np.array([weights[features].sum() for features in self.features(words)] or [0.0])
        near = np.exp(scores - scores.max())
        found: dict[str, float] = {}
        for word, each in zip(words, (near / near.sum()).tolist(), strict=False):
            if each >= _LEAST:
                found[word] = found.get(word, 0.0) + each
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def features(self, words: Sequence[str]) -> list[list[int]]:
        """Return the hash buckets of the features of each word: itself, its neighbours and its position."""
        stems = ["<", "<", *(stem_of(self.languages, word) for word in words), ">", ">"]
        language = self.languages.language(" ".join(words))
        explaining, found = _explaining(self.languages), list[list[int]]()
        for at, word in enumerate(words):
            before, last, own, then, after = stems[at : at + 5]
            known = lexicon().find(word)
            features = {
                f"own {own}", f"last {last}", f"before {before}", f"then {then}", f"after {after}",
                f"between {last} {then}", f"last is {_parts(last)} {language}", f"then is {_parts(then)} {language}",
                f"parts {_parts(word)}", f"form {bool(known and known.base)}",
                f"foreign {self.languages.english(word) != word}", f"explains {own in explaining}",
                f"after one that explains {last in explaining} {language}",
                f"before one that explains {then in explaining} {language}",
                f"first {at == 0} {language}", f"end {at == len(words) - 1} {language}", f"long {min(len(word), 7)}",
                f"twice {[each.lower() for each in words].count(word.lower()) > 1}", f"number {word.isdecimal()}",
                f"capital {word[:1].isupper() and at > 0}",
            }  # fmt: skip
            # A checksum, not `hash`: the same bucket in every process.
            found.append([zlib.crc32(feature.encode(errors="replace")) % BUCKETS for feature in sorted(features)])
        return found

    def explains(self, word: str) -> bool:
        """Return True if the definition of a task has this word."""
        return stem_of(self.languages, word) in _explaining(self.languages)


def parts_of(question: str) -> list[str]:
    """Split a question into words: two for "hot's", one for "what's"."""
    found = list[str]()
    for word in words_in(question):
        owner = word.replace("’", "'").removesuffix(_POSSESSIVE)
        found += [word] if owner == word or owner.lower() in _NOT_POSSESSIVE else [owner, _POSSESSIVE]
    return found


def mask_word(text: str, word: str) -> str:
    """Replace a word, with quotes or brackets around it, by a placeholder."""
    if not word or word not in text:
        return text
    before, _, after = text.partition(word)
    return f"{before.rstrip(_OPENING)} {PLACE} {after.lstrip(_CLOSING)}".strip()


@cache
def _explaining(languages: Languages) -> frozenset[str]:
    """Return the stems of the English definitions of all tasks."""
    texts = (text for defined in DEFINITIONS.values() for text in defined["english"])
    return frozenset(stem_of(languages, word) for text in texts for word in words_in(text))


def _parts(word: str) -> str:
    """Return the parts of speech of a word; empty for function words (to, of, and)."""
    known = lexicon().find(word)
    return known.parts if known else "unknown"
