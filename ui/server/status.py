"""What people are told about what is in use, one plain sentence each."""

from collections.abc import Callable, Mapping, Sequence

from assistant.settings import EMBEDDED, Settings
from ui.server.identity import LOCAL_PERSON, VISITOR, is_loopback

Notice = tuple[str, Mapping[str, str]]
"""Name of a text of the page, and what stands in it."""

EMBEDDED_NAME = "Embedded example-follower"
EXAMPLES = ("What is akin to quick?", "quick jaisa koi shabd batao", "fast varga shabad dasso")
EXAMPLES_BY_LANGUAGE = {
    "en": EXAMPLES,
    "hi": ("quick जैसा कोई शब्द बताओ", EXAMPLES[1], EXAMPLES[0]),
    "pa": ("fast ਵਰਗਾ ਕੋਈ ਸ਼ਬਦ ਦੱਸੋ", EXAMPLES[2], EXAMPLES[0]),
}
"""Questions to begin with, for each language of the page. The embedded model misunderstands them until it is told."""


def model_note(settings: Settings) -> Callable[[str | None], str]:
    """What the model in use can do, or where questions are sent, by who reads it: an address in the host's own network
    is for the host alone.
    """

    def to(person: str | None) -> str:
        if settings.model == EMBEDDED:
            return "It follows examples and knows word tasks only; set NOTED_MODEL to connect a language model."
        where = f" at {settings.api_base}" if settings.api_base and person == LOCAL_PERSON else ""
        return f"Set by {settings.sources['model']}{where}; questions and what is remembered about them are sent to it."

    return to


def memory_note(settings: Settings) -> str:
    """Where memory is kept, and whether it stays."""
    if settings.memory_is_temporary:
        return "Memory is temporary: it is lost when this Space restarts."
    if settings.snapshots:
        return (
            "Memory is kept on the server of this page, and copied to a second place; what was saved in the last "
            f"{settings.snapshot_minutes:g} minutes can be lost when the server fails."
        )
    if settings.on_spaces or not is_loopback(settings.host):
        return "Memory is kept on the server of this page."
    return f"Memory is kept in {settings.home}."


def notices(settings: Settings) -> Callable[[str | None], Sequence[Notice]]:
    """What somebody who opens the page has to know before they write anything, by who it is."""

    def of(person: str | None) -> Sequence[Notice]:
        if settings.read_only:
            return [("notice_read_only", {})]
        if settings.visitor_hours and person is not None and person.startswith(VISITOR):
            return [("notice_visitor", {"hours": f"{settings.visitor_hours:g}"})]
        return []

    return of
