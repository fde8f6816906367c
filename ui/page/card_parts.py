"""What stands in a card beside question, understanding, memory and answer, in the order in which it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant import Assistant
from assistant.kinds import Lesson, Triple
from assistant.papers.selection.drafts import Drafts
from assistant.proposals import Proposals
from assistant.settings import EMBEDDED, Settings
from assistant.types import Turn
from ui.page.drafts.drafts import drafts_part
from ui.page.facts.facts import facts_part
from ui.page.keep.keep import keep_part
from ui.page.lessons.lessons import lessons_part
from ui.page.looked.looked import LOOKED_PART
from ui.page.why.why import why_part
from ui.server.services import CardPart


def card_parts(
    assistant: Assistant,
    triples: Proposals[Triple],
    lessons: Proposals[Lesson],
    is_drafting: Callable[[str], bool],
    drafting: Drafts,
    told: Callable[[Turn], Sequence[str]],
    settings: Settings,
) -> list[CardPart]:
    """All of them; `told` says what a turn would have kept."""
    return [
        LOOKED_PART,
        facts_part(assistant, told),
        keep_part(triples, assistant.memory, told, by_itself=settings.keep_triples),
        lessons_part(lessons, is_drafting),
        why_part(assistant, told, EMBEDDED),
        drafts_part(assistant, drafting, told, EMBEDDED, takes=not settings.read_only),
    ]
