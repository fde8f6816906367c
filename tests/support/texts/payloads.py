"""Texts that would run a script, load something, or lead elsewhere, on a page that took them as markup.

Each would be seen: it opens a dialog, sets a mark, asks for an address elsewhere, or changes the place the page is at.
"""

import tomllib
from pathlib import Path

_ELSEWHERE = "https://attacker.test"
_ACT = f"window.wasRun=1;alert(1);fetch('{_ELSEWHERE}/run')"


def payloads() -> list[str]:
    """Return the texts of `payloads.toml`, with the script and the address filled in."""
    written = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return [text.replace("ACT", _ACT).replace("ELSEWHERE", _ELSEWHERE) for text in written["by_hand"]]
