"""Find the subject of a question: usually a word, else letters, a phrase or a number.

Brackets or quotes may mark it, or a question with the same wording in the prompt. A note may reveal it: its question
differs in that word only ("put nuts to work", "put binary to work"). Otherwise, a linear model ranks the words by
features of themselves and their neighbours; `tools/lists/fit_tasks.py` fits it on questions with a known subject.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

from assistant.language.asked_word import marked_words, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.operations import DEFINITIONS
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.tasks import STEP, load_array, stem_of

PLACE = "it"  # placeholder for the subject
BUCKETS = 4_096  # of the features of a word
_OWNS = "'s"
_NO_OWNERS = frozenset({"what", "who", "it", "that", "let", "there", "how", "where"})
_FEW = 3  # maximum tasks of a specific word
_LEAST = 0.02  # minimum probability of a subject
_FEWEST_SHARED = 2  # words of two questions of one wording
_OPENING, _CLOSING = "<\"“‘'[ ", ">\"”’'] "  # quotes and brackets


@dataclass(frozen=True, slots=True)
class SubjectFinder:
    """Finder of subjects. Thread-safe."""

    languages: Languages

    def find(self, asked: PromptQuestion, frames: Iterable[str]) -> dict[str, float]:
        """Return possible subjects of a question with their probabilities, highest first.

        `frames` are the example questions, with `PLACE` for the subject.
        """
        framed = (_framed(asked.question, frame) for frame in frames)
        revealed = (self._differing(asked.question, about) for about in asked.about)
        marked = marked_words(asked.question) or [*filter(None, (*framed, *revealed))]
        return {marked[0]: 1.0} if marked else self.likely(asked.question)

    def _differing(self, question: str, about: str) -> str:
        """Return the word in which a question differs from that of a note, if they share half of their words."""
        words, before = words_in(question), words_in(about)
        fold = self.languages.fold
        matcher = SequenceMatcher(None, [*map(fold, before)], [*map(fold, words)], autojunk=False)
        replaced = [words[first:last] for tag, _, _, first, last in matcher.get_opcodes() if tag == "replace"]
        shared = sum(block.size for block in matcher.get_matching_blocks())
        is_one = len(words) == len(before) and len(replaced) == 1 and len(replaced[0]) == 1
        return replaced[0][0] if is_one and shared >= max(_FEWEST_SHARED, (len(words) - 1) / 2) else ""

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

    def names(self, text: str, task: str) -> bool:
        """Return True if a text has a word from the definition of this task, and of at most two others."""
        words = self.languages.in_plain_english(text).split()
        tasks = (_explaining(self.languages).get(stem_of(self.languages, word), frozenset()) for word in words)
        return any(task in names and len(names) <= _FEW for names in tasks)


def parts_of(question: str) -> list[str]:
    """Split a question into words: two for "hot's", one for "what's"."""
    found = list[str]()
    for word in words_in(question):
        owner = word.replace("’", "'").removesuffix(_OWNS)
        found += [word] if owner == word or owner.lower() in _NO_OWNERS else [owner, _OWNS]
    return found


def mask_word(text: str, word: str) -> str:
    """Replace a word, with quotes or brackets around it, by a placeholder."""
    if not word or word not in text:
        return text
    before, _, after = text.partition(word)
    return f"{before.rstrip(_OPENING)} {PLACE} {after.lstrip(_CLOSING)}".strip()


@cache
def _explaining(languages: Languages) -> Mapping[str, frozenset[str]]:
    """Return the tasks whose English definition has each stem."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, defined in DEFINITIONS.items():
        for word in words_in(" ".join(defined["english"])):
            found[stem_of(languages, word)].add(name)
    return {stem: frozenset(names) for stem, names in found.items()}


def _parts(word: str) -> str:
    """Return the parts of speech of a word; empty for function words (to, of, and)."""
    known = lexicon().find(word)
    return known.parts if known else "unknown"


def _framed(question: str, frame: str) -> str:
    """Return the subject of a question with the same wording as an example, else an empty text."""
    before, _, after = (re.escape(part.strip(" ?!.,:")) for part in f" {frame} ".partition(f" {PLACE} "))
    if len(f"{before} {after}".split()) < 2:
        return ""
    found = re.fullmatch(
        rf"\W{{0,9}}{before} +(?:(?:an?|the) +(?=\S+\W{{0,9}}{after}\W{{0,9}}\Z))?"
        rf"(?P<subject>\S.*?)\W{{0,9}}{after}\W{{0,9}}",
        question.strip(),
        re.IGNORECASE,
    )
    return found["subject"] if found else ""
