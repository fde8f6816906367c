"""How two clarifications of one person relate: whether the newer takes the place of the older, or stands beside it.

    of the same thing, said to replace    the newer one takes its place     "akin": first an antonym, now a synonym
    same kind of question, said alike     they become one, with both keys   "akin to quick", "akin to big": a synonym
    of the same thing, said otherwise     both stay                         "doubt": a question, a suspicion
    all else                              they have nothing to do with each other

The *phrase* is what a person repeats from the question when they say what they meant ("by kal I mean tomorrow").
What may relate is looked up in the ledger by the forms that both share, and the newest is always compared.
"""

import hashlib
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa

from assistant.errors import DamagedEntry
from assistant.feedback.corrections import correction_in
from assistant.kinds import Content, Kinds, Reach
from assistant.types import Scope, Status
from memory_store.language.function_words import WordKind, explained_words, folded_words, function_words, repeated_words
from memory_store.language.normalize import fold, folded_similarity
from memory_store.language.questions import same_question, same_way
from memory_store.ledger.access import never_by_index, person_of
from memory_store.ledger.database.schema import NameRole, entries, forms, names, triples
from memory_store.ledger.entries import ACTIVE, content_of
from memory_store.ledger.rows import kinds_of
from memory_store.memory.assertions import (
    Assertion,
    assertion_forms,
    contradict,
    is_replaced,
    one_value_form,
    other_value,
    same_assertion,
    single_slots,
)
from memory_store.memory.replacing import is_another_value, says_instead, takes_back
from memory_store.memory.values import given_anew, slots

_SAME_KIND = 0.9  # from which two questions are asked in the same way
_SAID_ALIKE = 0.9  # likeness of spelling from which two clarifications say the same
_LONGEST_TEXT = 500  # characters; longer texts are alike only where they are the same
_TELLING = frozenset({WordKind.CONTENT, WordKind.ASKING, WordKind.NEGATION})
_CACHED = 1_024  # what was said last, so that one saving does not read the same texts again and again
_MOST_RELATED = 16  # entries compared that share a form: the same question first, then the newest
_EVER = 2**62  # no sequence number comes after it
_MOST_NEWEST = 8  # entries compared in any case: people repeat themselves soon, and not always in comparable form

_OWNER: sa.BindParameter[str] = sa.bindparam("owner")
_KIND: sa.BindParameter[str] = sa.bindparam("kind")
# Active entries of a person that share a form, and the newest of a kind, however they are worded.
_SAID = [entries.c[name] for name in ("id", "sequence", "kind", "question", "body")]
_COUNTING = (
    *(entries.c.owner == _OWNER, ACTIVE, entries.c.id != sa.bindparam("but")),
    entries.c.sequence <= sa.bindparam("through"),
)
_COUNTS = never_by_index(sa.and_(*_COUNTING))  # of entries that are named
_IS_SAME = sa.case((forms.c.form == sa.bindparam("question"), 1), else_=0)
_FORMED = (
    sa.select(forms.c.entry_id, sa.func.max(_IS_SAME).label("same"))
    .where(forms.c.owner == _OWNER, forms.c.form.in_(sa.bindparam("forms", expanding=True)))
    .group_by(forms.c.entry_id)
    .subquery()
)
_SHARING = (
    sa.select(*_SAID, _FORMED.c.same)
    .join(_FORMED, _FORMED.c.entry_id == entries.c.id)
    .where(_COUNTS)
    .order_by(_FORMED.c.same.desc(), entries.c.sequence.desc())
    .limit(_MOST_RELATED)
)
_NEWEST = (
    sa.select(*_SAID, sa.literal(0).label("same"))
    .where(*_COUNTING, entries.c.kind == _KIND)
    .order_by(entries.c.sequence.desc())
    .limit(_MOST_NEWEST)
)
# The newest come first, so that of an entry that is found twice the row is kept that knows what they share.
_RELATED = sa.union_all(sa.select(_NEWEST.subquery()), sa.select(_SHARING.subquery()))


_ONE_VALUE = (
    sa.select(forms.c.form)
    .join(entries, entries.c.id == forms.c.entry_id)
    .where(forms.c.owner == _OWNER, forms.c.form.in_(sa.bindparam("forms", expanding=True)))
    .where(entries.c.status != Status.RETRACTED.value)
)


def _of_slot(given: str) -> sa.Select[Any]:
    thing, relation = names.alias(), names.alias()
    return (
        sa.select(*_SAID, sa.literal(0).label("same"))
        .join(triples, triples.c.entry_id == entries.c.id)
        .join(thing, (thing.c.id == triples.c[given]) & (thing.c.role == NameRole.ENTITY.value))
        .join(relation, (relation.c.id == triples.c.relation) & (relation.c.role == NameRole.RELATION.value))
        .where(thing.c.owner == _OWNER, thing.c.form == sa.bindparam("thing"))
        .where(relation.c.owner == _OWNER, relation.c.form == sa.bindparam("relation"))
        .where(_COUNTS)
        .order_by((entries.c.sequence + 0).desc())  # as it stands in no index
        .limit(_MOST_RELATED)
    )


_OF_SLOT = MappingProxyType({given: _of_slot(given) for given in ("subject", "object")})


class Relation(StrEnum):
    """What an older entry is to a new one of the same kind (clarification or example) and person."""

    UNRELATED = "unrelated"
    REPLACED = "replaced"  # of the same question or phrase, and the new one says that it takes its place
    DUPLICATE = "duplicate"  # says the same of the same kind of question: the new one takes its place and its keys
    BESIDE = "beside"  # the same question or phrase with another meaning: both stay


@dataclass(frozen=True, slots=True)
class Said:
    """What matters here of an entry, or of one about to be saved: what was asked, what the person then said, and in
    which conversation alone it counts. An example has only a question.
    """

    question: str
    text: str = ""
    only_in: str = ""
    is_narrow: bool = False  # it counts for its own question only
    apart: frozenset[str] = frozenset()  # ids of what it has nothing to do with, as somebody said
    asserted: Assertion | None = None  # where it holds whatever was asked
    is_keyed: bool = False  # its question is a key, under which there is one


def forms_of(said: Said) -> list[str]:
    """Texts of which related ones share at least one, so that the ledger can look them up; the question's is first."""
    if said.asserted:
        return assertion_forms(said.asserted)
    if said.is_keyed:
        return [_question_form(said.question)]
    return [_question_form(said.question), *(f"phrase {word}" for word in sorted(_phrase(said)))]


def relation_of(new: Said, old: Said) -> Relation:  # noqa: PLR0911 (a table of cases)
    """What the old one is to the new one."""
    if new.asserted and old.asserted:
        return _between_assertions(new.asserted, old.asserted)
    if new.is_keyed:
        is_same_key = _question_form(new.question) == _question_form(old.question)
        return Relation.REPLACED if is_same_key else Relation.UNRELATED
    same_phrase = _phrase(new) & _phrase(old)
    alike = _said_alike(new, old)
    is_same = _question_form(new.question) == _question_form(old.question)
    if is_same and not (new.text and old.text):
        return Relation.DUPLICATE if alike else Relation.REPLACED
    is_same = is_same or same_question(new.question, old.question)
    if is_same and alike:
        return Relation.DUPLICATE
    if alike:
        become_one = new.text and not (new.is_narrow or old.is_narrow) and _same_kind(new, old)
        return Relation.DUPLICATE if become_one else Relation.UNRELATED
    about_one = is_same or _says_more(new, old)
    if says_instead(new.text) and (about_one or same_phrase or _about_the_same(new, old)):
        return Relation.REPLACED
    is_of_others = about_one and not same_phrase and _phrase(new) and _phrase(old)
    if is_of_others or not (about_one or same_phrase):
        return Relation.UNRELATED
    replaces = takes_back(new.text, old.text, old.question) or (is_same and is_another_value(new.text, old.text))
    return Relation.REPLACED if replaces else Relation.BESIDE


def _between_assertions(new: Assertion, old: Assertion) -> Relation:
    if same_assertion(new, old):
        return Relation.DUPLICATE
    if other_value(new, old):
        return Relation.REPLACED if is_replaced(old, new) else Relation.BESIDE
    return Relation.BESIDE if contradict(new, old) else Relation.UNRELATED


def _says_more(new: Said, old: Said) -> bool:
    """Whether one question says all that the other tells, and at most as much again.

    Of what somebody wants of a word, the word alone tells nothing: it is asked about in many ways.
    """
    fewer, more = sorted((_telling(new.question), _telling(old.question)), key=len)
    of_word = all(function_words().is_about_words(folded_words(said.text)) for said in (new, old))
    return len(fewer) > of_word and fewer <= more and len(more) <= 2 * len(fewer)


def _about_the_same(new: Said, old: Said) -> bool:
    """Whether the questions are about one thing, beside when."""
    shared = _content(new.question) & _content(old.question)
    return any(not function_words().is_time(word) for word in shared)


def _question_form(question: str) -> str:
    # A question of signs only has no folded form, and is the same only as itself.
    return f"question {fold(question) or question}"


def _same_kind(new: Said, old: Said) -> bool:
    """Whether both are asked in the same way, and neither says what one word stands for."""
    explains = any(explained_words(said.question, said.text) for said in (new, old))
    return not explains and same_way(new.question, old.question) >= _SAME_KIND


def _said_alike(new: Said, old: Said) -> bool:
    """Whether both say the same, in the same telling words or nearly the same spelling."""
    if max(len(new.text), len(old.text)) > _LONGEST_TEXT:
        return new.text == old.text
    meant, before = _meant(new), _meant(old)
    ours, theirs = _telling(meant), _telling(before)
    if _of_kind(ours, {WordKind.NEGATION}) != _of_kind(theirs, {WordKind.NEGATION}):
        return False
    if {word for word in folded_words(meant) if word.isdecimal()} != set(filter(str.isdecimal, folded_words(before))):
        return False
    # What was asked about may be named in both: "for quick I want a synonym".
    ours -= _content(new.text) & set(folded_words(new.question))
    theirs -= _content(old.text) & set(folded_words(old.question))
    spelled_alike = fold(meant) == fold(before) or folded_similarity(fold(meant), fold(before)) >= _SAID_ALIKE
    return (bool(ours) and ours == theirs) or spelled_alike


@lru_cache(maxsize=_CACHED)
def _meant(said: Said) -> str:
    corrected = correction_in(said.text)
    return corrected.meant if corrected else said.text


@lru_cache(maxsize=_CACHED)
def _telling(text: str) -> frozenset[str]:
    return _of_kind(folded_words(text), _TELLING)


@lru_cache(maxsize=_CACHED)
def _content(text: str) -> frozenset[str]:
    return _of_kind(folded_words(text), {WordKind.CONTENT})


def _phrase(said: Said) -> frozenset[str]:
    is_short = max(len(said.question), len(said.text)) <= _LONGEST_TEXT
    return repeated_words(said.question, said.text) if is_short else frozenset()


def _of_kind(words: Collection[str], kinds: Collection[WordKind]) -> frozenset[str]:
    return frozenset(word for word in words if function_words().kind(word) in kinds)


@dataclass(frozen=True, slots=True)
class Related:
    """The person's active entries that relate to one of a kind, by id; those of its question first, then the newest."""

    forms: Sequence[str]  # digests of its own
    relations: Sequence[tuple[str, Relation]]  # what entries of its kind are to it
    near: Sequence[str]  # entries of its kind that are only about the same thing: a model may know better
    confirmed: Sequence[str]  # what confirms an answer to its question

    def all(self, *wanted: Relation) -> list[str]:
        return [entry_id for relation in wanted for entry_id, found in self.relations if found is relation]


def find_related(
    connection: sa.Connection,
    scope: Scope,
    entry: Content,
    but: str = "",
    *,
    besides: Container[str] = (),
    through: int = _EVER,
) -> Related:
    """What relates to an entry, or to one that is about to be saved, `but` an entry of this id.

    What is known to stand `besides` it, and what came after `through` in the order of all changes, is left out.
    """
    said, digests = said_of(entry), form_digests(entry)
    bound = {"owner": person_of(scope), "kind": entry.kind.name, "but": but, "through": through}
    found = connection.execute(_RELATED, {**bound, "question": digests[0], "forms": digests}).all()
    if said.asserted and said.asserted.triples:
        asserted = _with_learnt(connection, said.asserted, person_of(scope))
        said = replace(said, asserted=asserted)
        found = [*_of_values(connection, asserted, bound), *found]
    rows = {row.id: row for row in found}.values()
    ordered = sorted(rows, key=lambda row: (-row.same, -row.sequence))
    kinds = kinds_of(connection)
    kind = "" if entry.kind.quotes and not entry.kind.keyed else entry.kind.name
    others = {
        row.id: other
        for row in ordered
        if row.kind == kind and row.id not in besides and (other := _said_in(row, kinds))
        if other.only_in == said.only_in and row.id not in said.apart and but not in other.apart
    }
    relations = [(other_id, relation_of(said, other)) for other_id, other in others.items()]
    unrelated = [other_id for other_id, relation in relations if relation is Relation.UNRELATED]
    near = [other_id for other_id in unrelated if _about_the_same(said, others[other_id])]
    confirming = [row.id for row in ordered if row.same and row.kind in kinds and kinds[row.kind].confirms]
    # What counts in one conversation takes nothing out of the others.
    confirmed = [] if entry.only_in else confirming
    return Related(digests, [each for each in relations if each[1] is not Relation.UNRELATED], near, confirmed)


def _with_learnt(connection: sa.Connection, said: Assertion, person: str) -> Assertion:
    """What is asserted, with all that is known of which slots have one value."""
    digests = {_digest(one_value_form(slot.kind)): slot.kind for slot in slots(said.triples)}
    known = connection.execute(_ONE_VALUE, {"owner": person, "forms": list(digests)}).scalars()
    return said._replace(one_valued=tuple({*said.one_valued, *(digests[form] for form in known)}))


def _of_values(connection: sa.Connection, said: Assertion, bound: Mapping[str, object]) -> list[sa.Row[Any]]:
    """The active entries that give a value of what has one, and of which this one gives a value."""
    found: list[sa.Row[Any]] = []
    for slot in single_slots(said):
        given = "object" if slot.side == "subject" else "subject"
        named = {**bound, "thing": slot.thing, "relation": slot.relation}
        found += connection.execute(_OF_SLOT[given], named).all()
    return found


def kinds_of_other_values(entry: Content, older: Content) -> list[str]:
    """Kinds of the slots of which both facts give a value, each another one; of others than facts, none."""
    new, old = (Assertion.of(each).triples for each in (entry, older))
    return sorted({slot.kind for slot in given_anew(new, old)})


def form_digests(entry: Content) -> Sequence[str]:
    """Digests of its forms, which are short however long a question is; that of the question first."""
    texts = dict.fromkeys(forms_of(said_of(entry)))
    within = f"only in {entry.only_in}\0" if entry.only_in else ""
    return [_digest(f"{within}{text}") for text in texts]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def said_of(entry: Content) -> Said:
    is_keyed = entry.kind.keyed
    asserted = Assertion.of(entry) if entry.kind.asserts and not is_keyed else None
    is_narrow = entry.reach is Reach.QUESTION
    apart = frozenset(entry.body.apart)
    return Said(entry.question, entry.text, entry.only_in, is_narrow, apart, asserted, is_keyed)


def _said_in(row: sa.Row[Any], kinds: Kinds) -> Said | None:
    """What a row says; None where it is damaged, which keeps nothing from being saved."""
    try:
        return said_of(content_of(row._mapping, kinds))
    except DamagedEntry:
        return None
