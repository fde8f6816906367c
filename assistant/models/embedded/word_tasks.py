"""What the embedded model can do with a word.

Each task has a name pattern, by which an example's understanding names it ("… the opposite of …"), and performs itself
with the lexicon. Where an understanding names none, `task_shown_by` finds the task that leads from the example's word
to its answer. Definitions and sentences are composed from relations; they are nobody's text.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.models.lexicon import Lexicon, Word
from assistant.models.phrases import Phrases, phrases_for


@dataclass(frozen=True, slots=True)
class Subject:
    """What a task is performed on: the word, or the scrambled text, as written; and letter positions from 1, if any.

    A negative position counts from the end.
    """

    word: str
    positions: tuple[int, ...] = ()


Solve = Callable[[Subject, Lexicon, Phrases], Sequence[str]]
ENGLISH = phrases_for("")


@dataclass(frozen=True, slots=True)
class WordTask:
    """One task.

    Args:
        name: for people.
        named_by: finds the words by which an understanding names it.
        solve: all answers, best first; none where there is no answer.
        missing: name of the sentence to say where there is none.
        needs_known_word: whether the word has to be in the lexicon.
    """

    name: str
    named_by: re.Pattern[str]
    solve: Solve
    missing: str
    needs_known_word: bool = False

    def answer(self, subject: Subject, lexicon: Lexicon, phrases: Phrases = ENGLISH) -> str:
        """The best answer, or a plain sentence that there is none."""
        if self.needs_known_word and lexicon.find(subject.word) is None:
            return phrases.say("unknown", word=subject.word)
        solutions = iter(self.solve(subject, lexicon, phrases))
        return next(solutions, None) or phrases.say(self.missing, word=subject.word)

    def has_answer(self, subject: Subject, lexicon: Lexicon) -> bool:
        """Whether there is an answer."""
        return bool(self.solve(subject, lexicon, ENGLISH))

    def explains(self, subject: Subject, answer: str, lexicon: Lexicon) -> bool:
        """Whether the task leads from the subject to the answer."""
        return answer.strip().casefold() in {solution.casefold() for solution in self.solve(subject, lexicon, ENGLISH)}


def task_named_in(understanding: str) -> WordTask | None:
    """The task that an understanding names, if any."""
    return next((task for task in TASKS if task.named_by.search(understanding)), None)


def task_shown_by(subject: Subject, answer: str, lexicon: Lexicon) -> WordTask | None:
    """The task that leads from an example's word to its answer, if any."""
    return next((task for task in TASKS if task.explains(subject, answer, lexicon)), None)


def letters_of(text: str) -> str:
    """Only the letters of a text, lower case."""
    return "".join(character for character in text.lower() if character.isalpha())


def _synonyms(subject: Subject, lexicon: Lexicon, _: Phrases) -> Sequence[str]:
    return [other for word in _known(subject, lexicon) for other in lexicon.base_of(word).synonyms]


def _antonyms(subject: Subject, lexicon: Lexicon, _: Phrases) -> Sequence[str]:
    return [other for word in _known(subject, lexicon) for other in lexicon.base_of(word).antonyms]


def _homophones(subject: Subject, lexicon: Lexicon, phrases: Phrases) -> Sequence[str]:
    solutions: list[str] = []
    for word in _known(subject, lexicon):
        solutions += word.homophones
        if word.near:
            solutions.append(phrases.say("near_homophone", word=word.text, near=word.near))
    return solutions


def _known(subject: Subject, lexicon: Lexicon) -> list[Word]:
    word = lexicon.find(subject.word)
    return [word] if word else []


def _definitions(subject: Subject, lexicon: Lexicon, phrases: Phrases) -> Sequence[str]:
    return [_definition(word, lexicon, phrases) for word in _known(subject, lexicon)]


def _definition(word: Word, lexicon: Lexicon, phrases: Phrases) -> str:
    base = lexicon.base_of(word)
    letter = base.parts[:1]
    part = phrases.part(letter)
    facts = []
    if base.general:
        facts.append(phrases.say("way" if letter == "v" else "kind", base=base.text, general=base.general))
    synonyms = [other for other in base.synonyms if other != base.general][:2]
    if synonyms:
        name = "called" if facts and letter == "n" else "same"
        facts.append(phrases.say(name, words=phrases.say("or").join(synonyms)))
    if base.antonyms:
        facts.append(phrases.say("opposite", word=base.antonyms[0]))
    if not facts:
        return phrases.say("no_definition", word=word.text, part=part)
    form = phrases.say("form", base=base.text) if base is not word else ""
    return phrases.say("definition", word=word.text, part=part, form=form, facts="; ".join(facts))


_SENTENCES = {
    "n": (
        "Everyone was talking about the {word}.",
        "She still remembers that {word} very well.",
        "Nobody expected a {word} here.",
    ),
    "v": (
        "They {word} more often than they admit.",
        "Some people {word} every day.",
        "We {word} whenever there is time.",
    ),
    "a": (
        "It looked rather {word} to me.",
        "Nobody thought that it would be so {word}.",
        "It was a {word} day for all of us.",
    ),
    "r": ("She did it {word}.", "They spoke {word} about it.", "He answered {word} and left."),
    "": ('He wrote the word "{word}" on the board.',),
}
_SENTENCES_WITH_FORM = {
    "s": ("There were more {word} than we had thought.",),
    "ing": ("They kept {word} until evening.",),
    "ed": ("In the end, they {word}.",),
}


def _sentences(subject: Subject, lexicon: Lexicon, _: Phrases) -> Sequence[str]:
    return [_sentence(word, lexicon) for word in _known(subject, lexicon)]


def _sentence(word: Word, lexicon: Lexicon) -> str:
    patterns: Sequence[str] = ()
    if word.base:
        patterns = next((known for ending, known in _SENTENCES_WITH_FORM.items() if word.text.endswith(ending)), ())
    if not patterns:
        patterns = _SENTENCES["" if word.base else lexicon.base_of(word).parts[:1]]
    # A checksum, not hash(): the same sentence in every process.
    sentence = patterns[zlib.crc32(word.text.encode()) % len(patterns)].format(word=word.text)
    return re.sub(r"\ba (?=[aeiou])", "an ", sentence)


def _reversed(subject: Subject, _: Lexicon, __: Phrases) -> Sequence[str]:
    return [subject.word[::-1]]


def _unrotated(subject: Subject, lexicon: Lexicon, _: Phrases) -> Sequence[str]:
    letters = letters_of(subject.word)
    rotations = {letters[at:] + letters[:at] for at in range(1, len(letters))}
    return [word for word in lexicon.spelled_with(letters) if word in rotations]


def _without_symbols(subject: Subject, _: Lexicon, __: Phrases) -> Sequence[str]:
    letters = letters_of(subject.word)
    return [letters] if letters else []


def _unscrambled(fixed: int) -> Solve:
    """Anagrams that keep the first and last `fixed` letters in place."""

    def solve(subject: Subject, lexicon: Lexicon, _: Phrases) -> Sequence[str]:
        letters = letters_of(subject.word)
        return [
            word
            for word in lexicon.spelled_with(letters)
            if word != letters and (not fixed or (word[:fixed], word[-fixed:]) == (letters[:fixed], letters[-fixed:]))
        ]

    return solve


def _letters_at(subject: Subject, _: Lexicon, __: Phrases) -> Sequence[str]:
    places = [position - 1 if position > 0 else len(subject.word) + position for position in subject.positions]
    if not places or any(not 0 <= place < len(subject.word) for place in places):
        return []
    return [", ".join(subject.word[place] for place in places)]


def _task(name: str, named_by: str, solve: Solve, missing: str, *, needs_known_word: bool = False) -> WordTask:
    return WordTask(name, re.compile(named_by, re.IGNORECASE), solve, missing, needs_known_word)


# In the order in which they are looked for: the more special name first.
TASKS: tuple[WordTask, ...] = (
    _task(
        "jumbled words whose first two and last two letters are right",
        r"first two|पहले दो|ਪਹਿਲੇ ਦੋ",
        _unscrambled(2),
        "no_word",
    ),
    _task(
        "those whose first and last letter are right",
        r"first and (the )?last letter|पहला और|ਪਹਿਲਾ ਅਤੇ",
        _unscrambled(1),
        "no_word",
    ),
    _task(
        "letters at a position",
        r"\bletters?\b.*\b(position|place)|\b(position|place)s?\b.*\bletter|नंबर|ਨੰਬਰ",
        _letters_at,
        "no_position",
    ),
    _task("removing symbols", r"symbols|punctuation|चिह्न|ਚਿੰਨ੍ਹ", _without_symbols, "no_letters"),
    _task("rotated words", r"rotat|cycl|shifted|घुमा|ਘੁਮਾ", _unrotated, "no_word"),
    _task("words spelled backwards", r"backward|उलटी तरफ़|ਪੁੱਠੇ ਪਾਸੇ", _reversed, "nothing"),
    _task("other jumbled words", r"scrambled|jumbled|rearrang|anagram|बिखरे|ਖਿੱਲਰੇ", _unscrambled(0), "no_word"),
    _task(
        "words that sound the same",
        r"sound|homophone|homonym|सुनने|ਸੁਣਨ",
        _homophones,
        "no_homophone",
        needs_known_word=True,
    ),
    _task("opposites", r"opposite|antonym|उलटा|विलोम|ਉਲਟ", _antonyms, "no_opposite", needs_known_word=True),
    _task(
        "synonyms",
        r"same (meaning|as)|means the same|synonym|similar meaning|\bsamanarthi\b|समानार्थी|ਸਮਾਨਾਰਥੀ",
        _synonyms,
        "no_synonym",
        needs_known_word=True,
    ),
    _task("example sentences", r"sentence|\bva+k(ya)?\b|वाक्य|ਵਾਕ", _sentences, "no_word", needs_known_word=True),
    _task(
        "definitions",
        r"what .* means|meaning|definition|\bmatlab\b|मतलब|ਮਤਲਬ",
        _definitions,
        "no_word",
        needs_known_word=True,
    ),
)
