"""Build a prompt: system text, examples, history, remembered entries, and the question.

The prompt is that of MemPrompt (section 3.4 and appendix B): examples of question -> understanding, answer, and of
question + clarification -> understanding, answer, then the question with its clarification. Remembered text is wrapped
in envelopes (`assistant.prompt.envelope`) next to the question. Prompts are reproducible: the same store, question and
scope give the same bytes.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from assistant.errors import ContextFull
from assistant.prompt.envelope import LABELS_GRAMMAR, Row, plain_text, write_block, write_sentences
from assistant.prompt.sections import (
    BLOCKS,
    FixedExample,
    Hint,
    Item,
    PromptInput,
    build_block_items,
    read_examples,
    read_prompt,
)
from assistant.reply.grammar import ANSWER, GRAMMAR, UNDERSTANDING, Grammar
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Action, Message, MessageRole, Prompt, ReplyStatus, Turn, TurnState

_TOKENS_PER_MESSAGE = 4
_LONGEST_REPLY = 2048  # tokens reserved for the reply, at most a quarter of the window
_LONGEST_ANSWER = 2000  # characters of an answer in the prompt for its understanding
_ASKED = "asked"  # block of the prompt for an understanding
_QUESTION, _EXAMPLE = "Question", "Example question"
_CUT = {"history": (10, 0), "confirmed": (20, 0), "examples": (20, -1), "previous": (30, -1), "offered": (40, -1)}
"""The rank of each section that can be cut, lower ones first, and the index of the item that is left out first."""
# No escaping: prompts are plain text, and `assistant.prompt.envelope` makes remembered text safe.
_ENVIRONMENT = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)  # noqa: S701


def estimate_tokens(text: str) -> int:
    """Estimate tokens: 3.5 characters each in ASCII, 1.2 in other scripts. Most tokenizers need fewer."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_characters / 3.5 + (len(text) - ascii_characters) / 1.2)


def select_history(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns for the prompt, without corrected, replaced or truncated answers."""
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


class PromptBuilder:
    """Builder of all prompts, from the files in a folder. Raises PromptError if one is missing or invalid.

    Args:
        folder: the folder `prompts`.
        secret: key of the markers around remembered text, stored with the ledger, so that prompts are reproducible.
        job: subfolder of the prompts for an answer, one for each kind of model.
        grammar: tags that a reply may have.
        hints: functions that add sentences to a question.
        labels: labels for replies and sentences for notes, for a small model, in place of tags and blocks.
    """

    def __init__(
        self,
        folder: Path,
        secret: bytes,
        job: str,
        grammar: Grammar = GRAMMAR,
        hints: Sequence[Hint] = (),
        *,
        labels: bool = False,
    ) -> None:
        self.grammar, self._labels, self._hints = grammar, labels, hints
        self._folder, self._secret = folder, secret
        self._plain = partial(plain_text, names=grammar.names.union(BLOCKS, [_ASKED]))
        self._question, system = (
            _ENVIRONMENT.from_string(read_prompt(folder / job / f"{name}.txt")) for name in ("question", "system")
        )
        examples = read_examples(folder / job / "examples.jsonl", grammar)
        form = grammar.written({tag.name: tag.asks for tag in grammar.tags if tag.asks})
        self._system = partial(system.render, form=form, examples=str(len(examples)))
        self._examples = [Item("", self._pair(example)) for example in examples]

    def answer(self, asking: PromptInput, window: int) -> Prompt:
        """Build the prompt for a question; `window` is in tokens and includes the reply.

        Until it is short enough, leaves out one turn, example or note after the other, in the order of `_CUT`; of equal
        ranks from the longer section, then the later one. Raises ContextFull if the rest is too long.
        """
        # At most as many confirmed examples as there are fixed ones, the nearest last.
        confirmed = asking.entries(Action.SHOW)[-len(self._examples) :] if self._examples else []
        found: dict[str, list[Item]] = {
            "examples": [*self._examples],
            "confirmed": [self._remembered(entry.id, entry.question, **entry.prompted) for entry in confirmed],
            "history": [
                self._remembered(turn.id, turn.question, turn.reply.understanding, turn.reply.answer, _QUESTION)
                for turn in asking.history
            ],
            **build_block_items(asking),
        }
        budget = window - min(_LONGEST_REPLY, window // 4)
        while True:
            messages = self._messages(asking, found)
            tokens = sum(estimate_tokens(message.content) + _TOKENS_PER_MESSAGE for message in messages)
            if tokens <= budget:
                ids = {name: tuple(item.id for item in items if item.id) for name, items in found.items()}
                return Prompt(messages, ids, tokens)
            rest = [name for name in reversed(found) if name in _CUT and found[name]]
            if not rest:
                raise ContextFull
            shortened = min(rest, key=lambda name: (_CUT[name][0], -len(found[name])))
            found[shortened].pop(_CUT[shortened][1])

    def understanding(self, question: str, answer: str) -> tuple[Message, ...]:
        """Build the prompt for a missing understanding of an answered question."""
        row = {"question": question, "answer": clean_for_prompt(answer)[:_LONGEST_ANSWER]}
        return self.call("understanding/system", **{_ASKED: [row]})

    def call(self, job: str, **blocks: Sequence[Row]) -> tuple[Message, ...]:
        """Build the prompt of another job: its system text, and blocks of data. Raises PromptError."""
        system = read_prompt(self._folder / f"{job}.txt")
        return (Message(MessageRole.SYSTEM, system), Message(MessageRole.USER, self.data(blocks).rstrip("\n")))

    def data(self, blocks: Mapping[str, Sequence[Row]]) -> str:
        """Write the blocks with rows, as JSON between markers."""
        return "".join(write_block(name, rows, self._secret) for name, rows in blocks.items() if rows)

    def _messages(self, asking: PromptInput, found: Mapping[str, Sequence[Item]]) -> tuple[Message, ...]:
        """Write all messages. The system text and the fixed examples come first, since servers cache such a prefix."""
        today = f"{asking.today:%A, %Y-%m-%d}" if asking.today else ""
        blocks = {name: [item.row for item in items if item.row] for name, items in found.items()}
        hints = "".join(f"{said}\n" for hint in self._hints for said in hint(asking))
        return (
            Message(MessageRole.SYSTEM, self._system(today=today)),
            *(message for items in found.values() for item in items for message in item.messages),
            self._asked(_QUESTION, self._plain(asking.question), blocks, today, hints),
        )

    def _asked(
        self, label: str, question: str, blocks: Mapping[str, Sequence[Row]], today: str = "", hints: str = ""
    ) -> Message:
        notes = write_sentences(blocks, self.grammar.names) if self._labels else self.data(blocks)
        content = self._question.render(blocks=notes, label=label, question=question, today=today, hints=hints)
        return Message(MessageRole.USER, content, grammar=LABELS_GRAMMAR if self._labels else "")

    def _pair(self, example: FixedExample, label: str = _EXAMPLE) -> tuple[Message, Message]:
        texts, reply = example.reply, self.grammar.written(example.reply)
        if self._labels:
            reply = f"Understanding: {texts[UNDERSTANDING.name]}\nAnswer: {texts[ANSWER.name]}"
        return self._asked(label, example.question, example.blocks), Message(MessageRole.ASSISTANT, reply)

    def _remembered(self, item: str, question: str, understanding: str, answer: str, label: str = _EXAMPLE) -> Item:
        """Write remembered text in the form of the fixed examples, with tags escaped."""
        reply = {UNDERSTANDING.name: self._plain(understanding), ANSWER.name: self._plain(answer)}
        return Item(item, self._pair(FixedExample(self._plain(question), reply), label))
