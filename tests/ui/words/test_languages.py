"""Languages of the page: which one is chosen, and that every message is translated."""

import ast
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter

import pytest
from starlette.datastructures import Headers

from assistant.errors import NoIdentity, NotFound, TooLong
from assistant.models.embedded.phrases import SMALL_TALK
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.reports.upkeep import Receipt
from assistant.sentences import Sentence, english, find_sentence, plain
from assistant.types import Reply, Turn, TurnState
from tests.support.texts.word_questions import BY_WORDING, ask
from ui.page.views import turn_view
from ui.server.identity import language_of
from ui.words.texts import in_language, languages

OTHERS = [language for language in languages() if language != "en"]
ROOT = Path(__file__).parents[3]
SOURCES = [path for room in ("assistant", "memory_store", "ui") for path in (ROOT / room).rglob("*.py")]
NODES = [node for path in SOURCES for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def said(sentence: Sentence, language: str) -> str:
    return str(in_language({"sentence": sentence}, language)["sentence"])


def test_codes_have_words_in_every_language() -> None:
    texts = {node.value for node in NODES if isinstance(node, ast.Constant)} | {"embedded.name", "embedded.what_i_am"}
    texts |= {f"embedded.{kind}{part}" for kind in SMALL_TALK.values() for part in ("", "_answer")}
    assert [code for code in english() if code not in texts] == []
    for language in OTHERS:
        table = json.loads((ROOT / f"ui/words/sentences/{language}.json").read_text(encoding="utf-8"))
        assert list(table) == list(english())
        for code, words in table.items():
            assert sorted(places(words)) == sorted(places(english()[code])), code


def places(words: str) -> list[tuple[str, str | None]]:
    return [(name, how) for _, name, how, _ in Formatter().parse(words) if name]


CREATED = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(("cookie", "accepted", "language"), [
    ("", "", "en"), ("", "hi-IN,hi;q=0.9,en;q=0.8", "hi"), ("", "en;q=0.5, pa-IN, hi;q=0.7", "pa"),
    ("", "fr, de;q=0.9", "en"), ("noted_language=pa", "hi", "pa"), ("noted_language=../en", "hi", "en"),
])  # fmt: skip
def test_language_is_chosen_or_the_browsers(cookie: str, accepted: str, language: str) -> None:
    headers = Headers({"cookie": cookie, "accept-language": accepted})
    assert language_of({"type": "http", "headers": headers.raw}) == language


def test_only_own_sentences_are_translated() -> None:
    person = str(NoIdentity().sentence)
    shown = {
        "refused": NoIdentity().sentence, "entries": [{"text": person, "reason": person}],
        "turns": [{"error": find_sentence(person)}], "note": plain("At {home}, 5%."), "more": False,
        "receipt": Receipt("abcdefgh12", CREATED, {"turns": 2}, is_complete=True),
    }  # fmt: skip
    hindi = in_language(shown, "hi")
    assert (hindi["entries"], hindi["note"], hindi["more"]) == (shown["entries"], "At {home}, 5%.", False)
    assert hindi["refused"] == hindi["turns"][0]["error"] == "पहले साइन इन करें।"
    assert hindi["receipt"].startswith("मिटाया गया: बातचीत के 2 सवाल-जवाब। 2026-01-02 00:00 UTC, रसीद abcdefgh।")
    in_english = in_language(shown, "en")
    assert in_english["refused"] == person
    assert in_english["receipt"].startswith("Erased: 2 questions with their answers.")


def test_stored_english_becomes_a_code() -> None:
    line = Sentence("practice.bad_line", {"number": 3, "why": Sentence("found.same_question", {"key": "{line}."})})
    assert str(line) == "Line 3: Same question: “{line}.”."
    assert said(line, "hi") == "पंक्ति 3: वही सवाल: “{line}.”।"
    assert find_sentence(str(NotFound().sentence)) == NotFound().sentence
    for words in ("{words}", str(TooLong(9, 5)), "It is the same.", ""):
        assert (find_sentence(words), str(find_sentence(words))) == (plain(words), words)
    assert said(Sentence("of a later version"), "hi") == "of a later version"


@pytest.mark.parametrize("language", OTHERS)
def test_unknown_answer_is_said_in_every_language(language: str) -> None:
    reply = Reply.of(raw="", understanding=NOT_UNDERSTOOD, answer=str(Sentence("embedded.what_i_am")))
    turn = Turn("t", "c", "ann", "a question", state=TurnState.ANSWERED, reply=reply)
    shown = in_language({"turns": [turn_view(turn)]}, language)["turns"][0]
    names = re.compile("Noted|hello|</?p>")
    assert shown["understanding"] == ""
    assert shown["answer"]
    assert not re.search("[A-Za-z]", names.sub("", shown["answer"]))
    model = {"understanding": f"{NOT_UNDERSTOOD} Sorry.", "answer": "<p>Please sign in first, please.</p>\n"}
    assert in_language(model, language) == model


@pytest.mark.parametrize(
    ("message", "script"), [("hello", "[A-Z]"), ("नमस्ते", "[\u0900-\u097f]"), ("ਧੰਨਵਾਦ", "[\u0a00-\u0a7f]")]
)
def test_small_talk_is_answered_in_its_language(message: str, script: str) -> None:
    assert re.match(script, ask(message, model=BY_WORDING).answer)
