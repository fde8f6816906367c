"""The core of Noted: understand a question, recall what was clarified, answer, and take corrections in.

It knows no framework and loads no heavy library; what it needs from outside is in `assistant.ports`.
"""

from assistant.conversation import Assistant
from assistant.limits import Limits
from assistant.settings import Settings
from assistant.types import Scope

__all__ = ["Assistant", "Limits", "Scope", "Settings"]
__version__ = "0.1.0"
