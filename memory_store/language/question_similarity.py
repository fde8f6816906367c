"""Compare two questions word by word: are they the same, or the same pattern about another word? Pure.

Words match across spellings, scripts, inflections and typos, and if word lists translate them alike. "what does light
mean" and "what does dark mean" differ, but follow one pattern; "what is unlike quick" does not follow "what is like
quick": words that tell the task must be in both.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise

from Levenshtein import ratio

from assistant.language.asked_word import COUNTS, LONGEST_SLOT
from assistant.language.languages import TextWord
from assistant.language.lexicon import lexicon
from memory_store.language.function_words import WordKind, fold_words, function_words, split_words
from memory_store.language.normalize import fold, to_latin
from memory_store.language.word_translation import WORD, fold_for_comparison, glossary, translate_to_english

_LONGEST_TEXT = 500  # characters; longer questions match only if equal
_LONGEST_QUESTION = 32  # words
_LONGEST_SHARED = 2_000  # characters
_LIGHT = frozenset({WordKind.LIGHT, WordKind.REQUEST})
_TELLS = frozenset({WordKind.ASKING, WordKind.NEGATION, WordKind.CONTENT})
_ASKED_ABOUT = frozenset({WordKind.CONTENT, WordKind.COMMON})
_LEAST_SIMILARITY = 0.9  # lowest similarity of two questions with one pattern
_OTHER_LANGUAGE_FACTOR = 0.3  # factor if a Hindi word takes the place of an English one ("park the gaadi")
_SMALL_WORD_FACTOR = 0.75  # factor for each small word in one question only
_ENDING = re.compile("(?<=...)(?:ing|ies|y|ed|es|e|s)$")
_VOWELS = frozenset("aeiou")
_BETWEEN_CONSONANTS = re.compile("(?<=[^aeiou])(?=[^aeiou])")
_DIPHTHONG, _SPOKEN = re.compile("a[iu](?=[^aeiou])"), {"ai": "e", "au": "o"}  # paise is pese
_DOUBLED = re.compile(r"(.)\1+")
_SHORTEST = 3  # letters; shorter words are never taken for typos
_LEAST_TYPO_SIMILARITY = 0.7  # lowest similarity of a typo and the word


class _QuestionText:
    """Words of a text, with a lookup for the words of another text."""

    def __init__(self, words: Sequence[TextWord]) -> None:
        self.words = words
        self.pairs = [one.folded + other.folded for one, other in pairwise(words)]  # "horaha" of "ho raha"
        self._by_form = {word.folded: word for word in reversed(words)}
        self._words_by_sound = _group_by_sound(self._by_form)
        self._pairs_by_sound = _group_by_sound(self.pairs)

    @cached_property
    def _by_meaning(self) -> Mapping[object, TextWord]:
        return {meaning: word for word in reversed(self.words) for meaning in _match_keys(word)}

    def find(self, word: TextWord) -> TextWord | None:
        """Return the matching word: another spelling or inflection, a typo, or a word with the same English."""
        if word.folded in self._by_form:
            return self._by_form[word.folded]
        for meaning in _match_keys(word):
            if meaning in self._by_meaning:
                return self._by_meaning[meaning]
        near = (other for other in self.words if other.folded[:1] == word.folded[:1])  # rarely mistyped
        return next((other for other in near if _is_typo(word, other)), None)

    def has_all(self, other: "_QuestionText") -> bool:
        """Return True if this text has each telling word of the other one, which may be written as two."""
        for place, word in enumerate(other.words):
            if word in other.telling and not self.find(word):
                beside = other.pairs[max(0, place - 1) : place + 1]
                in_one = any(_find_spelled(pair, self._words_by_sound) for pair in beside)
                if not in_one and not _find_spelled(word.folded, self._pairs_by_sound):
                    return False
        return True

    @cached_property
    def telling(self) -> Sequence[TextWord]:
        """Return the words that the same question must have; common ones only if no other word but a time is named."""
        contents = {word.folded for word in self.words if word.kind is WordKind.CONTENT} - function_words().times
        return [word for word in self.words if _is_telling(word) or (word.kind is WordKind.COMMON and not contents)]


@lru_cache(maxsize=16_384)
def is_same_question(question: str, known: str) -> bool:
    """Return True if both questions are the same: each telling word of one is in the other."""
    if question == known or max(len(question), len(known)) > _LONGEST_TEXT:
        return question == known
    joined = fold(question).replace(" ", "")
    if joined and joined == fold(known).replace(" ", ""):
        return True  # "kya horaha hai" is "kya ho raha hai"
    asked, before = _parse_text(question), _parse_text(known)
    return bool(asked.telling) and before.has_all(asked) and asked.has_all(before) and not _is_turned(asked, before)


@lru_cache(maxsize=16_384)
def pattern_similarity(question: str, known: str, slot: int = LONGEST_SLOT, *, about_words: bool = False) -> float:
    """Return how surely two questions follow one pattern, in [0, 1]; 1 if they differ in the word asked about only.

    The part asked about may have `slot` words. `about_words` is True if the feedback on the known question names a task
    about a word, as for "turn river inside out" (a synonym).
    """
    asked, before = _find_pattern(question), _find_pattern(known)
    names = [(before.find(word) or word).folded for word in asked.words]
    matched = SequenceMatcher(None, names, [word.folded for word in before.words], autojunk=False)
    shared: set[str] = set()
    likeness, has_other = 1.0, False
    for tag, start, end, known_start, known_end in matched.get_opcodes():
        more, fewer = asked.words[start:end], before.words[known_start:known_end]
        kinds = {word.kind for word in (*more, *fewer)}
        if tag == "equal":
            shared |= kinds
        elif not has_other and more and fewer and len(max(more, fewer, key=len)) <= slot and kinds <= _ASKED_ABOUT:
            has_other = True
            is_native = [
                any(translate_to_english(word.written) != word.written for word in run) for run in (more, fewer)
            ]
            likeness *= 1.0 if is_native[0] <= is_native[1] else _OTHER_LANGUAGE_FACTOR
        elif kinds & _TELLS:
            return 0.0
        else:
            likeness *= _SMALL_WORD_FACTOR ** (len(more) + len(fewer))
    # Among content words only ("item 3", "item 5"), the word asked about is unknown.
    about = frozenset(WordKind) if about_words else frozenset[WordKind]()
    is_known = about_words or shared != {WordKind.CONTENT}
    return likeness if is_known and shared & (_TELLS | _ASKED_ABOUT | about) else 0.0


def shared_words(question: str, found_by: str) -> list[tuple[int, int]]:
    """Return the character ranges of words of a question that another text has too, in any spelling or script.

    If they share a content word, only content words are returned: "bank" of "which bank".
    """
    known = set(fold_for_comparison(found_by[:_LONGEST_SHARED]).split())
    shared: dict[tuple[int, int], bool] = {}  # with True for a content word
    for piece in WORD.finditer(question[:_LONGEST_SHARED]):
        if not known.isdisjoint(fold_for_comparison(piece[0]).split()):
            shared[piece.span()] = any(word.kind is WordKind.CONTENT for word in split_words(piece[0]))
    return [place for place, is_content in shared.items() if is_content or not any(shared.values())]


class QuestionSimilarity:
    """Implements `WaysOfAsking` by comparing words."""

    def alike(self, question: str, other: str) -> bool:
        return pattern_similarity(question, other) >= _LEAST_SIMILARITY

    def is_about_words(self, text: str) -> bool:
        return function_words().is_about_words(fold_words(text))

    def is_common(self, question: str) -> bool:
        return not (function_words().plain_tasks - function_words().a_word).isdisjoint(fold_words(question))

    def begins_with(self, question: str, said: str) -> bool:
        first = next((word for word in split_words(said) if word.kind is WordKind.CONTENT), None)
        if first is None or first.folded in function_words().times:
            return False
        about = [word for word in split_words(question) if word.kind is WordKind.CONTENT]
        return _QuestionText(about).find(first) is not None


def _is_turned(asked: _QuestionText, before: _QuestionText) -> bool:
    """Return True if two words are swapped around a small one: delhi to agra, agra to delhi."""
    names = [(before.find(word) or word).folded for word in asked.words]
    known = [word.folded for word in reversed(before.words)]
    kinds = [word.kind for word in reversed(before.words)]
    turned = {tuple(known[at : at + 3]) for at, kind in enumerate(kinds[1:-1]) if kind is not WordKind.CONTENT}
    return not turned.isdisjoint(zip(names, names[1:], names[2:], strict=False))


@lru_cache(maxsize=4_096)
def _parse_text(text: str) -> _QuestionText:
    return _QuestionText(split_words(text))


@lru_cache(maxsize=4_096)
def _find_pattern(text: str) -> _QuestionText:
    """Return the words that make up the pattern of a question; none for long texts."""
    words = split_words(text) if len(text) <= _LONGEST_TEXT else ()
    words = tuple(word for word in words if word.kind not in _LIGHT and word.folded not in function_words().a_word)
    return _QuestionText(words if len(words) <= _LONGEST_QUESTION else ())


@lru_cache(maxsize=16_384)
def _is_telling(word: TextWord) -> bool:
    """Return True for a word that two questions must share to be the same."""
    says = word.kind in _TELLS or word.kind is WordKind.QUESTION or _number(word) is not None
    return (says or word.folded in function_words().times) and word.folded not in function_words().a_word


@lru_cache(maxsize=16_384)
def _match_keys(word: TextWord) -> Sequence[object]:
    """Return the keys under which a word matches: its folded form, and its number or English stems."""
    if (number := _number(word)) is not None:
        return word.folded, number
    translated = translate_to_english(word.written)
    words = [word] if translated == word.written else split_words(translated)
    is_light = all(each.kind in _LIGHT for each in words)
    told = (each for each in words if is_light or (each.kind not in _LIGHT and len(each.written) >= _SHORTEST))
    return word.folded, *(_ENDING.sub("", each.written.lower()) for each in told)


@lru_cache(maxsize=65_536)
def _is_typo(word: TextWord, other: TextWord) -> bool:
    """Return True if one word is a typo or chat spelling of the other; of two known words, only a chat spelling."""
    typed, meant = word.folded, other.folded
    if min(len(typed), len(meant)) < _SHORTEST or (_is_word(word) and _is_word(other)):
        return _is_respelled(to_latin(word.written), to_latin(other.written))
    if list(filter(str.isdigit, typed)) != list(filter(str.isdigit, meant)):  # "iphone14" is not a typo of "iphone15"
        return False
    # An h is often left out, or put after another letter.
    return ratio(typed.replace("h", ""), meant.replace("h", "")) >= _LEAST_TYPO_SIMILARITY


@lru_cache(maxsize=65_536)
def _is_respelled(one: str, other: str) -> bool:
    """Return True if one word is a chat spelling of the other; never for two English words.

    A chat spelling may lack the nasal at the end ("karu" for "karun"), or the vowel after the first letter and after
    others ("lgenge" for "lagenge").
    """
    (short, consonants), (long, others) = sorted(map(_speak, (one, other)), key=lambda spoken: len(spoken[0]))
    if others not in {consonants, f"{consonants}n"} or (lexicon().find(one) and lexicon().find(other)):
        return False
    full = re.compile(_BETWEEN_CONSONANTS.sub("[aeiou]{0,2}", short) + "n?")
    is_full = _BETWEEN_CONSONANTS.match(short, 1) is not None and full.fullmatch(long) is not None
    is_long = len(short) >= _SHORTEST or _VOWELS.isdisjoint(short)
    return is_long and (is_full or long in {short, f"{short}n"})


@lru_cache(maxsize=16_384)
def _speak(word: str) -> tuple[str, str]:
    """Return a word with e for ai, o for au and no doubled letters; and the consonants of that."""
    spoken = _DOUBLED.sub(r"\1", _DIPHTHONG.sub(lambda found: _SPOKEN[found[0]], word))
    return spoken, "".join(letter for letter in spoken if letter not in _VOWELS)


def _sound(word: str) -> str:
    """Return the consonants of a word without a last nasal, which its chat spellings share."""
    return _speak(word)[1].removesuffix("n")


def _group_by_sound(words: Iterable[str]) -> Mapping[str, Sequence[str]]:
    grouped = defaultdict[str, list[str]](list)
    for word in words:
        grouped[_sound(word)].append(word)
    return grouped


def _find_spelled(word: str, by_sound: Mapping[str, Sequence[str]]) -> bool:
    return any(_is_respelled(word, other) for other in by_sound.get(_sound(word), ()))


def _number(word: TextWord) -> int | None:
    return int(word.folded[:18]) if word.folded.isdecimal() else COUNTS.get(word.written.lower())


@lru_cache(maxsize=16_384)
def _is_word(word: TextWord) -> bool:
    """Return True for a word in the word lists or WordNet; in other scripts, by its folded form."""
    written = word.written.lower() if word.written.isascii() else word.folded
    return glossary().has(written, ("hi", "pa")) or bool(lexicon().find(written))
