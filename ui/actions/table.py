"""The table of operations. REST, MCP, gradio_client, the command line, slash commands and docs/api.md come from it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any

from ui.actions import answering, conversations, facts, learning, memory, sharing, upkeep
from ui.actions.operation import Operation, Who


def _operations_of(*modules: ModuleType) -> Sequence[Operation[Any, Any]]:
    return [one for module in modules for one in vars(module).values() if isinstance(one, Operation)]


GROUPS: Mapping[str, Sequence[Operation[Any, Any]]] = MappingProxyType(
    {
        "Ask": _operations_of(answering),
        "Memory": _operations_of(memory),
        "Facts and lessons": _operations_of(facts, learning),
        "Sharing": _operations_of(sharing),
        "Conversations": _operations_of(conversations),
        "Tokens and upkeep": _operations_of(upkeep),
    }
)
"""Operations by topic, in the order of help and documentation."""

OPERATIONS: Mapping[str, Operation[Any, Any]] = MappingProxyType(
    {one.name: one for group in GROUPS.values() for one in group}
)
"""Operations by name."""

FOR_PROGRAMS: Mapping[str, Operation[Any, Any]] = MappingProxyType(
    {name: one for name, one in OPERATIONS.items() if one.who in {Who.ANYONE, Who.CURATOR}}
)
"""Operations that programs may call, by name."""
