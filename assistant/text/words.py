"""Search for whole words in a text."""

import re


def as_words(thing: str) -> re.Pattern[str]:
    """Compile a pattern that finds a thing in a folded text as whole words."""
    return re.compile(rf"(?<!\w){re.escape(thing.casefold())}(?!\w)")
