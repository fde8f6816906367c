"""WebQuestions (Berant et al., 2013), with the thing that each question names and the relation that answers it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from assistant.kinds import Triple
from assistant.papers.memllm.sheet import Query
from evaluation.harness.dataset import Dataset
from memory_store.language.normalize import fold_name

_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_MOST_WORDS = 6  # of a name


class WebLine(BaseModel):
    """A question with its answers and their path in Freebase."""

    question: str
    answers: tuple[str, ...]
    topic: str
    path: tuple[str, ...]


WEB_QUESTIONS = Dataset(
    "webquestions", WebLine, ("train", "val"), "{split}.jsonl", "CC BY 4.0", "WebQuestionsSP, as lines of JSON"
)


@dataclass(frozen=True, slots=True)
class TopicQuestion:
    """A question about a thing, with its relation and answers."""

    text: str
    topic: str
    relation: str  # words of the path
    answers: tuple[str, ...]

    @property
    def is_named(self) -> bool:
        """Return True if the question names its topic as stored."""
        return remove_name(self.text, self.topic) != self.text

    @property
    def in_own_words(self) -> Query:
        """Return a lookup of the topic with the question's own words as the relation."""
        return Query(self.topic, remove_name(self.text, self.topic), "")

    def triple(self, answer: str) -> Triple:
        """Return the triple that a knowledge edit stores; its relation is the question's own words."""
        return Triple(subject=self.topic, relation=self.in_own_words.relation, object=answer)


def read_questions(folder: Path, split: str) -> list[TopicQuestion]:
    """Return the questions of a split. Raises BadInput."""
    return [
        TopicQuestion(one.question, _split_path([one.topic]), _split_path(one.path), one.answers)
        for one in WEB_QUESTIONS.lines(split, folder)
    ]


def _split_path(path: Iterable[str]) -> str:
    """Return the words of names such as /people/person/place_of_birth, without repetitions."""
    return " ".join(dict.fromkeys(word for part in path for word in re.split(r"[/_]+", part) if word))


def remove_name(question: str, name: str) -> str:
    """Return a question without the thing that it names, or unchanged if it does not name it."""
    named = [fold_name(word) for word in _WORD.findall(name)]
    words = list(_WORD.finditer(question))
    forms = [fold_name(word[0]) for word in words]
    for at in range(len(words) - len(named) + 1):
        if forms[at : at + len(named)] == named:
            rest = f"{question[: words[at].start()].strip()} {question[words[at + len(named) - 1].end() :].strip()}"
            return rest.strip(" ?") or question
    return question


def find_names(question: str, forms: frozenset[str]) -> Sequence[str]:
    """Return the known names in a question, the longest at each position; `forms` are their folded spellings."""
    words, found, at = _WORD.findall(question), list[str](), 0
    while at < len(words):
        spans = (words[at:end] for end in range(min(at + _MOST_WORDS, len(words)), at, -1))
        named = next((span for span in spans if fold_name(" ".join(span)) in forms), [])
        found += [" ".join(named)] if named else []
        at += len(named) or 1
    return found
