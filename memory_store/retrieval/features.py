"""The features of a question and an entry: named numbers in [0, 1] from which the gate computes a probability.

They depend on the question and the one entry only, so nothing of another person can show in them. To add one, add it
here, name it in `evaluation.gate.fitting` and fit the gate again (`python -m tools.gate.fit_gate`).
"""

from __future__ import annotations

from statistics import fmean

from assistant.kinds import Reach
from assistant.types import Entry, KeyOrigin, Scope
from memory_store.language.function_words import explained_words, folded_words, function_words
from memory_store.language.normalize import fold, folded_similarity
from memory_store.language.questions import same_question, same_way
from memory_store.ledger.indexed_keys import TextRole
from memory_store.retrieval.scoring import KEYS, Scored
from memory_store.vectors.rows import Part

_LONGEST_QUESTION = 2_000  # characters that reactions are compared by
_MOST_WORDED = 4  # questions of an entry that are compared word by word
_ALIKE = 0.6  # from which a question is asked like one that an entry is not wanted for
_ITS_QUESTIONS = frozenset({KeyOrigin.QUESTION, KeyOrigin.PERSON})  # a model's paraphrases are other questions


def features(one: Scored, question: str, scope: Scope) -> dict[str, float]:
    """Return the features of an entry beside a question."""
    found = similar(one) | history(question, one.entry, scope)
    if one.part is not Part.ASSERTED:  # how a fact is worded says nothing: it is no question
        found |= worded(one, question)
    if one.entry.kind.is_note:
        found |= bounds(question, one.entry)
    return {name: min(1.0, value) if value > 0.0 else 0.0 for name, value in found.items()}


def similar(one: Scored) -> dict[str, float]:
    """Return what the texts of an entry say: how near it is (`near`), in meaning and in letters.

    `meaning` and `letters` are of the nearest text under which it is found, `with_feedback` of the question with what
    was said of it. Where a model wrote keys, `written_meaning` and `written_letters` are of the nearest of them,
    `middle` is the similarity in meaning to the middle of all texts, and `all_letters` the mean over its keys, so that
    many hits say more than one by chance. `copied` is how much more the letters are those of the question that was
    asked then than of any written key: a look-alike shares them with that, and meaning with none. What has no meaning
    to compare has none of these.
    """
    roles = (TextRole.ASSERTED,) if one.part is Part.ASSERTED else KEYS
    found = {"letters": one.letter(*roles), "near": one.relevance}
    if not one.meanings:
        return found
    found["meaning"] = one.meaning(*roles)
    if one.part is not Part.ASSERTED:
        found["with_feedback"] = one.meaning(TextRole.WITH_FEEDBACK)
    if one.part is not Part.ASSERTED and one.places(TextRole.FURTHER):
        letters = one.letter(TextRole.FURTHER)
        found |= {"written_meaning": one.meaning(TextRole.FURTHER), "written_letters": letters, "middle": one.middle}
        found["all_letters"] = fmean(one.letters[place] for place in one.places(*KEYS))
        found["copied"] = one.letter(TextRole.QUESTION) - letters
    return found


def worded(one: Scored, question: str) -> dict[str, float]:
    """Return what the wording of a question says beside those that an entry was given for.

    `spelling` is how alike the whole is spelled, `same` that it is the same. `way` is how surely it is asked in the
    same way, perhaps about another word.
    """
    # The same way of asking shares letters, so it is looked for among those that share most.
    asked = sorted(one.places(TextRole.QUESTION), key=lambda place: -one.letters[place])
    texts = [one.texts[place].text for place in asked[:_MOST_WORDED]]
    about_words = function_words().is_about_words(folded_words(one.entry.text))
    way = max((same_way(question, text, about_words=about_words) for text in texts), default=0.0)
    spelling = max((folded_similarity(fold(question), fold(text)) for text in texts), default=0.0)
    return {"spelling": spelling, "same": float(spelling == 1.0), "way": way}


def history(question: str, entry: Entry, scope: Scope) -> dict[str, float]:
    """Return whether the entry is one's own, and by how much it helped more than it hurt before (`helped`).

    `helped_like` is s / (1 + s), where s is the sum over the person's reactions that it helped, each weighing as much
    as its question is asked like the new one: so one reaction to the same question counts a half.
    """
    text = question[:_LONGEST_QUESTION]
    asked = [reaction.question for reaction in entry.reactions if reaction.helped]
    alike = sum(1.0 if other == text else same_way(text, other) for other in asked)
    return {
        "own": float(entry.owner == scope.person),
        "helped": (entry.helped - entry.hurt) / (1 + entry.helped + entry.hurt),
        "helped_like": alike / (1 + alike),
    }


def bounds(question: str, entry: Entry) -> dict[str, float]:
    """Return what bounds a note, whatever else speaks for it, as far as it holds.

    `its_question`: this is the question that it was given for. `other_question`: it counts for that only, and this is
    another one. `excepted`: the person does not want it for questions asked like this, or for this very one.
    `its_word`: this one holds the word of the person's own that it says the meaning of.
    """
    known = {entry.question, *(key.text for key in entry.keys if key.origin in _ITS_QUESTIONS)}
    is_its_own = any(same_question(question, text) for text in known)
    explained = explained_words(entry.question, entry.text) if entry.reach is Reach.WAY else frozenset()
    if entry.not_for and same_question(question, entry.question):
        is_excepted = any(same_question(question, other) for other in entry.not_for)
    else:
        is_excepted = any(same_way(question, other) >= _ALIKE for other in entry.not_for)
    holds = {
        "its_question": is_its_own,
        "other_question": entry.reach is Reach.QUESTION and not is_its_own,
        "excepted": is_excepted,
        "its_word": not entry.kind.asserts and bool(explained) and explained <= frozenset(folded_words(question)),
    }
    return {name: 1.0 for name, does in holds.items() if does}
