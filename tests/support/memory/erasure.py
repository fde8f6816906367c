"""Entries and turns with unique texts for tests of erasure, and everything that may reveal them."""

import random
from collections.abc import Iterable
from dataclasses import replace

from assistant.sentences import plain
from assistant.types import (
    Action,
    Candidate,
    Decision,
    Entry,
    Key,
    KeyOrigin,
    NewEntry,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
    TurnState,
)
from memory_store.language.word_translation import fold_for_comparison
from memory_store.store import Store
from tests.support.memory.store import LetterPairEmbedder, clarification


def build_drafts(numbers: range, name: str) -> list[NewEntry]:
    """Return clarifications with unique texts of very different lengths."""
    chance = random.Random(numbers.start)  # noqa: S311 - no secret, only the same lengths each time
    return [
        replace(
            clarification(
                f"{name}Question{number} {_choose_words(chance, 150)}",
                f"{name}Words{number} {_choose_words(chance, 60)}",
                further=[Key(f"also {name}Key{number} {_choose_words(chance, 9)}", KeyOrigin.MODEL)],
                wrong=f"You want {name}Wrong{number} {_choose_words(chance, 9)}",
            ),
            turn=f"{name}-{number}",
        )
        for number in numbers
    ]


def _choose_words(chance: random.Random, most: int) -> str:
    letters = chance.choices("bcdfghklmnprstvwz", k=9 * chance.randint(5, most))
    return " ".join("".join(letters[start : start + 9]) for start in range(0, len(letters), 9))


def find_turns_with_text(turns: Iterable[Turn]) -> list[str]:
    """Return the ids of turns with text; assert that the others, and only they, are deleted."""
    blank = replace(Turn("", "", "", "", state=TurnState.DELETED), reply=Reply.of("", "", "", ReplyStatus.EMPTY))
    found = []
    for turn in turns:
        place = {"id": turn.id, "conversation": turn.conversation, "person": turn.person, "created": turn.created}
        if turn != replace(blank, answers_again=turn.answers_again, **place):  # type: ignore[arg-type]
            assert turn.state is not TurnState.DELETED
            found.append(turn.id)
    return found


def reveal_texts(entry: Entry) -> list[str | bytes]:
    """Return everything that may reveal an entry: texts, folded texts, and bytes of vectors."""
    texts = [entry.question, entry.text, entry.wrong_understanding, *(key.text for key in entry.keys)]
    texts = [text for text in texts if text]
    vectors = LetterPairEmbedder().encode([*texts, f"{entry.question}. {entry.text}"])
    return [*texts, *(fold_for_comparison(text) for text in texts), *(vector.tobytes() for vector in vectors)]


def answered(
    name: str, person: Scope, history: tuple[str, ...] = (), used: Entry | None = None, talk: str = "c"
) -> Turn:
    """Return an answer with its name in each text; `used` was in its prompt."""
    reply = Reply.of(f"raw {name}", f"understood {name}", f"answered {name}", ReplyStatus.OK, because=(f"as {name}",))
    turn = Turn(name, talk, person.person, f"question of {name}", history=history, state=TurnState.ANSWERED)
    decided = () if used is None else (Decision(Candidate(used, used.keys[0]), Action.USE, 0.9, plain("because")),)
    return replace(turn, reply=reply, decisions=decided, used=tuple(decision.entry.id for decision in decided))


def record(store: Store, *turns: Turn) -> None:
    for turn in turns:
        store.turn_store.record(turn, Scope(turn.person))
