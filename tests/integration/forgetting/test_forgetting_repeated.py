"""An erasure also removes answers that had the erased turn in their prompt, transitively."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import null, update

from assistant.ports import WrittenKeys
from assistant.sentences import plain
from assistant.sharing import SharingRules
from assistant.types import Action, Candidate, Decision, Entry, Key, KeyOrigin, Reaction, Reply, Scope, TurnState
from memory_store.ledger.database.schema import turns
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.erasure import answered, find_turns_with_text, record
from tests.support.memory.loop import ME, Loop, last, reply
from tests.support.memory.sharing import end_sharing
from tests.support.memory.store import ANN, BOB, clarification, open_home_store, read_keys

pytestmark = pytest.mark.promise("forgotten-answers-go-too", "forgotten-answers-anywhere")

QUESTION = "what is akin to quick ?"
SAID = "a word of the marrowfat kind"
REPEATS = "as I said, of the marrowfat kind"
CURATOR = Scope("cora who curates")
RULES = SharingRules(frozenset({CURATOR.person}))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_home_store(tmp_path)


def test_repeated_text_is_in_no_file(store: Store, tmp_path: Path) -> None:
    entry = store.memory.remember(replace(clarification(QUESTION, SAID), turn="elsewhere"), ME)
    store.indexer.catch_up()
    answers = (reply("understood", "unrelated"), reply("u", "first", "1"), reply("v", REPEATS), reply("w", REPEATS))
    loop = Loop(store, *answers, reply("x", "beside"), reply("y", "after"))
    before = loop.ask("is it raining ?")
    used = loop.ask(QUESTION)
    repeated = loop.ask("say it once more")
    again = loop.ask("and louder, please")
    assert (used.used, repeated.used, again.used) == ((entry.id,), (), ())
    assert [turn.history for turn in (before, used, repeated)] == [(), (before.id,), (before.id, used.id)]
    last(loop.assistant.react(repeated.id, Reaction.CONFIRM, ME))
    loop.clarify(again, "the loud one")
    loop.ask("is it raining ?", "another conversation")
    assert find_bytes(tmp_path, ["marrowfat"]) != []
    receipt = store.memory.forget(entry.id, ME)
    assert receipt.is_complete
    assert find_bytes(tmp_path, ["marrowfat", "once more"]) == []
    assert [turn.question for turn in store.turn_store.turns("c", ME)] == ["is it raining ?", *[""] * 4]
    assert len(store.turn_store.turns("another conversation", ME)) == 1
    assert [(left.text, left.wrong_understanding) for left in store.memory.entries(ME)] == [("the loud one", "")]
    found = {kind: receipt.erased[kind] for kind in ("clarifications", "examples", "blanked", "emptied")}
    assert found == {"clarifications": 1, "examples": 1, "blanked": 4, "emptied": 1}


def left(store: Store, person: Scope = ANN, talk: str = "c") -> list[str]:
    return [turn.id for turn in store.turn_store.turns(talk, person) if turn.reply.answer]


def test_only_turns_with_it_in_view_go(store: Store) -> None:
    entry = store.memory.remember(clarification(QUESTION, SAID), ANN)
    record(store, answered("before", ANN), answered("used", ANN, ("before",), entry))
    record(store, answered("beside", ANN, ("before",)), answered("after", ANN, ("before", "used")))
    record(store, answered("later", ANN, ("beside", "after")), answered("elsewhere", ANN, talk="another"))
    record(store, answered("used of Bob", BOB, ("after",)))  # other users' turns are not followed
    store.memory.forget(entry.id, ANN)
    assert (left(store), left(store, talk="another")) == (["before", "beside"], ["elsewhere"])
    assert left(store, BOB) == ["used of Bob"]


def test_answers_with_it_in_the_prompt_go(store: Store) -> None:
    entry = store.memory.remember(replace(clarification(QUESTION, SAID), turn="gave"), ANN)
    for name, action in (("use", Action.USE), ("show", Action.SHOW), ("skip", Action.SKIP), ("offer", Action.OFFER)):
        decided = Decision(Candidate(entry, entry.keys[0]), action, 0.9, plain("because"))
        record(store, replace(answered(name, ANN), decisions=(decided,)))
    record(store, replace(answered("stopped", ANN), decisions=(decided,), state=TurnState.STOPPED))
    record(store, answered("gave", ANN), replace(answered("again", ANN), answers_again="gave"))
    store.memory.forget(entry.id, ANN)
    assert left(store) == ["skip", "offer"]


@pytest.mark.promise("unknown-prompts-are-erased")
def test_unknown_prompts_count_as_holding_it(store: Store) -> None:
    # Turns of earlier versions and imports have no history.
    entry = store.memory.remember(clarification(QUESTION, SAID), ANN)
    record(store, answered("before", ANN), answered("used", ANN, ("before",), entry))
    record(store, answered("unknown", ANN), answered("known", ANN, ("before",)))
    record(store, answered("last", ANN, ("unknown",)))
    with store.ledger.write() as connection:
        connection.execute(update(turns).where(turns.c.id == "unknown").values(history=null()))
    assert len(store.turn_store.turns("c", ANN)) == 5
    store.memory.forget(entry.id, ANN)
    assert left(store) == ["before", "known"]


def bobs_copy(store: Store) -> tuple[Entry, str, Entry]:
    """Return an entry of Ann's, the id of its offer, and Bob's view of the copy."""
    entry = store.memory.remember(clarification(QUESTION, SAID), ANN)
    sharing = store.sharing(RULES)
    offer = sharing.accept(sharing.offer(entry.id, ANN).id, sharing.curator(CURATOR))
    (copy_id,) = {key.entry_id for key in read_keys(store, BOB)}
    return entry, offer.id, store.memory.entry(copy_id, BOB)


@pytest.mark.parametrize("ended", ["withdraw", "decline", "edit", "still shared"])
def test_answers_of_others_with_it_in_view_go(store: Store, tmp_path: Path, ended: str) -> None:
    entry, offer, copy = bobs_copy(store)
    record(store, answered("before", BOB), answered("used", BOB, (), copy), answered("after", BOB, ("used",)))
    record(store, answered("last", BOB, ("after",)))
    keys = (Key("answered after, written by a model", KeyOrigin.MODEL), Key("my own words", KeyOrigin.PERSON))
    draft = replace(clarification("question of after", "mine", wrong=REPEATS), turn="after")
    given = store.memory.remember(replace(draft, further_keys=keys), BOB)
    if ended != "still shared":
        end_sharing(store, ended, entry, offer, CURATOR)
    receipt = store.memory.forget(entry.id, ANN)
    assert left(store, BOB) == ["before"]
    assert [turn.question for turn in store.turn_store.turns("c", BOB)][1:] == [
        "question of used", "question of after", "question of last",
    ]  # fmt: skip
    found = store.memory.entry(given.id, BOB)
    assert (found.wrong_understanding, [key.text for key in found.keys]) == ("", ["question of after", "my own words"])
    assert receipt.erased["emptied"] == 4
    assert find_bytes(tmp_path, ["answered used", "answered after", "answered last", REPEATS]) == []


def test_blanked_question_goes_with_own_entry(store: Store, tmp_path: Path) -> None:
    entry, _, copy = bobs_copy(store)
    given = store.memory.remember(replace(clarification("question of used", "the heliotrope one"), turn="used"), BOB)
    message = replace(answered("message", BOB, ("used",)), question="no, the heliotrope one")
    message = replace(message, state=TurnState.CORRECTION, corrected_by=given.id)
    record(store, replace(answered("used", BOB, (), copy), corrected_by=given.id), message)
    store.memory.forget(entry.id, ANN)
    turns = store.turn_store.turns("c", BOB)
    assert [(turn.question, turn.state) for turn in turns] == [
        ("question of used", TurnState.DELETED), ("no, the heliotrope one", TurnState.DELETED),
    ]  # fmt: skip
    assert Loop(store).assistant.undo(given.id, BOB) == ()
    assert store.memory.forget(given.id, BOB).is_complete
    assert find_turns_with_text(store.turn_store.turns("c", BOB)) == []
    assert find_bytes(tmp_path, ["question of used", "heliotrope"]) == []


@pytest.mark.parametrize("person", [ANN, BOB])
def test_answer_written_meanwhile_is_not_kept(store: Store, person: Scope) -> None:
    entry, _, copy = bobs_copy(store)
    own = entry if person == ANN else copy
    finished = (answered("after", person, ("used",)), answered("beside", person, (), own))
    record(store, answered("used", person, (), own))
    record(store, *(replace(turn, state=TurnState.RUNNING, reply=Reply(""), history=(), used=()) for turn in finished))
    store.memory.forget(entry.id, ANN)
    record(store, *finished)
    assert left(store, person) == []


def test_keys_and_title_made_of_it_go_too(store: Store, tmp_path: Path) -> None:
    first = store.memory.remember(clarification("what does doubt mean?", "a marrowfat question"), ANN)
    second = replace(clarification("what does doubt mean", "a suspicion"), wants_keys=True)
    entry = store.memory.remember(second, ANN)
    assert store.key_work.earlier(entry) == [first]
    written = WrittenKeys([Key("marrowfat doubts", KeyOrigin.MODEL)], "Not the marrowfat ones.", seen=(entry, first))
    assert store.key_work.written(entry.id, written)
    assert store.memory.entry(entry.id, ANN).body.title == "Not the marrowfat ones."
    edited = store.memory.edit(entry.id, "a suspicion, in court", ANN)
    assert "marrowfat doubts" in {key.text for key in edited.keys}
    assert store.memory.forget(first.id, ANN).is_complete
    assert find_bytes(tmp_path, ["marrowfat"]) == []
    (left_over,) = store.memory.entries(ANN)
    assert (left_over.text, left_over.body.in_view) == ("a suspicion, in court", ())
    assert left_over.id in store.key_work.wanting()
