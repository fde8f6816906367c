"""Finds the example of a prompt that a question is closest to.

A question is compared with the questions and understandings of the examples. A question with a clarification is not:
there, what was said is compared with what was said in the examples and with their understandings, since it tells what
was meant. On both sides the word that is asked about is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assistant.language.asked_word import repeated_places, words_in
from assistant.language.lexicon import lexicon
from assistant.models.embedded.glossary import Glossary, Words, words_of
from assistant.models.embedded.phrases import script_of
from assistant.models.embedded.prompt_reader import PromptExample, PromptQuestion, read_example
from assistant.models.embedded.similarity import Meanings, token_weights, wording
from assistant.models.embedded.word_finder import WordClass, WordFinder, marked_word, positions_in
from assistant.models.embedded.word_tasks import Subject, WordTask, task_named_in, task_shown_by
from assistant.sentences import Sentence

# How close the closest example has to be: by wording, or else by meaning. Where the question marks its word (brackets,
# quotes) it is about that word for certain, so less will do.
_LEAST = (0.18, 0.6)
_LEAST_WITH_MARKED_WORD = (0.05, 0.25)
_LEAST_OF_SAID = (0.3, 0.6)
_MEANING_WEIGHT = 0.5
NOT_UNDERSTOOD = str(Sentence("embedded.not_understood"))
_MEANS = frozenset(["meaning", "means", "mean"])
_LONGEST_SAID = 400  # characters that are read of a clarification


@dataclass(frozen=True, slots=True)
class Demonstration:
    """An example, ready to be compared and followed."""

    example: PromptExample  # as it stands in the prompt
    subject: Subject | None  # what it asks about; None where that is no word
    task: WordTask | None  # what it shows how to do; None where that is nothing that can be done with a word
    language: str  # of its question, and its script
    phrasing: frozenset[str]  # the words with which it asks, folded; none where it does not ask about a word
    questions: tuple[Words, ...]  # what a question is compared with, as tokens
    explanations: tuple[Words, ...]  # what the words of a clarification are compared with, as tokens


class ExampleMatcher:
    """Learns from the examples of a prompt, for as long as it reads it. `fold` is that of `WordFinder`."""

    def __init__(self, fold: Callable[[str], str], meanings: Meanings) -> None:
        self._glossary = Glossary(fold, lexicon().is_frequent)
        self._words = WordFinder(fold, self._glossary)
        self._meanings = meanings
        self._demo = lru_cache(maxsize=256)(self._read_demo)

    def demos(self, pairs: Sequence[tuple[str, str]]) -> list[Demonstration]:
        """What pairs of user message and reply teach; pairs that are no examples are passed over."""
        return [demo for pair in pairs if (demo := self._demo(*pair)) is not None]

    def subject(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> Subject | None:
        """The word a question asks about, if any."""

        def meant() -> WordTask | None:
            demo = self._meant(asked, (), demos)
            return demo.task if demo else None

        word = self._words.find(asked, _phrasing(demos), meant)
        return Subject(word, positions_in(asked.question, word)) if word else None

    def puts_right(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> bool:
        """Whether a message says how the question before it was meant, and asks about no other word."""
        if not asked.previous or asked.question.endswith("?"):
            return False
        known = _phrasing(demos) | self._folded_words(asked.previous)
        word = self._words.likeliest(asked.question, known)
        kind = self._words.kind(word, known) if word else WordClass.EVERYDAY
        if kind is WordClass.CONTENT:
            return False
        # "define wrong" denies nothing.
        marked = self._folded_words(word) if word and kind is WordClass.PHRASING else ()
        if not self._glossary.puts_right(asked.question, marked):
            return False
        return self._explained(asked.question, (), demos) is not None

    def closest(self, asked: PromptQuestion, subject: Subject, demos: Sequence[Demonstration]) -> Demonstration | None:
        """The one to follow; None where no example is close. What was said decides, where it is like anything.

        Where the closest is in another language than the question, and one for the same task is not, it is that one.
        """
        demo = self._closest(asked, subject, demos)
        language = self._language(asked.question)
        if demo is None or demo.task is None or demo.language == language:
            return demo
        return next((other for other in demos if (other.task, other.language) == (demo.task, language)), demo)

    def _closest(self, asked: PromptQuestion, subject: Subject, demos: Sequence[Demonstration]) -> Demonstration | None:
        about = self._folded_words(subject.word)
        if demo := self._meant(asked, about, demos):
            return demo
        least = _LEAST_WITH_MARKED_WORD if marked_word(asked.question) else _LEAST
        known = [(demo, text) for demo in demos for text in demo.questions]
        return self._best(self._glossary.question(asked.question, about), known, least)

    def _meant(
        self, asked: PromptQuestion, word: Collection[str], demos: Sequence[Demonstration]
    ) -> Demonstration | None:
        """The one whose task people said they meant, if any. What only repeats the question is left out first."""
        for said, about in zip(asked.said, asked.about, strict=True):
            rest = self._less_repeated(said, (asked.question, about))
            for text in dict.fromkeys((rest, said)):
                if demo := self._explained(text, word, demos):
                    return demo
        return None

    def _less_repeated(self, said: str, questions: Sequence[str]) -> str:
        """What was said, less where it repeats one of the questions."""
        words = words_of(said)
        told = self._words.folded(words)
        asked = (self._words.folded(words_in(text)) for text in questions)
        repeated = next(filter(None, (repeated_places(words, told) for words in asked)), None)
        if repeated is None:
            return said
        first, last = repeated.start, repeated.stop
        spans = _spans(said)
        # "take for a walk means a sentence": that it means something is not what it means.
        last += last < len(words) and self._glossary.says(words[last], _MEANS)
        return f"{said[: spans[first][0]]} | {said[spans[last - 1][1] :]}"

    def _explained(self, said: str, leave_out: Collection[str], demos: Sequence[Demonstration]) -> Demonstration | None:
        """The one whose task a person's words explain, if any."""
        tokens = self._glossary.clarification(said[:_LONGEST_SAID], leave_out)
        explained = [(demo, text) for demo in demos if demo.task for text in demo.explanations]
        return self._best(tokens, explained, _LEAST_OF_SAID)

    def _best(
        self, tokens: Words, known: Sequence[tuple[Demonstration, Words]], least: tuple[float, float]
    ) -> Demonstration | None:
        if not tokens or not known:
            return None
        by_task: defaultdict[str, list[Words]] = defaultdict(list)
        for demo, text in known:
            by_task[demo.task.name if demo.task else demo.example.understanding].append(text)
        weights = token_weights(by_task.values(), self._glossary.is_filler)
        by_wording = [wording(tokens, text, weights) for _, text in known]
        by_meaning = self._meanings.similarities(" ".join(tokens), [" ".join(text) for _, text in known])
        by_meaning = by_meaning or [0.0] * len(known)
        total = [ours + _MEANING_WEIGHT * meant for ours, meant in zip(by_wording, by_meaning, strict=True)]
        best = max(range(len(known)), key=total.__getitem__)
        if by_wording[best] < least[0] and by_meaning[best] < least[1]:
            return None
        return known[best][0]

    def _read_demo(self, content: str, reply: str) -> Demonstration | None:
        example = read_example(content, reply)
        # That it once understood nothing, and a person said that this was right, shows how nothing is done.
        if example is None or example.understanding == NOT_UNDERSTOOD:
            return None
        question = example.asked.question
        language = self._language(question)
        word = self._word_shown(example)
        if word is None:
            texts = tuple(self._glossary.question(text) for text in (question, example.understanding))
            return Demonstration(example, None, None, language, frozenset(), texts, ())
        subject = Subject(word, positions_in(question, word))
        task = task_named_in(example.understanding) or task_shown_by(subject, example.answer)
        about = self._folded_words(word)
        phrasing = self._folded_words(question) - about
        questions = [self._glossary.question(example.understanding, about)]
        if not example.asked.said:
            questions.append(self._glossary.question(question, about))
        said = (*example.asked.said, example.understanding)
        explanations = tuple(self._glossary.clarification(text, about) for text in said)
        return Demonstration(example, subject, task, language, phrasing, tuple(questions), explanations)

    def _language(self, question: str) -> str:
        return f"{self._glossary.language(words_of(question))} in {script_of(question)}"

    def _word_shown(self, example: PromptExample) -> str | None:
        """The word an example is about: it stands in question and understanding, and one of them marks it.

        Another model, whose answer was confirmed, may not quote it; then the task must show in the understanding.
        """
        question, understanding = example.asked.question, example.understanding
        if (word := marked_word(understanding)) is not None:
            return word if word in question else None
        word = self._words.likeliest(question, ())
        return word if word and word in understanding and task_named_in(understanding) else None

    def _folded_words(self, text: str) -> frozenset[str]:
        return frozenset(self._words.folded(words_of(text)))


def _phrasing(demos: Sequence[Demonstration]) -> frozenset[str]:
    return frozenset[str]().union(*(demo.phrasing for demo in demos))


def _spans(text: str) -> list[tuple[int, int]]:
    """Where each word of a text stands."""
    spans, end = [], 0
    for word in words_of(text):
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return spans
