"""Where a text is asked about: what it takes does not grow with the square of a text."""

import subprocess
import sys

from assistant.papers.selection.study.passages import MOST_PASSAGES, nearest, passages_of
from memory_store.language.languages import LANGUAGES


def test_answers_are_cut_before_they_are_looked_up() -> None:
    text = "Dana found the ring. The king slept."
    folded: list[str] = []

    def fold(text: str) -> str:
        folded.append(text)
        return text.lower()

    passages = passages_of(text, ["the king"] * 5_000, fold)
    assert [passage.sentence for passage in passages] == ["The king slept."] * MOST_PASSAGES
    assert len(folded) == 2 + MOST_PASSAGES


def test_long_line_ends() -> None:
    """It took hours where each place of a line is a beginning of its own."""
    read = (
        "from assistant.papers.selection.study.passages import passages_of; passages_of('x' * 400_000, [], str.lower)"
    )
    subprocess.run([sys.executable, "-c", read], check=True, timeout=120)


def test_wrapped_lines_are_one_sentence() -> None:
    wrapped = "The ring that was lost for seven years was found by\nDana in Pune.\nShort line\nThe king slept."
    sentences = [passage.sentence for passage in passages_of(wrapped, [], LANGUAGES.fold)]
    assert sentences == ["The ring that was lost for seven years was found by Dana in Pune.", "The king slept."]


def test_first_of_equally_near_sentences_is_taken() -> None:
    sentences = ["The king slept.", "Dana slept.", "Dana slept.", "Dana woke."]
    assert nearest(["Dana", "slept", "Dana slept", "nothing"], sentences, LANGUAGES.fold) == [1, 0, 1, 0]
