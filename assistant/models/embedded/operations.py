"""Operations on a word, a phrase or a number, and their inference from examples.

An operation is a function from a subject to all answers, best first. `data/operations.toml` defines the named ones; the
`UNNAMED` ones are learnt from examples only. `infer` finds the shortest operation from each subject to its answer:
single operations are tried first, then two in sequence. Some are derived from the examples: an added part, a
replacement of letters. A small version of the search of Gulwani, "Automating string processing in spreadsheets using
input-output examples" (2011).
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from operator import itemgetter, methodcaller
from string import ascii_letters, ascii_lowercase

from assistant.language.asked_word import letters_in, marked_words, numbers_in
from assistant.language.lexicon import Sense, find_rhymes, lexicon
from assistant.models.embedded.phrases import load_table
from assistant.models.embedded.prompt_reader import read_examples
from assistant.models.embedded.tasks import SubjectFinder, mask_word
from assistant.types import Message

VOWELS = "aeiouAEIOU"
LANGUAGES = {"in_english": "en", "in_hindi": "hi", "in_punjabi": "pa"}
"""The operations that translate, and their languages."""
CASES = frozenset({"upper", "lower"})
_SHOWN = 3  # senses of a word
_NAMED = 2  # words to name a sense


@dataclass(frozen=True, slots=True)
class Subject:
    """A word, phrase or number, with the letters and places that the question names."""

    word: str
    places: tuple[int, ...] = ()  # of letters; -1 is the last
    count: int = 0  # of letters; 0 if not named
    letters: tuple[str, ...] = ()
    sense: Sense | None = None  # the chosen sense


Solve = Callable[[Subject], Sequence[str]]
Change = Callable[[str], str]  # returns an empty text if there is no answer


@dataclass(frozen=True, slots=True)
class WordOperation:
    """One operation, or two in sequence."""

    names: tuple[str, ...]  # of its defined operations, in order; empty if learnt
    solve: Solve
    is_exact: bool = True  # False if other answers are right, too, so that examples cannot teach it
    of_letters: bool = False  # answers for any text, known word or not

    def then(self, other: WordOperation) -> WordOperation:
        """Return the composition with another operation, applied to the best answer."""

        def solve(subject: Subject) -> Sequence[str]:
            best = self.solve(subject)[:1]
            return [answer for word in best for answer in other.solve(replace(subject, word=word))]

        names = (*self.names, *other.names) if self.names and other.names else ()
        return WordOperation(names, solve, self.is_exact and other.is_exact, self.of_letters)


def text_operation(change: Change, *names: str) -> WordOperation:
    """Return an operation that applies `change` to the text."""
    return WordOperation(names, lambda it: [made] if (made := change(it.word)) else [], of_letters=True)


def _only(kept: Callable[[str], bool], text: str) -> str:
    return "".join(filter(kept, text))


def _of_words(change: Callable[[list[str]], Sequence[str]]) -> Change:
    """Return a change of a phrase of two words or more."""
    return lambda text: " ".join(change(words)) if len(words := text.split()) > 1 else ""


CHANGES: Mapping[str, Change] = {
    "count": lambda word: str(len(_only(str.isalpha, word)) or ""),
    "vowels": lambda word: _only(VOWELS.__contains__, word),
    "count_vowels": lambda word: str(len(_only(VOWELS.__contains__, word))) if word.isalpha() else "",
    "consonants": lambda word: _only(lambda letter: letter not in VOWELS, word),
    "upper": str.upper,
    "lower": str.lower,
    "reversed": lambda word: word[::-1],
    "spelled_out": "-".join,
}

# Changes without a name, learnt from examples.
UNNAMED: Sequence[Change] = (
    str.capitalize,
    lambda word: "".join(sorted(word)),
    lambda word: "".join(2 * letter for letter in word),
    lambda word: f"{word} {word}",
    lambda text: str(len(text.split()) or ""),
    _of_words(lambda words: words[:1]),
    _of_words(lambda words: words[-1:]),
    _of_words(lambda words: words[::-1]),
    _of_words(lambda words: ["".join(word[0] for word in words).upper()]),
    lambda text: str(sum(map(int, _only(str.isdecimal, text))) or ""),
    lambda word: word[:1],
    lambda word: word[:1] + word[-1:],
    lambda word: word[1:] + word[:1],
    lambda word: word[-1:] + word[:-1],
    lambda word: word[::2],
    lambda word: word[1::2],
    lambda word: "".join(dict.fromkeys(word)),
    lambda word: " ".join(str(ord(letter) - 96) for letter in word.lower() if letter.isalpha()),
    lambda word: str(sum(letter.isalpha() and letter not in VOWELS for letter in word) or ""),
    str.title,
    _of_words(lambda words: [max(words, key=len)]),
)


def _letters_at(subject: Subject) -> str:
    try:
        return ", ".join(subject.word[place - 1 if place > 0 else place] for place in subject.places)
    except IndexError:
        return ""


# One answer each, different from the word.
_OF_LETTERS: Mapping[str, Callable[[Subject], str]] = {
    "letters_at": _letters_at,
    "beginning": lambda it: it.word[: it.count],
    "ending": lambda it: it.word[-it.count :] if it.count else "",
    "count_of": lambda it: str(sum(map(it.word.lower().count, it.letters))) if it.letters else "",
}


def _another(change: Callable[[Subject], str]) -> Solve:
    return lambda it: [made] if (made := change(it)) and made.casefold() != it.word.casefold() else []


def synonyms(it: Subject) -> Sequence[str]:
    """Return the synonyms of a word, or of the chosen sense."""
    if it.sense:
        return it.sense.synonyms or ([it.sense.general] if it.sense.general else [])
    word = lexicon().find(it.word)
    return lexicon().base_of(word).synonyms if word else ()


def antonyms(it: Subject) -> Sequence[str]:
    """Return the antonyms of a word, or of the chosen sense.

    Antonyms that belong to a word like another sense are left out: "southern" for "blue".
    """
    if (word := lexicon().find(it.word)) is None:
        return ()
    base = lexicon().base_of(word)
    senses = [it.sense] if it.sense else lexicon().senses(base.text)
    likes = [other for sense in senses[:1] for one in sense.synonyms if (other := lexicon().find(one))]
    own = {one for each in (*senses, *likes) for one in each.antonyms}
    if not it.sense:
        own |= {one for one in base.antonyms if (other := lexicon().find(one)) and base.text in other.antonyms}
    return (it.sense and it.sense.antonyms) or [one for one in base.antonyms if one in own]


def _rhymes(it: Subject) -> Sequence[str]:
    """Return the content words that rhyme with a word, most frequent first."""
    found = (word for each in find_rhymes(it.word) if (word := lexicon().find(each)) and len(each) > 2)
    return [word.text for word in found if word.parts[:1] in set("nva")]


def _define(it: Subject) -> Sequence[str]:
    """Return the meaning of a word by its relations: one sense, or up to three, one per line."""
    if (word := lexicon().find(it.word)) is None:
        return ()
    senses = [it.sense] if it.sense else lexicon().senses(it.word)
    lines = [*dict.fromkeys(filter(None, map(tell_sense, senses)))][:_SHOWN]
    form = load_table("phrases")["definition"]["form"].format(base=word.base) if word.base else ""
    title = f"{word.text}: {form}".strip()
    if len(lines) > 1:
        return ["\n".join([title, *(f"{number}. {line}" for number, line in enumerate(lines, start=1))])]
    return [f"{title} {line}" for line in lines]


def tell_sense(sense: Sense) -> str:
    """Describe a sense in a line: "a kind of slope, such as riverbank"; empty if there are no relations."""
    phrases = load_table("phrases")["definition"]
    spellings = {re.sub("[ -]", "", name): name for name in reversed(_usual_first(sense.synonyms))}
    names, general = [*reversed(spellings.values())][:_NAMED], _usual(sense.general)
    told = [phrases["or"].join(names)] if names else []
    if general and general not in names:
        told.append(phrases["way" if sense.part == "v" else "kind"].format(general=general))
    if sense.examples and general and not names:
        told.append(phrases["such_as"].format(words=phrases["or"].join(sense.examples[:_NAMED])))
    if sense.antonyms:
        told.append(phrases["opposite"].format(word=sense.antonyms[0]))
    return ", ".join(told)


def name_sense(sense: Sense) -> str:
    """Return a word or two that name a sense: "bird"."""
    nouns = [hint for hint in sense.hints if (word := lexicon().find(hint)) and word.parts[:1] == "n"]
    words = (*_usual_first(sense.synonyms)[:1], _usual(sense.general), *nouns, *sense.examples, *sense.hints)
    return next(filter(None, words), "")


def told_senses(word: str) -> list[Sense]:
    """Return the senses of a word that have relations to tell."""
    return [*filter(tell_sense, lexicon().senses(word))]


def _usual_first(words: Sequence[str]) -> list[str]:
    """Move the words and phrases that people use to the front."""
    return sorted(words, key=lambda word: not lexicon().is_common(word))


def _usual(general: str) -> str:
    """Return a hypernym that people use: "mammal" for "placental", "radiation" for "actinic radiation"."""
    head = general.partition(" of ")[0].rpartition(" ")[2]
    further = {
        sense.general for sense in lexicon().senses(head) if sense.general
    }  # two for "fastener", a person or not
    return next(filter(lexicon().is_common, (general, head, *further) if len(further) < 2 else (general, head)), "")


def _use(it: Subject) -> Sequence[str]:
    """Write an English sentence with the word."""
    if (word := lexicon().find(it.word)) is None:
        return ()
    kind = next(filter(word.text.endswith, ("ing", "ed", "s")), "") if word.base else word.parts[:1]
    patterns = load_table("phrases")["examples"][kind or "other"]
    # A checksum, not hash(): the same sentence in every process.
    made = patterns[zlib.crc32(word.text.encode()) % len(patterns)].format(word=word.text)
    return [re.sub(r"\ba (?=[aeiou])", "an ", made)]


def _inflect(form: str, it: Subject) -> Sequence[str]:
    """Return the plural or the past tense of a word of the lexicon."""
    if (word := lexicon().find(it.word)) is None:
        return ()
    base = lexicon().base_of(word).text
    irregular = dict(row.split() for row in load_table("forms")[form].split(", "))
    if base in irregular or word.text in irregular.values():
        return [irregular.get(base, word.text)]
    stem = re.sub("(?<=[^aeiou])y$", "ie", base)
    if form == "plural":
        return [re.sub("(s|x|z|ch|sh)$", r"\1e", stem) + "s"]
    stem = stem[:-1] if stem.endswith("e") else re.sub("^([^aeiou]+[aeiou])([^aeiouwxy])$", r"\1\2\2", stem)
    return [f"{stem}ed"]


NAMED: Mapping[str, WordOperation] = {
    **{name: text_operation(change, name) for name, change in CHANGES.items()},
    **{name: WordOperation((name,), _another(change), of_letters=True) for name, change in _OF_LETTERS.items()},
    "antonym": WordOperation(("antonym",), antonyms),
    "synonym": WordOperation(("synonym",), synonyms),
    "plural": WordOperation(("plural",), lambda it: _inflect("plural", it)),
    "past": WordOperation(("past",), lambda it: _inflect("past", it)),
    "rhyme": WordOperation(("rhyme",), _rhymes),
    # `reader` translates, with the word lists of other languages.
    **{name: WordOperation((name,), lambda it: [it.word], is_exact=False) for name in LANGUAGES},
    "homophone": WordOperation(("homophone",), lambda it: word.homophones if (word := lexicon().find(it.word)) else ()),
    "definition": WordOperation(("definition",), _define, is_exact=False),
    "sentence": WordOperation(("sentence",), _use, is_exact=False),
}
"""The defined operations, by name."""


Pairs = Sequence[tuple[Subject, str]]
_LEAST_TOLD = 5  # letters of all answers, digits counting half; shorter ones fit two operations by chance

_FORMS = [NAMED["plural"], NAMED["past"]]
_TEXT = [*(NAMED[name] for name in CHANGES), *map(text_operation, UNNAMED)]
_OTHERS = [one for one in NAMED.values() if one.is_exact and one not in (*_FORMS, *_TEXT)]


@dataclass(frozen=True, slots=True)
class Demonstration:
    understanding: str
    subject: Subject
    frame: str  # the question without its subject
    operation: WordOperation | None  # None if unknown


def read_demonstrations(
    messages: Sequence[Message], subjects: SubjectFinder, named: Callable[[str], WordOperation | None]
) -> list[Demonstration]:
    """Return the examples of a prompt with the operations that explain them, one for all with the same wording.

    The subject is a marked word, else a likely one that the understanding names; examples without one are left out.
    `named` returns the operation that a text names, None if unclear. It applies where no operation explains the answers
    (as for a definition in free words).
    """
    alike: defaultdict[str, list[tuple[str, Subject, str]]] = defaultdict(list)
    for asked, reply in read_examples(messages):
        question, understanding = asked.question, reply.understanding
        words = [word for text in (understanding, question) for word in marked_words(text) if word in question]
        if not words and named(understanding):
            words = [word for word in subjects.likely(question) if word in understanding]
        if words:
            frame = mask_word(question, words[0]).casefold()
            subject = Subject(words[0], *numbers_in(subjects.languages.english(frame)), letters_in(frame))
            alike[frame].append((understanding, subject, reply.answer))
    found = list[Demonstration]()
    for frame, group in alike.items():
        pairs, (understanding, first, _) = [(subject, answer) for _, subject, answer in group], group[0]
        operation = named(mask_word(understanding, first.word))
        if operation is None or not all(answer in operation.solve(subject) for subject, answer in pairs):
            operation = infer(pairs) or (None if operation and operation.is_exact else operation)
        found += [Demonstration(understanding, subject, frame, operation) for understanding, subject, _ in group]
    return found


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
