"""Texts that would run a script, load something or navigate if a page took them as markup.

Each effect is detectable: a dialog, a mark, a request elsewhere, or a change of the address.
"""

import tomllib
from pathlib import Path

_ELSEWHERE = "https://attacker.test"
_ACT = f"window.wasRun=1;alert(1);fetch('{_ELSEWHERE}/run')"


def load_payloads() -> list[str]:
    """Return the texts of `payloads.toml`, with the script and the address filled in."""
    written = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return [text.replace("ACT", _ACT).replace("ELSEWHERE", _ELSEWHERE) for text in written["by_hand"]]
