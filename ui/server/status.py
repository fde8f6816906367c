"""What people are told about what is in use, one plain sentence each."""

from collections.abc import Callable, Mapping, Sequence

from assistant.sentences import Sentence
from assistant.settings import EMBEDDED, Settings
from ui.server.identity import LOCAL_PERSON, VISITOR, is_loopback

Notice = tuple[str, Mapping[str, str]]
"""Name of a text of the page, and what stands in it."""

EXAMPLES = ("What does light mean?", "another word for happy", "honest ka matlab kya hai?")
EXAMPLES_BY_LANGUAGE = {
    "en": EXAMPLES,
    "hi": ("गरम का उल्टा क्या है?", EXAMPLES[2], EXAMPLES[0]),
    "pa": ("ਗਰਮ ਦਾ ਉਲਟਾ ਕੀ ਹੈ?", "thanda da matlab ki hai?", EXAMPLES[0]),
}
"""Questions to begin with, by language of the page. The embedded model reads each as one of the things it may mean."""


def model_note(settings: Settings) -> Callable[[str | None], Sentence]:
    """What the model in use can do, or where questions are sent, by who reads it: an address in the host's own network
    is for the host alone.
    """

    def to(person: str | None) -> Sentence:
        if settings.model == EMBEDDED:
            return Sentence("embedded.note")
        source = settings.sources["model"]
        if settings.api_base and person == LOCAL_PERSON:
            return Sentence("connected.at", {"source": source, "where": settings.api_base})
        return Sentence("connected.note", {"source": source})

    return to


def memory_note(settings: Settings) -> Callable[[str | None], Sentence]:
    """Where memory is kept, and whether it stays, by who reads it: a folder of this machine is for who works on it."""
    if settings.memory_is_temporary:
        note = Sentence("memory.temporary")
    elif settings.snapshots:
        note = Sentence("memory.copied", {"minutes": settings.snapshot_minutes})
    else:
        note = Sentence("memory.on_server")
    is_here = not settings.snapshots and not settings.on_spaces and is_loopback(settings.host)
    at_home = Sentence("memory.in_folder", {"folder": str(settings.home)})
    return lambda person: at_home if is_here and person == LOCAL_PERSON else note


def notices(settings: Settings) -> Callable[[str | None], Sequence[Notice]]:
    """What somebody who opens the page has to know before they write anything, by who it is."""

    def of(person: str | None) -> Sequence[Notice]:
        if settings.read_only:
            return [("notice_read_only", {})]
        if settings.visitor_hours and person is not None and person.startswith(VISITOR):
            return [("notice_visitor", {"hours": f"{settings.visitor_hours:g}"})]
        return []

    return of
