"""The fact sheet, a card of the tab Teach: read, sort, search, change, export and import."""

from assistant.papers.memllm.sheet import Line, Order
from assistant.types import Scope
from ui.actions import teaching
from ui.actions.memory import erases, forget
from ui.page.panel import (
    Handlers,
    Panel,
    View,
    convert_refusals,
    operation_handler,
    parse_file,
    parse_number,
    parse_text,
    perform,
)

PAGE_SIZE = 50
_FURTHEST = 10**9
_MOST_BAD = 20


class SheetHandlers(Handlers):
    """Event handlers. Each returns the view of `look`, with `done`, the name of a string, after an action."""

    def panel(self) -> Panel:
        events = (self.look, self.change_line, self.remove_line, self.weigh, self.forget, self.export, self.take_in)
        props = {"step": PAGE_SIZE, "orders": [*Order]}
        return Panel("sheet", events=events, props=props)

    @convert_refusals
    def look(self, data: object, scope: Scope) -> View:
        """Return a page of the lines that contain `search` or are of one thing (`of`), sorted by `order`."""
        call, first = self._call(scope), parse_number(data, "first", _FURTHEST, 0)
        page = perform(teaching.sheet, call, data, limit=PAGE_SIZE, offset=first)
        if first and not page.lines:  # the last line of this page was removed
            first = max(0, page.total - 1) // PAGE_SIZE * PAGE_SIZE
            page = perform(teaching.sheet, call, data, limit=PAGE_SIZE, offset=first)
        return {
            "lines": [_line_view(line) for line in page.lines],
            "first": first,
            "total": page.total,
            "more": first + PAGE_SIZE < page.total,
        }

    change_line = operation_handler(teaching.change_line, "sheet_changed")
    remove_line = operation_handler(teaching.remove_line, "sheet_taken_off")

    @convert_refusals
    def weigh(self, data: object, scope: Scope) -> View:
        """Return the counts of things that erasing the fact of a line (`line`) would take along, as `takes`."""
        return {"takes": dict(erases(self._call(scope), self._entry(data, scope)))}

    @convert_refusals
    def forget(self, data: object, scope: Scope) -> View:
        """Erase the fact of a line (`line`) and everything made of it."""
        receipt = forget(self._call(scope), self._entry(data, scope))
        return self.look(data, scope) | {"done": "forgotten", "receipt": receipt}

    @convert_refusals
    def export(self, data: object, scope: Scope) -> View:
        """Return all lines as a file in `format`: csv or json."""
        return {"done": "sheet_exported", "file": perform(teaching.export_sheet, self._call(scope), data).file}

    @convert_refusals
    def take_in(self, data: object, scope: Scope) -> View:
        """Save each line of a file (`bytes`) as a fact; `bad` lists the rejected ones."""
        saved, why_not = perform(teaching.import_sheet, self._call(scope), data, text=parse_file(data))
        return self.look(data, scope) | {
            "done": "sheet_brought_in",
            "taken": saved,
            "bad": why_not[:_MOST_BAD],
            "bad_total": len(why_not),
        }

    def _entry(self, data: object, scope: Scope) -> str:
        """Return the id of the fact of a line. Raises NotFound."""
        entry, _ = self._services.sheet_editing.named(parse_text(data, "line"), scope)
        return entry.id


def _line_view(line: Line) -> dict[str, object]:
    return {
        "name": line.name,
        **line.triple.model_dump(),
        "since": line.entry.created.isoformat(),
        "from": line.entry.shown,
    }
