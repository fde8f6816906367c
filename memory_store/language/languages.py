"""The languages of Noted as a model needs them (`assistant.language.languages`)."""

from collections import Counter
from functools import cache, lru_cache

from assistant.language.languages import Languages
from memory_store.language.function_words import written_words
from memory_store.language.word_translation import WordLists, compared

_SCRIPTS = {"hi": range(0x0900, 0x0980), "pa": range(0x0A00, 0x0A80)}
_DANDAS = "\u0964\u0965"  # of both scripts, though they stand among the letters of Devanagari
ENGLISH = "en"
_BEGINNING = 2  # letters that the spellings of a word share


@cache
def _lists() -> WordLists:
    return WordLists.from_folder(languages=_SCRIPTS)


@lru_cache(maxsize=4_096)
def _in_english(text: str) -> str:
    return _lists().english(text)


@lru_cache(maxsize=4_096)
def language_of(text: str) -> str:
    """In which language a text is: by its script, else by the words that only one of them has; "en", "hi" or "pa"."""
    for language, script in _SCRIPTS.items():
        if any(ord(letter) in script and letter not in _DANDAS for letter in text):
            return language
    claims = [_lists().languages_of(word.written, _SCRIPTS) for word in written_words(text)]
    found = Counter(language for claimed in claims for language in claimed)
    if not found or max(found.values()) < len([claimed for claimed in claims if not claimed]) / 2:
        return ENGLISH
    # What both share tells nothing; where nothing else tells, the first has more speakers.
    own = Counter(language for claimed in claims if len(claimed) == 1 for language in claimed)
    return max(_SCRIPTS, key=lambda language: own[language])


def native(english: str, language: str) -> str:
    """The word of a language that means just this English one; empty where there is none.

    The lists have their words in Latin letters, which is how it is given whatever the script of the text.
    """
    return _natives(language).get(english, "")


@cache
def _natives(language: str) -> dict[str, str]:
    """The word for each English one: of those that mean nothing else the one that is spelled in most ways."""
    meaning: dict[str, dict[str, list[str]]] = {}
    for word, english in _lists().rows(language):
        if english and " " not in english:
            meaning.setdefault(english, {}).setdefault(word[:_BEGINNING], []).append(word)
    return {english: max(words.values(), key=len)[0] for english, words in meaning.items()}


LANGUAGES = Languages(compared, _in_english, written_words, language_of, native)
