"""Who may offer something to everyone, and who decides about it: from the settings and the server's identity alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.sharing import SharingRules
from ui.identity import LOCAL_PERSON, VISITOR, is_loopback

if TYPE_CHECKING:
    from assistant.settings import Settings
    from assistant.types import Scope


def sharing_rules(settings: Settings) -> SharingRules:
    """The rules of these settings. Where nothing is saved, nobody offers or decides anything.

    Where they name no curator, the local person is the curator of a server that only this machine can reach, and any
    other has none.
    """
    is_local = is_loopback(settings.host) and not settings.on_spaces
    named = settings.curators or ((LOCAL_PERSON,) if is_local else ())
    if settings.read_only:
        return SharingRules(frozenset(), lambda _scope: False)

    def may_offer(scope: Scope) -> bool:
        return settings.anonymous_offers or not scope.person.startswith(VISITOR)

    return SharingRules(frozenset(named), may_offer)
