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
_SHEETS = (
    "shared/page.css",
    "banner/style.css",
    "conversation/card/style.css",
    "conversation/card/card.css",
    "conversation/card/leaving.css",
    "conversation_list/style.css",
    "own_model/style.css",
    "memory/style.css",
    "memory/keys.css",
    "shared/drawer.css",
    "trial/style.css",
    "tokens/style.css",
    "insights/style.css",
    "offers/style.css",
)
_LAST_SHEET = "shared/touch.css"


def theme() -> gr.themes.Base:
    """Colours and fonts of what Gradio draws itself: the tabs and the background."""
    return gr.themes.Base(primary_hue="teal", neutral_hue="slate", font=_FONTS, font_mono=_MONOSPACE).set(
        body_background_fill="#f7f9fb", body_background_fill_dark="#0b1017"
    )


def head(card_parts: Sequence[CardPart] = ()) -> str:
    """What stands in the head of the page: the style sheets, so that the page never shows without them."""
    further = [part.folder / "part.css" for part in card_parts]
    sheets = [*map(_FOLDER.joinpath, _SHEETS), *further, _FOLDER / _LAST_SHEET]
    return "<style>" + "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets) + "</style>"
