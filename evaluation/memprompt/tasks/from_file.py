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

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

from assistant.types import Reply
from evaluation.memprompt.tasks.data_task import DataTask, Record, read_records
from evaluation.memprompt.tasks.lexical import JUDGE
from evaluation.memprompt.tasks.task import Item, Verdict, has_answer
from evaluation.reading import BadInput


@dataclass(frozen=True)
class FromFile(DataTask):
    """Questions that somebody else wrote."""

    what = "questions, one JSON object per line"
    templates: Path | None = None  # where the questions name some
    name: str = "file"

    def item(self, record: Record, lang: str) -> Item:
        kind, lang = str(self.field(record, "type")), str(record.get("lang", "")) or lang
        if "template_id" not in record:
            question = str(self.field(record, "question"))
            answers = tuple(filter(None, [str(record.get("answer", ""))]))
            return Item(question, kind, lang, question, answers=answers, said=str(self.field(record, "feedback")))
        template = self._template(kind, str(record["template_id"]))
        meta = self.field(record, "meta")
        said = str(self.field(template, "clarification")).removeprefix("clarification:").strip()
        answer = str(meta.get("word2") or self.field(template, "answer").format(**meta))
        question = str(self.field(template, "question")).format(**meta)
        return Item(question, kind, lang, f"{kind} {record['template_id']}", answers=(answer,), said=said)

    def verdict(self, item: Item, reply: Reply) -> Verdict:
        if item.type in JUDGE.patterns:
            understood = JUDGE(reply.understanding, "") == item.type
        else:
            understood = item.type.casefold() in reply.understanding.casefold()
        return Verdict(understood, has_answer(item, reply.answer) if item.answers else None)

    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        if not wrongly:
            return item.said
        others = [self.item(record, item.lang) for record in self.records]
        return random.choice([other.said for other in others if other.type != item.type] or [item.said])

    def _template(self, kind: str, name: str) -> Record:
        try:
            return self._by_name[kind, name]
        except KeyError:
            raise BadInput(f"There is no template {name} of type {kind}; name the file of templates.") from None

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Record]:
        found = read_records(self.templates, "the templates of MemPrompt as a JSON list") if self.templates else []
        return {(str(one["type"]), str(one["template_id"])): one for one in found}
