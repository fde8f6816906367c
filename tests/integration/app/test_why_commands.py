"""`why` in a terminal: the reasons for an answer, what is said of them, and taking that back."""

from pathlib import Path

import pytest

from tests.support.commands import Commands
from tests.support.memory.teaching import CLAIM, COPPER, METALS, NO, PENNY, QUESTION, YES, reasons
from tests.support.servers.chat_server import ChatServer

pytestmark = pytest.mark.promise("reasons-by-every-interface")


@pytest.fixture
def on_a_model(tmp_path: Path, server: ChatServer) -> Commands:
    return Commands(
        tmp_path,
        NOTED_MODEL="openai/test",
        NOTED_API_BASE=server.url,
        NOTED_API_KEY="none",
        NOTED_PROPOSE_LESSONS="off",
    )


ACTS = {
    "that's wrong": (["--wrong", "1"], [f"Not true: {METALS}"]),
    "that's wrong, it is …": (["--wrong", "2", "--it-is", COPPER], [f"Not true: {PENNY}", COPPER]),
    "it does not matter here": (["--does-not-matter", "1"], [f"This does not matter here: “{METALS}”"]),
    "it does not follow": (["--does-not-follow", "--yes"], [f"From “{METALS}” it does not follow: {CLAIM}"]),
    "something is missing": (["--missing", COPPER], [COPPER]),
    "the answer is …": (["--answer", "It cannot."], ["It cannot."]),
    "but it is true": (["--true", "2"], [PENNY]),
}


@pytest.mark.parametrize(("said", "noted"), ACTS.values(), ids=list(ACTS))
def test_every_act_is_noted_answers_again_and_is_undone(
    said: list[str], noted: list[str], on_a_model: Commands, server: ChatServer
) -> None:
    server.replies(YES, reasons(METALS, doubted=[PENNY]), NO)
    turn = on_a_model.json("ask", QUESTION)["turn"]
    shown = on_a_model.run("why").stdout
    assert f"1. {METALS}\n     I believe this." in shown
    assert f"2. {PENNY}\n     I considered this, but do not believe it." in shown
    answered = on_a_model.run("why", turn, *said)
    assert answered.stdout.endswith("No.\n")
    assert [f"Noted: {text}" in answered.stderr for text in noted] == [True] * len(noted)
    assert ("Which fact did I miss?" in answered.stderr) is ("--answer" in said)
    listed = on_a_model.run("memory", "list").stdout.splitlines()
    assert [line[22:] for line in reversed(listed)] == noted
    on_a_model.run("undo", listed[0].split()[0])
    assert on_a_model.run("memory", "list").stdout == ""
    assert on_a_model.json("why", turn)["reasons"][0]["says"] == METALS
    assert len(server.requests) == 3


def test_the_chat_says_why_takes_in_what_is_said_and_takes_it_back(on_a_model: Commands, server: ChatServer) -> None:
    server.replies(YES, reasons(METALS, doubted=[PENNY]), NO, NO, NO)
    lines = [QUESTION, "/why", f"/wrong 2 {COPPER}", "/undo", "/memory", "/undo"]
    said = on_a_model.run("chat", text="\n".join(lines).encode()).stdout
    assert f"  1. {METALS}\n     I believe this.\n  2. {PENNY}" in said
    assert f"Noted: Not true: {PENNY}\nNoted: {COPPER}\n" in said
    assert f"Taken back: {COPPER}" in said
    assert "Nothing is remembered yet." in said
    assert "could be taken back" in said
    said = on_a_model.run("chat", text="\n".join([*lines[:2], "/does-not-follow", "/memory"]).encode()).stdout
    assert "If you are sure, say: /does-not-follow yes" in " ".join(said.split())
    assert "Nothing is remembered yet." in said
    acts = ["/does-not-matter 1", "/answer It cannot.", "/wrong", "/wrong 7", "/missing", "/true 99999999999"]
    said = on_a_model.run("chat", text="\n".join([*lines[:2], *acts]).encode()).stdout
    assert "ask why first" in said.replace("\n", " ")


def test_what_is_not_understood_is_said(here: Commands) -> None:
    assert "There is no answer yet" in here.run("why", status=1).stderr
    here.run("ask", "What is akin to quick?")
    assert "no reasons" in here.run("why").stdout
    assert "one thing at a time" in here.run("why", "--wrong", "1", "--missing", "x", status=1).stderr
    assert "--it-is goes with" in here.run("why", "--it-is", "x", status=1).stderr
    assert "ask why first" in here.run("why", "--wrong", "1", status=1).stderr
    assert "Nothing was changed" in here.run("why", "--does-not-follow", status=1).stderr
    here.run("why", "nothing", status=1)


def test_it_is_said_what_thinking_costs(on_a_model: Commands, server: ChatServer) -> None:
    thoughts = "<understanding>u</understanding><candidate>no</candidate><statement>It cannot.</statement>"
    check = "<premise>1 yes 95</premise><step>yes 90</step>"
    server.replies(thoughts, f"<because>{COPPER}</because>", check)
    answered = on_a_model.run("ask", "Can it? (A) yes", "--think")
    assert answered.stdout.endswith("It cannot.\n")
    assert "up to 38 calls of the model" in answered.stderr
    assert f"1. {COPPER}" in on_a_model.run("why").stdout


def test_undo_of_what_was_said_otherwise_since_takes_nothing_back_and_says_so(here: Commands) -> None:
    turn = here.json("ask", "What is akin to quick?")["turn"]
    here.run("clarify", turn, "the opposite")
    (first,) = [note["entry"] for note in here.json("memory", "list")]
    here.run("clarify", turn, "a synonym")
    (newer,) = [note["entry"] for note in here.json("memory", "list")]
    assert "You have said it otherwise since" in here.run("undo", first, status=1).stderr
    assert [note["entry"] for note in here.json("memory", "list")] == [newer]
    here.run("undo", newer)
    assert [note["entry"] for note in here.json("memory", "list")] == [first]
