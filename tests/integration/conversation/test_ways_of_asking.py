"""The embedded model learns random ways of asking from clarifications, and finds them again.

Each way is composed at random ("lasso ▢ past the bakery"), means one of five word tasks, and recurs with other words. A
user corrects each misunderstanding in their own words.
"""

from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from app import compose
from assistant.events import Saved
from assistant.language.lexicon import Lexicon
from evaluation.harness.simulated_user import settings_in
from tests.support.memory.loop import ME, last
from tests.support.texts.word_questions import find_task

pytestmark = pytest.mark.promise("new-wordings-are-learnt")

TASKS = ("synonym", "antonym", "homophone", "definition", "sentence")
ASKED = 45


class Language(NamedTuple):
    """Phrases to ask and to correct in a language; `wishes` are in the order of TASKS."""

    forms: tuple[str, ...]
    verbs: tuple[str, ...]
    places: tuple[str, ...]
    said: tuple[str, ...]
    wishes: tuple[str, ...]


LANGUAGES = (
    Language(
        ("{verb} {{word}} {place}", "who might {verb} {{word}} {place} ?", "{place}, {verb} {{word}}"),
        ("lasso", "butter", "smuggle", "escort", "serenade", "varnish", "barricade", "shampoo"),
        ("past the bakery", "over a trapdoor", "beneath the chandelier", "through an orchard", "behind the quarry"),
        ("no, {wish}", "by {phrase} I mean {wish}", 'whenever I say "{gap}" I want {wish}'),
        (
            "a word with the same meaning",
            "the opposite word",
            "a word that sounds the same",
            "its definition",
            "a sentence with it",
        ),
    ),
    Language(
        ("{{word}} ko {place} {verb}", "{place} {{word}} ko {verb}", "kaun {{word}} ko {place} bola {verb} ?"),
        ("dhakelo", "uchhalo", "latkao", "chipkao", "sehlao", "nehlao", "bhigo do", "daboch lo"),
        ("jheel ke kinare", "galiyare mein", "chhajje ke neeche", "mele ke beech", "tambu ke peeche"),
        ("nahi, {wish} chahiye tha", '"{phrase}" se mera matlab {wish} hai', "jab main {phrase} kahun {wish} do"),
        ("samanarthi shabd", "ulta shabd", "same sound wala shabd", "is shabd ki paribhasha", "is shabd ka vakya"),
    ),
    Language(
        ("{{word}} nu {place} {verb}", "{place} {{word}} nu {verb}", "kaun {{word}} nu {place} bolya {verb} ?"),
        ("dhakko", "uchhalo", "tango", "chipkao", "rolho", "navhao", "bhao ditta", "daboch lavo"),
        ("khooh de kande", "vehre vich", "banere de thalle", "mele de vichkaar", "tambu de pichhe"),
        ("nahi, {wish} chahida si", '"{phrase}" ton mera matlab {wish} hai', "je main {phrase} kahan {wish} deo"),
        ("samanarthi shabad", "ulta shabad", "same sound wala shabad", "is shabad di paribhasha", "is shabad da vaak"),
    ),
)


Way = tuple[Language, str, str]
"""A language, a task, and a question with `{word}`."""


def correct(way: Way, random: Random) -> str:
    """Return a correction, sometimes in another language."""
    own, task, template = way
    language = own if random.random() < 0.75 else random.choice(LANGUAGES)
    rest = template.replace("?", "").replace(",", "")
    return random.choice(language.said).format(
        wish=language.wishes[TASKS.index(task)],
        phrase=" ".join(rest.replace("{word}", "").split()),
        gap=" ".join(rest.replace("{word}", "...").split()),
    )


def stream(random: Random) -> Iterator[Way]:
    """Yield ways of asking repeatedly, one for each task and language."""
    ways = [
        (language, task, form.format(verb=verb, place=place))
        for language in LANGUAGES
        for task, (form, verb, place) in zip(
            TASKS,
            random.sample([*product(language.forms, language.verbs, language.places)], len(TASKS)),
            strict=True,
        )
    ]
    for _ in range(ASKED // len(ways)):
        yield from random.sample(ways, len(ways))


def words() -> dict[str, list[str]]:
    """Return frequent English words by the tasks that they allow."""
    known = [word for word in Lexicon().frequent(6_000) if len(word.text) > 2 and not word.base]
    fields = dict(zip(TASKS, ("synonyms", "antonyms", "homophones", "general", "parts"), strict=True))
    return {task: [word.text for word in known if getattr(word, field)] for task, field in fields.items()}


def test_new_ways_of_asking_are_learnt(tmp_path: Path) -> None:
    random = Random(6)  # noqa: S311  a repeatable choice is wanted
    fitting, understood, wrong = words(), list[bool](), 0
    task_of: dict[str, str] = {}
    with closing(compose(settings_in(tmp_path))) as composed:
        for way in stream(random):
            _, task, template = way
            word = random.choice(fitting[task])
            turn = last(composed.assistant.ask(template.format(word=f"< {word} >"), ME))
            before, asked, after = turn.reply.understanding.partition(f'"{word}"')
            understood.append(bool(asked) and find_task(before + after) == task)
            wrong += sum(task_of[entry] != task for entry in turn.used)
            if not understood[-1]:
                events = composed.assistant.clarify(turn.id, correct(way, random), ME)
                task_of |= {event.entry.id: task for event in events if isinstance(event, Saved)}
    last_third = understood[-ASKED // 3 :]
    assert sum(last_third) / len(last_third) >= 0.97
    assert sum(understood[: len(last_third)]) < sum(last_third)
    assert wrong <= 0.01 * ASKED
