"""Answers from the lexicon: relations, forms, a definition, a sentence; and word sense disambiguation."""

from __future__ import annotations

import logging
import re
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.language.languages import Languages
from assistant.language.lexicon import Sense, find_rhymes, lexicon
from assistant.models.embedded.phrases import Phrases, phrases_for

if TYPE_CHECKING:
    from assistant.ports import Embedder

_FORMS = Path(__file__).with_name("data") / "forms.toml"
_ENDINGS = {"plural": "s", "past": "ed", "ing": "ing", "comparative": "er", "superlative": "est"}
_DEGREES = {"comparative": "more", "superlative": "most"}
_SHOWN = 3  # senses of a word
_NAMED = 2  # words to name a sense
_SAYS_LITTLE = frozenset(
    {"the", "a", "an", "i", "mean", "meant", "one", "as", "in", "it", "of", "kind", "is", "my", "with"}
)
_CONTENT_PARTS = frozenset("nva")
_LEAST, _AHEAD = 0.45, 0.03  # minimum cosine of a sense, and minimum lead over the next

_log = logging.getLogger(__name__)


def relatives(relation: str, text: str, sense: Sense | None = None) -> Sequence[str]:
    """Return the synonyms, antonyms, general or special words of a word, or of the chosen sense."""
    if sense and relation == "synonym":
        return sense.synonyms or ([sense.general] if sense.general else [])
    if sense and relation == "antonym":
        return sense.antonyms or [one for other in sense.synonyms for one in relatives("antonym", other)]
    if (word := lexicon().find(text)) is None:
        return ()
    base = lexicon().base_of(word)
    if relation == "antonym":
        return _opposites(base.text)
    found = {"synonym": base.synonyms, "general": [base.general], "special": lexicon().special(base.text)}
    return [*filter(None, found[relation])]


def _opposites(text: str) -> list[str]:
    """Return the antonyms of a word, without those that belong to a word like another sense: "southern" for "blue"."""
    senses, word = lexicon().senses(text), lexicon().find(text)
    likes = [other for sense in senses[:1] for one in sense.synonyms if (other := lexicon().find(one))]
    own = {one for sense in senses for one in sense.antonyms} | {one for other in likes for one in other.antonyms}
    found = word.antonyms if word else ()
    return [one for one in found if one in own or ((other := lexicon().find(one)) and text in other.antonyms)]


def rhymes(text: str) -> list[str]:
    """Return the content words that rhyme with a word, most frequent first."""
    found = (word for each in find_rhymes(text) if (word := lexicon().find(each)) and len(each) > 2)
    return [word.text for word in found if word.parts[:1] in _CONTENT_PARTS]


def homophones(text: str, phrases: Phrases) -> Sequence[str]:
    """Return words with the same sound, then a sentence about a near one."""
    if (word := lexicon().find(text)) is None:
        return ()
    near = [phrases.say("near_homophone", word=word.text, near=word.near)] if word.near else []
    return [*word.homophones, *near]


def definition(text: str, sense: Sense | None, phrases: Phrases) -> Sequence[str]:
    """Return the meaning of a word by its relations: one sense, or up to three, one per line."""
    if (word := lexicon().find(text)) is None:
        return ()
    told = (tell_sense(each, phrases) for each in ([sense] if sense else lexicon().senses(text)))
    lines = [*dict.fromkeys(filter(None, told))][:_SHOWN]
    form = phrases.say("form", base=word.base) if word.base else ""
    title = f"{word.text}: {form}".strip()
    if len(lines) > 1:
        return ["\n".join([title, *(f"{number}. {line}" for number, line in enumerate(lines, start=1))])]
    return [f"{title} {line}" for line in lines]


def tell_sense(sense: Sense, phrases: Phrases) -> str:
    """Describe a sense in a line: "a kind of slope, such as riverbank"; empty if there are no relations."""

    def known(words: Sequence[str]) -> list[str]:
        return [native for word in words if (native := phrases.native(word))][:_NAMED]

    names, general = known(_usual_first(sense.synonyms)), known([_usual(sense.general)])
    told = [phrases.say("or").join(names)] if names else []
    if general and general[0] not in names:
        told.append(phrases.say("way" if sense.part == "v" else "kind", general=general[0]))
    if (examples := known(sense.examples)) and general and not names:
        told.append(phrases.say("such_as", words=phrases.say("or").join(examples)))
    if opposite := known(sense.antonyms[:1]):
        told.append(phrases.say("opposite", word=opposite[0]))
    return ", ".join(told)


def name_sense(sense: Sense, phrases: Phrases) -> str:
    """Return a word or two that name a sense: "bird"."""
    words = (*_usual_first(sense.synonyms)[:1], _usual(sense.general), *sense.examples, *sense.hints)
    return next((native for word in words if word and (native := phrases.native(word))), "")


def _usual_first(words: Sequence[str]) -> list[str]:
    """Move the words and phrases that people use to the front."""
    return sorted(words, key=lambda word: not lexicon().is_common(word))


def _usual(general: str) -> str:
    """Return a hypernym that people use: "mammal" for "placental", "radiation" for "actinic radiation"."""
    head = general.partition(" of ")[0].rpartition(" ")[2]
    known = lexicon().find(head)
    return next(filter(lexicon().is_common, (general, head, known.general if known else "")), "")


def sentence(text: str) -> Sequence[str]:
    """Write an English sentence with the word."""
    if (word := lexicon().find(text)) is None:
        return ()
    kind = next(filter(word.text.endswith, ("ing", "ed", "s")), "") if word.base else word.parts[:1]
    patterns = phrases_for("").table["sentences"][kind or "other"]
    # A checksum, not hash(): the same sentence in every process.
    made = patterns[zlib.crc32(word.text.encode()) % len(patterns)].format(word=word.text)
    return [re.sub(r"\ba (?=[aeiou])", "an ", made)]


def inflect(form: str, text: str) -> Sequence[str]:
    """Return the plural, singular, past, "ing", comparative or superlative form of a word of the lexicon."""
    if (word := lexicon().find(text)) is None:
        return ()
    if form == "singular":
        listed = [one for one, plural in _irregular()["plural"].items() if plural == word.text]
        spelled = (word.text.removesuffix("ies") + "y", word.text.removesuffix("es"), word.text.removesuffix("s"))
        return [one for one in (*listed, *spelled) if one != word.text and word.text in inflect("plural", one)]
    bases = {shaped: one for shapes in _irregular().values() for one, shaped in shapes.items()}
    base, ending = bases.get(word.text, lexicon().base_of(word).text), _ENDINGS[form]
    if irregular := _irregular()[form].get(base):
        return [irregular]
    if form in _DEGREES and len(re.findall("[aeiouy]+", base.removesuffix("e"))) > 1 and not base.endswith("y"):
        return [f"{_DEGREES[form]} {base}"]
    stem = base if form == "ing" else re.sub("(?<=[^aeiou])y$", "ie", base)
    if form == "plural":
        stem = re.sub("(s|x|z|ch|sh)$", r"\1e", stem)
    elif stem.endswith("e"):
        stem = stem if form == "ing" and stem.endswith(("ee", "oe", "ye")) else stem[:-1]
    else:
        stem = re.sub("^([^aeiou]+[aeiou])([^aeiouwxy])$", r"\1\2\2", stem)
    return [stem + ending]


@cache
def _irregular() -> Mapping[str, Mapping[str, str]]:
    tables = tomllib.loads(_FORMS.read_text(encoding="utf-8"))
    return {form: dict(row.split() for row in rows.split(", ")) for form, rows in tables.items()}


class SensePicker:
    """Word sense disambiguation by the cosine of an embedder."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self._languages, self._embedder = languages, embedder

    def pick(self, word: str, said: str) -> tuple[Sense | None, float]:
        """Return the sense that a text means, and their cosine; None if unclear, or without an embedder."""
        senses, text = lexicon().senses(word), self._meant(word, said)
        if len(senses) < 2 or not text or self._embedder is None:
            return None, 0.0
        texts = [[", ".join((*sense.words, *sense.hints)), *sense.words, *sense.hints] for sense in senses]
        try:
            asked, *vectors = self._embedder.encode([text, *chain.from_iterable(texts)])
        except Exception:  # any failure of the embedder: pick no sense
            _log.warning("The embedder failed; no sense is picked.", exc_info=True)
            return None, 0.0
        cosines = iter([float(asked @ vector) for vector in vectors])
        near = [[*islice(cosines, len(each))] for each in texts]
        # The mean of two cosines: with all words of the sense together, and with the nearest one.
        scores = [(each[0] + max(each)) / 2 for each in near]
        best = scores.index(max(scores))
        # Senses that share a word with the best one are no rivals.
        rivals = (at for at, sense in enumerate(senses) if set(sense.words).isdisjoint(senses[best].words))
        is_ahead = scores[best] - max((scores[at] for at in rivals), default=0.0) >= _AHEAD
        return (senses[best] if is_ahead and max(near[best]) >= _LEAST else None), max(near[best])

    def _meant(self, word: str, said: str) -> str:
        """Return the English content words of a text, without the word itself."""
        words = self._languages.in_plain_english(said).lower().split()
        return " ".join(each for each in words if each not in {word, *_SAYS_LITTLE} and lexicon().find(each))
