"""The examples of the page on a fresh machine: misunderstood, put right, and used for another question."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import compose
from assistant.settings import Settings
from assistant.types import Scope, Turn
from tests.support.sizes import size
from ui.server.services import Services
from ui.server.status import EXAMPLES_BY_LANGUAGE
from ui.words.texts import languages, texts

# How a person might end the sentence that the page begins for them.
ENDINGS = {
    "en": ("a synonym", "a word with the same meaning", "something similar"),
    "hi": ("समानार्थी शब्द", "एक जैसे मतलब वाला शब्द", "same meaning wala shabd"),
    "pa": ("ਸਮਾਨ ਅਰਥ ਵਾਲਾ ਸ਼ਬਦ", "ਇੱਕੋ ਮਤਲਬ ਵਾਲਾ ਸ਼ਬਦ", "iko matlab wala shabad"),
}
OTHER_WORDS = {"quick": ("huge", "vast"), "fast": ("brave", "courageous")}


def answered(services: Services, text: str, scope: Scope) -> Turn:
    list(services.assistant.ask(text, scope, "conversation"))
    return services.assistant.turns("conversation", scope)[-1]


@pytest.mark.parametrize("embedder", ["all-MiniLM-L6-v2", "none"][: size(1, 2)])
def test_every_example_of_every_language_is_misunderstood_until_it_is_put_right(tmp_path: Path, embedder: str) -> None:
    """As `python app.py` serves on a fresh machine, with and without the embedder that comes with it."""
    fresh = compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": embedder}))
    fresh.start()
    examples = [
        (texts(language)["beginning"] + ending, question)
        for language in languages()
        for question, ending in zip(EXAMPLES_BY_LANGUAGE[language], ENDINGS[language], strict=True)
    ]
    for meant, question in examples:
        scope = Scope(f"{meant} {question}")
        word = next(word for word in OTHER_WORDS if word in question)
        other, meaning = OTHER_WORDS[word]
        wrong = answered(fresh, question, scope)
        assert wrong.reply.answer not in {"fast", "rapid"}
        list(fresh.assistant.clarify(wrong.id, meant, scope))
        right = fresh.assistant.turns("conversation", scope)[-1]
        assert right.reply.answer in {"fast", "rapid"}, question
        again = answered(fresh, question.replace(word, other), scope)
        assert (again.reply.answer, again.used) == (meaning, right.used), question
    fresh.close()
