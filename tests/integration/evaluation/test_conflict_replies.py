"""The replies that were written for corrections that may replace each other: they are those of the prompts of today."""

from evaluation.corrections.conflicts import by_replies, by_rule, outcomes_of
from evaluation.corrections.reach import DATA
from evaluation.decisions.written_replies import WrittenReplies


def test_every_prompt_has_its_reply_and_more_comes_out_right_than_by_rule() -> None:
    written = WrittenReplies(DATA / "conflict_replies.jsonl")
    right = {
        placing: sum(case.outcome is came for case, came in outcomes_of("dev", placing))
        for placing in (by_rule, by_replies(written))
    }
    written.check()
    ruled, replied = right.values()
    assert ruled < replied
