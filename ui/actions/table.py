"""The table of operations. REST, MCP, gradio_client, the command line, slash commands and docs/api.md come from it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ui.actions.answering import (
    ask,
    clarify,
    dispute,
    drafts,
    edit_question,
    react,
    reset_preferences,
    retry,
    save_clarification,
    take,
    undo,
    why,
)
from ui.actions.conversations import conversation, conversations, erase_conversation, insights, rename
from ui.actions.facts import (
    change_line,
    decide,
    export_sheet,
    import_sheet,
    learn,
    proposals,
    remove_line,
    sheet,
)
from ui.actions.learning import forget_practice, practice, questions
from ui.actions.memory import (
    change,
    change_key,
    erases,
    export,
    forget,
    forget_everything,
    import_lines,
    list_entries,
    preview,
    reach,
    relate,
    remember,
    resume,
    revert,
)
from ui.actions.operation import Operation, Who
from ui.actions.sharing import accept, decline, offer, offers, withdraw
from ui.actions.upkeep import backup, rebuild, revoke, token, tokens, verify

GROUPS: Mapping[str, Sequence[Operation[Any, Any]]] = MappingProxyType(
    {
        "Ask": (ask, clarify, save_clarification, edit_question, retry, react, undo),
        "Why and drafts": (why, dispute, drafts, take, reset_preferences),
        "Memory": (
            list_entries, preview, remember, change, revert, change_key, reach, relate, resume, erases, forget,
            forget_everything, export, import_lines,
        ),
        "Facts and lessons": (
            proposals, decide, sheet, change_line, remove_line, export_sheet, import_sheet, learn, practice,
            forget_practice, questions,
        ),
        "Sharing": (offer, withdraw, offers, accept, decline),
        "Conversations": (conversations, conversation, rename, erase_conversation, insights),
        "Tokens": (token, tokens, revoke),
        "Upkeep": (verify, rebuild, backup),
    }
)  # fmt: skip
"""The operations by topic, in the order in which help and documentation show them."""

OPERATIONS: Mapping[str, Operation[Any, Any]] = MappingProxyType(
    {one.name: one for group in GROUPS.values() for one in group}
)
"""The operations by name."""

FOR_PROGRAMS: Mapping[str, Operation[Any, Any]] = MappingProxyType(
    {name: one for name, one in OPERATIONS.items() if one.who in {Who.ANYONE, Who.CURATOR}}
)
"""Those that programs may call, by name."""
