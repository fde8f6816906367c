"""A section of the Memory page: the fact sheet, to read, sort, search, change, take along and bring in. No Gradio."""

from assistant.errors import InputError
from assistant.limits import UNLIMITED
from assistant.papers.memllm.editing import SheetEditing, as_csv, as_json, changes_of, from_csv
from assistant.papers.memllm.sheet import FactSheet, Line, Lines, Order
from assistant.ports import Allowance
from assistant.text.cleaning import checked
from assistant.text.decoding import decode
from assistant.types import Scope
from ui.page.panel import Panel, View, bytes_in, fields_of, header_in, number_in, refusing, search_in, text_in

PAGE_SIZE = 50
_LONGEST_LINE = 2_000
_FURTHEST = 10**9
_MOST_BAD = 20
_SCRIPTS = ("connection.js", "sending.js", "files.js", "asking.js", "rows.js", "script.js")


class SheetHandlers:
    """One method per event. Each returns what `look` does, with `done`, the name of a text, where something was done.

    To forget is always allowed; each hundred lines of a file count as one change of memory.
    """

    def __init__(self, sheet: FactSheet, editing: SheetEditing, allowance: Allowance = UNLIMITED) -> None:
        self._sheet = sheet
        self._editing = editing
        self._allowance = allowance

    def panel(self) -> Panel:
        events = (self.look, self.reword, self.take_off, self.weigh, self.forget, self.export, self.take_in)
        props = {"step": PAGE_SIZE, "orders": [*Order]}
        return Panel("sheet", _SCRIPTS, events, props=props)

    @refusing
    def look(self, data: object, scope: Scope) -> View:
        """The lines that contain `search`, or that are of one thing (`of`), by an `order`, some after the `first`."""
        wanted, first = _wanted_in(data), number_in(data, "first", _FURTHEST, 0)
        page = self._sheet.lines(scope, wanted, PAGE_SIZE, first)
        if first and not page.lines:  # the last of this page went
            first = max(0, page.total - 1) // PAGE_SIZE * PAGE_SIZE
            page = self._sheet.lines(scope, wanted, PAGE_SIZE, first)
        return {
            "lines": [_line_view(line) for line in page.lines],
            "first": first,
            "total": page.total,
            "more": first + PAGE_SIZE < page.total,
            "search": wanted.search,
            "of": wanted.of,
            "order": wanted.order.value,
            "backwards": wanted.backwards,
        }

    @refusing
    def reword(self, data: object, scope: Scope) -> View:
        """Let a line (`name`) say something else (`line`)."""
        line = checked(text_in(data, "line"), _LONGEST_LINE)
        self._allowance.save(scope)
        entry = self._editing.change(text_in(data, "name"), line, scope)
        return self.look(data, scope) | {"done": "sheet_changed", "changed": entry.id}

    @refusing
    def take_off(self, data: object, scope: Scope) -> View:
        """Let a fact not say a line (`name`) any more."""
        self._allowance.save(scope)
        self._editing.take_off(text_in(data, "name"), scope)
        return self.look(data, scope) | {"done": "sheet_taken_off"}

    @refusing
    def weigh(self, data: object, scope: Scope) -> View:
        """What forgetting the fact of a line (`name`) would take along: `takes`, kind of thing to how many."""
        name = text_in(data, "name")
        entry, _ = self._editing.named(name, scope)
        return {"weighed": name, "takes": dict(self._editing.memory.taken_along(entry.id, scope))}

    @refusing
    def forget(self, data: object, scope: Scope) -> View:
        """Erase the fact of a line (`name`), and everything made of it."""
        entry, _ = self._editing.named(text_in(data, "name"), scope)
        receipt = self._editing.memory.forget(entry.id, scope)
        return self.look(data, scope) | {"done": "forgotten", "receipt": receipt}

    @refusing
    def export(self, data: object, scope: Scope) -> View:
        """All lines as a file, in a `format`: csv or json."""
        if (named := fields_of(data).get("format")) not in {"csv", "json"}:
            raise InputError
        self._allowance.save(scope)
        lines = self._sheet.lines(scope, Lines(order=Order.SUBJECT)).lines
        content = as_json(lines) if named == "json" else "".join(as_csv(lines))
        return self.look(data, scope) | {"done": "sheet_exported", "file": content, "format": named}

    @refusing
    def take_in(self, data: object, scope: Scope) -> View:
        """Remember each line of a file (`bytes`) as a fact; `bad` says which are not kept."""
        triples = from_csv(decode(bytes_in(data)), header_in(data))
        self._allowance.save(scope, changes_of(len(triples)))
        kept, why = self._editing.take_in((("", [triple]) for triple in triples), scope)
        return self.look(data, scope) | {
            "done": "sheet_brought_in",
            "taken": kept,
            "bad": why[:_MOST_BAD],
            "bad_total": len(why),
        }


def _line_view(line: Line) -> dict[str, object]:
    return {
        "name": line.name,
        **line.triple.model_dump(),
        "since": line.entry.created.isoformat(),
        "from": line.entry.shown,
    }


def _wanted_in(data: object) -> Lines:
    """What a browser asks for; what cannot be asked for asks for nothing."""
    sent = fields_of(data)
    order = sent.get("order")
    known = Order(order) if isinstance(order, str) and order in set(Order) else Order.SINCE
    return Lines(search_in(data), search_in({"search": sent.get("of")}), known, sent.get("backwards") is True)
