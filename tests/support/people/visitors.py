"""Visitors of one address."""

from assistant.types import Scope

HERE = "203.0.113.1"


def visitor(number: int, address: str = HERE) -> Scope:
    return Scope(f"visitor:{number}", address)
