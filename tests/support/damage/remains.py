"""What is left in the files of a data directory, byte for byte."""

from collections.abc import Iterable
from pathlib import Path


def remains(folder: Path, wanted: Iterable[str | bytes]) -> list[tuple[str, bytes]]:
    """Each file with each of the texts or bytes that stand in it, or in its name."""
    needles = {text.encode() if isinstance(text, str) else text for text in wanted}
    found = []
    for path in sorted(folder.rglob("*")):
        held = str(path.relative_to(folder)).encode()
        if path.is_file():
            held += path.read_bytes()
        found += [(path.name, needle) for needle in needles if needle in held]
    return found
