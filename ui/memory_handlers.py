"""What happens when a person does something on the Memory page. Plain functions; no Gradio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.conversation import DEFAULT_LIMITS, UNLIMITED
from assistant.errors import EmptyText, NotedError
from assistant.key_writing import LONGEST_KEY
from assistant.text import checked, storable
from assistant.types import Key, KeyOrigin
from ui.handlers import id_in, text_in
from ui.render import entry_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assistant.ports import Allowance, Memory, Sharing
    from assistant.types import Scope

PAGE_SIZE = 50
_LONGEST_SEARCH = 500

Listing = dict[str, Any]


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
    """

    def __init__(
        self,
        memory: Memory,
        sharing: Sharing,
        longest: int = DEFAULT_LIMITS.clarification,
        export: Callable[[Scope], Iterable[str]] = nothing_to_export,
        allowance: Allowance = UNLIMITED,
    ) -> None:
        self._memory = memory
        self._sharing = sharing
        self._export = export
        self._longest = longest
        self._allowance = allowance

    def search(self, data: object, scope: Scope) -> Listing:
        """The person's own entries that contain `search`, newest first; the first `shown` and a page more."""
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

    def _listing(self, data: object, scope: Scope) -> Listing:
        fields = data if isinstance(data, dict) else {}
        search, shown = fields.get("search"), fields.get("shown")
        search = storable(search)[:_LONGEST_SEARCH] if isinstance(search, str) else ""
        limit = shown if isinstance(shown, int) and 0 < shown <= 100 * PAGE_SIZE else PAGE_SIZE
        try:
            entries = self._memory.entries(scope, search.strip(), limit + 1, 0)
            offers = self._sharing.offers_of([entry.id for entry in entries], scope)
        except NotedError as error:
            return {"refused": str(error)}
        return {
            "entries": [entry_view(entry, offers.get(entry.id)) for entry in entries[:limit]],
            "may_offer": self._sharing.may_offer(scope),
            "more": len(entries) > limit,
            "search": search,
        }
