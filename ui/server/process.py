"""What was loaded is looked through for garbage once, and not again and again while people wait."""

from __future__ import annotations

import gc
import sys
from typing import Any

_OLDEST = 2


def spare_what_is_loaded() -> None:
    """Let Python's garbage collector leave modules alone once it has been through them.

    Libraries for models and vectors bring a million objects, and each full collection stops all threads to find nothing
    among them. After one that met new modules, what has survived it is set aside for good.
    """
    known = 0

    def collected(phase: str, info: dict[str, Any]) -> None:
        nonlocal known
        if phase == "stop" and info["generation"] == _OLDEST and len(sys.modules) > known:
            known = len(sys.modules)
            gc.freeze()

    gc.callbacks.append(collected)
