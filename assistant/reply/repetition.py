"""Find a reply that repeats itself without end, and take the repetition out.

Only the end of a text is compared with itself, so that a check costs the same however long it is. Lists, tables,
refrains and lines of dashes stay far below the limits.
"""

import re

_LONGEST_UNIT = 400
_PROBE = 60  # characters by which the last repetition is looked for
_LEAST, _LEAST_UNITS = 1_000, 5  # characters and units without anything new
_LEAST_OF_DATA = 4_000  # the same in code, and of units without a letter: zeros, dashes, table rows
LONGEST_TAIL = _LEAST_OF_DATA + 2 * _LONGEST_UNIT
"""Characters of the end of a text that have to be known."""
STEP = 97
"""Characters between two checks. A prime, so that it is in step with no unit."""
_BOUNDARY = re.compile(r"(?<=\n)|(?<=[.!?।]\s)|(?<=\s)")


def repeated_unit(text: str, *, in_code: bool = False) -> int:
    """Return the length of the unit that the end of a text repeats without end; 0 where it does not.

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


def say_once(text: str, unit: int) -> str:
    """Return a text whose end repeats a unit of this length, with the unit once.

    >>> say_once("So: yes, it is. yes, it is. yes, it is. yes", 12)
    'So: yes, it is.'
    """
    start = max(0, len(text) - unit)
    while start > 0 and text[start - 1] == text[start - 1 + unit]:
        start -= 1
    if start:
        places = {place.start() for place in _BOUNDARY.finditer(text, max(0, start - 1), start + unit)}
        start = min((place for place in places if place >= start), default=start)
    return text[: start + unit].rstrip()
