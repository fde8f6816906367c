"""Prints what each signal of a person is worth: clarifications, confirmed answers, both, or none.

    python -m tools.compare_signals [--questions 300] [--seeds 3] [--embedder none]

A stream of questions about words, in the manner of MemPrompt (tables 8 to 10), goes to the embedded model with an
empty memory. A simulated person reads each understanding. Where it is right, they confirm; where it is wrong, they say
what they meant, and confirm the new answer if that is right. The arms differ only in the parts they are made of: which
kinds of entries recall lets through, and what is learnt from a confirmation. Counted are first answers among the first
and the last hundred questions. Ways of asking and of saying what was meant are those of
`tests/support/word_questions.toml`.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from app import PROMPTS
from assistant.conversation import Assistant
from assistant.events import Event, Finished
from assistant.feedback import correction_in
from assistant.gate import Gate
from assistant.learning import CountReactions, KeepExamples, LearnAll
from assistant.models.lexicon import Lexicon
from assistant.models.offline import OfflineModel
from assistant.only_kinds import OnlyKinds
from assistant.ports import Learn
from assistant.prompting import Prompting
from assistant.types import Kind, Reaction, Scope, Turn
from memory_store.embedder import SentenceEmbedder, choose_embedder
from memory_store.glossed import READINGS, for_memory
from memory_store.recall import HybridRecall
from memory_store.rule_keys import rule_keys
from memory_store.store import Store, open_store
from memory_store.surface import fold
from tests.support.word_questions import WordQuestion, task_spoken_of, ways_to_ask, ways_to_say

SPAN = 100
PERSON = Scope("a person")
WORDS = (
    "quick", "enormous", "happy", "hot", "tall", "rich", "night", "flower", "sale", "fog", "harbor", "musician",
    "river", "brave", "teacher", "calm", "garden", "bridge", "cold", "light", "market", "young", "early", "strong",
    "window", "ocean", "mountain", "winter", "honest", "gentle", "narrow", "story", "paper", "silver", "village",
    "doctor", "forest", "island", "summer", "kitchen", "bitter", "shallow", "ancient", "modern", "public", "winner",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to use the memory: the kinds that are recalled, and whether confirmed answers are kept."""

    name: str
    kinds: Collection[Kind]
    keeps_examples: bool


ARMS = (
    Arm("none", (), keeps_examples=False),
    Arm("clarifications", (Kind.CLARIFICATION,), keeps_examples=False),
    Arm("confirmed answers", (Kind.EXAMPLE,), keeps_examples=True),
    Arm("both", (Kind.CLARIFICATION, Kind.EXAMPLE), keeps_examples=True),
)


def stream(number: int, seed: int) -> list[WordQuestion]:
    """Questions in random order, each way of asking as likely as the others, and each word."""
    draw = random.Random(seed)  # noqa: S311 - the same questions every time
    asked = []
    for language, task, question in draw.choices(list(ways_to_ask()), k=number):
        word = draw.choice(WORDS)
        asked.append(WordQuestion(language, task, word, question.format(word=word)))
    return asked


def right_answers(assistant: Assistant, asked: Sequence[WordQuestion], seed: int) -> list[bool]:
    """Which first answers were right, while a person clarifies and confirms."""
    draw = random.Random(seed)  # noqa: S311 - the same questions every time
    right = []
    for number, item in enumerate(asked):
        turn = _last(assistant.ask(item.question, PERSON, str(number)))
        right.append(_is_right(turn, item))
        if not right[-1]:
            turn = _last(assistant.clarify(turn.id, draw.choice(ways_to_say(item.task)), PERSON))
        if _is_right(turn, item):
            _last(assistant.react(turn.id, Reaction.CONFIRM, PERSON))
    return right


def compose(arm: Arm, store: Store, embedder: SentenceEmbedder | None, embedder_name: str) -> Assistant:
    """The assistant as `app.py` makes it, but for the parts that the arm is about."""
    lessons: list[Learn] = [CountReactions(store.memory)]
    if arm.keeps_examples:
        lessons.append(KeepExamples(store.memory))
    recall = HybridRecall(store.index, store.memory, READINGS, for_memory(embedder), store.indexer.catch_up)
    return Assistant(
        model=OfflineModel(Lexicon(), fold=fold, find_correction=correction_in, embedder=embedder),
        recall=OnlyKinds(recall, arm.kinds),
        choose=Gate.from_file(embedder_name),
        learn=LearnAll(*lessons),
        memory=store.memory,
        journal=store.journal,
        prompting=Prompting(PROMPTS, store.ledger.secret()),
        further_keys=rule_keys,
    )


def _is_right(turn: Turn, item: WordQuestion) -> bool:
    return task_spoken_of(turn.reply.understanding) == item.task and item.word in turn.reply.understanding


def _last(events: Iterable[Event]) -> Turn:
    return [event.turn for event in events if isinstance(event, Finished)][-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--embedder", default="", help="as NOTED_EMBEDDER")
    options = parser.parse_args()
    choice = choose_embedder(options.embedder)
    embedder = SentenceEmbedder(choice) if choice.dimension else None
    print(f"{options.questions} questions, {options.seeds} seeds, embedder {choice.name}; share right at first")
    print(f"{'':18} first {SPAN}  last {SPAN}  last {SPAN} by seed")
    for arm in ARMS:
        runs = [_run(arm, options.questions, seed, embedder, choice.name) for seed in range(options.seeds)]
        first, last = ([mean(right[span]) for right in runs] for span in (slice(SPAN), slice(-SPAN, None)))
        each = "  ".join(f"{share:.2f}" for share in last)
        print(f"{arm.name:18} {mean(first):9.2f}  {mean(last):8.2f}  {each}", flush=True)


def _run(arm: Arm, number: int, seed: int, embedder: SentenceEmbedder | None, embedder_name: str) -> list[bool]:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{folder}/ledger.sqlite3", f"{folder}/index", for_memory(embedder), READINGS)
        right = right_answers(compose(arm, store, embedder, embedder_name), stream(number, seed), seed)
        store.close()
    return right


if __name__ == "__main__":
    main()
