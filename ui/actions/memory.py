"""Operations on entries: find, change, export, erase and share."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from assistant.errors import EmptyText, NotFound
from assistant.keys.writer import LONGEST_KEY
from assistant.kinds import FACT, Place, Reach
from assistant.papers.teachme.facts import is_denied
from assistant.reports.listing import EntryFilter, EntryPage
from assistant.reports.upkeep import Imported, Receipt
from assistant.sharing import LONGEST_REASON, Offer, Offered
from assistant.text.cleaning import check_text
from assistant.types import Decision, Entry, Key, KeyOrigin
from ui.actions.arguments import REACHES, AnEntry, EntryId, Id, Limit, Offset, ProposedReach, ReachName, Search
from ui.actions.call import Call
from ui.actions.operation import Effect, Role, Who, operation
from ui.actions.results import Entries, EntryView, File, Judged, Text, View, erased, read

NotAnswered = Annotated[str, Field(description="The question to test; it is not answered."), Role.WORDS]
Misunderstood = Annotated[str, Field(description="The question or phrase that is easily misunderstood.")]
Meant = Annotated[str, Field(description="What it means, in plain words."), Role.WORDS]
NewText = Annotated[str, Field(description="The new text."), Role.WORDS]
OldKey = Annotated[str, Field(description="The key to remove; empty to add one.")]
NewKey = Annotated[str, Field(description="The key to add; empty to remove one.")]
TheReach = Annotated[ReachName, Field(description=REACHES)]
Other = Annotated[EntryId, Field(description="Id of the earlier entry.")]
WhyBoth = Annotated[str, Field(description="Why both apply; only with `beside`.")]
OrAll = Annotated[Id, Field(description="The entry's id; empty for everything stored about the user."), Role.ENTRY]
Exported = Annotated[str, Field(description="The text that `export` returned."), Role.FILE]
Relation = Annotated[
    Place, Field(description="`instead` replaces the earlier entry, `beside` keeps both, `apart` unlinks them.")
]
Seal = Annotated[
    Id, Field(min_length=1, description="The `seal` from `offers`; it proves that you saw what you share.")
]
Wording = Annotated[str, Field(description="The text to share instead of the offered one."), Role.WORDS]
Reason = Annotated[
    str, Field(max_length=LONGEST_REASON, description="The reason; the user who offered it sees it."), Role.WORDS
]
OfferId = Annotated[Id, Field(description="The offer's id, from `offers`.")]


@operation(Entries, effect=Effect.READS)
def list_(call: Call, search: Search = "", limit: Limit = 50, offset: Offset = 0) -> EntryPage:
    """List what is stored, newest first."""
    return call.memory.find(call.scope, EntryFilter(search), limit, offset)


@operation(list[Judged], effect=Effect.READS, name_of_result="found")
def preview(call: Call, question: NotAnswered) -> Sequence[Decision]:
    """Show which entries a question would use, and why, without calling a model."""
    return call.assistant.preview(question, call.scope)


@operation(EntryView)
def remember(call: Call, question: Misunderstood, text: Meant, reach: ProposedReach = None) -> Entry:
    """Save what a question means before it is misunderstood. Saving the same meaning twice stores it once."""
    return call.assistant.remember(question, text, call.scope, Reach(reach) if reach else None)


@operation(EntryView)
def change(call: Call, entry: EntryId, text: NewText) -> Entry:
    """Change the text of an entry. If it was offered to everyone, the offer ends."""
    text = check_text(text, call.assistant.limits.clarification)
    call.save()
    old = call.memory.entry(call.entry(entry), call.scope)
    if old.kind is FACT and text != old.shown and not is_denied(old):
        return call.memory.set_triples(old.id, call.assistant.triples_in(text), call.scope, text)
    return call.memory.edit(old.id, text, call.scope)


@operation(EntryView, saves=True)
def revert(call: Call, entry: EntryId) -> Entry:
    """Restore the earlier version of an entry, and undo the answers that were made with the current one."""
    named = call.entry(entry)
    earlier = call.memory.earlier([named], call.scope)
    if named not in earlier:
        raise NotFound("entry.nothing_earlier")
    call.assistant.undo(named, call.scope)
    return earlier[named][0]


@operation(EntryView)
def change_key(call: Call, entry: EntryId, old: OldKey = "", new: NewKey = "") -> Entry:
    """Add, replace or remove a further key of an entry."""
    keys = [Key(" ".join(check_text(new, LONGEST_KEY).split()), KeyOrigin.PERSON)] if new else []
    if not old and not keys:
        raise EmptyText
    call.save()
    return call.memory.replace_keys(call.entry(entry), [old] if old else [], keys, call.scope)


@operation(EntryView)
def reach(call: Call, reach: TheReach, entry: AnEntry = "") -> Entry:
    """Set which questions an entry applies to."""
    return call.assistant.set_reach(call.entry(entry), Reach(reach), call.scope)


@operation(EntryView)
def relate(call: Call, place: Relation, other: Other, entry: AnEntry = "", why: WhyBoth = "") -> Entry:
    """Say how an entry relates to an earlier one about the same question."""
    newer = call.memory.entry(call.entry(entry), call.scope)
    # The replaced entry is not active but may be named.
    older = call.entry(other, call.assistant.others(newer, call.scope))
    return call.assistant.put(newer.id, place, older, call.scope, why)


@operation(EntryView, saves=True)
def resume(call: Call, entry: EntryId) -> Entry:
    """Use an entry again after it was paused or excluded from some questions."""
    return call.memory.resume(call.entry(entry), call.scope)


@operation(effect=Effect.READS)
def erases(call: Call, entry: OrAll = "") -> Mapping[str, int]:
    """Count what erasing an entry, or everything about the user, would remove."""
    return call.memory.taken_along(call.entry(entry) if entry else None, call.scope)


@operation(erased, effect=Effect.ERASES)
def forget(call: Call, entry: EntryId) -> Receipt:
    """Permanently erase an entry, everything derived from it, and the text of the answers that used it."""
    return call.memory.forget(call.entry(entry), call.scope)


@operation(erased, Who.IN_PERSON, Effect.ERASES)
def forget_everything(call: Call) -> Receipt:
    """Permanently erase everything stored about the user."""
    return call.memory.forget_all(call.scope)


@operation(effect=Effect.READS, saves=True)
def export(call: Call) -> File:
    """Export everything about the user as lines of JSON (docs/export-format.md)."""
    lines = list(call.services.store.export(call.scope))
    return File(file="".join(lines), sentence=f"Exported {len(lines) - 1:,} records.")


@operation(saves=True)
def import_(call: Call, text: Exported) -> Iterator[Imported]:
    """Add the memories of an export to the user's own. Importing a file twice adds nothing; a stopped one resumes."""
    return call.services.store.take_in(text.encode("utf-8", "surrogatepass").splitlines(keepends=True), call.scope)


class OfferedView(View):
    """An offer as curators see it, with all that would be shared."""

    offer: Offer
    who: str = Field(description="The user who offered it.")
    type: str = read("copy.kind.name")
    question: str = read("copy.question")
    text: str = read("copy.shown")
    further: list[Text] = read("told", "What else would be shared with it, in words.")
    seal: str = Field(description="Identifies this exact content; pass it to `accept`.")


@operation(saves=True)
def offer(call: Call, entry: EntryId) -> Offer:
    """Offer an entry to everyone; a curator decides."""
    return call.services.sharing.offer(call.entry(entry), call.scope)


@operation()
def withdraw(call: Call, entry: EntryId) -> Offer:
    """Withdraw an offer, and stop sharing its entry."""
    return call.services.sharing.withdraw(call.entry(entry), call.scope)


@operation(list[OfferedView], Who.CURATOR, Effect.READS, "offers")
def offers(call: Call, limit: Limit = 1_000) -> Sequence[Offered]:
    """List offers that wait for a curator, and shared entries."""
    return call.services.sharing.offers(call.curator, limit)


@operation(who=Who.CURATOR)
def accept(call: Call, offer: OfferId, seal: Seal, text: Wording = "") -> Offer:
    """Share an offered entry with everyone."""
    words = check_text(text, call.assistant.limits.clarification) if text else None
    return call.services.sharing.accept(offer, call.curator, words, seal)


@operation(who=Who.CURATOR)
def decline(call: Call, offer: OfferId, reason: Reason = "") -> Offer:
    """Decline an offer, or stop sharing its entry."""
    return call.services.sharing.decline(offer, reason, call.curator)
