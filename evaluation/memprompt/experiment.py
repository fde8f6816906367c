"""The experiments of MemPrompt (Madaan et al., EMNLP 2022): streams with every memory, and the tables of the paper.

Differences from the paper: the model is not GPT-3 and states its understanding before the answer; questions and
feedback are written for this project, with five ways of asking per type, in rounds; half of the questions have the word
in brackets; corrections vary in wording, one in four is in another language, and not all quote the question; MEM-PROMPT
looks up by the embedder of Noted, or by Levenshtein similarity from 0.6; after a correction, the question is asked
again, as in the app, and only the first try counts.
"""

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Annotated, TypeAlias

import typer

from assistant.settings import EMBEDDED
from assistant.types import Scope
from evaluation.harness.dataset import DATA
from evaluation.harness.options import RUNS, Model, Out, parse_names
from evaluation.harness.report import Cell, Report, Settings, Table, mean, publish
from evaluation.harness.runner import ResultLog, Runner, progress
from evaluation.harness.simulated_user import SimulatedUser
from evaluation.memprompt.everyday import EVERYDAY
from evaluation.memprompt.memories import MEMORIES
from evaluation.memprompt.stream import StreamSettings, StreamStep, log_path, run_streams
from evaluation.memprompt.word_tasks import ENGLISH, LANGS, TASKS, Brackets

NO_MEMORY = "none"
PAPER_MEMORIES = (NO_MEMORY, "grow", "memprompt", "noted")
LAST = 100
"""Steps at the end of a stream for the final accuracy."""

Seeds: TypeAlias = Mapping[int, Sequence[StreamStep]]
Panel: TypeAlias = Mapping[str, Seeds]  # by memory


def memprompt(
    *,
    out: Out = RUNS / "memprompt",
    model: Model = EMBEDDED,
    task: Annotated[str, typer.Option(help=f"Of {', '.join((*TASKS, *EVERYDAY))}.")] = ",".join(TASKS),
    memory: Annotated[str, typer.Option(help=f"Of {', '.join(MEMORIES)}.")] = ",".join(PAPER_MEMORIES),
    lang: Annotated[str, typer.Option(help=f"Of {', '.join(LANGS)}.")] = ",".join(LANGS),
    clarify: Annotated[
        list[float] | None, typer.Option("--p", min=0, max=1, help="How often a user says what they meant; 1.")
    ] = None,
    wrong: Annotated[float, typer.Option("--r", min=0, max=1, help="How often what they say is wrong.")] = 0.0,
    seeds: Annotated[int, typer.Option(min=1, help="How many, from 0.")] = 1,
    length: Annotated[int, typer.Option(min=1, help="Questions of a stream.")] = 300,
    brackets: Annotated[Brackets, typer.Option(help="How many questions have < brackets >.")] = Brackets.HALF,
) -> None:
    """Replay the experiments of MemPrompt with simulated users.

    The paper has `--p 0.5 --p 1 --seeds 3`, which takes some 40 minutes; `--task lexical --lang en` takes under one.
    `memprompt-levenshtein` is the lookup of the paper for Hindi and Punjabi.
    """
    tasks, langs = parse_names(task, (*TASKS, *EVERYDAY), "task"), parse_names(lang, LANGS, "language")
    like = StreamSettings("", brackets.value, "", "", model, 1.0, wrong, 0, length)
    streams = build_streams(like, tasks, langs, parse_names(memory, MEMORIES, "memory"), clarify or [1.0], seeds)
    runner, groups = Runner(out, model), defaultdict[str, list[StreamSettings]](list)
    for stream in streams:
        groups[stream.store].append(stream)
    if model != EMBEDDED and not all(_count_steps(runner, stream) for stream in streams):
        with runner.app("first") as services, runner.asking(services, sum(stream.length for stream in streams)) as tell:
            SimulatedUser(services.assistant, Scope("first")).ask("what is akin to quick ?")
            tell()
    with progress("Asking", sum(stream.length for stream in streams)) as tell:
        for group in groups.values():
            run_streams(runner, group, tell)
    panels = group_by_panel({stream: _read_steps(runner, stream) for stream in streams})
    tables = [table for title, panel in panels.items() for table in build_tables(title, panel)]
    settings: Settings = {"seeds": seeds, "length": length, "brackets": brackets.value}
    publish(
        Report(
            name="memprompt",
            tables=tuple(tables),
            model=model,
            settings=settings,
            notes=(
                f"Acc(u): understood at the first try; last {LAST}: of the last questions. Acc(y): answered rightly.",
            ),
        ),
        out,
    )


def build_streams(
    like: StreamSettings,
    tasks: Iterable[str],
    langs: Iterable[str],
    memories: Iterable[str],
    clarifies: Iterable[float],
    seeds: int,
) -> list[StreamSettings]:
    """Return streams like `like`, in every combination of the other arguments."""
    found: dict[StreamSettings, None] = {}
    for task, lang, memory, says, seed in product(tasks, langs, memories, clarifies, range(seeds)):
        is_told = MEMORIES[memory].is_told  # feedback makes no difference if nothing is stored
        said = (says, like.errs) if is_told else (0.0, 0.0)
        found[replace(like, task=task, lang=lang, memory=memory, clarifies=said[0], errs=said[1], seed=seed)] = None
    return [*found]


def group_by_panel(steps: Mapping[StreamSettings, Sequence[StreamStep]]) -> dict[str, Panel]:
    """Return steps by title, memory and seed. Streams without memory are in every panel with the same questions."""
    panels: dict[str, dict[str, dict[int, Sequence[StreamStep]]]] = defaultdict(lambda: defaultdict(dict))
    for stream, some in steps.items():
        same = [other.title for other in steps if (other.task, other.lang) == (stream.task, stream.lang)]
        told = [other.title for other in steps if other.memory != NO_MEMORY and other.title in same]
        for title in dict.fromkeys(told or same) if stream.memory == NO_MEMORY else (stream.title,):
            panels[title][stream.memory][stream.seed] = some
    return {title: dict(panel) for title, panel in panels.items()}


def build_tables(title: str, panel: Panel) -> Iterator[Table]:
    """Yield a table of all measures by memory, and of Acc(u) by type of question beside the paper's numbers."""
    yield Table.of(title, {memory: measure_memory(seeds, panel.get(NO_MEMORY, {})) for memory, seeds in panel.items()})
    rows: dict[str, Mapping[str, Cell]] = {}
    for memory, seeds in panel.items():
        steps = [step for some in seeds.values() for step in some]
        groups = sorted({group for step in steps for group in step.groups})
        rows[memory] = {group: mean(step.understood for step in steps if group in step.groups) for group in groups} | {
            "all": mean(step.understood for step in steps)
        }
    if title == f"lexical, {ENGLISH}, p = 1":
        paper = tomllib.loads((DATA / "published.toml").read_text(encoding="utf-8"))["table3"]
        for memory in PAPER_MEMORIES:
            if memory in paper:
                rows[f"{memory}, published"] = dict(zip(paper["types"], paper[memory], strict=True))
    yield Table.of(f"Acc(u) by type: {title}", rows)


def measure_memory(seeds: Seeds, without: Seeds) -> dict[str, Cell]:
    """Return the measures of one memory, averaged over seeds; `without` is the same stream without memory."""
    runs = list(seeds.values())
    every = [step for steps in runs for step in steps]
    counted = Counter(step.splice for step in every)
    flips = Counter(
        (before.understood, after.understood)
        for seed, steps in seeds.items()
        for before, after in zip(without.get(seed, ()), steps, strict=False)
    )
    tokens = round(mean(step.prompt_tokens for step in every))
    alone = mean(step.prompt_tokens for steps in without.values() for step in steps)
    return {
        f"Acc(u), last {LAST}": mean(mean(step.understood for step in steps[-LAST:]) for steps in runs),
        "Acc(u), last quarter": mean(mean(step.understood for step in steps[-len(steps) // 4 :]) for steps in runs),
        "Acc(u)": mean(step.understood for step in every),
        "Acc(y)": mean(step.answered for step in every),
        "corrections": mean(sum(bool(step.said) for step in steps) for steps in runs),
        **{f"{name} note": counted[name] / len(every) for name in ("right", "wrong", "missed")},
        "without effect": mean(step.splice == "right" and not step.understood for step in every),
        "fixed": flips[False, True] / len(runs),
        "broken": flips[True, False] / len(runs),
        "prompt tokens": tokens,
        "against none": tokens / alone if alone else None,
        "seconds": mean(step.seconds for step in every),
    }


def _read_steps(runner: Runner, stream: StreamSettings) -> list[StreamStep]:
    return ResultLog(log_path(runner, stream), StreamStep).all()


def _count_steps(runner: Runner, stream: StreamSettings) -> int:
    """Return the number of logged steps of a stream by counting lines."""
    path = log_path(runner, stream)
    return path.read_bytes().count(b"\n") if path.exists() else 0
