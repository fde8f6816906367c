"""The Memory page: what is remembered of this person, to read, search, change, take along and erase. No Gradio."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from assistant.errors import EmptyText, NotFound, TooOften
from assistant.keys.writer import LONGEST_KEY
from assistant.kinds import KINDS, Reach
from assistant.limits import DEFAULT_LIMITS, UNLIMITED
from assistant.ports import Allowance, Memory, Sharing
from assistant.reports.listing import EntryFilter, Visibility, Worth
from assistant.text.cleaning import checked
from assistant.types import Decision, Entry, Key, KeyOrigin, Scope
from ui.page.conversation.views import NEAREST_AT_LEAST, entry_view
from ui.page.memory.importing import PIECE, ImportHandlers
from ui.page.memory.uploads import LARGEST_FILE
from ui.page.panel import Panel, View, fields_of, id_in, number_in, reach_in, refusing, search_in, text_in

PAGE_SIZE = 50
_MOST_SHOWN = 1_000
_FURTHEST = 10**9
_SCRIPTS = (
    "connection.js", "files.js", "asking.js", "lesson.js", "pages.js", "keys.js", "earlier.js", "sharing.js",
    "bring_in.js", "everything.js", "script.js",
)  # fmt: skip

_FILTERS: Mapping[str, Iterable[str]] = MappingProxyType({"kind": KINDS, "reach": Visibility, "worth": Worth})


class MemoryHandlers:
    """One method per event of the list of entries. Each returns what `search` does.

    With it, `done` is the name of a text, `changed` the id of the entry that it is about, `receipt` what was erased,
    and `file` the content of an export. To erase and to withdraw is always allowed.

    Args:
        memory: the entries.
        sharing: which of them are offered to everyone.
        longest: most characters of what an entry may be changed to.
        export: the lines of an export of everything of a person.
        allowance: how much each person may change or take along.
        undo: takes an entry back, with the answers that were made with it; None for the entry alone.
        akin: what a text would find as a question, with what would become of it.
        looking: how often each person may have `akin` asked; beyond it a search finds words only.
        set_reach: lets an entry count for other questions; None for what needs no conversation.
        forgetting: is called before everything of a person is forgotten, so that nothing comes in after it.
    """

    def __init__(
        self,
        memory: Memory,
        sharing: Sharing,
        longest: int = DEFAULT_LIMITS.clarification,
        export: Callable[[Scope], Iterable[str]] = lambda _scope: (),
        allowance: Allowance = UNLIMITED,
        undo: Callable[[str, Scope], object] | None = None,
        forgetting: Callable[[Scope], None] = lambda _scope: None,
        set_reach: Callable[[str, Reach, Scope], Entry] | None = None,
        akin: Callable[[str, Scope], Sequence[Decision]] = lambda _text, _scope: (),
        looking: Allowance = UNLIMITED,
    ) -> None:
        self._memory = memory
        self._undo = undo or memory.retract
        self._set_reach = set_reach or memory.set_reach
        self._forgetting = forgetting
        self._akin = akin
        self._looking = looking
        self._sharing = sharing
        self._export = export
        self._longest = longest
        self._allowance = allowance

    def panel(self, imports: ImportHandlers, keep_days: int) -> Panel:
        """With what brings in files, and how many days conversations are kept."""
        events = (
            self.search, self.edit, self.rekey, self.resume, self.reach, self.take_back, self.offer, self.withdraw,
            self.weigh, self.forget, self.forget_all, self.export,
        )  # fmt: skip
        props: dict[str, object] = {"step": PAGE_SIZE, "piece": PIECE, "largest": LARGEST_FILE, "keep_days": keep_days}
        props |= {"longest": self._longest, "longest_key": LONGEST_KEY}
        props |= {"filters": {name: [*values] for name, values in _FILTERS.items()}}
        return Panel("memory", _SCRIPTS, events, (imports.piece, imports.taking, imports.stop_taking), props=props)

    @refusing
    def search(self, data: object, scope: Scope) -> View:
        """The person's own entries that contain `search` and pass the `filters`: `shown` of them after the `first`.

        Behind the last of them come those that are found `by_meaning` only.
        """
        wanted, limit = _wanted_in(data), number_in(data, "shown", _MOST_SHOWN, PAGE_SIZE)
        first = number_in(data, "first", _FURTHEST, 0)
        found = self._memory.find(scope, wanted, limit, first)
        if first and not found.entries:  # the last of this page went
            first = max(0, found.total - 1) // limit * limit
            found = self._memory.find(scope, wanted, limit, first)
        is_last = first + limit >= found.total
        by_meaning = self._by_meaning(wanted, scope) if is_last and wanted.search.strip() else []
        entries = [*found.entries, *by_meaning]
        ids = [entry.id for entry in entries]
        offers, earlier = self._sharing.offers_of(ids, scope), self._memory.earlier(ids, scope)
        return {
            "entries": [
                entry_view(entry, offers.get(entry.id), _otherwise(entry, earlier.get(entry.id, ())))
                | {"may_offer": self._sharing.may_offer(scope, entry), "by_meaning": entry in by_meaning}
                for entry in entries
            ],
            "first": first,
            "total": found.total,
            "more": not is_last,
            "search": wanted.search,
            "filters": {name: getattr(wanted, name) or "" for name in _FILTERS},
        }

    def _by_meaning(self, wanted: EntryFilter, scope: Scope) -> list[Entry]:
        """Those that a question with these words would find, likeliest first, but that do not contain the words."""
        try:
            self._looking.turn(scope)
        except TooOften:  # who looks more often than people type
            return []
        likely = {
            decision.entry.id: decision.probability
            for decision in self._akin(wanted.search, scope)
            if decision.probability >= NEAREST_AT_LEAST
        }
        with_words = replace(wanted, among=frozenset(likely))
        there = self._memory.find(scope, with_words, len(likely)).entries if likely else ()
        others = replace(wanted, search="", among=likely.keys() - {entry.id for entry in there})
        found = self._memory.find(scope, others, len(likely)).entries if others.among else ()
        return sorted(found, key=lambda entry: -likely[entry.id])

    @refusing
    def edit(self, data: object, scope: Scope) -> View:
        """Replace what an entry (`entry`) says by `text`; that ends its offer to everyone, if it has one."""
        text = checked(text_in(data, "text"), self._longest)
        self._allowance.save(scope)
        before = id_in(data, "entry")
        offer = self._sharing.offers_of([before], scope).get(before)
        entry = self._memory.edit(before, text, scope)
        ended = offer is not None and offer.stands and entry.id != before
        return self.search(data, scope) | {"done": "changed_unshared" if ended else "changed", "changed": entry.id}

    @refusing
    def offer(self, data: object, scope: Scope) -> View:
        """Offer an entry (`entry`) to everyone."""
        self._allowance.save(scope)
        offer = self._sharing.offer(id_in(data, "entry"), scope)
        return self.search(data, scope) | {"done": "offer_made", "changed": offer.entry_id}

    @refusing
    def withdraw(self, data: object, scope: Scope) -> View:
        """Offer an entry (`entry`) to everyone no longer."""
        offer = self._sharing.withdraw(id_in(data, "entry"), scope)
        return self.search(data, scope) | {"done": "offer_withdrawn", "changed": offer.entry_id}

    @refusing
    def resume(self, data: object, scope: Scope) -> View:
        """Let an entry (`entry`) that was paused, or is not used for some questions, be used again."""
        self._allowance.save(scope)
        entry = self._memory.resume(id_in(data, "entry"), scope)
        return self.search(data, scope) | {"done": "resumed", "changed": entry.id}

    @refusing
    def reach(self, data: object, scope: Scope) -> View:
        """Let an entry (`entry`) count for these questions (`reach`)."""
        entry = self._set_reach(id_in(data, "entry"), reach_in(data), scope)
        return self.search(data, scope) | {"done": "reach_changed", "changed": entry.id}

    @refusing
    def rekey(self, data: object, scope: Scope) -> View:
        """Let an entry (`entry`) be found under `new` in place of `old`; one of them empty adds or removes."""
        old, new = text_in(data, "old"), text_in(data, "new")
        keys = [Key(" ".join(checked(new, LONGEST_KEY).split()), KeyOrigin.PERSON)] if new else []
        if not old and not keys:
            raise EmptyText
        self._allowance.save(scope)
        entry = self._memory.replace_keys(id_in(data, "entry"), [old] if old else [], keys, scope)
        return self.search(data, scope) | {"done": "keys_changed", "changed": entry.id}

    @refusing
    def weigh(self, data: object, scope: Scope) -> View:
        """What forgetting an entry (`entry`), or everything, would take along: `takes`, kind of thing to how many."""
        entry = id_in(data, "entry") if "entry" in fields_of(data) else None
        return {"weighed": entry or "everything", "takes": dict(self._memory.taken_along(entry, scope))}

    @refusing
    def forget(self, data: object, scope: Scope) -> View:
        """Erase an entry (`entry`) and everything made of it."""
        receipt = self._memory.forget(id_in(data, "entry"), scope)
        return self.search(data, scope) | {"done": "forgotten", "receipt": receipt}

    @refusing
    def forget_all(self, data: object, scope: Scope) -> View:
        self._forgetting(scope)
        receipt = self._memory.forget_all(scope)
        return self.search(data, scope) | {"done": "forgotten_all", "receipt": receipt}

    @refusing
    def export(self, data: object, scope: Scope) -> View:
        """Everything of the person as a file."""
        self._allowance.save(scope)
        content = "".join(self._export(scope))
        return self.search(data, scope) | {"done": "exported", "file": content}

    @refusing
    def take_back(self, data: object, scope: Scope) -> View:
        """Let an entry (`entry`) say again what it said before, and take back the answers that were made with it."""
        self._allowance.save(scope)
        entry_id = id_in(data, "entry")
        earlier = self._memory.earlier([entry_id], scope)
        if entry_id not in earlier:
            raise NotFound("entry.nothing_earlier")
        self._undo(entry_id, scope)
        return self.search(data, scope) | {"done": "taken_back", "changed": earlier[entry_id][0].id}


def _otherwise(entry: Entry, earlier: Sequence[Entry]) -> list[Entry]:
    """What an entry said before in other words, or of other questions; not what was only drawn from the same ones."""
    return [one for one, next_one in zip(earlier, [entry, *earlier], strict=False) if _shown(one) != _shown(next_one)]


def _shown(entry: Entry) -> tuple[str, str, Reach]:
    return entry.shown, entry.question, entry.reach


def _wanted_in(data: object) -> EntryFilter:
    """What a browser asks for; what cannot be asked for asks for nothing."""
    chosen = fields_of(fields_of(data).get("filters"))
    possible = {name: value for name, values in _FILTERS.items() for value in values if chosen.get(name) == value}
    return EntryFilter(search_in(data), **possible)  # type: ignore[arg-type]  # each as `_FILTERS` says
