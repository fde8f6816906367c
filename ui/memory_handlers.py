"""What happens when a person does something on the Memory page. Plain functions; no Gradio."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from assistant.errors import EmptyText, NotedError, NotFound
from assistant.finding import Reach, Script, Wanted, Worth
from assistant.key_writing import LONGEST_KEY
from assistant.limits import DEFAULT_LIMITS, UNLIMITED
from assistant.text import checked, storable
from assistant.types import Key, KeyOrigin, Kind
from ui.handlers import id_in, text_in
from ui.render import entry_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assistant.ports import Allowance, Memory, Sharing
    from assistant.types import Scope

PAGE_SIZE = 50
_MOST_SHOWN = 1_000
_FURTHEST = 10**9
_LONGEST_SEARCH = 500
_NOTHING_EARLIER = "This was changed in the meantime. There is nothing to take back."

Listing = dict[str, Any]
_Value = TypeVar("_Value", bound=StrEnum)


def nothing_to_export(_scope: Scope) -> Iterable[str]:
    """An export without a line."""
    return ()


class MemoryHandlers:
    """One method per event of the list of entries. Each returns what the list then shows.

    Args:
        memory: the entries.
        sharing: which of them are offered to everyone.
        longest: most characters of what an entry may be changed to.
        export: the lines of an export of everything of a person.
        allowance: how much each person may change or take along. To erase and to withdraw is always allowed.
        undo: takes an entry back, with the answers that were made with it; None for the entry alone.
    """

    def __init__(
        self,
        memory: Memory,
        sharing: Sharing,
        longest: int = DEFAULT_LIMITS.clarification,
        export: Callable[[Scope], Iterable[str]] = nothing_to_export,
        allowance: Allowance = UNLIMITED,
        undo: Callable[[str, Scope], object] | None = None,
    ) -> None:
        self._memory = memory
        self._undo = undo or memory.retract
        self._sharing = sharing
        self._export = export
        self._longest = longest
        self._allowance = allowance

    def search(self, data: object, scope: Scope) -> Listing:
        """The person's own entries that contain `search` and pass the `filters`: `shown` of them after the `first`."""
        return self._listing(data, scope)

    def edit(self, data: object, scope: Scope) -> Listing:
        """Replace what an entry (`entry`) says by `text`; that ends its offer to everyone, if it has one."""
        try:
            text = checked(text_in(data, "text"), self._longest)
            self._allowance.save(scope)
            before = id_in(data, "entry")
            offer = self._sharing.offers_of([before], scope).get(before)
            entry = self._memory.edit(before, text, scope)
        except NotedError as error:
            return {"refused": str(error)}
        ended = offer is not None and offer.stands and entry.id != before
        return self._listing(data, scope) | {"done": "changed_unshared" if ended else "changed", "changed": entry.id}

    def offer(self, data: object, scope: Scope) -> Listing:
        """Offer an entry (`entry`) to everyone."""
        try:
            self._allowance.save(scope)
            offer = self._sharing.offer(id_in(data, "entry"), scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self._listing(data, scope) | {"done": "offer_made", "changed": offer.entry_id}

    def withdraw(self, data: object, scope: Scope) -> Listing:
        """Offer an entry (`entry`) to everyone no longer."""
        try:
            offer = self._sharing.withdraw(id_in(data, "entry"), scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self._listing(data, scope) | {"done": "offer_withdrawn", "changed": offer.entry_id}

    def reuse(self, data: object, scope: Scope) -> Listing:
        """Let an entry (`entry`) that is not used any more be used again."""
        try:
            self._allowance.save(scope)
            entry = self._memory.use_again(id_in(data, "entry"), scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self._listing(data, scope) | {"done": "used_again", "changed": entry.id}

    def widen(self, data: object, scope: Scope) -> Listing:
        """Let an entry (`entry`) that counts in one conversation only count in all."""
        try:
            self._allowance.save(scope)
            entry = self._memory.widen(id_in(data, "entry"), scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self._listing(data, scope) | {"done": "widened", "changed": entry.id}

    def rekey(self, data: object, scope: Scope) -> Listing:
        """Let an entry (`entry`) be found under `new` in place of `old`; one of them empty adds or removes."""
        try:
            old, new = text_in(data, "old"), text_in(data, "new")
            keys = [Key(" ".join(checked(new, LONGEST_KEY).split()), KeyOrigin.PERSON)] if new else []
            if not old and not keys:
                raise EmptyText
            self._allowance.save(scope)
            entry = self._memory.replace_keys(id_in(data, "entry"), [old] if old else [], keys, scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self._listing(data, scope) | {"done": "keys_changed", "changed": entry.id}

    def forget(self, data: object, scope: Scope) -> Listing:
        """Erase an entry (`entry`) and everything made of it; the listing then holds the `receipt`."""
        try:
            receipt = self._memory.forget(id_in(data, "entry"), scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self._listing(data, scope) | {"done": "forgotten", "receipt": receipt}

    def forget_all(self, data: object, scope: Scope) -> Listing:
        """Erase everything of the person; the listing then holds the `receipt`."""
        try:
            receipt = self._memory.forget_all(scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self._listing(data, scope) | {"done": "forgotten_all", "receipt": receipt}

    def export(self, data: object, scope: Scope) -> Listing:
        """Everything of the person as a file: the listing then holds its content as `file`."""
        try:
            self._allowance.save(scope)
            content = "".join(self._export(scope))
        except NotedError as error:
            return {"refused": str(error)}
        return self._listing(data, scope) | {"done": "exported", "file": content}

    def take_back(self, data: object, scope: Scope) -> Listing:
        """Let an entry (`entry`) say again what it said before, and take back the answers that were made with it."""
        try:
            self._allowance.save(scope)
            entry_id = id_in(data, "entry")
            earlier = self._memory.earlier([entry_id], scope)
            if entry_id not in earlier:
                raise NotFound(_NOTHING_EARLIER)
            self._undo(entry_id, scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self._listing(data, scope) | {"done": "taken_back", "changed": earlier[entry_id][0].id}

    def _listing(self, data: object, scope: Scope) -> Listing:
        wanted, limit, first = _wanted_in(data), *_page_in(data)
        try:
            found = self._memory.find(scope, wanted, limit, first)
            if first and not found.entries:  # the last of this page went
                first = max(0, found.total - 1) // limit * limit
                found = self._memory.find(scope, wanted, limit, first)
            ids = [entry.id for entry in found.entries]
            offers, earlier = self._sharing.offers_of(ids, scope), self._memory.earlier(ids, scope)
        except NotedError as error:
            return {"refused": str(error)}
        return {
            "entries": [entry_view(entry, offers.get(entry.id), earlier.get(entry.id, ())) for entry in found.entries],
            "may_offer": self._sharing.may_offer(scope),
            "first": first,
            "total": found.total,
            "more": first + limit < found.total,
            "search": wanted.search,
            "filters": {name: getattr(wanted, name) or "" for name in ("kind", "reach", "script", "worth")},
        }


def _wanted_in(data: object) -> Wanted:
    """What a browser asks for; what cannot be asked for asks for nothing."""
    fields = data if isinstance(data, dict) else {}
    search, chosen = fields.get("search"), fields.get("filters")
    chosen = chosen if isinstance(chosen, dict) else {}
    return Wanted(
        storable(search)[:_LONGEST_SEARCH] if isinstance(search, str) else "",
        _one_of(Kind, chosen.get("kind")),
        _one_of(Reach, chosen.get("reach")),
        _one_of(Script, chosen.get("script")),
        _one_of(Worth, chosen.get("worth")),
    )


def _one_of(values: type[_Value], value: object) -> _Value | None:
    return values(value) if isinstance(value, str) and value in set(values) else None


def _page_in(data: object) -> tuple[int, int]:
    """How many entries to show, and how many of the first to pass over."""
    fields = data if isinstance(data, dict) else {}
    shown, first = fields.get("shown"), fields.get("first")
    limit = shown if isinstance(shown, int) and 0 < shown <= _MOST_SHOWN else PAGE_SIZE
    return limit, first if isinstance(first, int) and 0 < first <= _FURTHEST else 0
