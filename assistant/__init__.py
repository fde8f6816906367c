"""The core of Noted: understand a question, find clarifications for it, answer, and learn from corrections.

It imports no framework and loads no heavy library; `assistant.ports` has the protocols of the other parts.
"""

from assistant.conversation import Assistant
from assistant.limits import Limits
from assistant.settings import Settings
from assistant.types import Scope

__all__ = ["Assistant", "Limits", "Scope", "Settings"]
__version__ = "0.1.0"
