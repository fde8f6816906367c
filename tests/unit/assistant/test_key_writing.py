"""Further keys: the prompt for the model, and parsing of any reply."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import StreamCut
from assistant.keys.writer import LONGEST_KEY, MOST_KEYS, KeyWriter, parse_keys
from assistant.kinds import Place, Reach
from assistant.types import Key, KeyOrigin
from tests.support.memory.entries import build_entry
from tests.support.memory.keys import KEY_TEXTS, KEYS_REPLY
from tests.support.servers.scripted import ScriptedModel

PROMPTS = Path(__file__).parents[3] / "prompts"
SECRET = b"0123456789abcdef"
PARTS = st.sampled_from([
    "<phrase>", "</phrase>", "<meaning>", "<paraphrase>", "</paraphrase>", "< Paraphrase 2 >", "<applies>", "<think>",
    "</think>", "lit", "\n", "1. ", '"', "Paraphrase: ", "phrase=", "\x00", "\u202e", "\ud800", "क्या", "</applies>",
])  # fmt: skip


def texts(reply: str) -> tuple[str, ...]:
    return tuple(key.text for key in parse_keys(reply).keys)


@pytest.mark.parametrize("reply", [
    "< PHRASE >\nlit\n</ phrase >\n<Paraphrase>is it lit</Paraphrase>",
    "```\n<phrase>\"lit\"</phrase>\n<paraphrase>1. is it lit</paraphrase>\n```",
    "<phrase>lit\n<paraphrase>(1) is it lit",
    "<phrase>lit</phrase><phrase>other</phrase><paraphrase>is\x00 it\u200b  lit</paraphrase><paraphrase>IS IT LIT",
])  # fmt: skip
def test_keys_of_weak_models_are_read(reply: str) -> None:
    assert texts(reply) == ("lit", "is it lit")


def test_plain_reach_and_title_are_read() -> None:
    found = parse_keys(f"{KEYS_REPLY}\n<reach>this</reach>")
    assert (found.reach, found.title) == (Reach.QUESTION, "Questions for a word like another")
    assert found.keys == tuple(Key(text, KeyOrigin.MODEL) for text in KEY_TEXTS)
    assert parse_keys(f"{KEYS_REPLY}\n<reach> Alike.").reach is Reach.WAY
    assert parse_keys(f"{KEYS_REPLY}\n<reach>this or alike</reach>").reach is None


def test_plain_places_of_earlier_entries_are_read() -> None:
    both = "<earlier>1 instead</earlier>\n<earlier>2: Apart.</earlier>"
    assert parse_keys(f"{KEYS_REPLY}\n{both}", ["a", "b"]).places == {"a": Place.INSTEAD, "b": Place.APART}
    neither = "<earlier>3 instead</earlier><earlier>0 apart</earlier><earlier>instead</earlier>"
    assert parse_keys(f"{KEYS_REPLY}\n{neither}", ["a", "b"]).places == {}


@given(st.one_of(st.text(), st.lists(PARTS | st.text(max_size=5), max_size=40).map("".join)))
def test_any_reply_gives_few_clean_keys(reply: str) -> None:
    found = texts(reply)
    assert len(found) <= MOST_KEYS
    assert len({text.casefold() for text in found}) == len(found)
    for text in found:
        assert 0 < len(text) <= LONGEST_KEY
        assert text == " ".join(text.split())
        assert not any(unicodedata.category(character) in {"Cc", "Cs"} for character in text)


def test_endless_reply_is_stopped() -> None:
    model = ScriptedModel([KEYS_REPLY + "x" * 100_000, KEYS_REPLY], piece=1000)
    write = KeyWriter(model, PROMPTS, SECRET)
    assert len(write(build_entry(), (), lambda: False).keys) == MOST_KEYS
    with pytest.raises(StreamCut):
        write(build_entry(), (), lambda: True)
    assert model.closed_early == 2
