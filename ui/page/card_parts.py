"""What stands in a card beside question, understanding, memory and answer, in the order in which it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant import Assistant
from assistant.memllm.keeping import Keeping
from assistant.papers.expnote.keeping import Lessons
from assistant.selection.drafts import Drafts
from assistant.settings import EMBEDDED
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
    keeping: Keeping,
    lessons: Lessons,
    drafting: Drafts,
    told: Callable[[Turn], Sequence[str]],
    *,
    by_itself: bool,
) -> list[CardPart]:
    """All of them; `told` says what a turn would have kept, `by_itself` that triples are kept without asking."""
    return [
        LOOKED_PART,
        facts_part(assistant, told),
        keep_part(keeping, assistant.memory, told, by_itself=by_itself),
        lessons_part(lessons),
        why_part(assistant, told, EMBEDDED),
        drafts_part(assistant, drafting, told, EMBEDDED),
    ]
