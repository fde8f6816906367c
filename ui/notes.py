"""What people are told about what is in use, one plain sentence each."""

from __future__ import annotations

from assistant.settings import EMBEDDED, Settings
from ui.identity import is_loopback

EMBEDDED_NAME = "Embedded example-follower"
EXAMPLES = ("What is akin to quick?", "quick jaisa koi shabd batao", "fast varga shabad dasso")
EXAMPLES_BY_LANGUAGE = {
    "en": EXAMPLES,
    "hi": ("quick जैसा कोई शब्द बताओ", EXAMPLES[1], EXAMPLES[0]),
    "pa": ("fast ਵਰਗਾ ਕੋਈ ਸ਼ਬਦ ਦੱਸੋ", EXAMPLES[2], EXAMPLES[0]),
}
"""Questions to begin with, for each language of the page. The embedded model misunderstands them until it is told."""


def model_note(settings: Settings) -> str:
    """What the model in use can do, or where questions are sent."""
    if settings.model == EMBEDDED:
        return "It follows examples and knows word tasks only; set NOTED_MODEL to connect a language model."
    where = f" at {settings.api_base}" if settings.api_base else ""
    return f"Set by {settings.sources['model']}{where}; questions and what is remembered about them are sent to it."


def memory_note(settings: Settings) -> str:
    """Where memory is kept, and whether it stays."""
    if settings.memory_is_temporary:
        return "Memory is temporary: it is lost when this Space restarts."
    if settings.on_spaces or not is_loopback(settings.host):
        return "Memory is kept on the server of this page."
    return f"Memory is kept in {settings.home}."
