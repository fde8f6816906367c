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
def test_offering_and_accepting_ask_first(here: Commands) -> None:
    turn = here.json("ask", "What is akin to quick?", "--user", "ann")["turn"]
    here.run("clarify", turn, "I want a word with the same meaning", "--user", "ann")
    (entry,) = here.json("memory", "list", "--user", "ann")
    assert "Nothing was changed" in here.run("memory", "offer", entry["entry"], "--user", "ann", status=1).output
    assert here.json("memory", "offers") == []
    offer = here.run("memory", "offer", entry["entry"], "--user", "ann", text=b"y\n").stdout.split()[-1]
    for command in (["accept", offer], ["decline", offer]):
        assert "Nothing was changed" in here.run("memory", *command, status=1).output
    assert [one["state"] for one in here.json("memory", "offers")] == ["offered"]


@pytest.mark.parametrize("command", [["why"], ["lesson", "keep"], ["keep", "1", "--turn"], ["undo"]])
def test_an_id_of_bytes_that_are_no_text_names_nothing(command: list[str], here: Commands) -> None:
    here.run("ask", "my manager is Dana")
    refused = here.run(*command, "ab\udcff", status=1)
    assert "There is no such" in refused.output
