"""The commands that measure what becomes of corrections."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluation.command_parts import Commands, show_table


def reach() -> None:
    """For which later questions a correction counts, on the embedded model: 108 and 72, with four each.

    `proposed` is the share of the corrections whose reach is proposed as a person marked it. Of the later questions,
    `wrongly` is the share of those that should be read as usual whose answer rests on the correction, and `rightly`
    that of those that should change. `shown` is how many of these a model that chooses among notes would be shown the
    correction for; everyday questions are for such a model, and the embedded one knows word tasks only. What was seen
    while the rules were written is `dev`.
    """
    from evaluation.corrections.reach import ReachSummary, reach_of

    rows = []
    for name in ("dev", "heldout"):
        results = reach_of(name)
        kinds = dict.fromkeys(result.case.kind for result in results)
        groups = {"": results} | {kind: [one for one in results if one.case.kind == kind] for kind in kinds}
        rows += [(f"{name} {kind}", *ReachSummary.of(some)) for kind, some in groups.items()]
    show_table("corrections", ("proposed", "wrongly", "rightly", "shown"), rows)


def conflicts(
    replies: Annotated[
        Path | None, typer.Option(help="Say which it is by replies that were written.", metavar="R.jsonl")
    ] = None,
) -> None:
    """What a second correction of the same person is to the first: two sets of 30 pairs.

    The share of the pairs that come out as a person marked them: the second takes the place of the first, stands
    beside it, or has nothing to do with it. What was seen while the rules were written is `dev`. Without replies, it is
    what the rules make of it; with them, what a language model that writes further keys says. R is as for `decisions`.
    """
    from evaluation.corrections.conflicts import Outcome, by_replies, by_rule, outcomes_of
    from evaluation.corrections.reach import Share
    from evaluation.decisions.written_replies import WrittenReplies

    written = WrittenReplies(replies) if replies else None
    outcomes = {name: outcomes_of(name, by_replies(written) if written else by_rule) for name in ("dev", "heldout")}
    if written:
        written.check()
    rows = []
    for name, found in outcomes.items():
        groups = [found, *([one for one in found if one[0].outcome is outcome] for outcome in Outcome)]
        rows.append((name, *(Share(sum(case.outcome is came for case, came in some), len(some)) for some in groups)))
    show_table("pairs", ("right", *Outcome), rows)


def told() -> None:
    """Which messages tell a fact, by their words alone: two sets of 160 messages.

    `certain` say so themselves ("remember that …"), which counts with every model; `maybe` only state something, so
    that a model that is connected is asked; `exact` of both have what is told word for word. What was seen while the
    rules were written is `dev`.
    """
    from evaluation.corrections.telling import telling_of

    rows = [(f"{name} {kind}", *some) for name in ("dev", "heldout") for kind, some in telling_of(name).items()]
    show_table("messages", ("all", "certain", "maybe", "exact"), rows)


def same() -> None:
    """Which questions count as one that was put right: of 120 pairs that are the same and 120 that are not, per set.

    A narrow correction counts for its own question only, in any spelling, script or mix of languages. What was seen
    while the rules were written is `dev`.
    """
    from evaluation.corrections.same import taken_for_the_same

    rows = [(name, *(taken_for_the_same(name, same=same) for same in (True, False))) for name in ("dev", "heldout")]
    show_table("pairs", ("the same", "another"), rows)


def real_model(
    model: Annotated[str, typer.Option(help="A LiteLLM name, local/NAME, or the path of a GGUF file.", metavar="M")],
    out: Annotated[Path, typer.Option(help="Log of the replies; one that is there goes on.", metavar="L.jsonl")],
    api_base: Annotated[str | None, typer.Option(help="Address of the server.", metavar="URL")] = None,
    ways: Annotated[str, typer.Option(help="Of alone, noted, found, plain; with commas.")] = "alone,noted,found,plain",
) -> None:
    """Ask a real model sixty questions, and what was corrected in twenty others, written blind.

    `whole` replies have an understanding and an answer; `marks` are replies in which a tag, a label or the text of an
    example is in sight; `followed` are answers that follow the correction: `noted` has it beside the question, `found`
    only where it is found for it, `plain` has it in a plain prompt that was written by hand. How the prompt is written,
    NOTED_PROMPT says. NOTED_API_KEY is the key.
    """
    from evaluation.corrections.reach import Share
    from evaluation.corrections.real_model import answered, corrections

    told, rows, chosen = corrections(), [], ways.split(",")
    found = list(answered(model, api_base, out, chosen))
    for way in chosen:
        some = [one for one in found if one.way == way]
        followed = [one.follows(told[one.place]) for one in some if way != "alone"]
        whole, marks = (sum(one.is_whole for one in some), sum(one.shows_marks for one in some))
        seconds = sorted(one.seconds for one in some)[len(some) // 2]
        rows.append((way, Share(whole, len(some)), marks, Share(sum(followed), len(followed)), seconds))
    show_table("replies", ("whole", "marks", "followed", "seconds"), rows)


COMMANDS = Commands((reach, conflicts, told, same, real_model))
