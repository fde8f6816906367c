"""Study questions, a card of the tab Teach: generate questions about a text, the best of several each time.

Each request covers a few passages, so that the page shows progress and can stop. The text is not stored.
"""

from collections.abc import Sequence
from typing import Any

from assistant.papers.selection.study import SAMPLES, Passage, Study, StudyCandidate, StudyQuestion
from assistant.settings import MOST_DRAFTS
from assistant.text.cleaning import check_text
from assistant.types import Scope
from ui.actions.arguments import LONGEST_TEXT
from ui.actions.learning import passages_of
from ui.page.panel import (
    Handlers,
    Panel,
    View,
    convert_refusals,
    decode_file,
    is_never_left,
    parse_number,
    parse_text,
    run_for_seconds,
)
from ui.server.bounds.work import IsLeft


class StudyHandlers(Handlers):
    """Event handlers."""

    def panel(self) -> Panel:
        props = {"longest": LONGEST_TEXT, "most": MOST_DRAFTS, "samples": SAMPLES}
        return Panel("study", events=(decode_file,), calling=(self.plan, self.make), props=props)

    @convert_refusals
    def plan(self, data: object, scope: Scope, page: str, _is_left: IsLeft = is_never_left) -> View:
        """Count the passages of a `text`, or answers, to ask about, and the maximum number of model calls."""
        study, passages, samples = self._read(data, scope, page)
        return {"places": len(passages), "calls": study.most_calls(len(passages), samples)}

    @convert_refusals
    def make(self, data: object, scope: Scope, page: str, is_left: IsLeft = is_never_left) -> View:
        """Generate questions for passages from `done` on, until the time limit."""
        study, passages, samples = self._read(data, scope, page)
        done = parse_number(data, "done", len(passages), 0)
        coming = study.questions(passages[done:], samples, scope)
        made, ended = run_for_seconds(coming, bool, lambda one: one and is_left())
        return ended | {"made": [_view(one) for one in made if one]}

    def _read(self, data: object, scope: Scope, page: str) -> tuple[Study, Sequence[Passage], int]:
        text, answers = parse_text(data, "text"), parse_text(data, "answers")
        answers = check_text(answers, LONGEST_TEXT) if answers.strip() else ""
        samples = parse_number(data, "samples", MOST_DRAFTS, SAMPLES)
        return *passages_of(self._call(scope, page), text, answers.splitlines()), samples


def _view(made: StudyQuestion) -> dict[str, Any]:
    return {"all": [_scored_view(one) for one in made.all], "best": made.best, "sentence": made.passage.sentence}


def _scored_view(one: StudyCandidate) -> dict[str, Any]:
    """Return a written question; `by` of a score names a string."""
    scores = [{"by": f"study_by_{name}", "score": score} for name, score in one.scores.items()]
    return {"question": one.question, "said": one.answer, "scores": scores}
