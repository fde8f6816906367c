"""Notes for users about the model, the memory and the host."""

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from assistant.papers.teachme.thinking import most_calls
from assistant.sentences import Sentence
from assistant.settings import EMBEDDED, Settings
from ui.server.identity import LOCAL_PERSON, VISITOR, is_loopback

Notice = tuple[str, Mapping[str, str]]
"""Name of a string, and its parameters."""

EXAMPLES = {
    "small": {
        "en": ("What is the opposite of hard?", "garam ka ulta kya hai?", "My manager is Dana"),
        "hi": ("ठंडा का मतलब क्या है?", "garam ka ulta kya hai?", "मेरी मैनेजर डाना है"),
        "pa": ("ਠੰਡਾ ਦਾ ਮਤਲਬ ਕੀ ਹੈ?", "thanda da matlab ki hai?", "ਮੇਰੀ ਮੈਨੇਜਰ ਡਾਨਾ ਹੈ"),
    },
    "connected": {
        "en": ("How big is a crane?", "kal kaun sa din hai?", "My manager is Dana"),
        "hi": ("सोने का सबसे अच्छा समय क्या है?", "kal kaun sa din hai?", "मेरी मैनेजर डाना है"),
        "pa": ("ਕੱਲ੍ਹ ਕਿਹੜਾ ਦਿਨ ਹੈ?", "kal kehra din hai?", "ਮੇਰੀ ਮੈਨੇਜਰ ਡਾਨਾ ਹੈ"),
    },
}
"""Example questions by language of the page: an ambiguous one, one in a mixed language, and a fact.

Those for the small model ask about words.
"""


def model_note(settings: Settings) -> Callable[[str | None], Sentence]:
    """Return a function from user to the note about the model; only the host sees an address of the local network."""

    def to(person: str | None) -> Sentence:
        if settings.model == EMBEDDED:
            return Sentence("embedded.note")
        if settings.model_file is not None:
            return _thinking(settings, Sentence("local.note", {"model": settings.model_file.stem}))
        note = Sentence("connected.note", {"model": settings.model})
        if settings.api_base and person == LOCAL_PERSON:
            note = Sentence("connected.at", {"model": settings.model, "where": settings.api_base})
        return _thinking(settings, note)

    return to


def _thinking(settings: Settings, note: Sentence) -> Sentence:
    return Sentence("connected.thinks", {"note": note, "calls": most_calls()}) if settings.think_through else note


def memory_note(settings: Settings) -> Callable[[str | None], Sentence]:
    """Return a function from user to the note where memory is stored; only the local person sees the folder."""
    note = Sentence("memory.temporary") if settings.memory_is_temporary else Sentence("memory.on_server")
    is_here = not settings.on_spaces and is_loopback(settings.host)
    at_home = Sentence("memory.in_folder", {"folder": str(settings.home)})
    return lambda person: at_home if is_here and person == LOCAL_PERSON else note


def notices(settings: Settings, *, sends_texts: bool = False) -> Callable[[str | None], Sequence[Notice]]:
    """Return a function from user to the notices to read before writing.

    `sends_texts` says that the embedder is behind an API.
    """
    told_of_all = _what_leaves(settings, sends_texts=sends_texts)

    def of(person: str | None) -> Sequence[Notice]:
        told = [*told_of_all]
        if settings.read_only:
            return [("notice_read_only", {}), *told]
        if settings.visitor_hours and person is not None and person.startswith(VISITOR):
            told.insert(0, ("notice_visitor", {"hours": f"{settings.visitor_hours:g}"}))
        elif settings.memory_is_temporary:
            told.insert(0, ("notice_temporary", {}))
        return told

    return of


def _what_leaves(settings: Settings, *, sends_texts: bool) -> Sequence[Notice]:
    told: list[Notice] = []
    is_here = settings.model == EMBEDDED or settings.model_file is not None
    if not is_here and _is_elsewhere(settings.model, settings.api_base):
        told.append(("notice_leaves", {"model": settings.model}))
    if sends_texts and _is_elsewhere(str(settings.embedder), settings.embedder_api_base):
        told.append(("notice_embedder_leaves", {"model": str(settings.embedder)}))
    return told


def _is_elsewhere(model: str, address: str | None) -> bool:
    """Return True if texts for this model leave the machine."""
    if address:
        return not is_loopback(urlsplit(address).hostname or "")
    return not model.startswith("ollama")
