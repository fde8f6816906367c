"""Scenarios of the operations: prepare a memory, perform, and check the effect.

A scenario gets a user, who performs the tested operation by its interface and all others in this process. Each
operation is in one scenario.
"""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assistant.types import Scope
from tests.support.interfaces import Access

QUESTION, LIKE, MEANT, ANSWER = (
    "What is akin to quick?",
    "What is akin to tall?",
    "a word with the same meaning",
    "fast",
)
SOUND, TOLD = "What sounds like night?", "my manager is Dana"
PRACTICE = "question\tanswer\nWho is a mama?\tuncle\nWho is a bua?\taunt\nSo who is a mama?\tuncle\nWho is bua?\taunt"
RULE = 'For "mama" it is "uncle".'
CURATOR = "cora"


class Do(Protocol):
    def __call__(self, **arguments: Any) -> Any: ...


@dataclass(frozen=True)
class User(Access):
    """A user who prepares a memory and checks it.

    Args:
        tested: functions that perform operations under test, by name; all others run in this process.
    """

    tested: Mapping[str, Do] = field(default_factory=dict)

    def __call__(self, operation: str, **arguments: Any) -> Any:
        return self.tested[operation](**arguments) if operation in self.tested else self.here(operation, **arguments)

    def here(self, operation: str, **arguments: Any) -> Any:
        """Perform an operation in this process, even one under test."""
        return super().__call__(operation, **arguments)

    def another(self, name: str = "") -> "User":
        return replace(self, name=name or f"user-{uuid.uuid4()}", tested={})

    def everything(self) -> list[str]:
        """Return the export of this user, without its header."""
        return list(self.services.store.export(Scope(self.name)))[1:]

    def remembers(self) -> list[str]:
        return [entry["text"] for entry in self.here("list")["entries"]]

    def told(self) -> str:
        """Save a clarification and return its id."""
        return str(self.here("remember", question=QUESTION, text=MEANT)["entry"])

    def decided(self, question: str = LIKE) -> list[str]:
        return [found["decision"] for found in self.here("preview", question=question)["found"]]

    def lines(self) -> list[tuple[str, str]]:
        """Return relation and object of each line of the fact sheet."""
        return [(line["relation"], line["object"]) for line in self.here("sheet")["lines"]]


Scenario = Callable[[User], None]
SCENARIOS: dict[str, Scenario] = {}


def scenario(*operations: str) -> Callable[[Scenario], Scenario]:
    """Decorate a function as the scenario of operations."""

    def add(function: Scenario) -> Scenario:
        assert not SCENARIOS.keys() & set(operations)
        SCENARIOS.update(dict.fromkeys(operations, function))
        return function

    return add


@scenario("ask", "conversation", "edit_question")
def question_is_asked_and_edited(me: User) -> None:
    me.told()
    first = me("ask", question=QUESTION)
    conversation = first["conversation"]
    answer = me("ask", question=LIKE, conversation=conversation)
    assert (answer["state"], answer["conversation"]) == ("answered", conversation)
    assert [(used["entry"]["text"], used["use"]) for used in answer["used"]] == [(MEANT, "spliced")]
    assert [turn["question"] for turn in me("conversation", conversation=conversation)["turns"]] == [QUESTION, LIKE]
    edited = me("edit_question", turn=first["turn"], question=SOUND)
    assert (edited["question"], edited["answer"]) == (SOUND, "knight")
    assert me.here("conversation", conversation=conversation)["turns"][-1]["question"] == SOUND


@scenario("clarify", "undo", "save_clarification", "retry")
def question_is_clarified(me: User) -> None:
    asked = me("ask", question=QUESTION)["turn"]
    again = me("clarify", turn=asked, text=MEANT, reach="question")
    assert (again["answer"], [saved["text"] for saved in again["saved"]]) == (ANSWER, [MEANT])
    assert [entry["reach"] for entry in me("list")["entries"]] == ["question"]
    assert asked in {turn["turn"] for turn in me("undo", entry=again["saved"][0]["entry"])["turns"]}
    assert me.remembers() == []
    assert me("save_clarification", turn=asked, text=MEANT)["question"] == QUESTION
    assert me.remembers() == [MEANT]
    assert me("retry", turn=asked)["answer"] == ANSWER


@scenario("react", "resume")
def entry_is_left_out_and_paused(me: User) -> None:
    entry = me.told()
    turn = me("ask", question=LIKE)["turn"]
    assert me("react", turn=turn, reaction="exclude", entry=entry)["used"] == []
    assert me.decided() == ["use"]
    me("react", turn=turn, reaction="pause", entry=entry)
    assert me.decided() == ["skip"]
    assert me("resume", entry=entry)["paused"] is False
    assert me.decided() == ["use"]


@scenario("why", "dispute")
def reason_is_disputed(me: User) -> None:
    me("ask", question=TOLD)
    turn = me("ask", question="who is my manager?")["turn"]
    shown = me("why", turn=turn)
    assert [(one["number"], one["says"], one["source"]) for one in shown["reasons"]] == [(1, TOLD, "yours")]
    assert shown["verdict"]
    assert me("dispute", turn=turn, act="wrong", number=1, text="my manager is Kim")["answer"] == "Kim."
    assert me.remembers() == ["my manager is Kim", f"Not true: {TOLD}"]


@scenario("drafts", "take")
def draft_is_taken(me: User) -> None:
    asked = me("ask", question=SOUND)
    shown = me("drafts", turn=asked["turn"])
    assert [(one["number"], one["shown"]) for one in shown["drafts"]] == [(1, True), (2, False)]
    assert shown["drafts"][0]["answer"] == "knight"
    assert [one["shown"] for one in me("take", turn=shown["turn"], number=2)["drafts"]] == [False, True]
    assert me("conversation", conversation=asked["conversation"])["turns"][-1]["answer"].startswith("night: ")
    assert len(me.remembers()) == 1


@scenario("remember", "list", "preview", "reach", "change", "revert", "change_key", "erases", "forget")
def entry_is_changed_and_forgotten(me: User) -> None:
    saved = me("remember", question=QUESTION, text=MEANT, reach="question")
    assert (saved["text"], saved["reach"], saved["paused"], me.decided()) == (MEANT, "question", False, ["skip"])
    entry = saved["entry"]
    assert me("reach", entry=entry, reach="way")["reach"] == "way"
    (found,) = me("preview", question=LIKE)["found"]
    assert (found["entry"]["entry"], found["decision"]) == (entry, "use")
    assert found["reason"]
    assert me("conversations")["result"] == []
    me.here("remember", question="the kal thing", text="tomorrow's plan")
    shown = me("list", search="KAL", limit=1)
    assert ([entry["text"] for entry in shown["entries"]], shown["total"]) == (["tomorrow's plan"], 1)
    changed = me("change", entry=entry, text="the opposite")
    assert changed["text"] == "the opposite"
    assert me("revert", entry=changed["entry"])["text"] == MEANT
    me("change_key", entry=entry, new="give me another word")
    assert "give me another word" in "".join(me.everything())
    me("ask", question=LIKE)
    assert me("erases", entry=entry)["result"]["blanked"] == 1
    receipt = me("forget", entry=entry)
    assert (receipt["erased"]["clarifications"], receipt["complete"]) == (
        2,
        True,
    )  # current and earlier version
    assert MEANT not in "".join(me.everything())


@scenario("relate")
def entry_replaces_another(me: User) -> None:
    older = me("remember", question="what does doubt mean?", text="a question for the teacher")["entry"]
    asked = me("ask", question="What does doubt mean")["turn"]
    newer = me("clarify", turn=asked, text="suspicion, in a marriage")["saved"][0]["entry"]
    assert me("relate", entry=newer, other=older, place="instead")["entry"] == newer
    assert me.remembers() == ["suspicion, in a marriage"]


@scenario("import", "export", "forget_everything")
def memory_is_imported_exported_and_erased(me: User) -> None:
    friend = me.another()
    friend.told()
    assert me("import", text=friend("export")["file"])["new"]["entries"] == 1
    assert me.remembers() == [MEANT]
    me("ask", question=QUESTION)
    written = me("export")["file"]
    assert MEANT in written
    assert json.loads(written.splitlines()[0])["format"] == "noted export"
    assert me("forget_everything")["erased"]["turns"] == 1
    assert me.everything() == []


@scenario("proposals", "decide")
def proposals_are_decided(me: User) -> None:
    asked = me("ask", question='Who is "mama"?')["turn"]
    answered = me("dispute", turn=asked, act="answer", text="uncle")["turn"]
    me.services.settle()
    assert [(one["turn"], one["lesson"]) for one in me("proposals", waiting=True)["lessons"]] == [(answered, RULE)]
    assert me("decide", turn=answered, act="discard", of="lesson")["lessons"][0]["state"] == "discarded"
    assert me("decide", turn=answered, act="undo", of="lesson")["lessons"][0]["state"] == "proposed"
    (lesson,) = me("decide", turn=answered, act="keep", of="lesson", number=1)["lessons"]
    assert (lesson["lesson"], lesson["state"]) == (RULE, "kept")
    assert me("ask", question='So tell me, who is "mama"?')["answer"] == "uncle"


@scenario("sheet", "change_line", "export_sheet", "remove_line", "import_sheet")
def sheet_is_edited(me: User) -> None:
    me("ask", question=TOLD)
    shown = me("sheet", search="dana", order="subject", backwards=True)
    (line,) = shown["lines"]
    assert (line["subject"], line["relation"], line["object"], shown["total"]) == ("I", "manager", "Dana", 1)
    assert me("change_line", line=line["line"], text="I | manager | Kim")["text"] == "my manager is Kim"
    (row,) = json.loads(me("export_sheet", format="json")["file"])
    assert (row["subject"], row["relation"], row["object"]) == ("I", "manager", "Kim")
    changed = me.here("sheet")["lines"][0]["line"]
    assert me("remove_line", line=changed)["text"] == "my manager is Kim"
    assert (me.lines(), me.remembers()) == ([], ["my manager is Kim"])
    taken = me("import_sheet", text="Dana,works in,Pune\nI,see,![a](https://x.example/y.png)\n", header=False)
    (why_not,) = taken["why_not"]
    assert (taken["saved"], "was not kept. This contains a picture" in why_not) == (1, True)
    assert me.lines() == [("works in", "Pune")]


@scenario("learn")
def text_is_learnt(me: User) -> None:
    read = me("learn", text="- Priya lives in Mumbai and works for Acme. What a day!", keep="2")
    assert [(fact["line"], fact["saved"]) for fact in read["read"]] == [
        ("Priya | lives in | Mumbai", False), ("Priya | works for | Acme", True),
    ]  # fmt: skip
    assert (read["done"], read["of"]) == (2, 2)
    assert me.lines() == [("works for", "Acme")]


@scenario("practice", "forget_practice")
def questions_are_practised(me: User) -> None:
    practised = me("practice", text=PRACTICE, header=True, keep=True)
    assert (practised["done"], practised["of"], practised["learnt_from"], practised["error"]) == (4, 4, 3, "")
    assert RULE in [lesson["lesson"] for lesson in practised["lessons"]]
    assert me("ask", question="Who is a mama?")["answer"] == "uncle"
    assert me("forget_practice", text=PRACTICE, header=True)["sentence"].startswith("Erased ")
    assert me.remembers() == []


@scenario("questions")
def questions_are_written(me: User) -> None:
    made = me("questions", text="Dana found the ring. The ring was lost in 1867.", answers=["1867"], samples=1)
    assert [(one["question"], one["answer"]) for one in made["questions"]] == [("When?", "1867")]
    assert (made["places"], made["error"]) == (1, "")


@scenario("offer", "withdraw", "offers", "accept", "decline")
def entry_is_shared(me: User) -> None:
    curator, member = (me, me.another()) if me.name == CURATOR else (me.another(CURATOR), me)
    entry = member.told()

    def offered() -> dict[str, Any]:
        """Return the member's last offer, as the curator sees it."""
        return next((one for one in curator("offers")["offers"] if one["offer"]["entry_id"] == entry), {})

    offer = member("offer", entry=entry)
    assert (offer["entry_id"], offer["state"]) == (entry, "offered")
    assert (offered()["question"], offered()["text"]) == (QUESTION, MEANT)
    assert curator("accept", offer=offer["id"], seal=offered()["seal"])["state"] == "accepted"
    assert me.another().decided() == ["use"]
    assert member("withdraw", entry=entry)["state"] == "withdrawn"
    assert me.another().decided() == []
    offer = member("offer", entry=entry)
    assert curator("decline", offer=offer["id"], reason="not now")["reason"] == "not now"
    assert offered() == {}


@scenario("conversations", "rename", "erase_conversation", "insights")
def conversations_are_listed_and_erased(me: User) -> None:
    me.told()
    asked = me("ask", question=QUESTION)["conversation"]
    other = me("ask", question=LIKE)["conversation"]
    shown = me("insights")
    assert shown["taught"] == {"clarification": 1}
    assert [week["helped"] for week in shown["weeks"]] == [2]
    assert [(one["id"], one["title"]) for one in me("conversations", search="quick")["result"]] == [(asked, QUESTION)]
    me("rename", conversation=other, title="Words")
    assert me("erase_conversation", conversation=asked)["erased"]["turns"] == 1
    assert [one["title"] for one in me.here("conversations")["result"]] == ["Words"]


@scenario("token", "tokens", "revoke")
def token_is_made_and_revoked(me: User) -> None:
    made = me("token", label="my phone")
    assert me.services.tokens.person(made["secret"]) == me.name
    assert [(one["id"], one["label"]) for one in me("tokens")["result"]][:1] == [(made["id"], "my phone")]
    me("revoke", token=made["id"])
    assert me.services.tokens.person(made["secret"]) is None


@scenario("verify", "rebuild", "backup")
def memory_is_looked_after(me: User) -> None:
    me.told()
    assert me("verify")["right"] is True
    assert (me("rebuild")["sentence"], me.decided()) == ("The index was rebuilt.", ["use"])
    file = me.folder / f"{uuid.uuid4()}.zip"
    assert me("backup", file=str(file))["sentence"].startswith("Backed up: ")
    assert file.stat().st_size
