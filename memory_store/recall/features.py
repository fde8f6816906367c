"""The features of a question and an entry: named numbers in [0, 1] from which the gate computes a probability.

All but `ahead` and `behind` depend on the question and the one entry only, and those two on what the same person may
read, so nothing of another person can show in them. Recall at run time and `tools/fit_gate.py` use the same functions.
To add a feature: add it to `similar` (cheap, from rows compared already) or to `worded` (dearer, from the texts), and
fit the gate again; a new name is picked up by itself. What speaks against an entry is listed in `AGAINST`; all else may
only speak for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assistant.types import Entry, Scope
from memory_store.experience import reactions_like
from memory_store.frames import ALIKE, match_frame
from memory_store.lookup import IndexedKey, Role
from memory_store.phrases import cleared_up_words, share_again, shared_words
from memory_store.segment import Segment, Similarities
from memory_store.surface import fold, folded_similarity

if TYPE_CHECKING:
    from memory_store.terms import Floats

AGAINST = frozenset({"misread", "misread_meaning", "copied", "copied_words", "behind", "misfit", "hurt", "hurt_like"})
"""Features that lower the probability."""

_SAME_FRAME = 0.9  # likeness of frames that differ in small words only
_NEARNESS = ("ahead", "meaning", "second_meaning", "middle_meaning", "told")
_NATURAL = ("misread", "misread_meaning", "copied", "copied_words", "behind")  # in the same way of asking
_KEYS = (Role.QUESTION, Role.FORM, Role.FURTHER)
_WHOLE = (Role.QUESTION, Role.FURTHER)
# How much each similarity says about which entry is meant. `python -m tools.fit_relevance` fits them to the data of the
# day; the gate stands on them, so whoever takes new ones fits that again too.
RELEVANCE = {"meaning": 0.384, "ngrams": 0.172, "words": 0.023, "told": 0.063, "told_ngrams": 0.358}


def nearness(segment: Segment, found: Similarities) -> dict[str, Floats]:
    """The similarities that say how near each entry is; each of shape (entries,)."""
    spelled = {
        "ngrams": segment.per_entry(found.ngrams, *_KEYS),
        "words": segment.per_entry(found.words, *_KEYS),
        "told_ngrams": segment.per_entry(found.ngrams, Role.TOLD),
    }
    # Last, for it may have to be waited for.
    meant = {
        "meaning": segment.per_entry(found.meaning, *_KEYS),
        "told": segment.per_entry(found.meaning, Role.TOLD),
    }
    return spelled | meant


def relevance(segment: Segment, found: Similarities) -> Floats:
    """How near each entry is to the question, from 0 to 1, to choose the candidates. Shape (entries,)."""
    import numpy as np

    parts = nearness(segment, found)
    total: Floats = np.sum([weight * parts[name] for name, weight in RELEVANCE.items()], axis=0, dtype=np.float32)
    return total


def similar(segment: Segment, found: Similarities, entry: int) -> dict[str, float]:
    """What the rows of one entry say.

    `meaning`, `ngrams` and `words` are the nearest question or further key. What a rule made of a question is not among
    them: it helps to find the entry, but a few words of a question are near to many others. Those that begin with
    `second_` are the second nearest, so that two hits say more than one by chance, and are absent where there is only
    one; so is `middle_meaning`, nearness in meaning to the middle of all of these. Those that begin with `further_`
    look at the keys that a model wrote, and are absent where there are none. `told` is nearness to the question with
    what the person said, `misread` and `misread_meaning` to the question with how it was misunderstood, by words and by
    meaning. `copied` and `copied_words` are how much more the letters and words are those of the question that was
    asked then than of any further key: a look-alike shares them with the one and meaning with none.
    """
    values = _of_entry(segment, found, entry)
    letters, said, meanings = values.at(segment.places(entry, *_WHOLE))
    _, misread, misread_meanings = values.at(segment.places(entry, Role.MISREAD))
    further_letters, further_said, further_meanings = values.at(segment.places(entry, Role.FURTHER))
    scores = {"ngrams": _largest(letters), "words": _largest(said), "misread": _largest(misread)}
    knows_meaning = not any(map(math.isnan, meanings))
    if knows_meaning:
        scores["meaning"] = _largest(meanings)
        scores["told"] = _largest(values.at(segment.places(entry, Role.TOLD)).meanings)
        scores["misread_meaning"] = _largest(misread_meanings)
    if len(letters) > 1:
        scores["second_ngrams"], scores["second_words"] = _second(letters), _second(said)
        if knows_meaning:
            scores["second_meaning"] = _second(meanings)
            scores["middle_meaning"] = _mean(meanings) / segment.length_of_middle(entry, *_WHOLE)
    if further_letters:
        asked_letters, asked_said, _ = values.at(segment.places(entry, Role.QUESTION, Role.FORM))
        scores["further_ngrams"] = _second(further_letters)
        scores["further_words"], scores["further_words_mean"] = _largest(further_said), _mean(further_said)
        scores["copied"] = _largest(asked_letters) - _largest(further_letters)
        scores["copied_words"] = _largest(asked_said) - scores["further_words"]
        if knows_meaning:
            scores["further_meaning"] = _largest(further_meanings)
            scores["further_meaning_mean"] = _mean(further_meanings)
    return {name: min(1.0, value) if value > 0.0 else 0.0 for name, value in scores.items()}


def worded(question: str, key: str, entry: Entry) -> dict[str, float]:
    """What the wording of a question says beside one key of the entry that is no model's.

    `surface` compares the spelling of the whole, `same` says that it is the same; `frame` what is left without the word
    asked about. Where the frame is the same, `filler` says whether the word asked about is of the kind that it was
    made for, and `misfit` how little it is; both are less where the frame is only alike. `one_gap` is a guess where
    that word is not known. `filler` and `one_gap` count as far as the words that were cleared up are there again: the
    word in their place is not what is asked about. `phrase` is the share of the words that the person repeats which are
    there again.
    """
    match = match_frame(question, key, entry.question, entry.wrong_understanding, entry.text)
    same_frame = min(1.0, max(0.0, (match.likeness - ALIKE) / (_SAME_FRAME - ALIKE)))
    spelled = folded_similarity(fold(question), fold(key))
    is_asked_alike = same_frame > 0.0 or match.gap is not None
    kept = share_again(cleared_up_words(entry), question, entry.question) if is_asked_alike else 0.0
    return {
        "same": float(spelled == 1.0),
        "surface": spelled,
        "frame": match.likeness,
        "filler": same_frame * match.filler * kept,
        "one_gap": (match.gap or 0.0) * kept,
        "misfit": same_frame * (1.0 - match.filler) if match.gap is None else 1.0 - match.gap,
        "phrase": shared_words(entry.question, entry.text, question),
    }


def with_frame(scores: Mapping[str, float]) -> dict[str, float]:
    """The features, those that are no evidence beside the same frame reduced.

    "open up the window" is near to "open up ▢" in every way, and only the word that does not fit tells them apart. And
    a question that is asked in the same way is as near to what was misread as to what was meant, and its letters are
    those of the old question whatever a model wrote beside it.
    """
    fits = 1.0 - scores.get("misfit", 0.0)
    another_way = 1.0 - max(scores.get("filler", 0.0), scores.get("one_gap", 0.0))
    reduced = {name: scores[name] * fits for name in _NEARNESS if name in scores}
    natural = {name: scores[name] * another_way for name in _NATURAL if name in scores}
    return {**scores, **reduced, **natural}


def history(question: str, entry: Entry, scope: Scope) -> dict[str, float]:
    """Whose the entry is, and what became of it before.

    `helped` and `hurt` are by how much it helped more than it hurt, or the other way round, whatever it was asked;
    `helped_like` and `hurt_like` how much it did so for questions of this kind (`memory_store.experience`).
    """
    balance = (entry.helped - entry.hurt) / (1 + entry.helped + entry.hurt)
    helped_like, hurt_like = reactions_like(question, entry)
    return {
        "own": float(entry.owner == scope.person),
        "helped": max(0.0, balance),
        "hurt": max(0.0, -balance),
        "helped_like": helped_like,
        "hurt_like": hurt_like,
    }


def standing(nearness: float, all_of_kind: Sequence[float]) -> dict[str, float]:
    """How far a candidate is `ahead` of the next one of its kind, or `behind` the nearest one.

    Args:
        nearness: of the candidate.
        all_of_kind: of all candidates of its kind, itself included, nearest first.
    """
    behind = all_of_kind[0] - nearness
    ahead = nearness - all_of_kind[1] if behind == 0 and len(all_of_kind) > 1 else 0.0
    return {"ahead": ahead, "behind": behind}


def nearest_key(segment: Segment, found: Similarities, entry: int) -> IndexedKey:
    """The question or further key of an entry that is nearest; any row where a damaged index has lost them."""
    values = _of_entry(segment, found, entry)

    def nearness_of(place: int) -> float:
        meaning = values.meanings[place]
        return values.letters[place] + values.said[place] + (0.0 if math.isnan(meaning) else meaning)

    nearest = max(segment.places(entry, *_WHOLE), key=nearness_of, default=0)
    return segment.rows[segment.rows_of(entry)][nearest]


def best_wording(question: str, keys: Iterable[str], entry: Entry) -> dict[str, float]:
    """`worded` for that of the keys which it says most for."""
    found = [worded(question, text, entry) for text in keys]
    return max(
        found, key=lambda scores: (scores["filler"], scores["frame"], scores["one_gap"], scores["surface"]), default={}
    )


# Plain lists: an entry has a dozen rows, for which numpy is slow.


class _Values(NamedTuple):
    """How alike some rows are to a question: in letters, words and meaning."""

    letters: list[float]
    said: list[float]
    meanings: list[float]

    def at(self, places: Sequence[int]) -> _Values:
        """Of the rows at these places."""
        return _Values(
            [self.letters[place] for place in places],
            [self.said[place] for place in places],
            [self.meanings[place] for place in places],
        )


def _of_entry(segment: Segment, found: Similarities, entry: int) -> _Values:
    rows = segment.rows_of(entry)
    return _Values(found.ngrams[rows].tolist(), found.words[rows].tolist(), found.meaning[rows].tolist())


def _largest(values: Sequence[float]) -> float:
    return max(values) if values else 0.0


def _second(values: Sequence[float]) -> float:
    return sorted(values)[-2] if len(values) > 1 else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
