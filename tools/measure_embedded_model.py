"""Prints which share of questions about words the embedded model understands, without and with a clarification.

    python tools/measure_embedded_model.py

The questions are those of `tests/support/word_questions.toml`, in the manner of MemPrompt, tables 8 to 10. The model
goes by wording alone here, as it does while no embedder is loaded.
"""

from __future__ import annotations

from collections import Counter

from assistant.feedback import correction_in
from assistant.models.lexicon import Lexicon
from assistant.models.offline import OfflineModel
from memory_store.surface import fold
from tests.support.word_questions import ask, questions, task_spoken_of, ways_to_say


def main() -> None:
    model = OfflineModel(Lexicon(), fold, correction_in)
    asked: Counter[tuple[str, str]] = Counter()
    understood: Counter[tuple[str, str]] = Counter()
    for item in questions():
        for said in (None, *ways_to_say(item.task)):
            row = (item.language, "without a clarification" if said is None else "with one")
            asked[row] += 1
            understood[row] += task_spoken_of(ask(model, item.question, said).understanding) == item.task
    for row, count in asked.items():
        print(f"{row[0]:8} {row[1]:24} {understood[row]:3} of {count:3} = {understood[row] / count:.0%}")


if __name__ == "__main__":
    main()
