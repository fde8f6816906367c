"""The command line as a person or a script uses it, on the embedded model."""

import re
from pathlib import Path

import pytest

from tests.support.commands import Commands


def test_what_was_said_is_used_by_the_next_command(here: Commands) -> None:
    asked = here.json("ask", "What is akin to quick?")
    assert asked.keys() >= {"turn", "question", "understanding", "answer", "model", "candidates", "status", "ms"}
    assert asked["candidates"] == []
    assert here.run("clarify", asked["turn"], "I want a word with the same meaning").stdout.endswith("fast\n")
    other = here.json("ask", "What is akin to enormous?")
    (candidate,) = other["candidates"]
    assert other["used"] == [candidate["entry"]]
    assert candidate.keys() == {"entry", "shared", "scores", "decision", "use", "probability", "reason"}
    assert (candidate["decision"], candidate["use"]) == ("use", "spliced")
    assert "akin to" in candidate["reason"]
    assert here.json("ask", "What is akin to enormous?", "--user", "somebody")["candidates"] == []


def test_the_memory_is_listed_rebuilt_and_forgotten_from(here: Commands) -> None:
    turn = here.json("ask", "What is akin to quick?")["turn"]
    here.run("clarify", turn, "I want a word with the same meaning")
    assert here.run("memory", "list", "--user", "somebody").stdout == ""
    listed = here.json("memory", "list")
    assert [entry["text"] for entry in listed] == ["I want a word with the same meaning"]
    here.run("memory", "rebuild")
    here.run("memory", "forget", listed[0]["entry"], "--user", "somebody", "--yes", status=1)
    asked = here.run("memory", "forget", listed[0]["entry"], status=1).stderr
    assert "With it goes: the text of 2 answers given with it." in asked
    assert "Say --yes" in asked
    receipt = here.json("memory", "forget", listed[0]["entry"], "--yes")
    assert (receipt["erased"]["clarifications"], receipt["erased"]["blanked"], receipt["complete"]) == (1, 2, True)
    assert here.json("memory", "list") == []
    assert here.json("ask", "What is akin to enormous?")["candidates"] == []


def test_a_correction_is_given_a_reach_and_it_is_changed(here: Commands) -> None:
    turn = here.json("ask", "What is akin to quick?")["turn"]
    narrow = here.run("clarify", turn, "I want a word with the same meaning", "--reach", "question")
    assert "(for this question only)" in narrow.stderr
    assert here.json("ask", "What is akin to enormous?")["used"] == []
    (entry,) = here.json("memory", "list")
    assert entry["reach"] == "question"
    assert "counts for questions like this now" in here.run("memory", "reach", entry["entry"], "way").stderr
    assert here.json("ask", "What is akin to enormous?")["used"] == [entry["entry"]]
    here.run("memory", "reach", entry["entry"], "everywhere", status=2)


def test_the_last_turn_is_put_right_and_of_two_meanings_the_person_says_which_counts(here: Commands) -> None:
    asked = here.run("ask", "what does doubt mean?")
    assert "clarify --last" in asked.stderr
    here.run("clarify", "--last", "a question for the teacher")
    turn = here.json("ask", "What does doubt mean")["turn"]
    noted = here.run("clarify", turn, "suspicion, in a marriage").stderr
    assert "you said something else, which counts as well: a question for the teacher" in noted
    assert "say --last" in here.run("clarify", turn, status=1).stderr
    newer, older = (line.split()[0] for line in here.run("memory", "list").stdout.splitlines())
    assert f"memory put {newer} instead {older}" in noted
    assert f"{newer} counts instead of {older} now." in here.run("memory", "put", newer, "instead", older).stderr
    (entry,) = here.json("memory", "list")
    assert entry["entry"].startswith(newer)
    assert len(newer) < len(entry["entry"])
    here.run("memory", "put", newer, "beside", entry["supersedes"])
    assert len(here.json("memory", "list")) == 2
    here.run("memory", "put", newer, "instead", "of nothing", status=1)


def test_what_was_taken_the_place_of_is_put_beside_by_the_short_ids_that_are_printed(here: Commands) -> None:
    here.run("ask", "What is akin to quick?")
    here.run("clarify", "--last", "a word of the opposite meaning")
    here.run("ask", "What is akin to quick")
    noted = here.run("clarify", "--last", "from now on a word with the same meaning").stderr
    printed = re.search(r"`memory put (\w+) instead (\w+)`, or beside", noted)
    assert printed
    newer, older = printed.groups()
    here.run("memory", "put", newer, "beside", older)
    assert len(here.json("memory", "list")) == 2


def test_everything_is_exported_forgotten_imported_backed_up_and_restored(here: Commands, tmp_path: Path) -> None:
    turn = here.json("ask", "What is akin to quick?")["turn"]
    here.run("clarify", turn, "I want a word with the same meaning")
    export, backup = str(tmp_path / "export.jsonl"), str(tmp_path / "backup.zip")
    assert "Exported: 4 records" in here.run("memory", "export", export).stderr
    assert Path(export).stat().st_mode & 0o777 == 0o600
    assert "1 entries" not in here.run("memory", "backup", backup).stderr
    assert "Please name one entry" in here.run("memory", "forget", "--yes", status=1).stderr
    forgotten = here.run("memory", "forget", "--all", "--yes").stdout
    assert "Erased: 1 clarification, 1 wording, 2 turns of conversations" in forgotten
    assert "No file here holds it any more." in forgotten
    assert here.json("memory", "list") == []
    assert "Imported: 1 entry, 2 turns" in here.run("memory", "import", export, "--user", "somebody").stdout
    assert "There already: 1 entry" in here.run("memory", "import", export, "--user", "somebody").stdout
    assert "no export of Noted" in here.run("memory", "import", backup, status=1).stderr
    assert "cannot be read" in here.run("memory", "import", "nowhere", status=1).stderr
    assert "no backup of Noted" in here.run("memory", "restore", export, "--yes", status=1).stderr
    restored = here.run("memory", "restore", backup, "--yes").stderr
    assert "Restored: 1 entry, 2 turns" in restored
    assert "Erased again, because it was erased since: 1 erasure." in restored
    for person in ("local", "somebody"):
        assert here.json("memory", "list", "--user", person) == []


def test_a_correction_in_a_conversation(here: Commands) -> None:
    asked = here.json("ask", "What is akin to quick?")
    again = here.json("ask", "nahi, mera matlab ulta", "--conversation", asked["conversation"])
    assert (again["question"], again["answer"]) == ("What is akin to quick?", "slow")


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
