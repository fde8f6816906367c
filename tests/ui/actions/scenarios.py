"""One scenario for each operation: how a memory is prepared, what is asked, and what is true afterwards.

A scenario gets the user, who calls other operations in this process, and `do`, which performs the operation itself by
the interface that is tested. Its name is that of the operation.
"""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
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


class User(Access):
    """A user who prepares a memory and looks at it."""

    def another(self, name: str = "") -> "User":
        return replace(self, name=name or f"user-{uuid.uuid4()}")

    def everything(self) -> list[str]:
        """Return what is stored of this user, without the line that says how much it is."""
        return list(self.services.export(Scope(self.name)))[1:]

    def remembers(self) -> list[str]:
        return [entry["text"] for entry in self("list")["entries"]]

    def told(self) -> str:
        """Save something; its id."""
        return str(self("remember", question=QUESTION, text=MEANT)["entry"])

    def decided(self, question: str = LIKE) -> list[str]:
        return [found["decision"] for found in self("preview", question=question)["found"]]

    def drafted(self) -> str:
        """Have a lesson drafted; the id of the turn."""
        asked = self("ask", question='Who is "mama"?')["turn"]
        turn = self("dispute", turn=asked, act="answer", text="uncle")["turn"]
        self.services.settle()
        return str(turn)

    def offered(self) -> tuple[str, str]:
        """Offer an entry to everyone; the ids of offer and entry."""
        entry = self.told()
        return self("offer", entry=entry)["id"], entry

    def kept_line(self) -> str:
        """Keep a fact on the fact sheet; the name of its line."""
        self("decide", turn=self("ask", question=TOLD)["turn"], act="keep")
        return str(self("sheet")["lines"][0]["line"])


class Do(Protocol):
    def __call__(self, **arguments: Any) -> Any: ...


Scenario = Callable[[User, Do], None]


def ask(me: User, do: Do) -> None:
    me.told()
    first = me("ask", question=QUESTION)["conversation"]
    answer = do(question=LIKE, conversation=first)
    assert (answer["state"], answer["conversation"]) == ("answered", first)
    assert [(used["entry"]["text"], used["use"]) for used in answer["used"]] == [(MEANT, "spliced")]
    assert [turn["question"] for turn in me("conversation", conversation=first)["turns"]] == [QUESTION, LIKE]


def clarify(me: User, do: Do) -> None:
    again = do(turn=me("ask", question=QUESTION)["turn"], text=MEANT, reach="question")
    assert (again["answer"], [saved["text"] for saved in again["saved"]]) == (ANSWER, [MEANT])
    assert [entry["reach"] for entry in me("list")["entries"]] == ["question"]


def save_clarification(me: User, do: Do) -> None:
    asked = me("ask", question=QUESTION)
    assert do(turn=asked["turn"], text=MEANT)["question"] == QUESTION
    assert me.remembers() == [MEANT]
    assert len(me("conversation", conversation=asked["conversation"])["turns"]) == 1


def edit_question(me: User, do: Do) -> None:
    asked = me("ask", question=QUESTION)
    me("ask", question=LIKE, conversation=asked["conversation"])
    edited = do(turn=asked["turn"], question=SOUND)
    assert (edited["question"], edited["answer"]) == (SOUND, "knight")
    assert me("conversation", conversation=asked["conversation"])["turns"][-1]["question"] == SOUND


def retry(me: User, do: Do) -> None:
    asked = me("ask", question=QUESTION)
    me.told()
    assert do(turn=asked["turn"])["answer"] == ANSWER


def react(me: User, do: Do) -> None:
    entry = me.told()
    turn = me("ask", question=LIKE)["turn"]
    assert do(turn=turn, reaction="exclude", entry=entry)["used"] == []
    assert me.decided() == ["use"]


def undo(me: User, do: Do) -> None:
    asked = me("ask", question=QUESTION)["turn"]
    saved = me("clarify", turn=asked, text=MEANT)["saved"][0]["entry"]
    assert asked in {turn["turn"] for turn in do(entry=saved)["turns"]}
    assert me.remembers() == []


def why(me: User, do: Do) -> None:
    me.kept_line()
    turn = me("ask", question="who is my manager?")["turn"]
    shown = do(turn=turn)
    assert [(one["number"], one["says"], one["source"]) for one in shown["reasons"]] == [(1, TOLD, "yours")]
    assert shown["verdict"]


def dispute(me: User, do: Do) -> None:
    me.kept_line()
    turn = me("ask", question="who is my manager?")["turn"]
    me("why", turn=turn)
    again = do(turn=turn, act="wrong", number=1, text="my manager is Kim")
    assert again["answer"] == "Kim."
    assert me.remembers() == ["my manager is Kim", f"Not true: {TOLD}"]


def drafts(me: User, do: Do) -> None:
    shown = do(turn=me("ask", question=SOUND)["turn"])["drafts"]
    assert [(one["number"], one["answer"], one["shown"]) for one in shown[:1]] == [(1, "knight", True)]
    assert len(shown) == 2


def take(me: User, do: Do) -> None:
    asked = me("ask", question=SOUND)
    turn = me("drafts", turn=asked["turn"])["turn"]
    assert [one["shown"] for one in do(turn=turn, number=2)["drafts"]] == [False, True]
    assert me("conversation", conversation=asked["conversation"])["turns"][-1]["answer"].startswith("night: ")


def reset_preferences(me: User, do: Do) -> None:
    drafted = me("drafts", turn=me("ask", question=SOUND)["turn"])
    me("take", turn=drafted["turn"], number=2)
    assert len(me.remembers()) == 1
    assert do()["sentence"]
    assert me.remembers() == []


def list_(me: User, do: Do) -> None:
    me.told()
    me("remember", question="the kal thing", text="tomorrow's plan")
    shown = do(search="KAL", limit=1)
    assert ([entry["text"] for entry in shown["entries"]], shown["total"]) == (["tomorrow's plan"], 1)


def preview(me: User, do: Do) -> None:
    entry = me.told()
    (found,) = do(question=LIKE)["found"]
    assert (found["entry"]["entry"], found["decision"]) == (entry, "use")
    assert found["reason"]
    assert me("conversations")["result"] == []


def remember(me: User, do: Do) -> None:
    saved = do(question=QUESTION, text=MEANT, reach="question")
    assert (saved["text"], saved["reach"], saved["paused"]) == (MEANT, "question", False)
    assert me("list")["entries"] == [saved]


def change(me: User, do: Do) -> None:
    assert do(entry=me.told(), text="the opposite")["text"] == "the opposite"
    assert me.remembers() == ["the opposite"]


def revert(me: User, do: Do) -> None:
    changed = me("change", entry=me.told(), text="the opposite")["entry"]
    assert do(entry=changed)["text"] == MEANT
    assert me.remembers() == [MEANT]


def change_key(me: User, do: Do) -> None:
    entry = me.told()
    do(entry=entry, new="give me another word")
    assert "give me another word" in "".join(me.everything())


def reach(me: User, do: Do) -> None:
    assert do(entry=me.told(), reach="question")["reach"] == "question"
    assert me.decided() == ["skip"]


def relate(me: User, do: Do) -> None:
    older = me("remember", question="what does doubt mean?", text="a question for the teacher")["entry"]
    asked = me("ask", question="What does doubt mean")["turn"]
    newer = me("clarify", turn=asked, text="suspicion, in a marriage")["saved"][0]["entry"]
    assert do(entry=newer, other=older, place="instead")["entry"] == newer
    assert me.remembers() == ["suspicion, in a marriage"]


def resume(me: User, do: Do) -> None:
    entry = me.told()
    turn = me("ask", question=LIKE)["turn"]
    me("react", turn=turn, reaction="exclude", entry=entry)
    me("react", turn=turn, reaction="pause", entry=entry)
    assert me.decided() == ["skip"]
    assert do(entry=entry)["paused"] is False
    assert me.decided() == ["use"]


def erases(me: User, do: Do) -> None:
    entry = me.told()
    me("ask", question=LIKE)
    assert do(entry=entry)["result"]["blanked"] == 1
    assert me.remembers() == [MEANT]


def forget(me: User, do: Do) -> None:
    receipt = do(entry=me.told())
    assert (receipt["erased"]["clarifications"], receipt["complete"]) == (1, True)
    assert MEANT not in "".join(me.everything())


def forget_everything(me: User, do: Do) -> None:
    me("ask", question=QUESTION)
    me.told()
    assert do()["erased"]["turns"] == 1
    assert me.everything() == []


def export(me: User, do: Do) -> None:
    me.told()
    written = do()
    assert MEANT in written["file"]
    assert json.loads(written["file"].splitlines()[0])["format"] == "noted export"


def import_(me: User, do: Do) -> None:
    friend = me.another()
    friend.told()
    taken = do(text=friend("export")["file"])
    assert taken["new"]["entries"] == 1
    assert me.remembers() == [MEANT]


def proposals(me: User, do: Do) -> None:
    (fact,) = do(turn=me("ask", question=TOLD)["turn"])["facts"]
    assert (fact["number"], fact["object"], fact["state"]) == (1, "Dana", "proposed")
    lesson = me.drafted()
    assert [(one["turn"], one["lesson"]) for one in do(waiting=True)["lessons"]] == [(lesson, RULE)]


def decide(me: User, do: Do) -> None:
    turn = me("ask", question=TOLD)["turn"]
    (kept,) = do(turn=turn, act="keep", of="fact", number=1, text="I | boss | Dana")["facts"]
    assert (kept["relation"], kept["state"]) == ("boss", "kept")
    assert [line["relation"] for line in me("sheet")["lines"]] == ["boss"]
    assert do(turn=turn, act="discard")["facts"][0]["state"] == "discarded"
    assert me("sheet")["lines"] == []
    assert do(turn=turn, act="undo")["facts"][0]["relation"] == "manager"
    lesson = me.drafted()
    (drafted,) = do(turn=lesson, act="keep", of="lesson")["lessons"]
    assert (drafted["lesson"], drafted["state"]) == (RULE, "kept")
    assert me("ask", question='So tell me, who is "mama"?')["answer"] == "uncle"


def sheet(me: User, do: Do) -> None:
    name = me.kept_line()
    shown = do(search="dana", order="subject", backwards=True)
    assert [(line["line"], line["subject"], line["object"]) for line in shown["lines"]] == [(name, "I", "Dana")]
    assert shown["total"] == 1


def change_line(me: User, do: Do) -> None:
    assert do(line=me.kept_line(), text="I | manager | Kim")["text"] == "my manager is Kim"
    assert [line["object"] for line in me("sheet")["lines"]] == ["Kim"]


def remove_line(me: User, do: Do) -> None:
    assert do(line=me.kept_line())["text"] == TOLD
    assert me("sheet")["lines"] == []
    assert me.remembers() == [TOLD]


def export_sheet(me: User, do: Do) -> None:
    me.kept_line()
    (row,) = json.loads(do(format="json")["file"])
    assert (row["subject"], row["relation"], row["object"]) == ("I", "manager", "Dana")


def import_sheet(me: User, do: Do) -> None:
    taken = do(text="Dana,works in,Pune\nI,see,![a](https://x.example/y.png)\n", header=False)
    (why,) = taken["why_not"]
    assert (taken["saved"], "was not kept. This holds a picture" in why) == (1, True)
    assert [line["object"] for line in me("sheet")["lines"]] == ["Pune"]


def learn(me: User, do: Do) -> None:
    read = do(text="Priya lives in Mumbai and works for Acme. What a day!", keep="2")
    assert [(fact["line"], fact["saved"]) for fact in read["read"]] == [
        ("Priya | lives in | Mumbai", False), ("Priya | works for | Acme", True),
    ]  # fmt: skip
    assert (read["done"], read["of"]) == (2, 2)
    assert [line["object"] for line in me("sheet")["lines"]] == ["Acme"]


def practice(me: User, do: Do) -> None:
    practised = do(text=PRACTICE, header=True, keep=True)
    assert (practised["done"], practised["of"], practised["learnt_from"], practised["error"]) == (4, 4, 3, "")
    assert RULE in [lesson["lesson"] for lesson in practised["lessons"]]
    assert me("ask", question="Who is a mama?")["answer"] == "uncle"


def forget_practice(me: User, do: Do) -> None:
    me("practice", text=PRACTICE, header=True, keep=True)
    assert do(text=PRACTICE, header=True)["sentence"].startswith("Erased ")
    assert me.remembers() == []


def questions(_me: User, do: Do) -> None:
    made = do(text="Dana found the ring. The ring was lost in 1867.", answers=["1867"], samples=1)
    assert [(one["question"], one["answer"]) for one in made["questions"]] == [("When?", "1867")]
    assert (made["places"], made["error"]) == (1, "")


def offer(me: User, do: Do) -> None:
    entry = me.told()
    offered = do(entry=entry)
    assert (offered["entry_id"], offered["state"]) == (entry, "offered")
    assert offered["id"] in {one["offer"]["id"] for one in me.another(CURATOR)("offers")["offers"]}


def withdraw(me: User, do: Do) -> None:
    offered, entry = me.offered()
    assert do(entry=entry)["state"] == "withdrawn"
    assert offered not in {one["offer"]["id"] for one in me.another(CURATOR)("offers")["offers"]}


def offers(me: User, do: Do) -> None:
    offered, _ = me.another().offered()
    (shown,) = (one for one in do()["offers"] if one["offer"]["id"] == offered)
    assert (shown["question"], shown["text"]) == (QUESTION, MEANT)


def accept(me: User, do: Do) -> None:
    friend = me.another()
    offered, entry = friend.offered()
    (seal,) = (one["seal"] for one in me("offers")["offers"] if one["offer"]["id"] == offered)
    assert do(offer=offered, seal=seal)["state"] == "accepted"
    assert me.another().decided() == ["use"]
    friend("withdraw", entry=entry)


def decline(me: User, do: Do) -> None:
    offered, _ = me.another().offered()
    assert do(offer=offered, reason="not now")["reason"] == "not now"
    assert offered not in {one["offer"]["id"] for one in me("offers")["offers"]}


def conversations(me: User, do: Do) -> None:
    asked = me("ask", question=QUESTION)["conversation"]
    me("ask", question=LIKE)
    assert [(one["id"], one["title"]) for one in do(search="quick")["result"]] == [(asked, QUESTION)]


def conversation(me: User, do: Do) -> None:
    asked = me("ask", question=QUESTION)
    assert [turn["turn"] for turn in do(conversation=asked["conversation"])["turns"]] == [asked["turn"]]


def rename(me: User, do: Do) -> None:
    do(conversation=me("ask", question=QUESTION)["conversation"], title="Words")
    assert [one["title"] for one in me("conversations")["result"]] == ["Words"]


def erase_conversation(me: User, do: Do) -> None:
    assert do(conversation=me("ask", question=QUESTION)["conversation"])["erased"]["turns"] == 1
    assert me("conversations")["result"] == []


def insights(me: User, do: Do) -> None:
    me.told()
    me("ask", question=LIKE)
    shown = do()
    assert (shown["people"], shown["remembered"], shown["used"]) == (1, 1, 1)


def token(me: User, do: Do) -> None:
    made = do(label="my phone")
    assert me.services.tokens.person(made["secret"]) == me.name


def tokens(me: User, do: Do) -> None:
    made = me("token", label="my phone")
    assert [(one["id"], one["label"]) for one in do()["result"]][:1] == [(made["id"], "my phone")]


def revoke(me: User, do: Do) -> None:
    made = me("token")
    do(token=made["id"])
    assert me.services.tokens.person(made["secret"]) is None


def verify(me: User, do: Do) -> None:
    me.told()
    assert (do()["right"], me.remembers()) == (True, [MEANT])


def rebuild(me: User, do: Do) -> None:
    me.told()
    assert (do()["sentence"], me.decided()) == ("The index is built again.", ["use"])


def backup(me: User, do: Do) -> None:
    me.told()
    file = me.folder / "backup.zip"
    assert do(file=str(file))["sentence"].startswith("Backed up: ")
    assert file.stat().st_size


SCENARIOS: Mapping[str, Scenario] = {
    name.rstrip("_"): scenario
    for name, scenario in list(globals().items())
    if getattr(scenario, "__module__", "") == __name__ and not isinstance(scenario, type)
}
