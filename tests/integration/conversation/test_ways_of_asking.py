"""The embedded model learns from clarifications, and they are found again, for ways of asking that it does not know.

Each way ("what runs alongside ▢ ?") means one of five things that can be wanted of a word, and is asked again and again
about other words. A person puts right whatever is misunderstood, now and then in another language.
"""

from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from app import compose
from assistant.events import Saved
from evaluation.decisions.templates import TYPES, Way, ways, ways_to_say, words_by_type
from evaluation.harness.subject import settings_in
from tests.support.memory.loop import ME, last
from tests.support.texts.word_questions import task_spoken_of

pytestmark = pytest.mark.promise("new-wordings-are-learnt")

TASKS = dict(zip(TYPES, ("synonym", "antonym", "homophone", "definition", "sentence"), strict=True))
ROUNDS = 3


def correction(way: Way, random: Random) -> str:
    """Say what is meant."""
    said = ways_to_say()
    lang = way.lang if random.random() < 0.75 else random.choice([*said])
    return random.choice(said[lang][way.type]).format(phrase=way.phrase)


def test_new_ways_of_asking_are_learnt(tmp_path: Path) -> None:
    random = Random(6)  # noqa: S311  a repeatable choice is wanted
    known = [*ways()]
    random.shuffle(known)
    asked_in = [*{(way.lang, way.type): way for way in known}.values()]  # one for each language and task
    understood, wrong, meant = list[bool](), 0, dict[str, str]()
    with closing(compose(settings_in(tmp_path))) as composed:
        for way in (way for _ in range(ROUNDS) for way in random.sample(asked_in, len(asked_in))):
            word = random.choice(words_by_type()[way.type])
            turn = last(composed.assistant.ask(way.template.format(word=f"< {word} >"), ME))
            before, asked, after = turn.reply.understanding.partition(f'"{word}"')
            understood.append(bool(asked) and task_spoken_of(before + after) == TASKS[way.type])
            wrong += sum(meant[entry] != way.type for entry in turn.used)
            if not understood[-1]:
                events = composed.assistant.clarify(turn.id, correction(way, random), ME)
                meant |= {event.entry.id: way.type for event in events if isinstance(event, Saved)}
    first, last_third = understood[: len(asked_in)], understood[-len(asked_in) :]
    assert sum(last_third) / len(last_third) >= 0.97
    assert sum(first) < sum(last_third)
    assert wrong <= 0.01 * len(understood)
