"""Reads the examples of a prompt: what each asks about, how it asks, and the operation that it stands for.

Examples that ask in the same way are explained together. Where no operation explains their answers (a definition in
free words does not follow from a lexicon), the one that their understanding names counts, unless they refute it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import differing_places, marked_words, words_in
from assistant.models.embedded.induction import infer
from assistant.models.embedded.operations import Operation, Subject, plain
from assistant.models.embedded.phrases import phrases_for
from assistant.models.embedded.prompt_reader import PromptExample, read_example
from assistant.models.embedded.subjects import PLACE, SubjectFinder

_OPENING, _CLOSING = "<\"“‘'[ ", ">\"”’'] "  # signs around a word
_Asking = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Demonstration:
    """An example, ready to be compared and followed."""

    understanding: str
    subject: Subject | None  # None where it is not clear
    operation: Operation | None  # None where it shows nothing that can be done
    frame: str  # the question without its subject
    said: tuple[str, ...]  # corrections of earlier questions in it, without their subject


class Demonstrations:
    """Reads the examples of prompts, and keeps those of the last ones."""

    def __init__(self, subjects: SubjectFinder, named: Callable[[str], Operation | None]) -> None:
        self._subjects, self._named = subjects, named
        self._kept = lru_cache(maxsize=64)(self._read)
        self._explained = lru_cache(maxsize=256)(self._operation)

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> tuple[Demonstration, ...]:
        """Return the examples among pairs of user message and reply."""
        return self._kept(tuple(pairs))

    def _read(self, pairs: tuple[tuple[str, str], ...]) -> tuple[Demonstration, ...]:
        examples = [example for pair in pairs if (example := read_example(*pair))]
        found = [self._unexplained(example, examples) for example in examples]
        alike: defaultdict[_Asking, list[tuple[Demonstration, str]]] = defaultdict(list)
        for demo, example in zip(found, examples, strict=True):
            alike[demo.frame, demo.said].append((demo, example.answer))
        operations = {asking: self._explained(tuple(group)) for asking, group in alike.items()}
        return tuple(replace(demo, operation=operations[demo.frame, demo.said]) for demo in found)

    def _unexplained(self, example: PromptExample, examples: Sequence[PromptExample]) -> Demonstration:
        word, asked = self._word(example, examples), example.asked
        frame = masked(asked.question, word).casefold()
        told = " ".join((frame, *asked.said))
        subject = Subject(word, *numbers_in(self._subjects.languages.english(told)), letters_in(told))
        said = tuple(masked(text, word) for text in asked.said)
        return Demonstration(example.understanding, subject if word else None, None, frame, said)

    def _word(self, example: PromptExample, examples: Sequence[PromptExample]) -> str:
        """Return the word that is marked, else the one that other examples have another for; else a likely one."""
        question, understanding = example.asked.question, example.understanding
        if marked := [word for text in (understanding, question) for word in marked_words(text) if word in question]:
            return marked[0]
        words = words_in(question)
        folded = self._subjects.folded(words)
        for other in examples:
            if places := differing_places(folded, self._subjects.folded(words_in(other.asked.question))):
                return " ".join(words[places.start : places.stop])
        likely = self._subjects.likely(question) if self._named(understanding) else ()
        return next((word for word in likely if word in understanding), "")

    def _operation(self, alike: tuple[tuple[Demonstration, str], ...]) -> Operation | None:
        """Return the operation of examples that ask in the same way."""
        pairs = [(demo.subject, answer) for demo, answer in alike if demo.subject]
        if len(pairs) < len(alike):
            return None
        first, (subject, _) = alike[0][0], pairs[0]
        phrases = phrases_for(first.frame)
        texts = (masked(first.understanding, subject.word), *first.said)
        named = next(filter(None, map(self._named, texts)), None)
        if named and all(named.explains(subject, answer, phrases) for subject, answer in pairs):
            return named
        return infer(pairs, phrases) or (named if named and not plain(named) else None)


def masked(text: str, word: str) -> str:
    """Return a text with a placeholder for the word that it asks about, without the signs around that."""
    if not word or word not in text:
        return text
    before, _, after = text.partition(word)
    return f"{before.rstrip(_OPENING)} {PLACE} {after.lstrip(_CLOSING)}".strip()
