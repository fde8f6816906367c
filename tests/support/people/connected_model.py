"""A user's own model for handlers."""

from assistant.ports import ChatModel
from assistant.turn import TurnParts
from assistant.types import Scope
from ui.page.handlers import OwnParts
from ui.server.services import Services


def connect_model(services: Services, model: ChatModel, page: str = "") -> OwnParts:
    """Return the parts for a model that a user connected to one page, or to all."""

    def parts(scope: Scope, at: str) -> TurnParts:
        return {**services.models.connected, "model": model} if page in {"", at} else {}

    return parts
