"""English words for numbers: of how many there are of something, and of which one it is."""

import tomllib
from pathlib import Path

_WORDS = tomllib.loads((Path(__file__).with_name("data") / "numbers.toml").read_text(encoding="utf-8"))
COUNTS: dict[str, int] = _WORDS["counts"]
PLACES: dict[str, int] = _WORDS["places"]
