"""Study questions, a card of the tab Teach: generate questions about a text, the best of several each time.

The text is not stored.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence

from assistant.papers.selection.study import SAMPLES, Passage, Study
from assistant.settings import MOST_DRAFTS
from assistant.text.cleaning import check_text
from assistant.types import Scope
from ui.actions.arguments import LONGEST_TEXT
from ui.actions.call import Call
from ui.actions.teaching import MadeQuestions, passages_of, write_questions
from ui.page.panel import (
    Handlers,
    Panel,
    View,
    convert_refusals,
    decode_file,
    is_never_left,
    parse_number,
    parse_text,
)
from ui.server.bounds.work import IsLeft


class StudyHandlers(Handlers):
    """Event handlers."""

    def panel(self) -> Panel:
        props = {"longest": LONGEST_TEXT, "most": MOST_DRAFTS, "samples": SAMPLES}
        return Panel("study", events=(decode_file,), calling=(self.plan,), streams=(self.make,), props=props)

    @convert_refusals
    def plan(self, data: object, scope: Scope, page: str, _is_left: IsLeft = is_never_left) -> View:
        """Count the passages of a `text`, or answers, to ask about, and the maximum number of model calls."""
        study, passages, samples = _read(self._call(scope, page), data)
        return {"places": len(passages), "calls": study.most_calls(len(passages), samples)}

    def make(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Stream the questions for the passages from `done` on."""

        def begin(call: Call) -> tuple[Iterator[MadeQuestions], Callable[[MadeQuestions], View]]:
            study, passages, samples = _read(call, data)
            done = parse_number(data, "done", len(passages), 0)
            shown = 0

            def view(so_far: MadeQuestions) -> View:
                nonlocal shown
                new = so_far.questions[shown:]
                shown += len(new)
                return {"made": [one.model_dump() for one in new]}

            return write_questions(call, study, passages[done:], samples), view

        return self._stream(scope, page, begin)


def _read(call: Call, data: object) -> tuple[Study, Sequence[Passage], int]:
    text, answers = parse_text(data, "text"), parse_text(data, "answers")
    answers = check_text(answers, LONGEST_TEXT) if answers.strip() else ""
    return *passages_of(call, text, answers.splitlines()), parse_number(data, "samples", MOST_DRAFTS, SAMPLES)
