"""What the examples of a prompt show: what each is about, how it asks, and the operation that it stands for.

Examples that ask in the same way are explained together. Where no operation explains their answers (a definition in
free words does not follow from a lexicon), what their understanding names counts, if that is not refuted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import differing_places, marked_words, words_in
from assistant.models.embedded.induction import infer
from assistant.models.embedded.operations import Operation, Subject, plain
from assistant.models.embedded.phrases import Phrases, phrases_for
from assistant.models.embedded.prompt_reader import PromptExample, read_example
from assistant.models.embedded.subjects import PLACE, SubjectFinder

_OPENING, _CLOSING = "<\"“‘'[ ", ">\"”’'] "  # signs around a word
_FREE_WORDS = 3


@dataclass(frozen=True, slots=True)
class Demonstration:
    """An example, ready to be compared and followed."""

    understanding: str
    subject: Subject | None  # what it asks about; None where that is not clear
    operation: Operation | None  # what it shows how to do; None where that is nothing that can be done
    frame: str  # how it asks, without what it asks about
    said: tuple[str, ...]  # what was said in it about an earlier question


@dataclass(frozen=True, slots=True)
class _Read:
    example: PromptExample
    word: str
    frame: str


class Demonstrations:
    """Reads them. What it has read it keeps for a while."""

    def __init__(self, subjects: SubjectFinder, named: Callable[[str], Operation | None]) -> None:
        self._subjects = subjects
        self._named = named
        self._read = lru_cache(maxsize=64)(self._read_all)
        self._explain = lru_cache(maxsize=256)(self._explained)

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> tuple[Demonstration, ...]:
        """What pairs of user message and reply teach; pairs that are no examples are passed over."""
        return self._read(tuple(pairs))

    def _read_all(self, pairs: tuple[tuple[str, str], ...]) -> tuple[Demonstration, ...]:
        examples = [example for pair in pairs if (example := read_example(*pair)) is not None]
        read = [self._about(example, examples) for example in examples]
        groups: defaultdict[str, list[_Read]] = defaultdict(list)
        for each in read:
            groups[each.frame if not each.example.asked.said else repr(each)].append(each)
        operations = {id(each): self._explain(tuple(group)) for group in groups.values() for each in group}
        return tuple(
            Demonstration(
                each.example.understanding,
                self._subject(each) if each.word else None,
                operations[id(each)],
                each.frame,
                tuple(masked(said, each.word) for said in each.example.asked.said),
            )
            for each in read
        )

    def _about(self, example: PromptExample, examples: Sequence[PromptExample]) -> _Read:
        question, understanding = example.asked.question, example.understanding
        marked = [word for text in (understanding, question) for word in marked_words(text) if word in question]
        word = next(iter(marked), "") or self._differing(example, examples)
        if not word:
            likely = self._subjects.likely(question)
            word = next((each for each in likely if each in understanding), "") if self._named(understanding) else ""
        return _Read(example, word, masked(question, word).casefold())

    def _differing(self, example: PromptExample, examples: Sequence[PromptExample]) -> str:
        """What only this one asks about, where another example asks in the same words."""
        words = words_in(example.asked.question)
        folded = self._subjects.folded(words)
        for other in examples:
            theirs = self._subjects.folded(words_in(other.asked.question))
            if theirs != folded and (places := differing_places(folded, theirs)):
                return " ".join(words[places.start : places.stop])
        return ""

    def _subject(self, each: _Read) -> Subject:
        told = f"{each.frame} {' '.join(each.example.asked.said)}"
        return Subject(each.word, *numbers_in(self._subjects.languages.english(told)), letters_in(told))

    def _explained(self, group: tuple[_Read, ...]) -> Operation | None:
        first = group[0].example
        phrases = phrases_for(first.asked.question)
        if not all(each.word for each in group):
            return None
        pairs = [(self._subject(each), each.example.answer) for each in group]
        told = [masked(each.example.understanding, each.word) for each in group]
        named = self._named(told[0]) or next(filter(None, map(self._named, first.asked.said)), None)
        if named and all(_agrees(named, subject, answer, phrases) for subject, answer in pairs):
            return named
        return infer(pairs, phrases) or (named if named and not plain(named) else None)


def _agrees(operation: Operation, subject: Subject, answer: str, phrases: Phrases) -> bool:
    """Whether an operation gives this answer; what is composed freely is in a few words at least."""
    is_free = not operation.is_exact and len(answer.split()) >= _FREE_WORDS
    return is_free or operation.explains(subject, answer, phrases)


def masked(text: str, word: str) -> str:
    """A text with a placeholder for the word that it asks about, and without the signs around it."""
    if not word or word not in text:
        return text
    before, _, after = text.partition(word)
    return f"{before.rstrip(_OPENING)} {PLACE} {after.lstrip(_CLOSING)}".strip()
