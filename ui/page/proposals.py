"""What a browser says of a proposal, for every card and panel that shows some."""

from assistant.errors import InputError
from assistant.proposals import Proposals, Said
from assistant.types import Scope, Turn


def decide(proposals: Proposals[Said], turn_id: str, told: object, scope: Scope) -> Turn:
    """Do what is `told` of a proposal (`number`): `act` is keep, in other `words` if there are some; drop or undo.

    Raises InputError where a browser sends something else.
    """
    said = told if isinstance(told, dict) else {}
    number, words = said.get("number", 1), said.get("words", "")
    if not isinstance(number, int) or not isinstance(words, str):
        raise InputError
    return proposals.decide(said.get("act"), turn_id, number, scope, words)
