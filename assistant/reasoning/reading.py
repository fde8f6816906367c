"""Parse simple sentences: remove function words, and keep content words in order.

    my manager's wife is Priya      I manager wife | Priya
    the wife of my manager          I manager wife
    mera bhai Pune mein rehta hai   I bhai | Pune rehta

An owner precedes the owned thing. English has the subject before the verb, and "in" before a place; Hindi and Punjabi
have the verb last, and "in" after the place. `data/words.toml` has the roles and signs of words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon

ENGLISH, INDIC = "english", "indic"
ME, WE, YOU = "#me", "#we", "#you"
"""Keys of the speaker, and of the addressee."""
PERSONS = {"me": ME, "we": WE, "you": YOU}  # roles of the words for them
SPEAKERS = {ME: "I", WE: "we"}  # the speaker in triples
OWNS = "\u02bcs"  # the possessive 's as a separate word
STEM_MARKS = "-|"  # at the end of a key that is a stem
SYNONYMS = "="  # between the words of a key for two synonyms
LONGEST = 300  # characters of a sentence
OF_CHANGE = frozenset({"stays", "moves", "helping"})
"""Signs of words that are neither topic nor value: "lives", "moved"."""
_CACHED = 8_192
_OPEN = ("who", "where", "when", "amount", "why", "how", "what")
_VERBS = ("has", "is", "can", "does")
_MOST = 16  # parts
_AS_WORDS = (
    (re.compile(r"(?<=\w)['’]s\b|(?<=s)['’](?=\s)"), f" {OWNS}"),
    (re.compile(r"\b[iI]['’]?m\b"), "I am"),
    (re.compile(r"(?<=\w)['’]ve\b"), " have"),
    (re.compile(r"\bwent (?:up|down)\b"), "increased"),
    (re.compile(r"(?<=\w )(?<!is )(?<!are )(?<!have )(?<!has )no\.?(?= (?:is|was|hai|aa|ae)\b| \d)"), "number"),
)
_ASKS_BACK = re.compile(r"(?<!\bthe)(?<!\bis) (?:right|yeah|correct|na|naa|ਨਾ|ना|न)\W*\Z")
_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
_VERB_ENDS = (  # finite ending, infinitive ending
    (re.compile(r"(?<=..)(?:nd|t|d)[aie]\Z"), "na"),
    (re.compile(r"(?<=..)[तद][ाीे]\Z"), "ना"),
    (re.compile(r"(?<=..)[ੰਂ]ਦ[ਾੀੇ]\Z"), "ਣਾ"),
    (re.compile(r"(?<=..)ਦ[ਾੀੇ]\Z"), "ਨਾ"),
)


@dataclass(frozen=True, slots=True)
class SentenceWord:
    written: str  # without punctuation
    roles: frozenset[str] = frozenset()  # as named in the data; empty for a content word
    signs: frozenset[str] = frozenset()  # features of meaning, such as time and place
    keys: frozenset[str] = frozenset()
    glosses: frozenset[str] = frozenset()  # English translations
    counts: bool = False  # a number
    named: bool = False  # written like a name

    @property
    def is_name(self) -> bool:
        """Return True if it is a name, a number or no known word; names in other scripts are often words, too."""
        known = self.keys | self.glosses if self.written.isascii() else self.keys
        return self.named or self.counts or not any(map(lexicon().find, known))

    @property
    def is_verb(self) -> bool:
        """Return True if a Hindi or Punjabi word is a finite verb: "rehta", "pinda"."""
        is_form = not self.named and infinitive(self.written) != self.written
        return is_form and any("v" in parts_of_speech(gloss) for gloss in self.glosses)


class Words:
    """Tokenizer of sentences. `read` returns the words of a sentence."""

    def __init__(self, languages: Languages) -> None:
        self.languages = languages
        self._roles = {ENGLISH: _by_word(ENGLISH, str), INDIC: _by_word(INDIC, languages.fold)}
        self._signs = {ENGLISH: _by_word("english_signs", str), INDIC: _by_word("indic_signs", languages.fold)}
        self.lead_in = re.compile(rf"\A(?:{_table()['lead_ins']['english']})\b", re.IGNORECASE)
        self.read = lru_cache(maxsize=_CACHED)(self._read)

    def language(self, text: str) -> str:
        """Return the language of the function words: ENGLISH, or INDIC for Hindi and Punjabi."""
        words = {word.lower().replace("’", "'").removesuffix("'s").replace("'", "") for word in words_in(text)}
        english = {word for word in words if self._find(self._roles, word, ENGLISH)}
        indic = {word for word in words - english if self._find(self._roles, word, INDIC)}
        is_english = len(english) > len(indic) or (len(english) == len(indic) and self.languages.language(text) == "en")
        return ENGLISH if is_english else INDIC

    def spoken(self, text: str) -> str:
        """Return the language code for the answer to a text: "en", "hi" or "pa"."""
        spoken = self.languages.language(text)
        return "en" if self.language(text) == ENGLISH else "hi" if spoken == "en" else spoken

    def mirrored(self, text: str) -> str:
        """Swap first and second person: "my dog" becomes "your dog"."""
        table = _table()["mirrored"] | (_table()["mirrored_in_punjabi"] if self.spoken(text) == "pa" else {})
        language, words = self.language(text), text.split()
        for at, word in enumerate(words):
            other = table.get(word.lower(), "")
            if other and "in" not in self._find(self._roles, word.lower(), language):  # "me" is "in" in Hindi
                words[at] = other.capitalize() if word[:1].isupper() and len(word) > 1 else other
        return " ".join(words)

    def _read(self, text: str) -> tuple[SentenceWord, ...]:
        language, text = self.language(text), text[:LONGEST]
        for pattern, words_for in _AS_WORDS:
            text = pattern.sub(words_for, text)
        words = [written for written in words_in(text) if any(map(str.isalnum, written))]
        for at in range(len(words) - 1, 0, -1):
            if self._find(self._roles, pair := f"{words[at - 1]} {words[at]}".lower(), language):
                words[at - 1 : at + 1] = [pair]  # "no longer" is one
        return tuple(self._word(words, at, language) for at in range(len(words)))

    def _word(self, words: Sequence[str], at: int, language: str) -> SentenceWord:
        written, last = words[at], len(words) - 1
        plain = written.lower().replace("’", "'")
        is_name = language == INDIC and written[:1].isupper() and at > 0  # "mera dost Veer hai"
        plain = plain if is_name else self._same(plain, language)
        roles = self._find(self._roles, plain.replace("'", ""), language)
        signs = self._find(self._signs, plain, language)
        if "closing" in roles:  # a Punjabi word for "is", before another verb for "come"
            rest = words[at + 1].lower() if at < last else ""
            leads = self._find(self._roles, rest, language) & {"does", "can"} or self._find(self._signs, rest, language)
            roles = roles - {"closing"} if rest and leads else frozenset({"is"})
        if "tell" in roles and 0 < at < last - 1:  # "das" is also "ten"
            roles = frozenset()
        if roles:
            keys = frozenset(key for role, key in PERSONS.items() if role in roles)
            return SentenceWord(written, roles, signs - {"helping"}, keys)
        folded = self.languages.fold(plain)
        keys = english_forms(plain if plain.isascii() else folded) | {plain, folded}
        english, glosses = self.languages.english(plain).lower().split(), frozenset[str]()
        if language == INDIC:
            keys |= _stems(folded)
            glosses = frozenset(form for one in english if one != plain for form in english_forms(one))
        is_number = "numbers" in signs | self._signs[ENGLISH].get("".join(english[:1]) or plain, frozenset())
        keys |= _synonyms(plain) if language == ENGLISH and not written[:1].isupper() else frozenset()
        counts = plain[:1].isdecimal() or (is_number and at < last)  # "do" is "two", but "give" at the end
        named = written[:1].isupper() and bool(at or not (glosses or any(map(lexicon().find, english_forms(plain)))))
        return SentenceWord(written, roles, signs, keys, glosses, counts, named)

    def _same(self, word: str, language: str) -> str:
        """Return the usual word for another one for the same: "dad" is "father"."""
        same = _table()["same"]
        if language == INDIC and word not in same and not self._find(self._roles, word, INDIC):
            return _same_words(self.languages.fold).get(self.languages.fold(word), word)
        return same.get(word) or same.get(word.removesuffix("s"), word)

    def _find(self, table: Mapping[str, Mapping[str, frozenset[str]]], word: str, language: str) -> frozenset[str]:
        return table[language].get(word if language == ENGLISH else self.languages.fold(word), frozenset())


@lru_cache(maxsize=_CACHED)
def english_forms(word: str) -> frozenset[str]:
    """Return a word with its possible base forms, by the lexicon and by rule: lives, live, life."""
    known = lexicon().find(word)
    found = {word, *([known.base] if known and known.base else [])}
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        found |= {word[:-1], *([word[:-2]] if word.removesuffix("es").endswith(_SIBILANTS) else [])}
    for ending in ("ing", "ed"):  # also of those that the lexicon has as nouns or adjectives: "playing", "parked"
        stem = word.removesuffix(ending)
        if stem != word:
            found |= {form for form in (stem, f"{stem}e") if (verb := lexicon().find(form)) and "v" in verb.parts}
    return frozenset(form for form in found if len(form) > 1 or form == word)


@lru_cache(maxsize=_CACHED)
def _synonyms(word: str) -> frozenset[str]:
    """Return a key for each word that is a synonym of this one, and this one of it: "begin" and "start"."""
    bases = [record for form in english_forms(word) if (record := lexicon().find(form)) and not record.base]
    pairs = ((base.text, other) for base in bases for other in base.synonyms)
    return frozenset(
        SYNONYMS.join(sorted((base, other))) for base, other in pairs
        if (record := lexicon().find(other)) and base in record.synonyms
    )  # fmt: skip


def parts_of_speech(written: str) -> str:
    """Return the possible parts of speech of an English word: n(oun), v(erb), a(djective), most common first."""
    return "".join(record.parts for form in english_forms(written.lower()) if (record := lexicon().find(form)))


def third_person(written: str) -> str:
    """Return the third person singular of an English verb; empty for other words and for the past tense."""
    word, known = written.lower(), lexicon().find(written)
    if word.endswith("s") and not word.endswith("ss"):
        return word if "v" in parts_of_speech(word) else ""
    if known is None or "v" not in known.parts or known.base not in {"", word}:
        return ""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return word + ("es" if word.endswith(_SIBILANTS) else "s")


def is_past(written: str) -> bool:
    """Return True for the past tense of an English verb: "parked", "bought"."""
    word = written.lower()
    is_form = not word.endswith(("s", "ing")) and any(
        "v" in parts_of_speech(one) for one in english_forms(word) - {word}
    )
    return is_form or word in _table()["english_signs"]["past"].split()


def infinitive(written: str) -> str:
    """Return the infinitive of a Hindi or Punjabi verb; the word itself if it has no ending of a verb."""
    for pattern, ending in _VERB_ENDS:
        if pattern.search(written.lower()):
            return pattern.sub(ending, written.lower())
    return written


def _stems(folded: str) -> set[str]:
    """Return the stems of a Hindi or Punjabi word, without endings of gender and number."""
    stems = {f"{folded}|"}
    for name, mark, fewest in (("vowels", "-", 2), ("all", "|", 3)):
        ends = sorted(_table()["endings"][name].split(), key=len, reverse=True)
        end = next((end for end in ends if folded.endswith(end) and len(folded) - len(end) >= fewest), "")
        stems |= {folded.removesuffix(end) + mark} if end else set()
    return stems


@cache
def _by_word(section: str, form: Callable[[str], str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, words in _table()[section].items():
        for word in words.split():
            found.setdefault(form(word.replace("_", " ")), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


@cache
def _same_words(form: Callable[[str], str]) -> Mapping[str, str]:
    return {form(word): usual for word, usual in _table()["same"].items()}


@cache
def _table() -> Mapping[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).with_name("data") / "words.toml").read_text(encoding="utf-8"))


class Asks(StrEnum):
    NOTHING = ""  # a statement
    WHETHER = "whether"
    WHO = "who"
    WHAT = "what"
    WHERE = "where"
    WHEN = "when"
    AMOUNT = "amount"
    HOW = "how"
    WHY = "why"


@dataclass(frozen=True, slots=True)
class Part:
    """A content word, or a personal pronoun."""

    word: SentenceWord
    at: int  # index among the words
    owned: bool = False  # by the part before it
    in_place: bool = False  # a place: Pune of "in Pune"
    is_person: bool = False  # the speaker, or the addressee


@dataclass(eq=False, slots=True)
class Sentence:
    """A text parsed as one sentence."""

    words: Sequence[SentenceWord]
    is_english: bool
    parts: list[Part] = field(default_factory=list)
    split: int = 0  # number of parts of the subject
    kinds: list[Part] = field(default_factory=list)  # the word "name", which facts may leave out
    asks: Asks = Asks.NOTHING
    verbs: list[str] = field(default_factory=list)  # auxiliary verbs: is, can, has, does
    negative: bool = False
    some: bool = False  # about some of a kind only
    is_a: bool = False  # "is a dog": a kind, not a name
    of_name: bool = False  # states, or asks for, a name
    says_now: bool = False  # true from now on: "is now", "no longer", "my new manager is"

    @property
    def is_question(self) -> bool:
        return self.asks is not Asks.NOTHING

    @property
    def is_being(self) -> bool:
        """Return True if its only auxiliary verb is "is" (in Hindi and Punjabi also if it has none)."""
        return {*self.verbs} <= {"is"} and (bool(self.verbs) or not self.is_english)

    @property
    def has_verb(self) -> bool:
        """Return True if a text has a subject, a verb and something else."""
        if self.is_english:
            return 0 < self.split < len(self.parts)
        words = self.words[:-1] if self.words and "owner" in self.words[-1].roles else self.words  # "18500 aa meri"
        if not words or len(self.parts) < 2 or (self.parts[0].word.counts and not any(p.owned for p in self.parts)):
            return False  # "10 december ko hai" lacks its subject
        return bool(words[-1].roles & {"is", "can"} or words[-1].is_verb or "stays" in words[-1].signs)

    @property
    def subject(self) -> Sequence[Part]:
        return self.parts[: self.split]

    @property
    def rest(self) -> Sequence[Part]:
        return self.parts[self.split :]

    @property
    def signs(self) -> set[str]:
        return {sign for word in self.words for sign in word.signs}

    @property
    def value(self) -> Sequence[Part]:
        """Return the parts of the predicate that are the value, without a verb: Pune of "Pune mein rehta"."""
        begins = int(self.is_english and not self.verbs)  # behind the main verb
        rest = self.rest[begins:]
        if not self.is_english:
            rest = [part for part in rest if part.word.signs.isdisjoint(OF_CHANGE)] or rest
        runs = runs_of(rest, self.words) or [[]]
        if self.is_english:
            return runs[-1]
        value = next((run for run in runs if run and run[-1].in_place), runs[0])
        is_whole = any(part.word.counts or part.in_place or part.is_person for part in value)
        return value if is_whole or any(part.owned for part in self.subject) else value[:1]  # "mujhe chai pasand"

    def written(self, parts: Sequence[Part]) -> str:
        """Return the words from the first of these parts to the last."""
        places = [part.at for part in parts]
        words = self.words[min(places) : max(places) + 1] if places else ()
        return " ".join(word.written for word in words).replace(f" {OWNS}", "'s")


def runs_of(parts: Sequence[Part], words: Sequence[SentenceWord]) -> list[list[Part]]:
    """Group parts that are adjacent, or separated only by an article or a possessive."""
    runs: list[list[Part]] = []
    for part in parts:
        last = runs[-1][-1] if runs else part
        between = words[min(last.at, part.at) + 1 : max(last.at, part.at)]
        if runs and last.in_place is part.in_place and all(word.roles & {"article", "owns", "of"} for word in between):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def read_sentence(text: str, words: Words) -> Sentence:
    """Parse a text as one sentence. One of function words only has no parts."""
    rest = words.lead_in.sub("", text)  # "do you know where"
    said = _Reader(rest, words).read()
    if not said.asks and ("?" in text or rest != text or _ASKS_BACK.search(text)):
        said.asks = Asks.WHETHER
    for at, (before, part) in enumerate(pairwise(said.parts), 1):
        is_told = part.owned and not before.is_person and len(said.parts) > at + 1
        if "name" in part.word.keys | part.word.glosses and (said.asks or is_told):
            # "My manager's name is Dana" is "my manager is Dana".
            said.kinds.append(said.parts.pop(at))
            said.of_name, said.split = True, said.split - (at < said.split)
            break
    del said.parts[_MOST:]
    said.split = min(said.split, len(said.parts))
    return said


class _Reader:
    """Parser of a sentence, word by word."""

    def __init__(self, text: str, words: Words) -> None:
        read, is_english = words.read(text), words.language(text) == ENGLISH
        self.said = Sentence([word for word in read if "filler" not in word.roles], is_english)
        self.said.says_now = any("now" in word.roles for word in read)
        self.said.asks = (
            Asks.WHAT if not is_english and any("tell" in word.roles for word in read[-2:]) else Asks.NOTHING
        )
        self.is_punjabi = words.spoken(text) == "pa"
        self.is_owned = self.in_place = self.is_kind = False  # the next part
        self.begin = 0  # start of the current group of parts
        self.waiting: list[Part] = []  # for their owner: the wife of …

    def read(self) -> Sentence:
        said = self.said
        for at, word in enumerate(said.words):
            is_twice = word.written.lower() == said.words[at - 1].written.lower() and at > 0  # "nahi nahi"
            said.negative ^= not (is_twice or word.roles.isdisjoint(("no", "not")))
            if word.roles:
                self._read_function_word(word, at)
            else:
                self._read_content_word(word, at)
            self.is_kind &= not word.roles or not word.roles.isdisjoint(_OPEN)
        self._close()
        for run in runs_of(said.parts, said.words):
            is_time = any("time" in part.word.signs for part in run) or all(part.word.counts for part in run)
            if is_time:  # "on 4 March" and "at 6" are not places
                said.parts = [replace(part, in_place=part.in_place and part not in run) for part in said.parts]
        if not said.split:
            of_owner = (at for at, part in enumerate(said.parts) if at and not part.owned)
            said.split = _verb_at(said) if said.is_english else next(of_owner, len(said.parts))
        return said

    def _read_content_word(self, word: SentenceWord, at: int) -> None:
        if self.is_kind:  # city of "which city"
            return
        if self.is_owned and "new" in word.signs:  # mine from now on
            self.said.says_now = True
        else:
            self.said.parts.append(Part(word, at, self.is_owned, self.in_place))
            self.is_owned = False

    def _read_function_word(self, word: SentenceWord, at: int) -> None:
        said, roles = self.said, word.roles
        # "ki" is "what" in Punjabi, and before a verb, but not in "9 saal ki hai".
        is_before_verb = any(one.roles & {*_VERBS} for one in said.words[at + 1 : at + 2])
        counts = any(part.word.counts for part in said.parts)
        is_what = "what" in roles and (self.is_punjabi or (is_before_verb and not counts))
        if not roles.isdisjoint(_OPEN) and not ("owns" in roles and said.parts and not is_what):
            # In Hindi, "what" at either end marks a yes-or-no question.
            is_whether = "whether" in roles and at in {0, len(said.words) - 1}
            asks = Asks(next(role for role in _OPEN if role in roles))
            said.asks = (said.asks or Asks.WHETHER) if is_whether else asks
            self.is_kind |= "which" in roles
        elif not roles.isdisjoint(_VERBS):
            said.verbs.append(next(role for role in _VERBS if role in roles))
            if said.is_english:
                self._close()
                said.split = said.split or len(said.parts)
                said.asks = said.asks or (Asks.NOTHING if at or len(said.words) == 1 else Asks.WHETHER)
            self.is_owned = False
        elif "owns" in roles:
            said.verbs += [] if said.parts else ["is"]  # who's
            self.is_owned = bool(said.parts)
        elif ("in" in roles and (said.parts or said.is_english)) or ("towards" in word.signs and self._moves(at)):
            self._read_in()
        elif not roles.isdisjoint(PERSONS):
            self.is_owned = "owner" in roles
            said.parts.append(Part(word, at, is_person=True))
        elif "article" in roles:
            said.is_a |= "kind" in roles and bool(said.verbs if said.is_english else said.parts)
            if said.verbs or not said.is_english:
                said.split = said.split or len(said.parts)
                self.begin = max(self.begin, said.split)
        elif "some" in roles or ("all" in roles and said.negative):
            said.some |= not said.parts
        elif "of" in roles:
            self.waiting, said.parts[self.begin :] = [*said.parts[self.begin :], *self.waiting], []

    def _moves(self, at: int) -> bool:
        """Return True if a word for a move precedes an English "to": "I moved my bag to the safe"."""
        return any("moves" in word.signs for word in self.said.words[:at])

    def _read_in(self) -> None:
        """Parse "in", before a place in English, after it in other languages."""
        if self.said.is_english:
            self._close()
            self.in_place = True
        else:
            first, parts = len(self.said.parts) - 1, self.said.parts
            while first > 1 and parts[first - 1].word.named and parts[first].at == parts[first - 1].at + 1:
                first -= 1  # names of several words
            parts[first:] = [replace(part, in_place=True) for part in parts[first:]]
        self.is_owned = False

    def _close(self) -> None:
        """End a group of parts, and append the parts that wait for their owner."""
        parts = self.said.parts
        if self.waiting and len(parts) > self.begin:
            parts += [replace(part, owned=True) for part in self.waiting]
            self.waiting = []
        self.begin, self.is_owned, self.in_place = len(parts), False, False


def _verb_at(said: Sentence) -> int:
    """Return the index of the verb of an English statement among its parts, by agreement; 0 if there is none."""
    first = lexicon().find(said.words[0].written) if said.words else None
    if first and first.parts[:1] == "v" and not (said.asks or "moves" in said.signs):
        return 0  # a command
    for at, part in enumerate(said.parts):
        verb, subject = part.word.written.lower(), said.parts[at - 1]
        is_verb = at and not (part.owned or part.word.named or subject.word.counts)
        is_many = subject.is_person or subject.word.written.lower().endswith("s")
        agrees = third_person(verb) and (is_many or third_person(verb) == verb)
        if is_verb and (agrees or part.word.signs & {"moves", "leaves"} or is_past(verb)):
            return at
    return 0
