"""Hostile ids and texts to reach other users' data: known tricks and their combinations."""

import random
from collections.abc import Iterator

_PIECES = (
    "'", '"', "''", "`", "\\", "\\'", ";", "--", "/*", "*/", "#", "%", "_", "*", "?", "(", ")", "[", "]", "{", "}",
    "$", "${x}", "{{7*7}}", "%s", "%(owner)s", ":owner", ":1", "@owner", "\x00", "\n", "\r\n", "\t", "\u2028",
    "\u202e", "\u200b", "\ufeff", "\ud800", "\udfff", "\U000e0041", "' OR '1'='1", "' OR 1=1 --",
    "x' OR scope='everyone' OR 'x'='", "\" OR \"\"=\"", "') OR ('1'='1", "1; DROP TABLE entries; --",
    "' UNION SELECT * FROM entries --", "owner != ''", "true", "TRUE", "NULL", "nil", "lit('x')", "col('owner')",
    "owner = 'ann'", "scope = 'person'", "IS NOT NULL", "LIKE '%'", "ESCAPE '\\'", "GLOB '*'", "..", "../",
    "../../ledger.sqlite3", "/etc/passwd", "file:///etc/passwd", "C:\\", "%2e%2e%2f", "%00", "0x61", "1e309", "-1",
    "NaN", "Infinity", "ann", "visitor:", "local", "hf:ann", "user:ann", "ANN", "ann ", " ann", "ann\u0301", "аnn",
    "अनु", "ਅਨੂ", "🙂", "everyone", "person", "active", "*:*", "text:*", "owner:ann", "a AND NOT b", "NEAR(a b)",
    '"a" OR "b"', "^", "~1", "\\p{L}",
)  # fmt: skip


def generate_hostile(count: int, known: tuple[str, ...], seed: int = 1) -> Iterator[str]:
    """Yield `count` texts; some contain, or nearly equal, a `known` id, name or word of another user."""
    draw = random.Random(seed)  # noqa: S311  the same at every run
    for number in range(count):
        pieces = [draw.choice(_PIECES + known) for _ in range(draw.randint(1, 4))]
        text = draw.choice(("", "", " ")).join(pieces)
        if number % 10 == 0:
            text = draw.choice(known)
            place = draw.randrange(len(text) or 1)
            text = text[:place] + draw.choice(_PIECES) + text[place + 1 :]
        if number % 97 == 0:
            text *= 500
        yield text
