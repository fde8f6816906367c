"""Shows a part of the page: its template and scripts, by `gr.HTML`.

Gradio evaluates templates as code, so they are static: what people and models write travels in `value` only, and the
scripts put it on the page as text.
"""

from copy import deepcopy
from pathlib import Path
from typing import Any

import gradio as gr

from ui.page.panel import Panel

_FOLDER = Path(__file__).parent


class PanelComponent(gr.HTML):
    """A `gr.HTML` whose template and scripts are files, and whose value is plain data.

    Gradio gives the scripts `element`, `trigger`, `props` and `watch`; a word that they quote can be listened to as an
    event, which brings a dict that nobody has checked.
    """

    def __init__(self, panel: Panel) -> None:
        home = _FOLDER / (panel.folder or panel.element)
        super().__init__(
            value=None,
            html_template=(home / "template.html").read_text(encoding="utf-8"),
            js_on_load="\n".join(_script(name, home) for name in ("dom.js", *panel.scripts)),
            css_template="",
            apply_default_css=False,
            elem_id=panel.element,
        )
        self.props |= panel.props
        self._config = super().get_config()

    def get_config(self) -> dict[str, Any]:  # type: ignore[override]
        """What Gradio tells browsers of it. It asks at each opening of the page; nothing of it changes."""
        return deepcopy(self._config)

    def postprocess(self, value: Any) -> Any:
        return value

    def api_info(self) -> dict[str, Any]:
        return {"type": "object"}


def _script(name: str | Path, home: Path) -> str:
    own = home / name
    return (own if own.exists() else _FOLDER / "shared" / name).read_text(encoding="utf-8")
