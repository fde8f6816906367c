"""A simple Hindi or Punjabi sentence turned into questions: what is asked for stands where the answer stands. Pure.

Dana Pune mein rehti hai      Dana kahan rehti hai?      Pune mein
                              Kaun Pune mein rehti hai?  Dana
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.reasoning.triples.forms import infinitive
from assistant.reasoning.words import Word, Words, is_known_word
from assistant.selection.study.words import question_words, words_for

_LONGEST, _FEWEST = 14, 3  # words
_UNREAD = frozenset('?!,;:"“”()')
_OPEN = frozenset({"who", "where", "when", "why", "how", "amount", "which"})
_ENDS = frozenset({"is", "can", "does"})
_HELD = frozenset({"in", "other", "of", "has"})  # roles of words that stand behind what they belong to
_DEVANAGARI, _GURMUKHI = range(0x0900, 0x0980), range(0x0A00, 0x0A80)
_STOPS = ".।॥ "


def indic_questions(sentence: str, reader: Words) -> Iterator[tuple[str, str]]:
    """Each with its answer in the words of the sentence; none of one that is not simple."""
    text = " ".join(sentence.split()).rstrip(_STOPS)
    if _UNREAD.intersection(sentence):
        return
    asks = question_words(_form(text, reader))
    words = reader.read(text)
    because = next((at for at, word in enumerate(words) if _is(word, "because", reader)), None)
    main = words[:because]
    verb = _verb_at(main)
    said = [*_parts(main[:verb], reader)] if _FEWEST <= len(words) <= _LONGEST else []
    if not said or any(word.roles & _OPEN for word in main):
        return
    if because:
        yield _written([*said, [asks["why"]], _plain(main[verb:])]), " ".join(_plain(words[because:]))
    for place, part in enumerate(said):
        if asked := _asked(part, place, main, verb, reader):
            new = [[asks[asked]] if at == place else one for at, one in enumerate(said)]
            yield _written([*new, _plain(main[verb:])]), " ".join(_told(part, asked))


def _form(text: str, reader: Words) -> str:
    """In which language and letters a sentence is written."""
    letters = [ord(letter) for letter in text]
    if any(letter in _GURMUKHI for letter in letters):
        return "gurmukhi"
    if any(letter in _DEVANAGARI for letter in letters):
        return "devanagari"
    return "pa" if reader.is_punjabi(text) else "hi"


def _is(word: Word | str, what: str, reader: Words) -> bool:
    written = word if isinstance(word, str) else word.written
    return reader.languages.fold(written.lower()) in {reader.languages.fold(one) for one in words_for(what, "hindi")}


def _verb_at(words: Sequence[Word]) -> int:
    """Where what is done begins: with the words that only end a sentence, it stands last."""
    at = len(words)
    while at and words[at - 1].roles & _ENDS:
        at -= 1
    is_done = at < len(words) and bool(at) and bool(infinitive(words[at - 1].written))
    return at - 1 if at and (at == len(words) or is_done) else at


def _parts(words: Sequence[Word], reader: Words) -> Iterator[list[str]]:
    """What stands before the verb, each part with the small word behind it."""
    part: list[str] = []
    for at, word in enumerate(words):
        part.append(word.written)
        behind = words[at + 1] if at + 1 < len(words) else None
        held = behind is not None and (behind.roles & _HELD or _is(behind, "does", reader))
        if "of" not in word.roles and not held:
            yield part
            part = []
    if part:
        yield part


def _asked(part: Sequence[str], place: int, words: Sequence[Word], verb: int, reader: Words) -> str:
    """What is asked for in the place of a part; empty where that is not sure."""
    last = next(word for word in words if word.written == part[-1])
    if any(_is(word, "time", reader) for word in part) or part[0].isdecimal():
        return "when"
    if place and "in" in last.roles:
        return "where"
    if not place:
        if _is(part[-1], "does", reader):
            return "who did" if _is_somebody(part[:-1], reader) else ""
        return "who" if len(part) == 1 and not last.roles and _is_somebody(part, reader) else ""
    is_last = words[verb - 1].written == part[-1]
    if not is_last or last.roles:
        return ""
    return "where" if any(_is(word, "goes", reader) for word in words[verb:]) else "what"


def _is_somebody(part: Sequence[str], reader: Words) -> bool:
    """Whether it is a name."""
    name = part[-1]
    return len(part) == 1 and not any(map(is_known_word, (name, reader.languages.english(name))))


def _told(part: Sequence[str], asked: str) -> Sequence[str]:
    return part[:-1] if asked == "who did" else part


def _plain(words: Sequence[Word]) -> list[str]:
    return [word.written for word in words]


def _written(parts: Sequence[Sequence[str]] | Sequence[str]) -> str:
    words = [word for part in parts for word in ([part] if isinstance(part, str) else part)]
    text = " ".join(words)
    return text[:1].upper() + text[1:] + "?"
