"""The experiments of MemPrompt (Madaan et al., EMNLP 2022): streams with every memory.

Differences from the paper: the model is not GPT-3 and states its understanding before the answer; questions and
feedback are written for this project, with five ways of asking per type, in rounds; half of the questions have the word
in brackets; corrections vary in wording, one in four is in another language, and not all quote the question; a user
corrects each misunderstanding (p = 1); MEM-PROMPT looks up by the embedder of Noted, or by Levenshtein similarity from
0.6; after a correction, the question is asked again, as in the app, and only the first try counts.
"""

from collections import defaultdict
from itertools import product
from typing import Annotated

import typer

from assistant.settings import EMBEDDED
from evaluation.harness.options import RUNS, Model, Out, parse_names
from evaluation.harness.report import Report, Table, publish
from evaluation.harness.runner import Runner
from evaluation.memprompt.everyday import EVERYDAY
from evaluation.memprompt.memories import MEMORIES
from evaluation.memprompt.stream import LAST, StreamRun, StreamSettings, StreamStep, measure_runs
from evaluation.memprompt.word_tasks import DESCRIBING, LANGS, NAMING

ABOUT_WORDS = (NAMING, DESCRIBING)
TASKS = (*ABOUT_WORDS, *EVERYDAY)


def memprompt(
    context: typer.Context,
    *,
    out: Out = RUNS / "memprompt",
    model: Model = EMBEDDED,
    task: Annotated[str, typer.Option(help=f"Of {', '.join(TASKS)}.")] = ",".join(ABOUT_WORDS),
    memory: Annotated[str, typer.Option(help=f"Of {', '.join(MEMORIES)}.")] = ",".join(MEMORIES),
    lang: Annotated[str, typer.Option(help=f"Of {', '.join(LANGS)}.")] = ",".join(LANGS),
    seeds: Annotated[int, typer.Option(min=1, help="How many, from 0.")] = 1,
    length: Annotated[int, typer.Option(min=1, help="Questions of a stream.")] = 300,
) -> None:
    """Replay the experiments of MemPrompt with simulated users.

    `--task lexical --lang en` takes under a minute.
    """
    tasks, langs = parse_names(task, TASKS, "task"), parse_names(lang, LANGS, "language")
    memories = parse_names(memory, MEMORIES, "memory")
    streams = [StreamSettings(*one, length) for one in product(tasks, langs, memories, range(seeds))]
    runner = Runner(out, context.params, model)
    found = defaultdict[str, dict[str, list[list[StreamStep]]]](lambda: defaultdict(list))
    with runner.app() as services, runner.asking(services, length * len(streams)) as tell:
        if services.assistant.runner.model.writes_keys:
            services.start()
        log = runner.log(StreamStep, tell, "steps")
        for stream in streams:
            found[f"{stream.task}, {stream.lang}"][stream.memory].append(StreamRun(stream, services, log).run())
    tables = tuple(
        Table.of(title, {memory: measure_runs(runs) for memory, runs in by_memory.items()})
        for title, by_memory in found.items()
    )
    notes = (f"Acc(u): understood at the first try; last {LAST}: of the last questions. Acc(y): answered rightly.",)
    settings = {"seeds": seeds, "length": length}
    publish(Report(name="memprompt", tables=tables, model=model, settings=settings, notes=notes), out)
