"""The look of the page: a Gradio theme without any font from elsewhere, and the style sheets of its parts."""

from collections.abc import Sequence
from pathlib import Path

import gradio as gr

from ui.server.services import CardPart

_FONTS = [
    "system-ui",
    "-apple-system",
    "Segoe UI",
    "Roboto",
    "Noto Sans",
    "Noto Sans Devanagari",
    "Nirmala UI",
    "Noto Sans Gurmukhi",
    "Raavi",
    "Mukta Mahee",
    "sans-serif",
]
_MONOSPACE = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "Noto Sans Mono", "monospace"]
_FOLDER = Path(__file__).parent
ICON = _FOLDER / "icon.svg"
"""The icon of the page, in place of Gradio's."""
_SHEETS = (
    "shared/page.css",
    "shared/frame.css",
    "header/style.css",
    "conversation/card/style.css",
    "conversation/card/card.css",
    "conversation/card/leaving.css",
    "conversation_list/style.css",
    "memory/style.css",
    "shared/drawer.css",
    "sheet/style.css",
    "practice/style.css",
    "study/style.css",
    "insights/style.css",
)


def theme() -> gr.themes.Base:
    """Fonts, and the background until the page's own colours are there."""
    return gr.themes.Base(font=_FONTS, font_mono=_MONOSPACE).set(
        body_background_fill="#fbfbf9", body_background_fill_dark="#131416"
    )


def head(card_parts: Sequence[CardPart] = ()) -> str:
    """What stands in the head of the page: the style sheets, so that the page never shows without them."""
    further = [part.folder / "part.css" for part in card_parts]
    sheets = [*map(_FOLDER.joinpath, _SHEETS), *further]
    return "<style>" + "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets) + "</style>"
