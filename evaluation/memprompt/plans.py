"""Which streams the experiments are made of, and what each is run with: its task, its memory, and who is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from assistant.conversation import Assistant
from evaluation.memprompt.memories import MEMORIES
from evaluation.memprompt.tasks.lexical import Lexical
from evaluation.memprompt.tasks.word_tasks import ENGLISH, Brackets, Scramble, WordTask
from evaluation.memprompt.teacher import Misunderstood
from evaluation.reading import BadInput
from evaluation.streams.experiment import Experiment, Person, StreamSettings
from ui.server.services import Services

PAPER_MEMORIES = ("none", "grow", "memprompt", "noted")
LENGTH = 300
TASKS: Mapping[str, Callable[[Brackets], WordTask]] = {
    "lexical": Lexical,
    "described": partial(Lexical, name="described", names_task=False),
    "scramble": Scramble,
}


def experiment(settings: StreamSettings, assistant: Assistant, services: Services) -> Experiment:
    """Implements `Prepare`."""
    memory = MEMORIES[settings.memory]
    task = task_named(settings.task, settings.variant)
    teacher = Misunderstood(task, settings.person, memory.is_confirmed)
    return Experiment(task, teacher, memory.change(assistant, services.parts.embedder, settings.lang))


def streams(
    like: StreamSettings,
    langs: Sequence[str] = (),
    memories: Sequence[str] = PAPER_MEMORIES,
    clarifies: Sequence[float] = (1.0,),
    seeds: int = 1,
) -> list[StreamSettings]:
    """Streams like one, but in these languages (all that the task has where none is given), with these memories and
    persons, and for so many seeds from 0 on. Where nothing is kept, it is all one who says what.

    Raises:
        BadInput: there is no such variant, language or memory.
    """
    spoken = task_named(like.task, like.variant).langs
    if unknown := set(langs) - set(spoken):
        raise BadInput(f"{like.task} is not asked in {', '.join(sorted(unknown))}; choose of {', '.join(spoken)}.")
    if unknown := set(memories) - set(MEMORIES):
        raise BadInput(f"There is no memory {', '.join(sorted(unknown))}; choose of {', '.join(MEMORIES)}.")
    found = []
    for lang, memory, clarified, seed in product(langs or spoken, memories, clarifies, range(seeds)):
        person = Person(clarified, like.person.errs) if MEMORIES[memory].is_told else Person(0.0)
        found.append(replace(like, lang=lang, memory=memory, person=person, seed=seed))
    return list(dict.fromkeys(found))


def paper(model: str) -> list[StreamSettings]:
    """The experiments of the paper: lexical questions in every language and scrambled words, with both persons."""
    tasks = [_half_in_brackets(task, model) for task in TASKS]
    return [stream for task in tasks for stream in streams(task, clarifies=(0.5, 1.0), seeds=3)]


def quick(model: str) -> list[StreamSettings]:
    """One seed of the English stream, where everything is clarified."""
    return streams(_half_in_brackets("lexical", model), (ENGLISH,))


def _half_in_brackets(task: str, model: str) -> StreamSettings:
    return StreamSettings(task, Brackets.HALF.value, ENGLISH, "noted", model, Person(), seed=0, length=LENGTH)


def task_named(name: str, variant: str) -> WordTask:
    """One of `TASKS`, whose variant is how many questions have brackets. Raises BadInput: there is no such variant."""
    try:
        return TASKS[name](Brackets(variant))
    except ValueError:
        raise BadInput(f'Brackets are all, half or none, not "{variant}".') from None
