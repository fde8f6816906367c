"""All families of lessons as one: what lessons say of a question, and which lesson explains a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from assistant.language.languages import Languages
from assistant.models.embedded.lessons.chains import Chains
from assistant.models.embedded.lessons.family import Family, Noted, Solved
from assistant.models.embedded.lessons.joined import Joined
from assistant.models.embedded.lessons.named_words import NamedWords
from assistant.models.embedded.lessons.relations import Relations
from assistant.models.embedded.lessons.table import Table
from assistant.models.embedded.likeness.similarity import Likeness
from assistant.models.embedded.subjects import SubjectFinder
from assistant.reasoning.reasoner import Reasoner

if TYPE_CHECKING:
    from assistant.ports import Embedder


@dataclass(frozen=True, slots=True)
class Explained:
    """What a case teaches."""

    lesson: Noted
    refutes: int | None = None  # the place of a known lesson with which it does not go together


@dataclass(frozen=True, slots=True)
class LessonBook:
    """See the module. Safe to share between threads."""

    families: tuple[Family, ...]  # the first that a question is about counts

    @classmethod
    def of(cls, languages: Languages, embedder: Embedder | None = None) -> Self:
        """With what is known of languages; without an embedder, texts are compared by wording alone."""
        likeness = Likeness(languages, embedder)
        relations = Relations(Chains(Reasoner(languages)))
        joined, table = Joined(NamedWords(languages), likeness), Table(SubjectFinder(languages), likeness)
        return cls((joined, relations, table))

    def solve(self, question: str, lessons: Sequence[Noted]) -> Solved | None:
        """What lessons say of a question; None where none applies. An answer goes before what only lacks one."""
        return self._solved(question, lessons)[1]

    def explain(self, question: str, answer: str, lessons: Sequence[Noted]) -> Explained | None:
        """The lesson that a case teaches beside those that are known; None where it teaches nothing.

        Where known ones say otherwise, the case may be wrong as well as they: the least trusted of those that the
        answer followed from gives way only where it hurt more often than it helped.
        """
        family, solved = self._solved(question, lessons)
        if solved is None or not solved.answer:
            return self._explained(self.families, question, answer, lessons)
        if is_same(solved.answer, answer):
            return self._explained((family,) if family else (), question, answer, lessons)
        refuted = min(solved.rests_on, key=lambda at: lessons[at].trust)
        if lessons[refuted].trust >= 0:
            return None
        rest = [*lessons[:refuted], *lessons[refuted + 1 :]]
        found = self._explained(self.families, question, answer, rest)
        return replace(found, refutes=refuted) if found else None

    def _solved(self, question: str, lessons: Sequence[Noted]) -> tuple[Family | None, Solved | None]:
        order = _most_trusted(lessons)
        ordered = [lessons[at] for at in order]
        best: tuple[Family | None, Solved | None] = (None, None)
        for family in self.families if lessons else ():
            solved = family.solve(question, ordered)
            if solved and (solved.answer or best[1] is None):
                rests_on, beside = (
                    tuple(dict.fromkeys(order[at] for at in places)) for places in (solved.rests_on, solved.beside)
                )
                best = family, replace(solved, rests_on=rests_on, beside=beside)
                if solved.answer:
                    break
        return best

    @staticmethod
    def _explained(
        families: Sequence[Family], question: str, answer: str, lessons: Sequence[Noted]
    ) -> Explained | None:
        ordered = [lessons[at] for at in _most_trusted(lessons)]
        for family in families:
            if lesson := family.explain(question, answer, ordered):
                return Explained(lesson)
            if family.is_about(question):
                break  # what it cannot explain yet is not learnt by heart
        return None


def _most_trusted(lessons: Sequence[Noted]) -> list[int]:
    return sorted(range(len(lessons)), key=lambda at: -lessons[at].trust)


def is_same(answer: str, other: str) -> bool:
    """Whether two answers are the same in the same words."""
    return answer.strip(" .!").casefold() == other.strip(" .!").casefold()
