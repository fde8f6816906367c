"""Proposals, the fact sheet and a text that is learnt, in the terminal and for programs."""

import json
from pathlib import Path
from typing import Any

import pytest
from ui.programs.api import Api

from app import compose
from assistant.errors import InputError, NotFound
from assistant.kinds import Triple
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.commands import Commands
from ui.page.learn.learn import LearnHandlers
from ui.page.sheet.sheet import SheetHandlers
from ui.programs.transport import functions

pytestmark = pytest.mark.promise("triples-are-decided", "texts-are-read-by-sentence")

ME = Scope("local")
TEXT = "Priya lives in Mumbai and works for Acme. What a day! My manager is Dana."


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def sheet(commands: Commands, *options: str) -> list[str]:
    lines = commands.json("memory", "sheet", *options)
    return [" | ".join(one[side] for side in ("subject", "relation", "object")) for one in lines]


def test_commands_propose_keep_change_drop_and_take_back(commands: Commands) -> None:
    told = commands.run("ask", "my manager is Dana")
    assert "On your fact sheet? you · manager · Dana (`keep 1`)" in told.stderr
    assert commands.run("keep").stdout == "1. you · manager · Dana\n"
    assert commands.run("keep", "1").stdout == "1. you · manager · Dana (kept)\n"
    assert sheet(commands) == ["I | manager | Dana"]
    assert commands.json("keep", "1", "--undo")["proposed"][0]["state"] == "proposed"
    assert commands.json("keep", "1", "--as", "I | boss | Dana")["proposed"][0]["relation"] == "boss"
    assert commands.json("keep", "1", "--drop")["proposed"][0]["state"] == "dropped"
    assert commands.run("memory", "list").stdout.rstrip().endswith("my manager is Dana")
    commands.run("keep", "--drop", status=1)
    commands.run("keep", "7", status=1)
    commands.run("keep", "1", "--as", "nothing", status=1)


def test_the_chat_does_so_too(commands: Commands) -> None:
    lines = ["my manager is Dana", "/keep", "/unkeep 1", "/keep 1 I | boss | Kim", "/drop", "/keep 3", "/undo", "/keep"]
    said = commands.run("chat", text="\n".join(lines).encode()).stdout
    assert "On your fact sheet? you · manager · Dana (/keep 1 or /drop 1)" in said
    assert said.count("On your fact sheet? you · manager · Dana (kept)") == 2
    assert "On your fact sheet? you · boss · Kim (kept)" in said
    assert "On your fact sheet? you · manager · Dana (dropped)" in said
    assert "Please say which, from 1 to 1" in said
    assert "Taken back: my manager is Dana" in said


def test_the_sheet_is_listed_changed_and_goes_out_and_in(commands: Commands, tmp_path: Path) -> None:
    file = tmp_path / "facts.csv"
    file.write_text("Dana,works in,Pune\nbad\nI,manager,Dana\n", encoding="utf-8")
    refused = commands.run("memory", "sheet-import", str(file), "--no-header", status=1)
    assert (refused.stdout, "Line 2: " in refused.stderr) == ("", True)
    file.write_bytes("Wer;Was;Wen\r\nDana;works in;Pune\r\nI;manager;Dana\r\n\r\n".encode("utf-16"))
    taken = commands.run("memory", "sheet-import", str(file))
    assert taken.stdout == "Lines taken in: 2.\n"
    assert "Line 1 is “Wer · Was · Wen”. Is it the header of the table? It was taken as one" in taken.stderr
    assert commands.run("memory", "sheet-import", str(file), "--header").stderr == ""
    assert sheet(commands, "--of", "pune") == ["Dana | works in | Pune"]
    shown = commands.run("memory", "sheet", "--of", "Pune").stdout
    assert shown.endswith("Dana · works in · Pune\n    from: Dana works in Pune\n")
    commands.run("memory", "sheet-change", shown.split()[0], "Dana | works in | Delhi")
    written = commands.run("memory", "sheet-export", "-").stdout.splitlines()
    assert [line.split(",")[:3] for line in written[1:]] == [["Dana", "works in", "Delhi"], ["I", "manager", "Dana"]]
    commands.run("memory", "sheet-export", str(tmp_path / "out.json"))
    assert [row["object"] for row in json.loads((tmp_path / "out.json").read_text())] == ["Delhi", "Dana"]
    name = commands.json("memory", "sheet", "Delhi")[0]["line"]
    commands.run("memory", "sheet-change", name, "--off")
    commands.run("memory", "sheet-change", name, "a | b | c", status=1)
    assert sheet(commands) == ["I | manager | Dana"]


def test_a_text_is_shown_and_kept_as_is_said_and_else_not(commands: Commands, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT, encoding="utf-8")
    shown = commands.run("memory", "learn", str(file))
    assert "  1. Priya · lives in · Mumbai\n  2. Priya · works for · Acme\n" in shown.stdout
    assert shown.stderr.endswith("Nothing was kept.\n")
    commands.run("memory", "learn", str(file), "--keep", "9", status=1)
    assert commands.json("memory", "sheet") == []
    commands.run("memory", "learn", str(file), text=b"1,3\n")
    assert sheet(commands) == ["I | manager | Dana", "Priya | lives in | Mumbai"]
    commands.run("memory", "learn", str(file), "--keep", "all")
    assert len(sheet(commands, "--of", "Acme")) == 1


def test_programs_keep_what_an_answer_proposes(tmp_path: Path) -> None:
    services = compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))

    def call(name: str, scope: Scope = ME, **sent: Any) -> Any:
        *_, result = functions()[name].results(Api(services, scope), sent)
        functions()[name].result.validate_python(result, extra="forbid")
        return result

    try:
        answer = call("ask", question="my manager is Dana")
        assert [(one["number"], one["object"], one["state"]) for one in answer["proposed"]] == [(1, "Dana", "proposed")]
        kept = call("keep", turn=answer["turn"], act="keep", number=1)
        assert kept["proposed"][0]["entry"] == call("list")["notes"][0]["entry"]
        assert call("keep", turn=answer["turn"]) == kept
        changed = call("keep", turn=answer["turn"], act="keep", number=1, line="I | boss | Dana")
        assert changed["proposed"][0]["relation"] == "boss"
        assert call("keep", turn=answer["turn"], act="drop", number=1)["proposed"][0]["state"] == "dropped"
        assert call("keep", turn=answer["turn"], act="undo", number=1)["proposed"] == answer["proposed"]
        with pytest.raises(NotFound):
            call("keep", Scope("other"), turn=answer["turn"])
        with pytest.raises(InputError):
            call("keep", turn=answer["turn"], act="keep", number=1, line="no line")
    finally:
        services.close()


ODD: list[object] = [None, 3, "x", [], {"line": 3}, {"name": 3, "line": "a | b | c"}]
ODD += [{"name": "../x.0", "line": "a | b | c"}]
ODD += [{"text": 7}, {"format": "exe"}, {"sentences": [3]}, {"sentences": ["a"] * 99}, {"facts": [{"text": "a"}]}]
ODD += [{"facts": [{"text": "a", "triples": ["b"]}]}, {"facts": 3}, {"search": {}, "of": [], "order": 5, "first": -1}]


def test_whatever_a_browser_sends_changes_nothing_and_is_answered_in_a_sentence(tmp_path: Path) -> None:
    services = compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))
    try:
        editing = services.sheet_editing
        table, learn = SheetHandlers(services.sheet, editing), LearnHandlers(services.reads, services.sheet_editing)
        for handler in (*table.panel().events, *learn.panel().events):
            for sent in ODD:
                view = handler(sent, ME)
                assert view.get("refused") or view.get("lines") == [] or "read" in view or "parted" in view, (
                    handler,
                    sent,
                )
        entry = editing.remember("Dana works in Pune", [Triple(subject="Dana", relation="works in", object="Pune")], ME)
        for name in (f"{entry.id}.0", f"{entry.id}.1", f"{entry.id}.x", entry.id):
            assert table.reword({"name": name, "line": "a | b | c"}, Scope("other"))["refused"]
            assert table.take_off({"name": name}, Scope("other"))["refused"]
            assert table.forget({"name": name}, Scope("other"))["refused"]
        assert table.weigh({"name": f"{entry.id}.0"}, Scope("other"))["refused"]
        assert [line["object"] for line in table.look({}, ME)["lines"]] == ["Pune"]
    finally:
        services.close()


def test_a_changed_line_changes_the_words_of_its_fact(commands: Commands) -> None:
    commands.run("ask", "Dana works in Pune")
    commands.run("keep", "1")
    name = commands.json("memory", "sheet")[0]["line"]
    commands.run("memory", "sheet-change", name, "Dana | works in | Delhi")
    assert commands.run("memory", "list").stdout.rstrip().endswith("Dana works in Delhi")
    name = commands.json("memory", "sheet")[0]["line"]
    commands.run("memory", "sheet-change", name, "Dana | lives in | Delhi")
    assert commands.run("memory", "list").stdout.rstrip().endswith("Dana lives in Delhi")
    name = commands.json("memory", "sheet")[0]["line"]
    commands.run("memory", "sheet-change", name, "I | manager of | Ravi")
    assert sheet(commands) == ["I | manager of | Ravi"]


def test_what_cannot_be_kept_is_told_and_the_others_are(commands: Commands, tmp_path: Path) -> None:
    file = tmp_path / "facts.csv"
    lines = "Dana,works in,Pune\nI,see,![a](https://x.example/y.png)\nRavi,likes,tea\n"
    file.write_text(f"subject,relation,object\n{lines}", encoding="utf-8")
    taken = commands.run("memory", "sheet-import", str(file), status=1)
    assert taken.stdout == "Lines taken in: 2.\n"
    assert "was not kept" in taken.stderr
    assert sheet(commands) == ["Ravi | likes | tea", "Dana | works in | Pune"]
