"""The languages of the page, without a browser: which one is chosen, and that the server says nothing in one only."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from assistant.choose.gate import _SIMILARITIES, Gate
from assistant.errors import NotKept, NotShared, TooLong
from assistant.models.embedded.embedded import WHAT_I_AM
from assistant.models.embedded.example_matcher import NOT_UNDERSTOOD
from assistant.reports.upkeep import Receipt
from assistant.text.content_rules import check_private, check_shared
from assistant.types import Candidate, Entry, Key, Kind, Reply, Scope, Status, Turn, TurnState
from memory_store.transfer.import_checks import checked, refused
from tests.support.texts.sentences import ROOT, sentences
from ui.page.conversation.views import turn_view
from ui.server.language import chosen_language
from ui.words.speaking import in_language, sentence
from ui.words.texts import languages

OTHERS = [language for language in languages() if language != "en"]
# Whose sentences can come to the page.
FILES = [
    *(
        f"assistant/{name}.py"
        for name in ("conversation", "errors", "prompt/examples", "choose/gate", "sharing", "turn")
    ),
    *(str(path.relative_to(ROOT)) for path in (ROOT / "memory_store").rglob("*.py") if path.stem != "backup"),
    *(f"ui/server/{name}.py" for name in ("permissions", "identity", "status")),
    *(f"ui/page/{name}.py" for name in ("page", "conversation/conversation", "memory/memory", "tokens/tokens")),
    "ui/streaming/runs.py",
]
# What only those read who start or mend Noted, at the command line and in logs, and what is part of a sentence.
FOR_HOSTS = re.compile(
    r"NOTED_(LEDGER|INDEX|SEED|SNAPSHOTS|SPEND_PER_DAY)|PostgreSQL|^A seed holds|without torch|needs sentence-transf"
    r"|^(The (table|checksum)|Rows of the table|An index of|They do not say|Index:)"
    r"|^(The embedder \{\} is not|You left it out before|Others left it out before|Line \{\} of this file cannot)"
)
SAMPLE = '"wie geht es (12%)"'


def is_said_in(language: str, english: str) -> bool:
    return sentence(english.replace("{}", SAMPLE), language) != english.replace("{}", SAMPLE)


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_of_the_server_is_said_in_every_language(language: str) -> None:
    said = {text for path in FILES for text in sentences(path) if not FOR_HOSTS.search(text)}
    assert len(said) > 70
    assert sorted(text for text in said if not is_said_in(language, text)) == []


CREATED = datetime(2026, 1, 2, tzinfo=UTC)
FEATURES = st.dictionaries(
    st.sampled_from([*_SIMILARITIES, "frame", "relevance", "hurt", "hurt_like"]), st.floats(0, 1), max_size=6
)


def candidate(number: int, scores: dict[str, float], *, shared: bool) -> Candidate:
    key = Key(f'what is "{number}" (5%). You left it out before.')
    entry = Entry(
        id=str(number), kind=Kind.CLARIFICATION, owner="" if shared else "ann", shared=shared, status=Status.ACTIVE,
        question=key.text, text=f"meaning {number % 3}", sequence=number, created=CREATED, keys=(key,),
    )  # fmt: skip
    return Candidate(entry, key, scores)


@given(found=st.lists(st.tuples(FEATURES, st.booleans()), min_size=1, max_size=9))
def test_whatever_the_gate_decides_its_reason_is_said_in_every_language(
    found: list[tuple[dict[str, float], bool]],
) -> None:
    candidates = [candidate(number, scores, shared=shared) for number, (scores, shared) in enumerate(found)]
    for decision in Gate.from_file()(candidates, Scope("ann")):
        for language in OTHERS:
            said = sentence(decision.reason, language)
            assert said != decision.reason
            assert (decision.entry.question[:9] in said) == (decision.entry.question[:9] in decision.reason)


def test_every_similarity_that_the_gate_can_name_is_said_in_every_language() -> None:
    for words in _SIMILARITIES.values():
        assert all(is_said_in(language, f'{words} "a key" (12%).') for language in OTHERS), words
        assert all(is_said_in(language, f'{words} "a key" (12%). You left it out before.') for language in OTHERS)


@pytest.mark.parametrize("text", [
    "see https://example.org", "write to ann@example.org", "the password is hunter2!", "4111 1111 1111 1111",
    "GB29 NWBK 6016 1331 9268 19", "+44 20 7946 0958", "12 Long Street", "![x](https://example.org/x.png)",
])  # fmt: skip
def test_what_may_not_be_kept_or_shared_is_named_in_every_language(text: str) -> None:
    with pytest.raises((NotKept, NotShared)) as raised:
        check_shared(text)
    for language in OTHERS:
        assert not re.search("[a-z]{3}", sentence(str(raised.value), language))
    check_private(text.replace("![", "["))


def test_why_a_line_cannot_be_imported_is_said_in_every_language() -> None:
    with pytest.raises(ValueError, match="title") as raised:
        checked({"type": "title", "conversation": "c", "title": "a" * 501}, CREATED)
    assert "title may have 500 characters" in str(refused(3, raised.value))
    for error in (ValueError("what"), TooLong(9, 5), raised.value):
        for language in OTHERS:
            assert not re.search("[a-z]{3}", sentence(str(refused(3, error)), language).replace("title", ""))


@pytest.mark.parametrize(("cookie", "accepted", "language"), [
    ("", "", "en"),
    ("", "hi-IN,hi;q=0.9,en;q=0.8", "hi"),
    ("", "en;q=0.5, pa-IN, hi;q=0.7", "pa"),
    ("", "fr, de;q=0.9", "en"),
    ("", "fr, *;q=0.5, hi;q=0.1", "hi"),
    ("", "hi;q=much, ,;q=, pa", "pa"),
    ("noted_language=pa", "hi", "pa"),
    ("other=1; noted_language=en", "hi", "en"),
    ("noted_language=../en", "hi", "en"),
])  # fmt: skip
def test_the_language_is_the_chosen_one_else_what_the_browser_asks_for(
    cookie: str, accepted: str, language: str
) -> None:
    assert chosen_language(Headers({"cookie": cookie, "accept-language": accepted})) == language


def test_only_sentences_of_the_server_are_said_in_another_language() -> None:
    person = "Please sign in first."
    shown = {
        "refused": person, "entries": [{"text": person, "question": person}], "turns": [{"error": person}],
        "search": person, "more": False, "receipt": Receipt("abcdefgh12", CREATED, {"turns": 2}, is_complete=True),
    }  # fmt: skip
    said = in_language(shown, "hi")
    assert said["entries"] == shown["entries"]
    assert (said["search"], said["more"]) == (person, False)
    assert said["refused"] == said["turns"][0]["error"] == "पहले साइन इन करें।"
    assert said["receipt"].startswith("मिटाया गया: बातचीत के 2 सवाल-जवाब। 2026-01-02 00:00 UTC, रसीद abcdefgh।")
    english = in_language(shown, "en")
    assert english == shown | {"receipt": english["receipt"]}
    assert english["receipt"].startswith("Erased: 2 turns of conversations.")


@pytest.mark.parametrize("language", OTHERS)
def test_that_the_embedded_model_knows_no_answer_is_said_in_every_language(language: str) -> None:
    reply = Reply.of(raw="", understanding=NOT_UNDERSTOOD, answer=WHAT_I_AM)
    turn = Turn("t", "c", "ann", "a question", state=TurnState.ANSWERED, reply=reply)
    shown = in_language({"turns": [turn_view(turn)]}, language)["turns"][0]
    names = re.compile("Noted|NOTED_MODEL|NOTED_API_KEY|</?p>")
    for name in ("understanding", "answer", "copy"):
        assert shown[name]
        assert not re.search("[A-Za-z]", names.sub("", shown[name]))
    model = {"understanding": f"{NOT_UNDERSTOOD} Sorry.", "answer": "<p>Please sign in first, please.</p>\n"}
    assert in_language(model, language) == model


def test_what_has_no_translation_is_shown_in_english() -> None:
    assert sentence("Nobody has translated this.", "hi") == "Nobody has translated this."
    assert sentence("Please sign in first.", "en") == "Please sign in first."


def test_the_languages_have_the_same_sentences_with_the_same_places_to_fill() -> None:
    tables = [
        json.loads((ROOT / f"ui/words/sentences/{language}.json").read_text(encoding="utf-8")) for language in OTHERS
    ]
    for table in tables:
        assert list(table) == list(tables[0])
        assert all(set(re.findall(r"\{\w+\}", said)) == set(re.findall(r"\{\w+\}", key)) for key, said in table.items())
