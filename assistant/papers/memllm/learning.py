"""What would be kept of a text, sentence by sentence: nothing is kept before its person says so.

Who reads a sentence may stop too early; so it is asked once more, as the paper's decoding goes on where the model would
have closed its list (late stopping, appendix A). There, the scores of the tokens say when it is enough; here, an empty
result does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from assistant.errors import EmptyReply, StreamCut
from assistant.kinds import Triple
from assistant.papers.memllm.proposing import KEEP_TAG, Proposing
from assistant.ports import Allowance, ChatModel
from assistant.prompt.prompt import Prompting
from assistant.reasoning.reasoner import Reasoner
from assistant.reply.filter import visible
from assistant.reply.grammar import Grammar
from assistant.reply.parser import parse_reply
from assistant.text.cleaning import for_prompt
from assistant.text.sentences import sentences_of
from assistant.types import Scope

MOST_SENTENCES = 2_000
"""Of a text."""
_MOST_ASKS = 4  # of one sentence
_LONGEST_REPLY = 4_000
_BREAK = re.compile(r"[,;:—–।]\s*|(?<!\s)\s+(?:and|aur|te|और|ਤੇ|ਅਤੇ)\s+", re.IGNORECASE)


IsStopped = Callable[[], bool]


def never() -> bool:
    """It is not stopped."""
    return False


class Reads(Protocol):
    """Says what would be kept of a sentence, or of what is left of one."""

    def __call__(self, text: str, scope: Scope, is_stopped: IsStopped = never) -> Sequence[Triple]:
        """The triples; `is_stopped` is asked now and then. Raises ModelError, and TooOften."""


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence of a text."""

    text: str
    triples: tuple[Triple, ...]


def read_sentence(text: str, reads: Reads, scope: Scope, is_stopped: IsStopped = never) -> ReadSentence:
    """What would be kept of a sentence, asked again for what is left until nothing came, four times at most.

    Where nothing comes at first, the whole is asked once more; else what stands behind what was found. Nothing is asked
    without what goes before it where that was not understood: behind "unless …" it says something else.
    """
    found: dict[Triple, None] = {}
    left, is_again = text, False
    for _ in range(_MOST_ASKS):
        new = [triple for triple in reads(left, scope, is_stopped) if triple not in found]
        if not new and (found or is_again):
            break
        found |= dict.fromkeys(new)
        left, is_again = (_left(left, new), False) if new else (left, True)
        if not left:
            break
    return ReadSentence(text, tuple(found))


def read_text(text: str, reads: Reads, scope: Scope) -> Iterator[ReadSentence]:
    """The same for each sentence of a text, one after the other."""
    for sentence in sentences_of(text)[:MOST_SENTENCES]:
        yield read_sentence(sentence, reads, scope)


def _left(text: str, found: Sequence[Triple]) -> str:
    """What stands behind the first break after the last thing that was found."""
    ends = [text.casefold().rfind(name.casefold()) + len(name) for one in found for name in (one.subject, one.object)]
    behind = text[max(ends) :]
    parts = _BREAK.split(behind, maxsplit=1)
    return parts[1].strip() if len(parts) > 1 else ""


@dataclass(frozen=True, slots=True)
class ReadByRule:
    """Implements `Reads` without a language model: simple sentences."""

    reasoner: Reasoner

    def __call__(self, text: str, scope: Scope, is_stopped: IsStopped = never) -> Sequence[Triple]:  # noqa: ARG002
        return self.reasoner.triples(text)


@dataclass(frozen=True, slots=True)
class ReadByModel:
    """Implements `Reads` by a call of a model each, which counts as an answer; only what the sentence says is taken."""

    model: ChatModel
    prompting: Prompting
    proposing: Proposing
    allowance: Allowance

    def __call__(self, text: str, scope: Scope, is_stopped: IsStopped = never) -> Sequence[Triple]:
        self.allowance.turn(scope)
        reply = ""
        prompt = self.prompting.call("memllm/keep", sentence=[{"sentence": for_prompt(text)}])
        with closing(visible(self.model.stream(prompt))) as stream:
            for piece in stream:
                reply += piece
                if is_stopped():
                    raise StreamCut
                if len(reply) > _LONGEST_REPLY:
                    break
        if not reply.strip():
            raise EmptyReply
        lines = parse_reply(reply, Grammar((KEEP_TAG,))).fields.get(KEEP_TAG.name, ())
        read = (self.proposing.read(line, text) for line in lines)
        return [triple for triple in read if triple is not None]
