"""The core of Noted: understand a question, recall what was clarified, answer, and take corrections in.

It knows no framework and loads no heavy library; what it needs from outside is in `assistant.ports`.
"""

from assistant.conversation import Assistant
from assistant.errors import NotedError
from assistant.events import Event
from assistant.limits import Limits
from assistant.prompt.prompt import Prompting
from assistant.settings import Settings
from assistant.types import Draft, Entry, Kind, Reaction, Reply, Scope, Turn, TurnState

__all__ = [
    "Assistant",
    "Draft",
    "Entry",
    "Event",
    "Kind",
    "Limits",
    "NotedError",
    "Prompting",
    "Reaction",
    "Reply",
    "Scope",
    "Settings",
    "Turn",
    "TurnState",
]
