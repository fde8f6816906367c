"""Questions of any kind from a file, in the form of the paper's repository or in a plain one.

Plain, one object per line:

    {"question": "what is akin to < quick > ?", "type": "syn", "answer": "fast", "feedback": "I want a synonym"}

As in the repository of MemPrompt, with the templates as JSON beside it:

    {"meta": {"word1": "quick", "word2": "fast"}, "type": "syn", "template_id": "syn1"}
    [{"type": "syn", "template_id": "syn1", "question": "What is similar to < {word1} > ?",
      "clarification": "clarification: when I ask for similar to , I want a synonym.", "answer": "… is {word2}"}]

An understanding counts as right where it names the type: by the words that Lexical knows for its types, else by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from assistant.types import Reply
from evaluation.memprompt.tasks.lexical import JUDGE
from evaluation.memprompt.tasks.records import field, in_some_order, records
from evaluation.memprompt.tasks.task import Item, Task, Verdict, has_answer
from evaluation.reading import BadInput

_WHAT = "questions, one JSON object per line"
_TEMPLATES = "the templates of MemPrompt as a JSON list"


@dataclass(frozen=True)
class FromFile(Task):
    """Questions that somebody else wrote."""

    path: Path
    templates: Path | None = None  # where the questions name some
    name: str = "file"

    def items(self, lang: str, seed: int) -> Iterator[Item]:
        for item in in_some_order(self._items, seed):
            yield item if item.lang else replace(item, lang=lang)

    def verdict(self, item: Item, reply: Reply) -> Verdict:
        if item.type in JUDGE.patterns:
            understood = JUDGE(reply.understanding, "") == item.type
        else:
            understood = item.type.casefold() in reply.understanding.casefold()
        return Verdict(understood, has_answer(item, reply.answer) if item.answers else None)

    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        if not wrongly:
            return item.said
        return random.choice([other.said for other in self._items if other.type != item.type] or [item.said])

    @cached_property
    def _items(self) -> list[Item]:
        return [self._item(record) for record in records(self.path, _WHAT)]

    def _item(self, record: Mapping[str, Any]) -> Item:
        kind, lang = str(field(record, self.path, "type")), str(record.get("lang", ""))
        if "template_id" not in record:
            question = str(field(record, self.path, "question"))
            answer = str(record.get("answer", ""))
            said = str(field(record, self.path, "feedback"))
            return Item(question, kind, lang, question, answers=(answer,) if answer else (), said=said)
        template = self._template(kind, str(record["template_id"]))
        meta = field(record, self.path, "meta")
        said = str(field(template, self.path, "clarification")).removeprefix("clarification:").strip()
        answer = str(meta.get("word2") or field(template, self.path, "answer").format(**meta))
        question = str(field(template, self.path, "question")).format(**meta)
        return Item(question, kind, lang, f"{kind} {record['template_id']}", answers=(answer,), said=said)

    def _template(self, kind: str, name: str) -> Mapping[str, Any]:
        try:
            return self._by_name[kind, name]
        except KeyError:
            raise BadInput(f"There is no template {name} of type {kind}; name the file of templates.") from None

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        if self.templates is None:
            return {}
        found = records(self.templates, _TEMPLATES)
        return {(str(one["type"]), str(one["template_id"])): one for one in found}
