"""The features of a question and an entry: named numbers in [0, 1] from which the gate computes a probability.

They depend on the question and the one entry only, so nothing of another person can show in them. To add one, add it
here, name it in `evaluation.gate.fitting` and fit the gate again (`python -m tools.gate.fit_gate`).
"""

from __future__ import annotations

import math
from statistics import fmean

from assistant.types import Entry, Scope
from memory_store.language.normalize import SLOT, fold, folded_similarity
from memory_store.language.questions import same_way, wants_other
from memory_store.ledger.indexed_keys import TextRole
from memory_store.retrieval.scoring import KEYS, Scored
from memory_store.vectors.rows import Part

_LONGEST_QUESTION = 2_000  # characters that reactions are compared by
_MOST_WORDED = 4  # questions of an entry that are compared word by word


def features(one: Scored, question: str, scope: Scope) -> dict[str, float]:
    """Return the features of an entry beside a question."""
    found = {**similar(one), **history(question, one.entry, scope)}
    if one.part is not Part.ASSERTED:  # how a fact is worded says nothing: it is no question
        found |= worded(one, question)
    return {name: min(1.0, value) if value > 0.0 else 0.0 for name, value in found.items()}


def similar(one: Scored) -> dict[str, float]:
    """Return what the texts of an entry say.

    `meaning` and `letters` are of the nearest text under which it is found, `with_feedback` of the question with what
    was said of it. Where a model wrote keys, `written_meaning` and `written_letters` are of the nearest of them,
    `middle` is the similarity in meaning to the middle of all texts, and `all_letters` the mean over its keys, so that
    many hits say more than one by chance. `copied` is how much more the letters are those of the question that was
    asked then than of any written key: a look-alike shares them with that, and meaning with none. What has no meaning
    to compare has none of these.
    """
    if one.part is Part.ASSERTED:
        found = {"letters": one.letter(TextRole.ASSERTED), "near": one.relevance}
        return found | ({"meaning": one.meaning(TextRole.ASSERTED)} if one.knows_meaning else {})
    found = {"letters": one.letter(*KEYS), "near": one.relevance}
    if one.knows_meaning:
        found |= {"meaning": one.meaning(*KEYS), "with_feedback": one.meaning(TextRole.WITH_FEEDBACK)}
    keys = [place for place, text in enumerate(one.texts) if text.role in KEYS]
    written = [place for place, text in enumerate(one.texts) if text.role is TextRole.FURTHER]
    if written and one.knows_meaning:
        known = [one.meanings[place] for place in written if not math.isnan(one.meanings[place])]
        letters = one.letter(TextRole.FURTHER)
        found |= {"written_meaning": max(known, default=0.0), "written_letters": letters, "middle": one.middle}
        found |= {"all_letters": fmean(one.letters[place] for place in keys)}
        found |= {"copied": one.letter(TextRole.QUESTION, TextRole.FORM) - letters}
    return found


def worded(one: Scored, question: str) -> dict[str, float]:
    """Return what the wording of a question says beside those that an entry was given for.

    `spelling` is how alike the whole is spelled, `same` that it is the same. `way` is how surely it is asked in the
    same way, perhaps about another word; `other` says that something else is wanted of a word ("unlike quick" beside
    "like quick").
    """
    asked = [place for place, text in enumerate(one.texts) if text.role in {TextRole.QUESTION, TextRole.FORM}]
    # The same way of asking shares letters, so it is looked for among those that share most.
    asked.sort(key=lambda place: -one.letters[place])
    texts = [one.texts[place].text for place in asked[:_MOST_WORDED]]
    # A form says more of what it is asked with, and less of what about: it counts where no question does.
    way = max((same_way(question, text) for text in texts if SLOT not in text), default=0.0)
    way = way or max((same_way(question, text) for text in texts if SLOT in text), default=0.0)
    spelling = max((folded_similarity(fold(question), fold(text)) for text in texts), default=0.0)
    other = not way and any(wants_other(question, text) for text in texts)
    return {"spelling": spelling, "same": float(spelling == 1.0), "way": way, "other": float(other)}


def history(question: str, entry: Entry, scope: Scope) -> dict[str, float]:
    """Return whose the entry is, and by how much it helped more than it hurt before, or the other way round.

    `helped_like` and `hurt_like` are how much it did so for questions of this kind.
    """
    balance = (entry.helped - entry.hurt) / (1 + entry.helped + entry.hurt)
    helped_like, hurt_like = reactions_like(question, entry)
    own = {"own": float(entry.owner == scope.person)}
    return own | {"helped": balance, "hurt": -balance, "helped_like": helped_like, "hurt_like": hurt_like}


def reactions_like(question: str, entry: Entry) -> tuple[float, float]:
    """Return how much the entry helped, and how much it hurt, by the asking person's reactions to it.

    Each reaction weighs as much as its question is asked like the new one. Each number is s / (1 + s), where s is the
    sum of the weights, so that one reaction to the same question counts a half.
    """
    text = question[:_LONGEST_QUESTION]
    sums = {True: 0.0, False: 0.0}
    for reaction in entry.reactions:
        sums[reaction.helped] += 1.0 if reaction.question == text else same_way(text, reaction.question)
    return sums[True] / (1 + sums[True]), sums[False] / (1 + sums[False])
