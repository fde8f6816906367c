"""Visitors of one address, and whether they may perform rate-limited actions."""

from collections.abc import Callable

from assistant.errors import TooOften
from assistant.types import Scope

HERE = "203.0.113.1"


def visitor(number: int, address: str = HERE) -> Scope:
    return Scope(f"visitor:{number}", address)


def is_allowed(count: Callable[[Scope], None], scope: Scope) -> bool:
    try:
        count(scope)
    except TooOften:
        return False
    return True
