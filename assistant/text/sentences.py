"""A text in sentences, as far as their ends tell. Pure."""

import re

_ENDS = re.compile(r"(?<=[.!?।॥…])\s+|\n+")
_LONGEST = 1_000  # characters


def sentences_of(text: str) -> list[str]:
    """Its sentences, in their order; what goes on without an end for too long is cut."""
    told = (part.strip() for part in _ENDS.split(text))
    return [part[at : at + _LONGEST] for part in told for at in range(0, len(part), _LONGEST)]
