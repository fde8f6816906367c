"""The replies that were written for corrections that may replace each other: they are those of the prompts of today."""

from evaluation.corrections.conflicts import ConflictCase, Placing, by_replies, by_rule, outcomes
from evaluation.decisions.written_replies import WrittenReplies
from evaluation.reading import DATA, read_all
from evaluation.store_filling import filled

CASES = read_all(DATA / "conflicts_dev.jsonl", ConflictCase)


def right(placing: Placing) -> int:
    with filled(()) as app:
        return sum(case.outcome is came for case, came in outcomes(CASES, app.services, placing))


def test_every_prompt_has_its_reply_and_all_come_out_right_as_by_rule_they_do_not() -> None:
    written = WrittenReplies(DATA / "conflict_replies.jsonl")
    assert right(by_replies(written)) == len(CASES)
    written.check()
    assert right(by_rule) < len(CASES)
