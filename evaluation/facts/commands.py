"""The commands that measure how facts are found, and which are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluation.command_parts import Commands, show_table, wide_console


def facts_found(
    data: Annotated[Path, typer.Option(help="Folder with EntailmentBank as dev.jsonl and facts.txt.", metavar="DIR")],
) -> None:
    """How often a fact that an answer rests on is the first that is found, and among five, in EntailmentBank.

    Asked is the question, the question with its answer, and the hypothesis; memory is all core facts, and those among
    all sentences. `Noted` is the order in which the app finds facts: by meaning.
    """
    from evaluation.facts.bank import Bank, Compared, hits
    from evaluation.gate.fitting import bundled

    bank = Bank.read(data)
    compared = Compared.of(bank, bundled())
    rows = {way: compared.ranks(way) for way in ("Noted", "letters", "BM25")}
    shown = [
        (name, *("{:.3f} / {:.3f}".format(*hits(ranks)) for ranks in some.values())) for name, some in rows.items()
    ]
    core = int(compared.right.any(axis=0).sum())
    wide_console().print(f"{len(bank.questions)} questions, {core} core facts, {len(bank.sentences):,} sentences.")
    show_table("first / among five", [f"{asked}, {memory}" for asked, memory in rows["Noted"]], shown)


def facts_chosen() -> None:
    """Which facts a model that chooses among notes is shown: two sets of facts with questions, in five languages.

    Of questions that facts bear on, the share for which all of these are found, and are shown; of look-alikes and
    everyday questions, the share for which the look-alike, or anything, is shown; and how many facts are shown for
    each. The gate was fitted on `fit`; `test` was seen by nobody who made it.
    """
    from evaluation.corrections.reach import Share
    from evaluation.facts.chosen import shown_facts
    from evaluation.facts.sets import fact_set
    from evaluation.gate.fitting import bundled

    rows = []
    for name in ("fit", "test"):
        for way, embedder in (("meaning", bundled()), ("letters only", None)):
            results = list(shown_facts(fact_set(name), embedder))
            for kind in dict.fromkeys(one.case.kind for one in results):
                some = [one for one in results if one.case.kind == kind]
                bears = [one for one in some if one.case.bears]
                found = Share(sum(set(one.case.bears) <= set(one.found) for one in bears), len(bears))
                shown = Share(sum(one.is_right is bool(one.case.bears) for one in some), len(some))
                mean = sum(len(one.shown) for one in some) / len(some)
                rows.append((f"{name}, {way}, {kind}", found, shown, f"{mean:.2f}"))
    show_table("questions", ("found", "shown", "facts shown"), rows)


COMMANDS = Commands((facts_found, facts_chosen))
