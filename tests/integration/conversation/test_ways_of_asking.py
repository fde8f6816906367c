"""The embedded model learns from clarifications, and they are found again, for ways of asking that nobody has written.

Each way is put together by chance ("lasso ▢ past the bakery"), means one of five things that can be wanted of a word,
and is asked again and again about other words. A person puts right whatever is misunderstood, in words of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import pytest

from app import compose
from assistant.events import Saved
from assistant.language.lexicon import Lexicon
from assistant.types import Scope
from evaluation.harness.subject import settings_in
from tests.support.memory.loop import last
from tests.support.texts.word_questions import task_spoken_of

pytestmark = pytest.mark.promise("new-wordings-are-learnt")

ME = Scope("ann")
_FORMS = {
    "english": ("{verb} {{word}} {place}", "who might {verb} {{word}} {place} ?", "{place}, {verb} {{word}}"),
    "hindi": ("{{word}} ko {place} {verb}", "{place} {{word}} ko {verb}", "kaun {{word}} ko {place} bola {verb} ?"),
    "punjabi": ("{{word}} nu {place} {verb}", "{place} {{word}} nu {verb}", "kaun {{word}} nu {place} bolya {verb} ?"),
}
_VERBS = {
    "english": ["lasso", "butter", "smuggle", "escort", "serenade", "varnish", "barricade", "shampoo"],
    "hindi": ["dhakelo", "uchhalo", "latkao", "chipkao", "sehlao", "nehlao", "bhigo do", "daboch lo"],
    "punjabi": ["dhakko", "uchhalo", "tango", "chipkao", "rolho", "navhao", "bhao ditta", "daboch lavo"],
}
_PLACES = {
    "english": [
        "past the bakery",
        "over a trapdoor",
        "beneath the chandelier",
        "through an orchard",
        "behind the quarry",
    ],
    "hindi": ["jheel ke kinare", "galiyare mein", "chhajje ke neeche", "mele ke beech", "tambu ke peeche"],
    "punjabi": ["khooh de kande", "vehre vich", "banere de thalle", "mele de vichkaar", "tambu de pichhe"],
}
_SAID = {
    "english": ("no, {wish}", "by {phrase} I mean {wish}", 'whenever I say "{gap}" I want {wish}'),
    "hindi": ("nahi, {wish} chahiye tha", '"{phrase}" se mera matlab {wish} hai', "jab main {phrase} kahun {wish} do"),
    "punjabi": (
        "nahi, {wish} chahida si",
        '"{phrase}" ton mera matlab {wish} hai',
        "je main {phrase} kahan {wish} deo",
    ),
}
_WISHES = {
    "english": {
        "synonym": "a word with the same meaning",
        "antonym": "the opposite word",
        "homophone": "a word that sounds the same",
        "definition": "its definition",
        "sentence": "a sentence with it",
    },
    "hindi": {
        "synonym": "samanarthi shabd",
        "antonym": "ulta shabd",
        "homophone": "same sound wala shabd",
        "definition": "is shabd ki paribhasha",
        "sentence": "is shabd ka vakya",
    },
    "punjabi": {
        "synonym": "samanarthi shabad",
        "antonym": "ulta shabad",
        "homophone": "same sound wala shabad",
        "definition": "is shabad di paribhasha",
        "sentence": "is shabad da vaak",
    },
}

# By the number of languages: ways for each type in each. Five, as in the experiments, where there is one language.
_OF_EACH = {1: 3, 3: 1}


@dataclass(frozen=True)
class Way:
    """A way to ask: the language, the task that is meant, and the question with `{word}` in it."""

    language: str
    task: str
    template: str

    def said(self, random: Random) -> str:
        """How the person clears it up, now and then in another language."""
        language = self.language if random.random() < 0.75 else random.choice(sorted(_SAID))
        rest = self.template.replace("?", "").replace(",", "")
        return random.choice(_SAID[language]).format(
            wish=_WISHES[language][self.task],
            phrase=" ".join(rest.replace("{word}", "").split()),
            gap=" ".join(rest.replace("{word}", "...").split()),
        )


@dataclass
class Tally:
    """What became of one stream: which questions were understood, and of the notes used how many were wrong."""

    understood: list[bool]
    used: int = 0
    wrong: int = 0


def ways(random: Random, languages: Sequence[str]) -> list[Way]:
    found = []
    of_each = _OF_EACH[len(languages)]
    for language in languages:
        forms = _FORMS[language]
        made = [(form, verb, place) for form in forms for verb in _VERBS[language] for place in _PLACES[language]]
        tasks = [task for task in _WISHES[language] for _ in range(of_each)]
        for task, (form, verb, place) in zip(tasks, random.sample(made, len(tasks)), strict=True):
            found.append(Way(language, task, form.format(verb=verb, place=place)))
    return found


@cache
def words() -> dict[str, list[str]]:
    """Frequent English words by the task that can be done with them."""
    known = [word for word in Lexicon().frequent(6_000) if len(word.text) > 2 and not word.base]
    return {
        "synonym": [word.text for word in known if word.synonyms],
        "antonym": [word.text for word in known if word.antonyms],
        "homophone": [word.text for word in known if word.homophones],
        "definition": [word.text for word in known if word.general],
        "sentence": [word.text for word in known if word.parts],
    }


def stream(random: Random, asked: list[Way], number: int) -> Iterator[Way]:
    rounds = -(-number // len(asked))
    yield from [way for _ in range(rounds) for way in random.sample(asked, len(asked))][:number]


FURTHER = [
    (("english",), "{}", 0.98),
    (tuple(_FORMS), "{}", 0.97),
    (("hindi",), "{}", 0.97),
    (("punjabi",), "{}", 0.97),
]


@pytest.mark.parametrize(
    ("languages", "mark", "least"),
    [(tuple(_FORMS), "< {} >", 0.97), *[]],
)
def test_ways_of_asking_that_nobody_has_written_are_learnt(
    tmp_path: Path, languages: tuple[str, ...], mark: str, least: float
) -> None:
    random = Random(len(mark))  # noqa: S311  a repeatable choice is wanted
    fitting, tally = words(), Tally([])
    task_of: dict[str, str] = {}
    composed = compose(settings_in(tmp_path))
    try:
        for way in stream(random, ways(random, languages), 45):
            word = random.choice(fitting[way.task])
            turn = last(events := list(composed.assistant.ask(way.template.format(word=mark.format(word)), ME)))
            before, asked, after = turn.reply.understanding.partition(f'"{word}"')
            tally.understood.append(bool(asked) and task_spoken_of(before + after) == way.task)
            tally.used += len(turn.used)
            tally.wrong += sum(task_of[entry] != way.task for entry in turn.used)
            if not tally.understood[-1]:
                events = list(composed.assistant.clarify(turn.id, way.said(random), ME))
                task_of |= {event.entry.id: way.task for event in events if isinstance(event, Saved)}
    finally:
        composed.close()
    last_third = tally.understood[-len(tally.understood) // 3 :]
    assert sum(last_third) / len(last_third) >= least
    assert sum(tally.understood[: len(last_third)]) < sum(last_third)
    assert tally.wrong <= 0.01 * len(tally.understood)
