"""The two forms of a prompt: tags and JSON for models that keep to them, labels and sentences for small ones. Pure.

Small models recite the examples of a long prompt and overlook notes in JSON (docs/measurements.md, "Small models").
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assistant.prompt.envelope import Row, plain_text, write_block
from assistant.reply.grammar import ANSWER, UNDERSTANDING, Grammar

_AROUND = frozenset({"note", "about", "by", "on"})  # fields that say where a note comes from
Blocks = Mapping[str, Sequence[Row]]
Texts = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True)
class Form:
    """How the notes beside a question and the replies in a prompt are written.

    Attributes:
        reply: Writes a reply with texts by name of their tag.
        notes: Writes blocks of rows by name; `secret` is the key of their markers (`write_block`).
        grammar: GBNF of the reply, for models that can be held to one; empty for none.
    """

    reply: Callable[[Grammar, Texts], str]
    notes: Callable[[Blocks, Grammar, bytes], str]
    grammar: str = ""


def in_blocks(blocks: Blocks, _grammar: Grammar, secret: bytes) -> str:
    """Return blocks of JSON rows between markers, without those that have no rows."""
    return "".join(write_block(name, rows, secret) for name, rows in blocks.items() if rows)


def in_sentences(blocks: Blocks, grammar: Grammar, _secret: bytes) -> str:
    r"""Return a line per note: what it says is quoted as in JSON, so that it ends neither its quotation nor the line.

    Example:
        >>> in_sentences({"clarification": [{"about": "what undoes hot?", "said": "the opposite"}]}, Grammar(()), b"")
        'Note by the user: when I asked "what undoes hot?" I meant "the opposite". Follow it.\n'
    """
    rows = [row for name in ("clarification", "offered") for row in blocks.get(name, ())]
    return "".join(f"Note by {'another' if 'by' in row else 'the'} user: {_said(row, grammar)}.\n" for row in rows)


def _said(row: Row, grammar: Grammar) -> str:
    quoted = {
        name: json.dumps(" ".join(plain_text(str(text), grammar.names).split()), ensure_ascii=False)
        for name, text in row.items()
    }
    if "said" in quoted:
        return f"when I asked {quoted['about']} I meant {quoted['said']}. Follow it"
    if "not true" in quoted:
        return f"it is not true that {quoted['not true']}"
    return next(text for name, text in quoted.items() if name not in _AROUND)


def _in_labels(_grammar: Grammar, texts: Texts) -> str:
    return f"Understanding: {texts[UNDERSTANDING.name]}\nAnswer: {texts[ANSWER.name]}"


TAGS = Form(Grammar.written, in_blocks)
LABELS = Form(
    _in_labels,
    in_sentences,
    'root ::= "Understanding: " sentence "\\nAnswer: " [^ \\t\\r\\n] [^\\x00]*\n'
    'sentence ::= [^ \\t\\r\\n.?!] ([^\\r\\n.?!।] | "." [0-9]){2,240} [.?!।]?',
)
