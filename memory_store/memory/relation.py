"""Find older entries on the same thing, and decide if a newer entry replaces, repeats or complements them.

    words for replacing, same question or phrase        replaced     "from now on kal means tomorrow"
    another value of a slot with one value              replaced     "my manager is Dana", then "my manager is Priya"
    same meaning, same kind of question                 duplicate    "akin to quick", "akin to big": a synonym
    same question or phrase, another meaning            beside       "doubt": a question in class, a suspicion at home
    contradicting facts                                 beside       "it closes at 6", "it closes at 7"

The *phrase* is the part of the question that the feedback repeats ("by kal I mean tomorrow"). A list names the slots
of facts with one value at a time.
"""

import hashlib
import tomllib
from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from assistant.errors import DamagedEntry
from assistant.feedback.corrections import cue_pattern, fold_for_cues, parse_correction
from assistant.kinds import Content, Fact, Reach, Triple
from assistant.reasoning.reasoner import Reasoner
from assistant.types import Entry, Scope
from memory_store.language.function_words import (
    WordKind,
    find_explained_words,
    find_repeated_words,
    fold_words,
    function_words,
)
from memory_store.language.languages import LANGUAGES
from memory_store.language.normalize import fold, fold_name, is_same_name
from memory_store.language.question_similarity import is_same_question, pattern_similarity
from memory_store.ledger.access import bypass_index, require_user
from memory_store.ledger.database.schema import entries, forms, triples
from memory_store.ledger.entries import ACTIVE, parse_content
from memory_store.ledger.ledger import ledger_of
from memory_store.ledger.rows import OWNER

_REPLACING = cue_pattern(Path(__file__).parents[1] / "language" / "lists" / "replacing.toml", "replacing")
_SAME_KIND = 0.9  # lowest similarity of two questions of the same kind
_LONGEST_TEXT = 500  # characters; longer texts have no phrase
_SAID = frozenset({WordKind.CONTENT, WordKind.ASKING})
_TELLING = _SAID | {WordKind.NEGATION}
_ONE_VALUE = Path(__file__).with_name("lists") / "one_value.toml"
_MOST_OTHER = 2  # telling words that a fact may have beyond its triples and still say no more than they do
_MOST_SHARING = 32  # rows of entries with a shared digest; the same question first, then the newest
_MOST_NEWEST = 8  # newest entries, always compared: users repeat themselves soon, and in other words
_EVER = 2**62  # higher than any sequence number

# Built once: building a statement takes longer than running it.
_FORMS: sa.BindParameter[Sequence[str]] = sa.bindparam("forms", expanding=True)
_IS_SAME = sa.case((forms.c.form == sa.bindparam("question"), 1), else_=0)
_IS_OTHER = (entries.c.id != sa.bindparam("but"), entries.c.sequence <= sa.bindparam("through"))
_COUNTING = sa.and_(entries.c.owner == OWNER, ACTIVE, *_IS_OTHER)
_COLUMNS = [entries.c[name] for name in ("id", "sequence", "kind", "question", "body")]
_FOUND = sa.select(*_COLUMNS, sa.literal(0).label("same"))
_LATEST = (entries.c.sequence + 0).desc()  # + 0 keeps the planner from an index
_NEWEST = _FOUND.where(_COUNTING, entries.c.kind == sa.bindparam("kind"))
_NEWEST = _NEWEST.order_by(entries.c.sequence.desc()).limit(_MOST_NEWEST)
_SHARING = sa.select(*_COLUMNS, _IS_SAME.label("same")).join(forms, forms.c.entry_id == entries.c.id)
_SHARING = _SHARING.where(forms.c.owner == OWNER, forms.c.form.in_(_FORMS), bypass_index(_COUNTING))
_SHARING = _SHARING.order_by(_IS_SAME.desc(), _LATEST).limit(_MOST_SHARING)
_OF_SLOTS = _FOUND.join(triples, triples.c.entry_id == entries.c.id)
_OF_SLOTS = _OF_SLOTS.where(triples.c.owner == OWNER, triples.c.relation.in_(_FORMS), bypass_index(_COUNTING))
_OF_SLOTS = _OF_SLOTS.where(sa.or_(triples.c.subject.in_(_FORMS), triples.c.object.in_(_FORMS)))
_OF_SLOTS = _OF_SLOTS.order_by(_LATEST).limit(_MOST_SHARING)


class Relation(StrEnum):
    """Relation of an older entry to a newer one of the same type and user."""

    UNRELATED = "unrelated"
    REPLACED = "replaced"
    DUPLICATE = "duplicate"  # the newer entry supersedes it and takes over its keys
    BESIDE = "beside"  # both stay active


def relation_of(new: Content, old: Content) -> Relation:
    """Return the relation of an older entry to a newer one of the same type and user."""
    is_same = build_fingerprints(new)[0] == build_fingerprints(old)[0]
    if new.kind.keyed:
        return Relation.REPLACED if is_same else Relation.UNRELATED
    if isinstance(new.body, Fact) and isinstance(old.body, Fact):
        return Relation.DUPLICATE if is_same else _relate_facts(new.body, old.body)
    is_same = is_same or is_same_question(new.question, old.question)
    if _is_same_statement(new, old):
        counts_once = any(not each.text or each.reach is Reach.QUESTION for each in (new, old))
        explains = any(find_explained_words(each.question, each.text) for each in (new, old))
        is_of_kind = not (counts_once or explains) and pattern_similarity(new.question, old.question) >= _SAME_KIND
        return Relation.DUPLICATE if is_same or is_of_kind else Relation.UNRELATED
    ours, theirs = _phrase(new), _phrase(old)
    is_about_one = not ours.isdisjoint(theirs) if ours and theirs else is_same
    if not is_about_one:
        return Relation.UNRELATED
    # A question about a word asks for one thing: a synonym, an opposite, …
    is_other_task = is_same and all(function_words().is_about_words(fold_words(each.text)) for each in (new, old))
    is_replaced = is_other_task or _REPLACING.search(fold_for_cues(new.text))
    return Relation.REPLACED if is_replaced else Relation.BESIDE


def build_fingerprints(entry: Content) -> list[str]:
    """Return the fingerprints of an entry, question or fact first. Related entries share at least one fingerprint."""
    if entry.kind.asserts and not entry.kind.keyed:
        about, denied = " ".join(sorted(_parse_content(entry.text)[0])), getattr(entry.body, "denied", False)
        words = f"asserted {denied} {fold(entry.text) or entry.text}"
        return [words, *([f"about {about}"] if about else [])]
    phrase = frozenset[str]() if entry.kind.keyed else _phrase(entry)
    # A question without letters or digits has no folded form and equals only itself.
    return [f"question {fold(entry.question) or entry.question}", *(f"phrase {word}" for word in sorted(phrase))]


def hash_fingerprints(entry: Content) -> Sequence[str]:
    """Return the digests of an entry's fingerprints, in the order of `build_fingerprints`."""
    return [_digest(form, entry.only_in) for form in dict.fromkeys(build_fingerprints(entry))]


def _digest(form: str, only_in: str = "") -> str:
    within = f"only in {only_in}\0" if only_in else ""
    return hashlib.sha256(f"{within}{form}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _is_same_statement(new: Content, old: Content) -> bool:
    """Return True if both texts have the same telling words, or are equal without any.

    Words of the question do not matter ("for quick I want a synonym"), but numbers do.
    """
    ours, theirs = (_meant(each.text) for each in (new, old))
    if fold(ours) == fold(theirs):
        return bool(fold(ours)) or ours == theirs
    said = []
    for each in (new, old):
        asked = {word for word in _words(each.question, {WordKind.CONTENT}) if not word.isdecimal()}
        said.append(_words(_meant(each.text), _TELLING) - asked)
    return bool(said[0]) and said[0] == said[1]


@lru_cache(maxsize=1_024)
def _meant(said: str) -> str:
    corrected = parse_correction(said)
    return corrected.meant if corrected else said


def _words(text: str, kinds: Set[WordKind]) -> frozenset[str]:
    return frozenset(word for word in fold_words(text) if function_words().kind(word) in kinds)


def _phrase(entry: Content) -> frozenset[str]:
    is_short = max(len(entry.question), len(entry.text)) <= _LONGEST_TEXT
    return find_repeated_words(entry.question, entry.text) if is_short else frozenset()


def _relate_facts(new: Fact, old: Fact) -> Relation:
    """Return the relation of two facts; they contradict if one denies the other, or a number or time differs."""
    if anew := find_one_valued(new) & find_changed_slots(new.triples, () if old.denied else old.triples):
        return Relation.BESIDE if says_more(old.text, old.triples, anew) else Relation.REPLACED
    (things, amounts, denies), (others, before, denied) = _parse_content(new.text), _parse_content(old.text)
    is_other = amounts != before or (denies != new.denied) != (denied != old.denied)
    return Relation.BESIDE if is_other and things and things == others else Relation.UNRELATED


@lru_cache(maxsize=1_024)
def _parse_content(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return the content words of a fact, its numbers and times, and True if it is negated."""
    words, known = fold_words(text), function_words()
    amounts = frozenset(word for word in words if any(map(str.isdecimal, word)) or word in known.times)
    negations = sum(known.kind(word) is WordKind.NEGATION for word in words)
    return _words(text, _SAID) - amounts, amounts, negations % 2 == 1


class Slot(NamedTuple):
    """A subject and relation whose object is the value, or the reverse; all in folded form."""

    side: str  # side of the value: "object" or "subject"
    relation: str
    thing: str  # on the other side


@cache
def read_sides(file: Path) -> frozenset[tuple[str, str]]:
    """Return the pairs of a list: "subject" or "object", and a relation in folded form."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return frozenset((side, fold_name(relation)) for side, relations in table.items() for relation in relations)


def group_by_slot(triples: Sequence[Triple]) -> dict[Slot, list[tuple[str, str]]]:
    """Return the slots of triples, each with pairs of thing and value as written."""
    values: dict[Slot, list[tuple[str, str]]] = defaultdict(list)
    for triple in triples:
        subject, relation, named = (fold_name(name) for name in (triple.subject, triple.relation, triple.object))
        values[Slot("object", relation, subject)].append((triple.subject, triple.object))
        values[Slot("subject", relation, named)].append((triple.object, triple.subject))
    return values


@lru_cache(maxsize=64)  # each new fact is compared with several
def find_one_valued(said: Fact) -> frozenset[Slot]:
    """Return the slots of a fact that have one value by the list; none if it is denied."""
    values, listed = group_by_slot(() if said.denied else said.triples), read_sides(_ONE_VALUE)
    single = {slot for slot in values if (slot.side, slot.relation) in listed}
    if_now = {slot for slot in values if (f"{slot.side}_if_now", slot.relation) in listed}
    return frozenset(single | if_now if if_now and Reasoner(LANGUAGES).says_now(said.text) else single)


def find_changed_slots(new: Sequence[Triple], old: Sequence[Triple]) -> set[Slot]:
    """Return the slots to which both give values, all different."""
    ours, theirs, changed = group_by_slot(new), group_by_slot(old), set[Slot]()
    for slot in ours.keys() & theirs.keys():
        pairs = [(now[1], then[1]) for now in ours[slot] for then in theirs[slot] if is_same_name(now[0], then[0])]
        if pairs and not any(is_same_name(*values) for values in pairs):
            changed.add(slot)
    return changed


def says_more(text: str, triples: Sequence[Triple], than: Set[Slot]) -> bool:
    """Return True if a fact says more, in words or triples, than the values of these slots."""
    if any(than.isdisjoint(group_by_slot([triple])) for triple in triples):
        return True
    named = {word for triple in triples for name in triple.model_dump().values() for word in fold_words(name)}
    return len(_words(text, _SAID) - named) > _MOST_OTHER


@dataclass(frozen=True, slots=True)
class RelatedEntries:
    """Ids of the user's active entries related to an entry; same question first, then newest."""

    forms: Sequence[str]  # digests of the entry
    relations: Sequence[tuple[str, Relation]]  # of entries of the same type
    near: Sequence[str]  # entries of the same type on the same topic; a model may relate them
    confirmed: Sequence[str]  # confirmed answers to the same question

    def all(self, *wanted: Relation) -> list[str]:
        """Return the ids of entries with one of these relations."""
        return [entry_id for relation in wanted for entry_id, found in self.relations if found is relation]


def find_related(connection: sa.Connection, scope: Scope, entry: Content, through: int = _EVER) -> RelatedEntries:
    """Return the user's entries related to an entry, saved or not, up to the sequence number `through`."""
    digests, but = hash_fingerprints(entry), entry.id if isinstance(entry, Entry) else ""
    bound: dict[str, object] = {"owner": require_user(scope), "but": but, "through": through}
    found = [*connection.execute(_NEWEST, {**bound, "kind": entry.kind.name})]
    slots = find_one_valued(entry.body) if isinstance(entry.body, Fact) else ()
    if named := {name for slot in slots for name in (slot.thing, slot.relation)}:
        found += connection.execute(_OF_SLOTS, {**bound, "forms": sorted(named)})
    # Keep the row that knows about the same question if an entry was found several times.
    sharing = connection.execute(_SHARING, {**bound, "question": digests[0], "forms": digests}).all()
    rows = {row.id: row for row in (*found, *reversed(sharing))}.values()
    ordered = sorted(rows, key=lambda row: (-row.same, -row.sequence))
    kinds = ledger_of(connection).kinds
    kind = "" if entry.kind.quotes and not entry.kind.keyed else entry.kind.name
    relations, near = list[tuple[str, Relation]](), list[str]()
    asked = _words(entry.question, {WordKind.CONTENT})
    for row in ordered:
        if row.kind != kind or row.id in entry.body.apart:
            continue
        try:
            other = parse_content(row._mapping, kinds)
        except DamagedEntry:  # must not prevent saving
            continue
        if other.only_in != entry.only_in or but in other.body.apart:
            continue
        relation = relation_of(entry, other)
        if relation is not Relation.UNRELATED:
            relations.append((row.id, relation))
        elif not (asked & _words(other.question, {WordKind.CONTENT})) <= function_words().times:
            near.append(row.id)
    confirming = [row.id for row in ordered if row.same and row.kind in kinds and kinds[row.kind].confirms]
    # An entry with the reach of one conversation does not affect examples elsewhere.
    return RelatedEntries(digests, relations, near, [] if entry.only_in else confirming)
