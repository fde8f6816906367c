"""The part of a card that has a question answered in several ways, shows the other drafts, and takes one of them."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.conversation import Assistant
from assistant.models.embedded.phrases import SMALL_TALK
from assistant.papers.selection.drafts import SCORERS, Drafts, KeptDraft, KeptDrafts, kept_drafts
from assistant.papers.selection.taking import WAYS
from assistant.sentences import Sentence
from assistant.types import Turn, TurnState
from ui.actions.answering import drafts, take
from ui.server.services import CardPart
from ui.words.markup import safe_markup

_SAID_AT_ONCE = frozenset({str(Sentence("embedded.not_understood")), *SMALL_TALK})  # there is no other way to say that


def drafts_part(
    assistant: Assistant, connected: Drafts, told: Callable[[Turn], Sequence[str]], silent: str, *, takes: bool
) -> CardPart:
    """The part. A turn that `told` something has no other answers; one of the `silent` model has some where it
    understood the question, and went by nothing that was remembered.

    `connected` says how many calls they take of any other than that, `takes` whether one can be taken.
    """
    model = assistant.runner.model.name

    def has_others(turn: Turn) -> bool:
        is_silent = turn.model == model == silent
        return not (told(turn) or (is_silent and (turn.used or turn.reply.understanding in _SAID_AT_ONCE)))

    def view(turn: Turn) -> dict[str, Any] | None:
        if turn.state is not TurnState.ANSWERED or not turn.reply.answer:
            return None
        if kept := kept_drafts(turn):
            return _drafts_view(kept) | {"takes": takes}
        calls = 0 if model == silent else connected.most_calls(WAYS)
        return {"calls": calls} if has_others(turn) else None

    return CardPart("drafts", view, [drafts, take])


def _drafts_view(kept: KeptDrafts) -> dict[str, Any]:
    others = (one for one in enumerate(kept.all, 1) if one[0] != kept.shown + 1)
    return {
        "others": [_draft_view(number, draft) for number, draft in others],
        "shown": _scores_view(kept.all[kept.shown]),
        "taken": kept.shown != kept.best,
    }


def _draft_view(number: int, draft: KeptDraft) -> dict[str, Any]:
    reply = draft.reply
    told = {"number": number, "understanding": reply.understanding, "answer": safe_markup(reply.answer)}
    return told | {"text": reply.answer, "scores": _scores_view(draft)}


def _scores_view(draft: KeptDraft) -> list[dict[str, Any]]:
    """What each scorer says of a draft; `by` is the name of a text."""
    return [{"by": f"drafts_by_{name}", "score": draft.scores[name]} for name in SCORERS if name in draft.scores]
