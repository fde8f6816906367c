"""Which example or lesson would come first, by nearness and by the scorers of samples."""

from evaluation.selection.shown import Shown, first_shares
from tests.support.memory.store import LetterPairs

RULES = ["a mother's brother is an uncle", "a king lives in a tower"]
SHOWN: list[Shown] = [
    ("what is a mother's brother", RULES, 0),
    ("where does a king live", RULES, 1),
    ("a king lives", RULES, 0),
]


def test_the_share_for_which_the_right_one_comes_first() -> None:
    shares = first_shares(SHOWN, LetterPairs())
    assert shares["nearness"] == shares["round trip (F1)"] == shares["n-grams (2)"] == 2 / 3
    assert shares["questions"] == 3
