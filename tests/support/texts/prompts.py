"""Prompts with one text in every place where a user's or model's text can be."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from assistant.keys.writer import ModelKeyWriter
from assistant.kinds import EXAMPLE, Clarification, Example
from assistant.prompt.prompt import PromptBuilder, PromptInput
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Action, Key, Message, Reply, ReplyStatus, Scope, Turn, TurnState
from tests.support.memory.entries import build_owned_entry, decide_all
from tests.support.servers.scripted import ScriptedModel
from tests.support.texts.prompt_structure import Part, parse_structure

PROMPTS = Path(__file__).parents[3] / "prompts"
SECRET = b"0123456789abcdef"
ME = Scope("me")
# Large enough for everything.
WINDOW = 50_000_000

_ENTRY = build_owned_entry(owner="me")


class PromptFiller:
    """Prompts of Noted with one text in all of its places, and their parsed values."""

    def __init__(self) -> None:
        self._prompting = PromptBuilder(PROMPTS, SECRET, "connected")
        self._writer = ModelKeyWriter(ScriptedModel(), PROMPTS, SECRET)

    def prompts(self, text: str) -> tuple[Sequence[Message], ...]:
        """Return the prompts for an answer, for an understanding, and for keys."""
        said = Clarification.model_construct(text=text, wrong_understanding=text)  # unvalidated, with all characters
        clarified = replace(_ENTRY, question=text, body=said, keys=(Key(text),))
        confirmed = Example.model_construct(understanding=text, answer=text)
        shown = replace(_ENTRY, id="shown", kind=EXAMPLE, question=text, body=confirmed)
        turn = Turn("t", "c", "me", text, state=TurnState.ANSWERED, reply=Reply.of(text, text, text, ReplyStatus.OK))
        others = [replace(clarified, id=f"{number}", owner="somebody else", shared=True) for number in range(2)]
        decisions = [
            *decide_all(Action.USE, clarified, others[0]),
            *decide_all(Action.OFFER, others[1], replace(clarified, id="offered")),
            *decide_all(Action.SHOW, shown),
        ]
        answer = self._prompting.answer(PromptInput(text, ME, decisions, [turn], turn, date(2026, 1, 5)), WINDOW)
        return answer.messages, self._prompting.understanding(text, text), self._writer.messages(clarified)

    def read(self, text: str) -> tuple[tuple[Part, ...], ...]:
        return tuple(parse_structure(messages, SECRET) for messages in self.prompts(text))


def check_values(prompts: tuple[tuple[Part, ...], ...], text: str) -> None:
    """Assert that each text in a block is the cleaned one, perhaps cut; outside of blocks, without opening tags."""
    cleaned = clean_for_prompt(text)
    answer, understanding, keys = prompts
    blocks = [*_texts(answer[-1], 300), *_texts(understanding[-1], 2000), *_texts(keys[-1], 1500)]
    assert len(blocks) == 4 * 2 + 2 + 2 + 3
    for value, longest in blocks:
        assert value in {cleaned, f"{cleaned[: longest - 1]}…", cleaned[:longest].strip()}
        assert value == cleaned or len(cleaned) > longest
    told = [answer[-1], *answer[-3:-1], *answer[-5:-3]]
    plain = [value for part in told for value in part.values.values() if isinstance(value, str)]
    assert len(plain) == 1 + 3 + 3
    for value in plain:
        assert _without_openings(value) == _without_openings(cleaned)


def _texts(part: Part, longest: int) -> list[tuple[str, int]]:
    """Return the texts in the blocks of a message, with their maximum lengths."""
    rows = [row for value in part.values.values() if isinstance(value, list) for row in value]
    return [
        (value, 10**9 if name == "said" and len(part.values) > 1 else longest)
        for row in rows
        for name, value in row.items()
        if name not in {"by", "on", "note"}
    ]


def _without_openings(text: str) -> str:
    return text.replace("‹", "<").replace("［", "[").replace(" –", ":").replace(" ", "")
