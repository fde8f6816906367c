"""Detect a reply that repeats itself endlessly, and remove the repetition.

A check compares only the end of a text with itself, so its cost is constant. Lists, tables, refrains and lines of
dashes stay far below the limits.
"""

_LONGEST_UNIT = 400
_PROBE = 60  # last characters, to search for their previous occurrence
_LEAST, _LEAST_UNITS = 1_000, 5  # minimum characters and units of a repetition
_LEAST_OF_DATA = 4_000  # minimum characters in code, and of units without a letter: zeros, dashes, table rows
LONGEST_TAIL = _LEAST_OF_DATA + 2 * _LONGEST_UNIT
"""Characters at the end of a text that a check needs."""
STEP = 97
"""Characters between two checks: a prime, so that it is no multiple of a unit."""


def repeated_unit(text: str, *, in_code: bool = False) -> int:
    """Return the length of the unit that the end of a text repeats endlessly, 0 if there is none.

    >>> repeated_unit("The capital is Paris. " * 50)
    22
    """
    probe = text[-_PROBE:]
    earlier = text.rfind(probe, max(0, len(text) - _PROBE - _LONGEST_UNIT), len(text) - 1)
    unit = len(text) - _PROBE - earlier
    if len(probe) < _PROBE or earlier < 0 or text[-unit:].isspace():
        return 0
    is_data = in_code or not any(map(str.isalpha, text[-unit:]))
    least = max(_LEAST_OF_DATA if is_data else _LEAST, _LEAST_UNITS * unit)
    return unit if len(text) >= least and text[-least:-unit] == text[unit - least :] else 0


def remove_repetition(text: str, unit: int) -> str:
    """Remove all but one of the repeated units of this length from the end of a text.

    >>> remove_repetition("So: yes, it is. yes, it is. yes, it is. yes", 12)
    'So: yes, it is.'
    """
    start = max(0, len(text) - unit)
    while start > 0 and text[start - 1] == text[start - 1 + unit]:
        start -= 1
    return text[: start + unit].rstrip()
