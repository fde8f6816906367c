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
from itertools import chain, product
from operator import itemgetter, methodcaller
from string import ascii_letters, ascii_lowercase

from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import marked_words
from assistant.models.embedded.operations import CHANGES, NAMED, UNNAMED, VOWELS, Subject, WordOperation, text_operation
from assistant.models.embedded.prompt_reader import PromptExample, read_examples
from assistant.models.embedded.subjects import SubjectFinder, mask_word
from assistant.types import Message

Pairs = Sequence[tuple[Subject, str]]
NameOperation = Callable[[str], WordOperation | None]
"""Returns the operation that a text names, None if unclear."""
_LEAST_TOLD = 5  # letters of all answers, digits counting half; shorter ones fit two operations by chance

_FORMS = [NAMED["plural"], NAMED["past"]]
_TEXT = [*(NAMED[name] for name in CHANGES), *map(text_operation, UNNAMED)]
_OTHERS = [one for one in NAMED.values() if one.is_exact and one not in (*_FORMS, *_TEXT)]


@dataclass(frozen=True, slots=True)
class Demonstration:
    understanding: str
    subject: Subject | None  # None if unclear
    operation: WordOperation | None  # None if unknown
    frame: str  # the question without its subject
    said: tuple[str, ...]  # corrections of earlier questions in it, without their subject


def read_demonstrations(
    messages: Sequence[Message], subjects: SubjectFinder, named: NameOperation
) -> tuple[Demonstration, ...]:
    """Return the examples of a prompt with the operations that explain them."""
    examples = read_examples(messages)
    found = [_demonstrate(example, subjects, named) for example in examples]
    alike: defaultdict[object, list[tuple[Demonstration, str]]] = defaultdict(list)
    for demo, example in zip(found, examples, strict=True):
        alike[demo.frame, demo.said].append((demo, example.answer))
    operations = {asking: _explain(group, named) for asking, group in alike.items()}
    return tuple(replace(demo, operation=operations[demo.frame, demo.said]) for demo in found)


def _demonstrate(example: PromptExample, subjects: SubjectFinder, named: NameOperation) -> Demonstration:
    """Find the subject of an example: a marked word, else a likely one that the understanding names."""
    asked, understanding = example.asked, example.understanding
    texts = (understanding, asked.question)
    words = [word for text in texts for word in marked_words(text) if word in asked.question]
    if not words and named(understanding):
        words = [word for word in subjects.likely(asked.question) if word in understanding]
    word = words[0] if words else ""
    frame, said = mask_word(asked.question, word).casefold(), tuple(mask_word(text, word) for text in asked.said)
    told = " ".join((frame, *said))
    subject = Subject(word, *numbers_in(subjects.languages.english(told)), letters_in(told))
    return Demonstration(understanding, subject if word else None, None, frame, said)


def _explain(alike: Sequence[tuple[Demonstration, str]], named: NameOperation) -> WordOperation | None:
    """Return the operation of examples with the same wording."""
    pairs = [(demo.subject, answer) for demo, answer in alike if demo.subject]
    if len(pairs) < len(alike):
        return None
    first, (subject, _) = alike[0][0], pairs[0]
    texts = (mask_word(first.understanding, subject.word), *first.said)
    told = next(filter(None, map(named, texts)), None)
    if told and all(answer in told.solve(one) for one, answer in pairs):
        return told
    return infer(pairs) or (told if told and not told.is_exact else None)


def infer(pairs: Pairs) -> WordOperation | None:
    """Return the operation that leads from each subject to its answer, or None."""
    if not pairs or any(not subject.word or not answer for subject, answer in pairs):
        return None
    found = _single(pairs, _OTHERS)
    told = sum(1.0 if character.isalpha() else 0.5 for _, answer in pairs for character in answer)
    for first in chain(_FORMS, _OTHERS, _TEXT) if not found and told >= _LEAST_TOLD else ():
        made = [next(iter(first.solve(subject)), "") for subject, _ in pairs]
        rest = [(replace(subject, word=text), answer) for text, (subject, answer) in zip(made, pairs, strict=True)]
        if all(made) and (second := _single(rest)):
            return first.then(second)
    return found


def _single(pairs: Pairs, last: Sequence[WordOperation] = ()) -> WordOperation | None:
    """Return the first operation that explains all pairs; `last` are operations with many answers."""
    for operation in chain(_FORMS, _TEXT, _derive(pairs) if len(pairs) > 1 else (), last):
        if all(answer in operation.solve(subject) for subject, answer in pairs):
            return operation
    return None


def _derive(pairs: Pairs) -> Iterator[WordOperation]:
    """Yield changes derived from the first of several examples."""
    word, answer, length = pairs[0][0].word, pairs[0][1], len(pairs[0][0].word)
    # Add a prefix and a suffix.
    before, is_there, after = answer.partition(word)
    if is_there:
        yield text_operation(lambda text: f"{before}{text}{after}")
    # Take a slice, with each end counted from the front or from the back.
    if (start := word.find(answer)) >= 0:
        end = start + len(answer)
        for ends in product((start, start - length), (end - length or None, end)):
            yield text_operation(itemgetter(slice(*ends)))
    # Join the letters with a separator.
    if length > 1 and answer[0] == word[0] and word[1] in answer[1:]:
        yield text_operation(answer[1 : answer.index(word[1], 1)].join)
    # Replace or remove one letter, all vowels, all consonants or all letters.
    kinds = (*dict.fromkeys(word), VOWELS, set(ascii_letters) - set(VOWELS), ascii_letters)
    for letters, sign in product(kinds, ("", *dict.fromkeys(answer))):
        yield text_operation(methodcaller("translate", dict.fromkeys(map(ord, letters), sign)))
    # Shift all letters in the alphabet.
    by = (ord(answer[0]) - ord(word[0])) % len(ascii_lowercase)
    shifted = str.maketrans(ascii_lowercase, ascii_lowercase[by:] + ascii_lowercase[:by])
    yield text_operation(methodcaller("translate", shifted))
