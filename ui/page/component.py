"""A part of the page with its own template and script: a folder with `template.html` and scripts, shown by `gr.HTML`.

Gradio evaluates templates as code, so they are static: what people and models write travels in `value` only, and the
scripts put it on the page as text.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = Path(__file__).parent


class FolderComponent(gr.HTML):
    """A `gr.HTML` whose template and scripts are files.

    Args:
        folder: name of the folder in `ui`.
        scripts: names of its scripts, in the order in which they run, in one scope. Gradio gives them `element`,
            `trigger`, `props` and `watch`; a word that they quote can be listened to as an event.
        elem_id: id of the element.
    """

    def __init__(self, folder: str, scripts: Sequence[str], *, elem_id: str) -> None:
        home = FOLDER / folder
        super().__init__(
            value=None,
            html_template=(home / "template.html").read_text(encoding="utf-8"),
            js_on_load="\n".join(_script(name, home) for name in scripts),
            css_template="",
            apply_default_css=False,
            elem_id=elem_id,
        )
        self._config = super().get_config()

    def get_config(self) -> dict[str, Any]:  # type: ignore[override]
        """What Gradio tells browsers of it. It asks at each opening of the page; nothing of it changes."""
        return deepcopy(self._config)

    def postprocess(self, value: Any) -> Any:
        """Plain data for the scripts, as it is."""
        return value

    def api_info(self) -> dict[str, Any]:
        return {"type": "object"}


def _script(name: str, home: Path) -> str:
    own = home / name
    return (own if own.exists() else FOLDER / name).read_text(encoding="utf-8")
