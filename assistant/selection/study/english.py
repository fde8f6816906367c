"""A simple English sentence turned into the questions that it answers: who, what, where, when, why. Pure.

The king lived in a castle.     Who lived in a castle?      The king
                                Where did the king live?    in a castle
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from assistant.language.lexicon import lexicon
from assistant.reasoning.triples.forms import third_person
from assistant.reasoning.words import english_forms, is_noun
from assistant.selection.study.words import pasts, words_for

_UNREAD = re.compile(r"""["“”„()\[\]!?]|\B['’]|['’]\B|n['’]t\b|\b(?:if|unless|whether|neither|nor)\b""")
_CLAUSES = re.compile(r"[;:—–]\s*|,? \.{2,} |, (?=(?:and|but|so) )")
_RELATIVE = re.compile(r",? \b(?:which|who|whose|whom|that)\b.*")
_REASON = re.compile(r",? (?=(?:because|so that|in order to) )")
_CONNECTED = re.compile(r"^(?:and|but|so|then|now|however),? (?=\w)", re.IGNORECASE)
_LONGEST, _FEWEST = 30, 3  # words
_LONGEST_SUBJECT = 6
_YEAR = re.compile(r"\d{3,4}s?")


def _is(word: str, what: str) -> bool:
    return word.lower() in words_for(what, "english")


@dataclass(frozen=True, slots=True)
class _Clause:
    """What a sentence says."""

    subject: Sequence[str]
    helper: str  # was, had, could; empty where the verb has its own form
    verb: str  # as it is written; empty behind a helper that is the verb
    what: Sequence[str]  # its object, or what something is
    places: Sequence[Sequence[str]]  # in their order, those of other kinds too
    reason: str = ""
    moment: str = ""  # a clause before it

    @property
    def rest(self) -> list[str]:
        """All behind the verb."""
        return [*self.what, *(word for place in self.places for word in place)]

    def without(self, place: Sequence[str]) -> _Clause:
        """The same less something that stands behind the verb."""
        return replace(self, places=[one for one in self.places if one is not place])


def english_questions(sentence: str) -> Iterator[tuple[str, str]]:
    """Each with its answer in the words of the sentence; none of one that is not simple."""
    text = " ".join(sentence.split()).rstrip(".!")
    if _UNREAD.search(text) or sentence.rstrip().endswith("?"):
        return
    clauses = [clause for part in _CLAUSES.split(text) if (clause := _read(part))]
    told = dict(chain.from_iterable(map(_questions, clauses)))
    yield from ((question[:1].upper() + question[1:] + "?", answer) for question, answer in told.items())


def _questions(clause: _Clause) -> Iterator[tuple[str, str]]:
    subject, rest = " ".join(clause.subject), " ".join(clause.rest)
    if clause.reason:
        yield _asked("why", clause), clause.reason
    for place in clause.places:
        if asks := _asks_of(place, clause):
            yield _asked(asks, clause.without(place)), " ".join(place)
    if clause.moment:
        yield _asked("when", replace(clause, moment="")), clause.moment
    what = " ".join(clause.what)
    is_kind = bool(what) and not clause.verb  # what something is
    if what and _is_thing(clause.what):
        who = "who" if _is_person(clause.what) else "what"
        yield _asked(who, replace(clause, what=())), what
    if not _is(clause.subject[0], "pronoun") and not (is_kind and clause.what[0] in {"a", "an"}):
        who = "who" if _is_person(clause.what if is_kind else clause.subject) else "what"
        said = " ".join(
            filter(None, (_singular(clause.helper), clause.verb if clause.helper else _singular(clause.verb), rest))
        )
        if said != _singular(clause.helper):
            yield f"{who} {said}", subject
    if clause.verb and not clause.helper and rest:
        moment = f" {clause.moment}" if clause.moment else ""
        yield f"what {_did(clause)} {subject} do{moment}", f"{clause.verb} {rest}"


def _asked(asks: str, clause: _Clause) -> str:
    """The question about what the clause lacks: the verb, or what helps it, before the subject."""
    verb = clause.verb if clause.helper or not clause.verb else _base(clause.verb) or clause.verb
    first = clause.helper or _did(clause)
    return " ".join([asks, first, *clause.subject, *([verb] if verb else []), *clause.rest])


def _did(clause: _Clause) -> str:
    if clause.verb in pasts() or not clause.verb.endswith("s"):
        return "do" if _base(clause.verb) in {"", clause.verb} and clause.verb not in pasts() else "did"
    return "does"


def _read(text: str) -> _Clause | None:
    main, *reasons = _REASON.split(_CONNECTED.sub("", text), maxsplit=1)
    moment, main = _opening(main)
    main = _RELATIVE.sub("", main)
    words = [word for word in re.split(r"\s+|(?=,)", main) if word]
    if words and words[0] != "I" and (is_usual := lexicon().find(words[0])) and not _is_name(words, is_usual.text):
        words[0] = words[0].lower()
    if not _FEWEST <= len(words) <= _LONGEST:
        return None
    at = _verb_at(words)
    if at is None or not _is_subject(words[:at]):
        return None
    return _clause(words, at, " ".join(reasons), moment)


def _is_name(words: Sequence[str], first: str) -> bool:
    """Whether a word that is also a usual one is the first of a name: "Snow White"."""
    return words[1:2] != [] and words[1][:1].isupper() and not _is(first, "determiner")


def _opening(text: str) -> tuple[str, str]:
    """A clause of time before what is said, and the rest."""
    first, comma, rest = text.partition(", ")
    words = first.split()
    if not comma or not words:
        return "", text
    if _is(words[0], "opening") or (_is(words[0], "moment") and _is_time(words)):
        return first[:1].lower() + first[1:], rest
    return "", text


def _verb_at(words: Sequence[str]) -> int | None:
    """The place of the verb, or of the first word that helps it."""
    for at in range(1, min(len(words), _LONGEST_SUBJECT + 2)):
        word = words[at]
        if word == ",":
            return None
        if any(_is(word, what) for what in ("be", "have", "modal")):
            return at
        before = words[at - 1]
        is_behind = (
            _is(words[0], "pronoun") or before[:1].isupper() or (is_noun(before) and not _is(before, "determiner"))
        )
        is_bare = at == 1 and before.endswith("s") and bool(third_person(word))
        if is_behind and word.islower() and not _is(word, "other") and (is_bare or _base(word)):
            return at
    return None


def _base(verb: str) -> str:
    """The base of a verb that somebody does or did; empty where a word is none."""
    if base := pasts().get(verb):
        return base
    record = lexicon().find(verb)
    if record and record.base and "v" in record.parts:
        return record.base
    if verb.endswith("s") and third_person(verb):
        return next((form for form in sorted(english_forms(verb), key=len) if form != verb and third_person(form)), "")
    if verb.endswith("ed"):
        return next((form for form in sorted(english_forms(verb), key=len) if form != verb and third_person(form)), "")
    return verb if record and record.parts[:1] == "v" and third_person(verb) else ""


def _is_subject(words: Sequence[str]) -> bool:
    while words and (_is(words[-1], "before") or words[-1].endswith("ly")):
        words = words[:-1]
    if not words or len(words) > _LONGEST_SUBJECT or "," in words or any(_is(word, "vague") for word in words):
        return False
    if any(_is(word, "pronoun") for word in words[1:]) or _is(words[-1], "time") or words[-1] in {"and", "of"}:
        return False
    is_led = _is(words[0], "determiner") or _is(words[0], "pronoun") or words[0][:1].isupper()
    is_led = is_led or words[0].endswith("s") or (len(words) == 1 and is_noun(words[0]))
    return is_led and not any(_is(word, "place") or _is(word, "other") for word in words if word not in {"of", "and"})


def _clause(words: Sequence[str], at: int, reason: str, moment: str) -> _Clause | None:
    subject, helper, verb = list(words[:at]), "", words[at]
    while len(subject) > 1 and (_is(subject[-1], "before") or subject[-1].endswith("ly")):
        subject.pop()
    behind = list(words[at + 1 :])
    if "not" in behind[:2] or "n't" in verb:
        return None
    if any(_is(verb, what) for what in ("be", "have", "modal")):
        is_part = bool(behind) and _is_done(behind[0], helper=verb)
        if _is(verb, "have") and not is_part:
            verb = {"had": "had", "has": "has"}.get(verb, verb)
        else:
            helper, verb = verb, behind.pop(0) if is_part else ""
        if helper and _is(helper, "modal") and not verb:
            return None
    return _parted(_Clause(subject, helper, verb, (), (), reason, moment), behind)


def _is_done(word: str, helper: str) -> bool:
    """Whether a word goes on with what helps a verb: was found, had gone, could see."""
    record = lexicon().find(word)
    if _is(helper, "modal"):
        return bool(third_person(word))
    is_form = word in pasts() or (
        not word.endswith("s") and record is not None and bool(record.base) and "v" in record.parts
    )
    return is_form or (word.endswith(("ing", "ed", "en")) and any(map(third_person, english_forms(word))))


def _parted(clause: _Clause, behind: Sequence[str]) -> _Clause | None:
    """With what stands behind the verb: up to a further clause."""
    parts: list[list[str]] = [[]]
    for place, word in enumerate(behind):
        ends = word == "," or word in {"but", "while", "when", "as", "if", "until", "before", "after", "so", "than"}
        goes_on = behind[place + 1] if place + 1 < len(behind) else ""
        if ends or (
            word in {"and", "or", "to"} and (_base(goes_on) or _is(goes_on, "vague") or _is(goes_on, "pronoun"))
        ):
            break
        if (_is(word, "place") or word in {"with", "for", "by", "about", "during", "like"}) and word != "of":
            parts.append([])
        parts[-1].append(word)
    what, *places = parts
    if not what and not places and not clause.reason and not clause.moment:
        return None
    return replace(clause, what=what, places=[place for place in places if len(place) > 1])


def _asks_of(place: Sequence[str], clause: _Clause) -> str:
    """Whether words behind a verb say where or when; empty where they say neither."""
    if _is(place[0], "moment") and _is_time(place):
        return "when"
    is_no_place = any(_is(word, "no_place") or word.isdecimal() for word in place[1:])
    is_person = _is(place[-1], "person") or (
        place[0] not in {"in", "at", "into", "from", "through"} and _is_person(place[1:])
    )
    is_of_thing = bool(clause.what) and _is(place[0], "of_thing")
    return "where" if _is(place[0], "place") and not (is_no_place or is_person or is_of_thing) else ""


def _is_time(words: Sequence[str]) -> bool:
    return any(_is(word, "time") or _YEAR.fullmatch(word) for word in words)


def _is_thing(words: Sequence[str]) -> bool:
    """Whether words name something: no adverb, and no word for what it is like, or that only points at it."""
    last = words[-1]
    record = lexicon().find(last)
    is_like = record is not None and record.parts[:1] in {"a", "r"} and not last[:1].isupper()
    points = any(_is(words[0], what) for what in ("vague", "before")) or last in {"him", "her", "them"}
    return is_noun(last) and not is_like and not points


def _is_person(words: Sequence[str]) -> bool:
    if "of" in words:
        words = words[: words.index("of")]
    if not words:
        return False
    is_name = words[-1][:1].isupper() and not _is_time(words) and not _is(words[0], "determiner")
    return is_name or _is(words[-1], "person") or _is(words[0], "pronoun")


def _singular(verb: str) -> str:
    """As it stands behind who or what."""
    changed = {"are": "is", "were": "was", "have": "has"}
    if verb in changed or _is(verb, "modal"):
        return changed.get(verb, verb)
    return third_person(verb) if verb and _base(verb) in {"", verb} and verb not in pasts() else verb
