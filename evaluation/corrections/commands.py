"""The commands that measure what becomes of corrections."""

from __future__ import annotations

from evaluation.command_parts import Commands


def reach() -> None:
    """For which later questions a correction counts, on the embedded model: two sets of 36 with four questions each.

    `proposed` is the share of the corrections whose reach is proposed as a person marked it. Of the later questions,
    `wrongly` is the share of those that should be read as usual whose answer rests on the correction, and `rightly`
    that of those that should change. `shown` is how many of these a model that chooses among notes would be shown the
    correction for; everyday questions are for such a model, and the embedded one knows word tasks only. What was seen
    while the rules were written is `dev`.
    """
    from evaluation.corrections.reach import ReachSummary, reach_of
    from evaluation.decisions.table import plain_table, wide_console

    table = plain_table("corrections", "proposed", "wrongly", "rightly", "shown")
    for name in ("dev", "heldout"):
        results = reach_of(name)
        kinds = dict.fromkeys(result.case.kind for result in results)
        groups = {"": results} | {kind: [one for one in results if one.case.kind == kind] for kind in kinds}
        for kind, some in groups.items():
            summary = ReachSummary.of(some)
            shares = (summary.proposed, summary.wrongly_changed, summary.rightly_changed, summary.rightly_shown)
            table.add_row(f"{name} {kind}", *map(str, shares))
    wide_console().print(table)


def conflicts() -> None:
    """What a second correction of the same person is to the first: two sets of 30 pairs, without a language model.

    The share of the pairs that come out as a person marked them: the second takes the place of the first, stands
    beside it, or has nothing to do with it. What was seen while the rules were written is `dev`.
    """
    from evaluation.corrections.conflicts import Outcome, outcomes_of
    from evaluation.corrections.reach import Share
    from evaluation.decisions.table import plain_table, wide_console

    table = plain_table("pairs", "right", *Outcome)
    for name in ("dev", "heldout"):
        found = outcomes_of(name)
        groups = [found, *([one for one in found if one[0].outcome is outcome] for outcome in Outcome)]
        rights = (Share(sum(case.outcome is came for case, came in some), len(some)) for some in groups)
        table.add_row(name, *map(str, rights))
    wide_console().print(table)


COMMANDS = Commands((reach, conflicts))
