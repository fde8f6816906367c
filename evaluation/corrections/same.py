"""Which questions count as the same one, of pairs that somebody wrote who knew nothing of the rules."""

from __future__ import annotations

from pydantic import BaseModel

from evaluation.corrections.reach import Share
from evaluation.reading import DATA, read_all
from memory_store.language.questions import same_question


class Pair(BaseModel):
    """A question, a later one, and whether a person would say that it is the same."""

    known: str
    asked: str
    same: bool


def taken_for_the_same(name: str, *, same: bool) -> Share:
    """Of the pairs of a set that are the same question, or are not, how many are taken for the same."""
    pairs = [pair for pair in read_all(DATA / f"same_{name}.jsonl", Pair) if pair.same is same]
    return Share(sum(same_question(pair.asked, pair.known) for pair in pairs), len(pairs))
