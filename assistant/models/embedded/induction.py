"""Read the examples of a prompt, and infer the shortest operation from each subject to its answer.

Examples with the same wording share an operation. If none explains their answers (as for a definition in free words),
the operation that their understanding names applies, unless they refute it. Single operations are tried first, then two
in sequence. Some are derived from the examples: an added part, a replacement of letters. A small version of the search
of Gulwani, "Automating string processing in spreadsheets using input-output examples" (2011).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, product
from operator import itemgetter, methodcaller
from string import ascii_letters, ascii_lowercase

from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import marked_words
from assistant.models.embedded.operations import (
    CHANGES,
    NAMED,
    UNNAMED,
    VOWELS,
    Change,
    Subject,
    WordOperation,
    plain,
    text_operation,
)
from assistant.models.embedded.phrases import Phrases, phrases_for
from assistant.models.embedded.prompt_reader import PromptExample, read_examples
from assistant.models.embedded.subjects import PLACE, SubjectFinder
from assistant.types import Message

Pairs = Sequence[tuple[Subject, str]]
_LEAST_TOLD = 5  # letters of all answers, digits counting half; shorter ones fit two operations by chance

_FORMS = [NAMED[name] for name in ("plural", "singular", "past", "ing", "comparative", "superlative")]
_TEXT = [*(NAMED[name] for name in CHANGES), *map(text_operation, UNNAMED)]
_OTHERS = [one for one in NAMED.values() if one.is_exact and one not in (*_FORMS, *_TEXT)]
_OPENING, _CLOSING = "<\"“‘'[ ", ">\"”’'] "  # quotes and brackets


@dataclass(frozen=True, slots=True)
class Demonstration:
    understanding: str
    subject: Subject | None  # None if unclear
    operation: WordOperation | None  # None if unknown
    frame: str  # the question without its subject
    said: tuple[str, ...]  # corrections of earlier questions in it, without their subject


class Demonstrations:
    """Reader of the examples of prompts, with a cache."""

    def __init__(self, subjects: SubjectFinder, named: Callable[[str], WordOperation | None]) -> None:
        self._subjects, self._named = subjects, named
        self.of = lru_cache(maxsize=64)(self._read)
        """Return the examples of a prompt."""

    def _read(self, messages: tuple[Message, ...]) -> tuple[Demonstration, ...]:
        examples = read_examples(messages)
        found = [self._unexplained(example) for example in examples]
        alike: defaultdict[object, list[tuple[Demonstration, str]]] = defaultdict(list)
        for demo, example in zip(found, examples, strict=True):
            alike[demo.frame, demo.said].append((demo, example.answer))
        operations = {asking: self._operation(group) for asking, group in alike.items()}
        return tuple(replace(demo, operation=operations[demo.frame, demo.said]) for demo in found)

    def _unexplained(self, example: PromptExample) -> Demonstration:
        word, asked = self._word(example), example.asked
        frame, said = mask_word(asked.question, word).casefold(), tuple(mask_word(text, word) for text in asked.said)
        told = " ".join((frame, *said))
        subject = Subject(word, *numbers_in(self._subjects.languages.english(told)), letters_in(told))
        return Demonstration(example.understanding, subject if word else None, None, frame, said)

    def _word(self, example: PromptExample) -> str:
        """Return the subject: a marked word, else a likely one that the understanding names."""
        question, understanding = example.asked.question, example.understanding
        if marked := [word for text in (understanding, question) for word in marked_words(text) if word in question]:
            return marked[0]
        likely = self._subjects.likely(question) if self._named(understanding) else ()
        return next((word for word in likely if word in understanding), "")

    def _operation(self, alike: Sequence[tuple[Demonstration, str]]) -> WordOperation | None:
        """Return the operation of examples with the same wording."""
        pairs = [(demo.subject, answer) for demo, answer in alike if demo.subject]
        if len(pairs) < len(alike):
            return None
        first, (subject, _) = alike[0][0], pairs[0]
        phrases = phrases_for(first.frame)
        texts = (mask_word(first.understanding, subject.word), *first.said)
        named = next(filter(None, map(self._named, texts)), None)
        if named and all(named.explains(subject, answer, phrases) for subject, answer in pairs):
            return named
        return infer(pairs, phrases) or (named if named and not plain(named) else None)


def mask_word(text: str, word: str) -> str:
    """Replace a word, with quotes or brackets around it, by a placeholder."""
    if not word or word not in text:
        return text
    before, _, after = text.partition(word)
    return f"{before.rstrip(_OPENING)} {PLACE} {after.lstrip(_CLOSING)}".strip()


def infer(pairs: Pairs, phrases: Phrases) -> WordOperation | None:
    """Return the operation that leads from each subject to its answer, or None."""
    if not pairs or any(not subject.word or not answer for subject, answer in pairs):
        return None
    found = _single(pairs, phrases, _OTHERS)
    told = sum(1.0 if character.isalpha() else 0.5 for _, answer in pairs for character in answer)
    for first in chain(_FORMS, _OTHERS, _TEXT) if not found and told >= _LEAST_TOLD else ():
        made = [next(iter(first.solve(subject, phrases)), "") for subject, _ in pairs]
        rest = [(replace(subject, word=text), answer) for text, (subject, answer) in zip(made, pairs, strict=True)]
        if all(made) and (second := _single(rest, phrases)):
            return first.at_best().then(second)
    return found


def _single(pairs: Pairs, phrases: Phrases, last: Sequence[WordOperation] = ()) -> WordOperation | None:
    """Return the first operation that explains all pairs; `last` are operations with many answers."""
    learned = map(text_operation, _learned([(subject.word, answer) for subject, answer in pairs]))
    for operation in chain(_FORMS, _TEXT, learned, last):
        if all(operation.explains(subject, answer, phrases) for subject, answer in pairs):
            return operation
    return None


def _learned(texts: Sequence[tuple[str, str]]) -> Iterator[Change]:
    """Yield changes derived from the first of several examples."""
    (word, answer), length = texts[0], len(texts[0][0])
    if len(texts) == 1:
        return
    # Add a prefix and a suffix.
    before, is_there, after = answer.partition(word)
    if is_there:
        yield lambda text: f"{before}{text}{after}"
    # Take a slice, with each end counted from the front or from the back.
    if (start := word.find(answer)) >= 0:
        end = start + len(answer)
        for ends in product((start, start - length), (end - length or None, end)):
            yield itemgetter(slice(*ends))
    # Join the letters with a separator.
    if length > 1 and answer[0] == word[0] and word[1] in answer[1:]:
        yield answer[1 : answer.index(word[1], 1)].join
    # Replace or remove one letter, all vowels, all consonants or all letters.
    kinds = (*dict.fromkeys(word), VOWELS, set(ascii_letters) - set(VOWELS), ascii_letters)
    for letters, sign in product(kinds, ("", *dict.fromkeys(answer))):
        yield methodcaller("translate", dict.fromkeys(map(ord, letters), sign))
    # Shift all letters in the alphabet.
    by = (ord(answer[0]) - ord(word[0])) % len(ascii_lowercase)
    yield methodcaller("translate", str.maketrans(ascii_lowercase, ascii_lowercase[by:] + ascii_lowercase[:by]))
