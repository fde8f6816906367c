"""Drafts in the terminal's chat."""

import pytest

from tests.support.commands import Commands

pytestmark = pytest.mark.promise("drafts-are-taken")

SOUND = "What sounds like night?"
KNIGHT = 'You want a word that sounds the same as "night".'
MEANING = 'You want to know what "night" means.'


def test_chat_drafts_takes_and_undoes(here: Commands) -> None:
    lines = ["/drafts", "/take 2", "/take 7", "/undo", "/drafts", "/undo", "/new", "What is akin to big?", "/take 1"]
    said = here.run("chat", text="\n".join([SOUND, *lines]).encode()).stdout
    assert f"  2. {MEANING}" in said
    assert f"* 2. {MEANING}" in said
    assert "Please say which, from 1 to 2" in said
    assert "Taken back: Of several answers, you took another than the one I chose." in said
    assert said.count(f"* 1. {KNIGHT}") == 2
    assert "Nothing was remembered in this conversation that could be taken back." in said
    assert "This was answered in one way only." in said
    assert "you took another" not in here.run("memory", "list").stdout
