"""Finds what a question asks about: a word as a rule, or letters, a phrase, a number.

In brackets or quotes it is marked. A clarification may tell: it repeats the question but for that word ("by take for a
walk I mean …"), or the earlier question that it was said about differs in that word only. Else it is the likeliest:
what is no part of how people ask, and stands next to a preposition (English) or postposition (Hindi, Punjabi).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from assistant.feedback.telling import fillers
from assistant.language.asked_word import differing_places, marked_words, told_places, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.prompt_reader import PromptQuestion

_ARTICLES = frozenset({"a", "an", "the"})
_OWNS = "'s"
_PART_OF_ASKING, _SELDOM, _UNLIKELY, _LIKELY = 0, 1, 2, 3
_BESIDE_LINK, _AFTER_ASKING, _LEAST = 2, 3, 2
_ASKS = frozenset({"question", "request"})
_EDGES = " ?!.,:"
_SHORT = 2  # letters
_PERSON, _ENGLISH = "person", "en"
PLACE = "it"  # what stands for the thing asked about
_ADVERB = "r"  # alone, as the lexicon has it: alongside
_LINK, _CONTENT, _COMMON, _LIGHT = "link", "content", "common", "light"
_ANY_KIND = frozenset({_LIGHT, _COMMON, _CONTENT})
_ONLY_ASKS = frozenset({_LIGHT, "request"})


@dataclass(frozen=True, slots=True)
class SubjectFinder:
    """See the module."""

    languages: Languages
    definitions: Collection[str] = field(default=frozenset())  # the words, folded, with which tasks are explained

    def find(self, asked: PromptQuestion, phrasing: Collection[str], frames: Iterable[str]) -> list[str]:
        """What a question may ask about, the likeliest first; none where it asks about no word.

        It is not one of the words with which the examples ask (`phrasing`, folded), unless there is no other. `frames`
        are how examples ask, with `PLACE` for the word.
        """
        if marked := marked_words(asked.question):
            return marked[:1]
        words = [word.casefold() for word in words_in(asked.question)]
        twice = [word for word in words if words.count(word) > 1 and lexicon().find(word) and len(word) > _SHORT]
        if twice and not any(
            self._kind(word) == _CONTENT for word in words if word != twice[0]
        ):  # "what does mean mean"
            return twice[:1]
        if framed := next(filter(None, (_framed(asked.question, frame) for frame in frames)), ""):
            return [framed]
        if told := self._told(asked):
            return [told]
        return self.likeliest(asked.question, phrasing) or self.likeliest(asked.question, ())

    def likeliest(self, question: str, phrasing: Collection[str]) -> list[str]:
        """The words that by themselves may be asked about, the likeliest first."""
        words, scores = self._scored(question, phrasing)
        places = range(len(words))
        order = places[::-1] if self.languages.language(question) == _ENGLISH else places
        # With "capitals" tasks are explained: of "write dog in capitals" the dog is likelier.
        explains = [word in self.definitions for word in self.folded(words)]
        best = sorted((at for at in order if scores[at] >= _LEAST), key=lambda at: (-scores[at], explains[at]))
        rest = (at for at in order if self._kind(words[at]) in _ANY_KIND and words[at].lower() not in _ARTICLES)
        found = [words[at] for at in dict.fromkeys((*best, *rest))]
        return [word for word in found if word.casefold() not in fillers()] or found

    def asks(self, text: str, phrasing: Collection[str]) -> bool:
        """Whether a text most likely asks about a word, rather than only explain a task."""
        words, scores = self._scored(text, phrasing)
        return any(score >= _LIKELY and self._alone(word) > _SELDOM for word, score in zip(words, scores, strict=True))

    def is_linked(self, text: str, word: str) -> bool:
        """Return True if a word stands in a text beside one that links it to a task: "plural of cactus"."""
        words, scores = self._scored(text, ())
        return any(score >= _LIKELY + _BESIDE_LINK for one, score in zip(words, scores, strict=True) if one == word)

    def _scored(self, question: str, phrasing: Collection[str]) -> tuple[list[str], list[int]]:
        words = [part for word in words_in(question) for part in self._parts(word)]
        is_english = self.languages.language(question) == _ENGLISH
        return words, [self._score(words, at, phrasing, is_english=is_english) for at in range(len(words))]

    def phrase(self, question: str, word: str) -> str:
        """The words around one that belong to it: what is asked about where that is a phrase."""
        words = words_in(question)
        if word not in words:
            return word
        first = last = words.index(word)
        while first > 0 and self._weight(words[first - 1], ()) in {_LIKELY, _UNLIKELY}:
            first -= 1
        while last + 1 < len(words):
            last += 1
        return " ".join(words[first : last + 1])

    def folded(self, words: Iterable[str]) -> tuple[str, ...]:
        """Words in the form in which they are compared."""
        return tuple(self.languages.fold(word) for word in words)

    def _score(self, words: Sequence[str], at: int, phrasing: Collection[str], *, is_english: bool) -> int:
        word = words[at]
        score = self._weight(word, phrasing)
        if word.lower() in _ARTICLES or not any(map(str.isalnum, word)):
            return 0
        if is_english:
            score += self._score_in_english(words, at) if score or self._is_noun(word) else 0
        elif at + 1 < len(words) and self._links(words[at + 1]):
            score += _BESIDE_LINK
        return score

    def _score_in_english(self, words: Sequence[str], at: int) -> int:
        """By what stands before it, and a possessive after it."""
        before = [word for word in words[:at] if word.lower() not in _ARTICLES]
        last = before[-1] if before else ""
        if self._kind(last) == _PERSON or last == _OWNS:  # neither "my boss" nor "hot's opposite"
            return -_LIKELY
        behind = lexicon().find(last)
        is_under = at == len(words) - 1 and behind and behind.parts in {"", _ADVERB}  # under, around, beyond
        if words[at + 1 : at + 2] == [_OWNS] or (last and self._links(last)) or is_under:
            return _BESIDE_LINK
        article = at > 0 and words[at - 1].lower() in _ARTICLES
        # "tell me a joke" asks for a thing, not about a word; "the opposite of a joke" asks about one.
        if article:
            return -1 if words[at - 1].lower() != "the" else 0
        if at > 1 and self._kind(words[at - 2]) in _ASKS:  # "what can … do", but not "what is linked to …"
            is_helper = self._kind(last) in {_LIGHT, _COMMON} and behind and behind.base != "be"
            return _AFTER_ASKING if is_helper and behind and behind.parts[:1] in {"", "v", "n"} else 0
        return _AFTER_ASKING if at == 1 and behind and "v" in behind.parts else 0  # "take … for a walk"

    def _weight(self, word: str, phrasing: Collection[str]) -> int:
        """How likely a word is asked about, by itself."""
        folded = self.languages.fold(word)
        kind = self._kind(word)
        if folded in phrasing or kind not in {_CONTENT, _COMMON}:
            return _PART_OF_ASKING
        known, english = lexicon().find(word), self.languages.english(word)
        if all(map(self._is_function, english.split())):
            return _PART_OF_ASKING
        if kind == _COMMON or folded in self.definitions or word.isdecimal():
            return _SELDOM
        if known and known.parts == _ADVERB:
            return _UNLIKELY
        return _LIKELY if known or english == word else _UNLIKELY

    def _is_noun(self, word: str) -> bool:
        """Whether a light word may be asked about, where its place tells so: hello, thanks."""
        known = lexicon().find(word)
        return known is not None and known.parts == "n" and self._kind(word) == _LIGHT

    def _parts(self, word: str) -> list[str]:
        """Two of "hot's", one of "what's"."""
        owner = word.replace("’", "'").removesuffix(_OWNS)
        return [word] if owner == word or self._kind(owner) not in {_CONTENT, _COMMON} else [owner, _OWNS]

    def _is_function(self, word: str) -> bool:
        """Whether an English word only holds others together, and has no part of speech: anything, whose, and."""
        known = lexicon().find(word)
        return known is not None and not known.parts and not known.base

    def _links(self, word: str) -> bool:
        """Whether a word can be a pre- or postposition, whatever else it is."""
        return any(_LINK in (each.kind, *(kind for kind, _ in each.groups)) for each in self.languages.words(word))

    def _alone(self, word: str) -> int:
        return self._weight(word, ())

    def _kind(self, word: str) -> str:
        return next((str(each.kind) for each in self.languages.words(word)), _LINK)

    def _told(self, asked: PromptQuestion) -> str | None:
        words = words_in(asked.question)
        question, asked_words = self.folded(words), {word.casefold() for word in words}
        for about, said in zip(asked.about, asked.said, strict=True):
            if quoted := next((word for word in marked_words(said) if word.casefold() in asked_words), ""):
                return quoted
            told = told_places([word.split() for word in question], self.languages.fold(said).split())
            if places := told or self._differing(words, words_in(about)):
                likely = self.likeliest(asked.question, ())
                named = [words[place] for place in places]
                best = next((word for word in likely if word in named), None) or max(named, key=self._alone)
                if self._alone(best) > _SELDOM or len(named) == 1:
                    return best
        return None

    def _differing(self, words: Sequence[str], about: Sequence[str]) -> range:
        """Where a question differs from an earlier one, unless it is only how it asks: "kya hai", "batao"."""
        question, earlier = self.folded(words), self.folded(about)
        places, others = differing_places(question, earlier), differing_places(earlier, question)
        differing = [*(words[at] for at in places), *(about[at] for at in others)]
        return range(0) if all(self._kind(word) in _ONLY_ASKS for word in differing) else places


def _framed(question: str, frame: str) -> str:
    """What stands in a question where an example, which asks in the same words, has its word."""
    before, place, after = f" {frame} ".partition(f" {PLACE} ")
    asked, before, after = question.strip(_EDGES), before.strip(_EDGES), after.strip(_EDGES)
    found = asked[len(before) : len(asked) - len(after)].strip(_EDGES)
    is_same = asked.casefold().startswith(before) and asked.casefold().endswith(after)
    first, _, rest = found.partition(" ")
    found = rest if first.lower() in _ARTICLES and " " not in rest else found
    return found if place and is_same and len(before.split()) + len(after.split()) > 1 else ""
