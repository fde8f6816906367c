"""The table of operations. REST, MCP, the command line, slash commands and docs/api.md come from it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any

from ui.actions import answering, memory, teaching, upkeep
from ui.actions.operation import Operation, Who

_TOPICS: Mapping[str, ModuleType] = MappingProxyType(
    {"Chat": answering, "Memory and sharing": memory, "Facts and lessons": teaching, "Tokens and upkeep": upkeep}
)
GROUPS: Mapping[str, Sequence[Operation[Any, Any]]] = MappingProxyType(
    {topic: [one for one in vars(module).values() if isinstance(one, Operation)] for topic, module in _TOPICS.items()}
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
