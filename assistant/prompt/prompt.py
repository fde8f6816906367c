"""Puts a prompt together: system text, examples, history, what is remembered, and the question.

The clarification prompt is that of MemPrompt (section 3.4 and appendix B): examples of the form question ->
understanding, answer, and of the form question + clarification -> understanding, answer, then the question with its
clarification. Remembered text comes in envelopes (`assistant.prompt.envelope`), next to the question. The same store,
question and scope give the same prompt, byte for byte.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.errors import ContextFull
from assistant.prompt.envelope import Row, plain_text, write_block
from assistant.prompt.files import Example, PromptFile, blocks_of, read_examples
from assistant.text.cleaning import for_prompt
from assistant.types import Entry, Message, Prompt, ReplyStatus, Role, Scope, Turn, TurnState

_TOKENS_PER_MESSAGE = 4
# A quarter of the window, at most this, is kept free for the reply.
_LONGEST_REPLY = 2048
# Characters of an earlier question or understanding that stands beside the question only to tell what it was about.
_LONGEST_MENTION = 300
# Characters of an answer of which only the question matters.
_LONGEST_ANSWER = 2000


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, on the safe side: 3.5 characters each in ASCII, 1.2 in other scripts.

    No tokenizer is asked: for most models none is at hand without a download, and the budget needs no more than this.
    """
    ascii_characters = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_characters / 3.5 + (len(text) - ascii_characters) / 1.2)


def good_history(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that a model may see again: its own wrong, replaced or cut output is never shown to it."""
    replaced = {turn.answers_again for turn in turns if turn.state is TurnState.ANSWERED}
    return [
        turn
        for turn in turns
        if turn.state is TurnState.ANSWERED
        and not turn.corrected_by
        and turn.id not in replaced
        and turn.reply.status is not ReplyStatus.TRUNCATED
        and turn.reply.answer
    ]


class Prompting:
    """Makes the prompts, from the files in the folder `prompts`. Raises PromptError where one is missing or wrong.

    `secret` is the key of the markers around remembered text; kept with the store, so that prompts stay the same.
    """

    def __init__(self, folder: Path, secret: bytes) -> None:
        self._secret = secret
        self._system = PromptFile(folder / "answer" / "system.txt").render()
        self._question = PromptFile(folder / "answer" / "question.txt")
        self._reply = PromptFile(folder / "answer" / "reply.txt")
        self._examples = tuple(map(self._pair, read_examples(folder / "answer" / "examples.jsonl")))
        self._understanding_system = PromptFile(folder / "understanding" / "system.txt").render()
        self._understanding_question = PromptFile(folder / "understanding" / "question.txt")

    def answer(
        self,
        question: str,
        scope: Scope,
        *,
        used: Sequence[Entry] = (),
        offered: Sequence[Entry] = (),
        confirmed: Sequence[Entry] = (),
        history: Sequence[Turn] = (),
        previous: Turn | None = None,
        window: int,
    ) -> Prompt:
        """The prompt for a question.

        What does not fit is left out in this order: the oldest history, the examples (the last fixed ones and the
        farthest confirmed ones, in turn), the turn before, the offered notes (last first). The question and the used
        entries never are; where these and the system text alone are too long, ContextFull is raised.

        `used` entries stand next to the question, `offered` ones are numbered notes, best first. `confirmed` examples,
        nearest last, stand after the fixed ones, and are never more than those. `history` is told oldest first;
        `previous` is the turn that the question may be a correction of. `window` is in tokens, the reply included.
        """
        told = [(turn.id, self._history(turn)) for turn in history]
        examples, notes = list(self._examples), list(offered)
        remembered = [(entry.id, self._confirmed(entry)) for entry in confirmed[-len(examples) :]] if examples else []
        budget = window - min(_LONGEST_REPLY, window // 4)
        while True:
            rows = [_row(entry, scope) for entry in used], [_row(entry, scope) for entry in notes]
            blocks = self._written(blocks_of(*rows, _before(previous) if previous else None))
            last = Message(
                Role.USER, self._question.render(blocks=blocks, label="Question", question=plain_text(question))
            )
            pairs = [*examples, *(pair for _, pair in remembered), *(pair for _, pair in told)]
            messages = (Message(Role.SYSTEM, self._system), *(message for pair in pairs for message in pair), last)
            tokens = sum(estimate_tokens(message.content) + _TOKENS_PER_MESSAGE for message in messages)
            if tokens <= budget:
                break
            if told:
                told.pop(0)
            elif remembered and len(remembered) >= len(examples):
                remembered.pop(0)
            elif examples:
                examples.pop()
            elif previous:
                previous = None
            elif notes:
                notes.pop()
            else:
                raise ContextFull
        return Prompt(
            messages,
            used=tuple(entry.id for entry in used),
            offered=tuple(entry.id for entry in notes),
            history=tuple(dict.fromkeys([*(turn_id for turn_id, _ in told), *([previous.id] if previous else [])])),
            shown=tuple(entry_id for entry_id, _ in remembered),
            tokens=tokens,
        )

    def understanding(self, question: str, answer: str) -> tuple[Message, ...]:
        """The prompt of the one short call that asks what a question meant, where the reply did not say so."""
        row = {"question": question, "answer": for_prompt(answer)[:_LONGEST_ANSWER]}
        content = self._understanding_question.render(block=write_block("asked", [row], self._secret))
        return (Message(Role.SYSTEM, self._understanding_system), Message(Role.USER, content))

    def _written(self, blocks: Mapping[str, Sequence[Row]]) -> str:
        return "".join(write_block(name, rows, self._secret) for name, rows in blocks.items())

    def _pair(self, example: Example, label: str = "Example question") -> tuple[Message, Message]:
        question = self._question.render(blocks=self._written(example.blocks()), label=label, question=example.question)
        shown = {name: getattr(example, name) for name in ("notes", "understanding", "answer", "correction")}
        reply = self._reply.render(**shown)
        return Message(Role.USER, question), Message(Role.ASSISTANT, reply)

    def _confirmed(self, entry: Entry) -> tuple[Message, Message]:
        """A confirmed example, in the form of the fixed ones. It is remembered text, so no tag of ours stays in it."""
        return self._pair(_plain_example(entry.question, **entry.prompted))

    def _history(self, turn: Turn) -> tuple[Message, Message]:
        return self._pair(_plain_example(turn.question, turn.reply.understanding, turn.reply.answer), label="Question")


def _plain_example(question: str, understanding: str, answer: str) -> Example:
    return Example(plain_text(question), plain_text(understanding), plain_text(answer))


def _mention(text: str) -> str:
    text = for_prompt(text)
    return text if len(text) <= _LONGEST_MENTION else text[: _LONGEST_MENTION - 1] + "…"


def _before(turn: Turn) -> Row:
    return {"question": _mention(turn.question), "understanding": _mention(turn.reply.understanding)}


def _row(entry: Entry, scope: Scope) -> dict[str, str]:
    """An entry as data, with where it comes from."""
    return {
        "about": _mention(entry.question),
        **entry.prompted,
        "by": "the person who asks" if entry.owner == scope.person else "someone else, for everyone",
        "on": entry.created.date().isoformat(),
    }
