"""The command line as a person or a script uses it, on the embedded model."""

from pathlib import Path

import pytest

from tests.support.commands import Commands


@pytest.mark.parametrize(
    ("question", "complaint"),
    [(b"", "Please write something first."), (b"x" * 1_000_000, "please shorten it to 8,000.")],
)
def test_bad_input_is_one_sentence_and_a_failure(here: Commands, question: bytes, complaint: str) -> None:
    result = here.run("ask", "-", "--json", text=question, status=1)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert complaint in result.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("memory", "list"), ("memory", "export", "-"), ("memory", "verify"), ("memory", "forget", "--all"),
        ("memory", "resume", "e"), ("memory", "offers"), ("clarify", "--last", "x"), ("token", "--list"),
        ("ask", "x", "--conversation", "c"), ("chat", "--conversation", "c"),
    ],
)  # fmt: skip
def test_where_there_is_no_memory_a_command_says_so_and_makes_none(
    command: tuple[str, ...], here: Commands, tmp_path: Path
) -> None:
    said = here.run(*command, "--home", str(tmp_path / "nowhere"), status=1)
    assert said.stdout == ""
    assert said.stderr.count("\n") == 1
    assert "There is no memory in" in said.stderr
    assert not (tmp_path / "nowhere").exists()


def test_what_is_named_is_checked_before_anything_is_asked(here: Commands, tmp_path: Path) -> None:
    here.run("ask", "What is akin to quick?")
    for command, complaint in (
        (("ask", "-", "--conversation", "none"), "no such conversation"),
        (("chat", "--conversation", "none"), "no such conversation"),
        (("memory", "forget", "none"), "not yours"),
        (("memory", "restore", str(tmp_path / "none")), "cannot be read"),
        (("password", "a name"), "This name cannot be used"),
        (("token", ""), "This name cannot be used"),
    ):
        said = here.run(*command, text=b"y\n", status=1)
        assert said.stdout == ""
        assert said.stderr.count("\n") == 1
        assert complaint in said.stderr


def test_unknown_things_are_one_sentence(here: Commands) -> None:
    here.run("ask", "What is akin to quick?")
    assert "not yours" in here.run("clarify", "no-such-turn", "x", status=1).stderr
    assert "sign in" in here.run("ask", "x", "--user", "", status=1).stderr
    assert "There is no answer yet" in here.run("clarify", "--last", "x", "--user", "somebody", status=1).stderr
    here.run("no-such-command", status=2)


def test_models_says_what_is_in_use_and_why(here: Commands) -> None:
    shown = here.run("models").stdout
    assert "NOTED_MODEL" in shown
    assert "by spelling alone" in shown


def test_without_a_command_the_page_is_served(here: Commands, tmp_path: Path) -> None:
    here.run("serve", "--port", "7999", "--home", str(tmp_path))
    here.run()
    assert [settings.port for settings in here.served] == [7999, 7860]


@pytest.mark.promise("sharing-asks-first")
def test_an_entry_is_offered_accepted_used_by_others_and_withdrawn(
    here: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = here.json("ask", "What is akin to quick?", "--user", "ann")["turn"]
    here.run("clarify", turn, "I want a word with the same meaning", "--user", "ann")
    (entry,) = here.json("memory", "list", "--user", "ann")
    assert "Nothing was changed" in here.run("memory", "offer", entry["entry"], "--user", "ann", status=1).output
    assert here.json("memory", "offers") == []
    offer = here.run("memory", "offer", entry["entry"], "--user", "ann", text=b"y\n").stdout.split()[-1]
    assert "not yours" in here.run("memory", "offer", entry["entry"], "--user", "bob", "--yes", status=1).output
    (offered,) = here.json("memory", "offers")
    assert (offered["offer"], offered["state"], offered["who"]) == (offer, "offered", "ann")
    listed = here.run("memory", "offers").stdout
    assert all(f"  {line}" in listed for line in ("'I want a word with", "Given for: What is akin to quick?"))

    monkeypatch.setenv("NOTED_CURATORS", "cora")
    for command in (["offers"], ["accept", offer], ["decline", offer]):
        assert "Only a curator" in here.run("memory", *command, status=1).output
    assert "Please write" in here.run("memory", "accept", offer, "--text", " ", "--user", "cora", status=1).output
    accept = ("memory", "accept", offer, "--text", "It wants a word with the same meaning", "--user", "cora")
    unasked = here.run(*accept, status=1).output
    assert all(line in unasked for line in ("Given for: What is akin to quick?", "Nothing was changed"))
    here.run(*accept, "--yes")
    used = here.run("ask", "What is akin to enormous?", "--user", "bob").output
    assert "From memory, shared with everyone since 20" in used
    assert "It wants a word with the same meaning" in used
    (candidate,) = here.json("ask", "What is akin to enormous?", "--user", "bob")["candidates"]
    assert candidate["shared"] is True

    here.run("memory", "withdraw", entry["entry"], "--user", "ann")
    assert here.json("ask", "What is akin to happy?", "--user", "bob")["candidates"] == []
    here.run("memory", "offer", entry["entry"], "--user", "ann", "--yes")
    decline = ("memory", "decline", offer, "--reason", "not now", "--user", "cora")
    assert "Nothing was changed" in here.run(*decline, status=1).output
    here.run(*decline, "--yes")
    assert "declined" in here.run("memory", "offer", entry["entry"], "--user", "ann", "--yes", status=1).output
    assert "Nobody offers anything" in here.run("memory", "offers", "--user", "cora").output


@pytest.mark.parametrize("command", [["why"], ["lesson", "keep"], ["keep", "1", "--turn"], ["undo"]])
def test_an_id_of_bytes_that_are_no_text_names_nothing(command: list[str], here: Commands) -> None:
    here.run("ask", "my manager is Dana")
    refused = here.run(*command, "ab\udcff", status=1)
    assert "There is no such" in refused.output
