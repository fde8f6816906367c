"""Search the files of a data directory for remaining bytes."""

from collections.abc import Iterable
from pathlib import Path


def find_bytes(folder: Path, wanted: Iterable[str | bytes], names: str = "*") -> list[tuple[str, bytes]]:
    """Return each file with each of the texts or bytes in its content or name."""
    needles = {text.encode() if isinstance(text, str) else text for text in wanted}
    found = []
    for path in sorted(folder.rglob(names)):
        held = str(path.relative_to(folder)).encode()
        if path.is_file():
            held += path.read_bytes()
        found += [(path.name, needle) for needle in needles if needle in held]
    return found
