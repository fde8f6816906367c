"""The language functions that models need (`assistant.language.languages`), and a sentence parser with them."""

from collections import Counter
from functools import cache, lru_cache

from assistant.language.languages import Languages
from assistant.reasoning.words import Words
from memory_store.language.function_words import split_words
from memory_store.language.normalize import to_latin
from memory_store.language.word_translation import (
    FOLDER,
    fold_for_comparison,
    glossary,
    script_of,
    translate_to_english,
)

NATIVE_WORDS = FOLDER / "native_words.txt"
ENGLISH = "en"
_OWN = ("hi", "pa")
_DANDAS = "\u0964\u0965"  # used by both scripts, though in the block of Devanagari


@lru_cache(maxsize=4_096)
def language_of(text: str) -> str:
    """Return "en", "hi" or "pa" by the script of a text, else by words that only one language has."""
    scripts = {script_of(letter) for letter in text if letter not in _DANDAS}
    if by_script := next((language for language in _OWN if language in scripts), ""):
        return by_script
    claims = [glossary().languages_of(word.written) & set(_OWN) for word in split_words(text)]
    found = Counter(language for claimed in claims for language in claimed)
    if not found or max(found.values()) < len([claimed for claimed in claims if not claimed]) / 2:
        return ENGLISH
    # Shared words do not decide; without others, take Hindi, which has more speakers.
    own = Counter(language for claimed in claims if len(claimed) == 1 for language in claimed)
    return max(_OWN, key=lambda language: own[language])


def native(english: str, language: str, *, in_latin: bool) -> str:
    """Return the usual native word for an English one, in its own or in Latin script; empty if unknown."""
    word = _load_native_words()[language].get(english, "")
    is_loanword = glossary().by_ear(word) == english if word else False  # "skul" in Latin letters says nothing
    return " ".join(to_latin(part) for part in word.split()) if in_latin and not is_loanword else word


@cache
def _load_native_words() -> dict[str, dict[str, str]]:
    lines = NATIVE_WORDS.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {language: {row[0]: row[at] for row in rows} for at, language in enumerate(_OWN, start=1)}


LANGUAGES = Languages(fold_for_comparison, translate_to_english, split_words, language_of, native)


@cache
def sentence_parser() -> Words:
    """Return the cached sentence parser."""
    return Words(LANGUAGES)
