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

from assistant.language.lexicon import Word, lexicon
from assistant.models.embedded.phrases import Phrases, phrases_for


@dataclass(frozen=True, slots=True)
class Subject:
    """What a task is performed on: the word, or the scrambled text, as written; and letter positions from 1, if any.

    A negative position counts from the end.
    """

    word: str
    positions: tuple[int, ...] = ()


Solve = Callable[[Subject, Phrases], Sequence[str]]
ENGLISH = phrases_for("")


@dataclass(frozen=True, slots=True)
class WordTask:
    """One task."""

    name: str  # for people
    named_by: str  # a pattern of the words by which an understanding names it, in any case
    solve: Solve  # all answers, best first; none where there is no answer
    missing: str  # name of the sentence to say where there is none
    needs_known_word: bool = False  # whether the word has to be in the lexicon

    def answer(self, subject: Subject, phrases: Phrases = ENGLISH) -> str:
        """The best answer, or a plain sentence that there is none."""
        if self.needs_known_word and lexicon().find(subject.word) is None:
            return phrases.say("unknown", word=subject.word)
        return next(iter(self.solve(subject, phrases)), None) or phrases.say(self.missing, word=subject.word)

    def explains(self, subject: Subject, answer: str) -> bool:
        """Whether the task leads from the subject to the answer."""
        return answer.strip().casefold() in {solution.casefold() for solution in self.solve(subject, ENGLISH)}


def task_named_in(understanding: str) -> WordTask | None:
    """The task that an understanding names, if any."""
    return next((task for task in TASKS if re.search(task.named_by, understanding, re.IGNORECASE)), None)


def task_shown_by(subject: Subject, answer: str) -> WordTask | None:
    """The task that leads from an example's word to its answer, if any."""
    return next((task for task in TASKS if task.explains(subject, answer)), None)


def letters_of(text: str) -> str:
    """Only the letters of a text, lower case."""
    return "".join(character for character in text.lower() if character.isalpha())


def _known_word_task(
    name: str, named_by: str, solve: Callable[[Word, Phrases], Sequence[str]], missing: str
) -> WordTask:
    def of_known(subject: Subject, phrases: Phrases) -> Sequence[str]:
        word = lexicon().find(subject.word)
        return solve(word, phrases) if word else ()

    return WordTask(name, named_by, of_known, missing, needs_known_word=True)


def _synonyms(word: Word, _: Phrases) -> Sequence[str]:
    return lexicon().base_of(word).synonyms


def _antonyms(word: Word, _: Phrases) -> Sequence[str]:
    return lexicon().base_of(word).antonyms


def _homophones(word: Word, phrases: Phrases) -> Sequence[str]:
    near = [phrases.say("near_homophone", word=word.text, near=word.near)] if word.near else []
    return [*word.homophones, *near]


def _definition(word: Word, phrases: Phrases) -> Sequence[str]:
    base = lexicon().base_of(word)
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
        return [phrases.say("no_definition", word=word.text, part=part)]
    form = phrases.say("form", base=base.text) if base is not word else ""
    return [phrases.say("definition", word=word.text, part=part, form=form, facts="; ".join(facts))]


def _sentence(word: Word, _: Phrases) -> Sequence[str]:
    patterns: Sequence[str] = ()
    if word.base:
        endings = ENGLISH.table["sentences_with_ending"]
        patterns = next((known for ending, known in endings.items() if word.text.endswith(ending)), ())
    if not patterns:
        part = "" if word.base else word.parts[:1]
        patterns = ENGLISH.table["sentences"][part or "other"]
    # A checksum, not hash(): the same sentence in every process.
    sentence = patterns[zlib.crc32(word.text.encode()) % len(patterns)].format(word=word.text)
    return [re.sub(r"\ba (?=[aeiou])", "an ", sentence)]


def _reversed(subject: Subject, _: Phrases) -> Sequence[str]:
    return [subject.word[::-1]]


def _without_symbols(subject: Subject, _: Phrases) -> Sequence[str]:
    letters = letters_of(subject.word)
    return [letters] if letters else []


def _unrotated(subject: Subject, _: Phrases) -> Sequence[str]:
    letters = letters_of(subject.word)
    rotations = {letters[at:] + letters[:at] for at in range(1, len(letters))}
    return [word for word in lexicon().spelled_with(letters) if word in rotations]


def _unscrambled(fixed: int) -> Solve:
    """Anagrams that keep the first and last `fixed` letters in place."""

    def solve(subject: Subject, _: Phrases) -> Sequence[str]:
        letters = letters_of(subject.word)
        return [
            word
            for word in lexicon().spelled_with(letters)
            if word != letters and (not fixed or (word[:fixed], word[-fixed:]) == (letters[:fixed], letters[-fixed:]))
        ]

    return solve


def _letters_at(subject: Subject, _: Phrases) -> Sequence[str]:
    places = [position - 1 if position > 0 else len(subject.word) + position for position in subject.positions]
    if not places or any(not 0 <= place < len(subject.word) for place in places):
        return []
    return [", ".join(subject.word[place] for place in places)]


# In the order in which they are looked for: the more special name first.
TASKS: tuple[WordTask, ...] = (
    WordTask(
        "jumbled words whose first two and last two letters are right",
        r"first two|पहले दो|ਪਹਿਲੇ ਦੋ",
        _unscrambled(2),
        "no_word",
    ),
    WordTask(
        "those whose first and last letter are right",
        r"first and (the )?last letter|पहला और|ਪਹਿਲਾ ਅਤੇ",
        _unscrambled(1),
        "no_word",
    ),
    WordTask(
        "letters at a position",
        r"\bletters?\b.*\b(position|place)|\b(position|place)s?\b.*\bletter|नंबर|ਨੰਬਰ",
        _letters_at,
        "no_position",
    ),
    WordTask("removing symbols", r"symbols|punctuation|चिह्न|ਚਿੰਨ੍ਹ", _without_symbols, "no_letters"),
    WordTask("rotated words", r"rotat|cycl|shifted|घुमा|ਘੁਮਾ", _unrotated, "no_word"),
    WordTask("words spelled backwards", r"backward|उलटी तरफ़|ਪੁੱਠੇ ਪਾਸੇ", _reversed, "nothing"),
    WordTask("other jumbled words", r"scrambled|jumbled|rearrang|anagram|बिखरे|ਖਿੱਲਰੇ", _unscrambled(0), "no_word"),
    _known_word_task("words that sound the same", r"sound|homophone|homonym|सुनने|ਸੁਣਨ", _homophones, "no_homophone"),
    _known_word_task("opposites", r"opposite|antonym|उलटा|विलोम|ਉਲਟ", _antonyms, "no_opposite"),
    _known_word_task(
        "synonyms",
        r"same (meaning|as)|means the same|synonym|similar meaning|\bsamanarthi\b|समानार्थी|ਸਮਾਨਾਰਥੀ",
        _synonyms,
        "no_synonym",
    ),
    _known_word_task("example sentences", r"sentence|\bva+k(ya)?\b|वाक्य|ਵਾਕ", _sentence, "no_word"),
    _known_word_task("definitions", r"what .* means|meaning|definition|\bmatlab\b|मतलब|ਮਤਲਬ", _definition, "no_word"),
)
