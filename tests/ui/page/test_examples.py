"""Example questions on a fresh machine: understood, corrected, and answered accordingly."""

from pathlib import Path

from app import compose
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.settings import Settings
from assistant.types import Scope, Turn
from ui.server.services import Services
from ui.words.texts import EXAMPLES, languages

# A possible correction of each question and its new answer; then a question that the fact answers, and its answer.
ENDINGS = {
    "en": (("difficult", "easy"), ("uska matlab", "garam: hot"), ("who is my manager?", "Dana")),
    "hi": (("उसका उल्टा", "गर्म"), ("uska matlab", "garam: hot"), ("मेरी मैनेजर कौन है?", "डाना")),
    "pa": (("ਉਸ ਦਾ ਉਲਟਾ", "ਗਰਮ"), ("us da ulta", "garam"), ("ਮੇਰੀ ਮੈਨੇਜਰ ਕੌਣ ਹੈ?", "ਡਾਨਾ")),
}


def answered(services: Services, text: str, scope: Scope) -> Turn:
    list(services.assistant.ask(text, scope, "conversation"))
    return services.assistant.turns("conversation", scope)[-1]


def test_examples_for_the_small_model_lead_on(tmp_path: Path) -> None:
    """Correct each example question, then ask about the fact."""
    fresh = compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "all-MiniLM-L6-v2"}))
    fresh.start()
    for language in languages():
        *questions, fact = EXAMPLES["small"][language]
        *endings, (follows, known) = ENDINGS[language]
        for question, (ending, answer) in zip(questions, endings, strict=True):
            scope = Scope(f"{language} {question}")
            first = answered(fresh, question, scope)
            assert first.reply.understanding != NOT_UNDERSTOOD, question
            assert not first.reply.answer.startswith(answer)
            list(fresh.assistant.clarify(first.id, ending, scope))
            right = fresh.assistant.turns("conversation", scope)[-1]
            assert right.reply.answer.startswith(answer), question
            again = answered(fresh, question, scope)
            assert (again.reply.answer, again.used) == (right.reply.answer, right.used), question
        scope = Scope(f"{language} {fact}")
        answered(fresh, fact, scope)
        assert known in answered(fresh, follows, scope).reply.answer, fact
    fresh.close()
