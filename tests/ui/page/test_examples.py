"""The examples of the page on a fresh machine: understood as one thing, put right, and answered so from then on."""

from pathlib import Path

import pytest

from app import compose
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.settings import Settings
from assistant.types import Scope, Turn
from ui.server.services import Services
from ui.server.status import EXAMPLES_BY_LANGUAGE
from ui.words.texts import languages

# How a person might say what they meant, and the answer that comes of it.
ENDINGS = {
    "en": (("the opposite of it", "heavy"), ("its opposite", "unhappy"), ("its opposite", "dishonest")),
    "hi": (("उसका उल्टा", "गर्म"), ("उसका मतलब", "गरम: hot"), ("uska ulta", "dishonest")),
    "pa": (("ਉਸ ਦਾ ਉਲਟਾ", "ਗਰਮ"), ("ਉਸ ਦਾ ਮਤਲਬ", "ਗਰਮ: hot"), ("us da ulta", "garam")),
}


def answered(services: Services, text: str, scope: Scope) -> Turn:
    list(services.assistant.ask(text, scope, "conversation"))
    return services.assistant.turns("conversation", scope)[-1]


@pytest.mark.parametrize("embedder", ["all-MiniLM-L6-v2", "none"][:1])
def test_every_example_of_every_language_is_understood_and_can_be_put_right(tmp_path: Path, embedder: str) -> None:
    """As `python app.py` serves on a fresh machine, with and without the embedder that comes with it."""
    fresh = compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": embedder}))
    fresh.start()
    for language in languages():
        for question, (ending, answer) in zip(EXAMPLES_BY_LANGUAGE[language], ENDINGS[language], strict=True):
            scope = Scope(f"{language} {question}")
            first = answered(fresh, question, scope)
            assert first.reply.understanding != NOT_UNDERSTOOD, question
            assert not first.reply.answer.startswith(answer)
            list(fresh.assistant.clarify(first.id, ending, scope))
            right = fresh.assistant.turns("conversation", scope)[-1]
            assert right.reply.answer.startswith(answer), question
            again = answered(fresh, question, scope)
            assert (again.reply.answer, again.used) == (right.reply.answer, right.used), question
    fresh.close()
