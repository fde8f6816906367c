"""What a question asks for, and of what. Below a margin nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.answers import Answers, Request
from assistant.models.embedded.induction import Demonstration, Demonstrations, masked
from assistant.models.embedded.operations import NAMED, Operation, Subject, definitions
from assistant.models.embedded.prompt_reader import PromptQuestion, reply_pairs
from assistant.models.embedded.small_talk import SMALL_TALK
from assistant.models.embedded.subjects import SubjectFinder
from assistant.models.embedded.tasks import TaskFinder
from assistant.sentences import Sentence
from assistant.types import Message

NOT_UNDERSTOOD = str(Sentence("embedded.not_understood"))
_NO_EXAMPLES = frozenset({NOT_UNDERSTOOD, *SMALL_TALK})
_LEAST_ASKED, _AHEAD = 0.35, 1.5  # how likely a question has to ask for a task, and how much likelier than for none
_SURE = 0.6  # how likely a task is that may be without an answer
_LEAST_NAMED = 0.35  # how likely a text has to name one
_SAME_WORDING = 0.9  # cosine of the stems of two questions that ask in the same way
_SPELLED = 0.75  # share of the letters that two spellings of a word have in common
_UNFIT = 0.3  # so much less likely is a task that finds no answer
_TRIED = 2  # words that a question may ask about
_COUNTED = frozenset({"beginning", "ending"})


class RequestReader:
    """Safe to share between threads."""

    def __init__(self, languages: Languages, tasks: TaskFinder) -> None:
        self.subjects, self.answers = SubjectFinder(languages), Answers(languages)
        self._languages, self._tasks = languages, tasks
        self._demonstrations = Demonstrations(self.subjects, self.named)

    def demos(self, messages: Sequence[Message]) -> list[Demonstration]:
        """Return the examples of a prompt, but for those that were declined or are small talk."""
        return [demo for demo in self._demonstrations(reply_pairs(messages)) if demo.understanding not in _NO_EXAMPLES]

    def alone(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> Request | None:
        """Return what a question asks for by itself; None where that is not clear enough."""
        best, most = None, 0.0
        for word, near in [*self.words(asked, demos).items()][:_TRIED] or [("", 1.0)]:
            found = self._asked(asked, word, demos)
            if found and found.likely * near > most:
                best, most = found, found.likely * near
        return best

    def words(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> dict[str, float]:
        """Return what a question may ask about with its probability, the likeliest first."""
        frames = [demo.frame for demo in demos if demo.subject and not demo.said]
        phrasing = {word for demo in demos if demo.subject for word in self.subjects.folded(words_in(demo.frame))}
        found = self.subjects.find(asked, phrasing, frames)
        return {_spelled(word, asked.about): near for word, near in found.items()}

    def others(self, asked: PromptQuestion, request: Request) -> Iterator[Request]:
        """Yield what else a question may ask for, the likeliest first."""
        likely = self._tasks.asked(masked(asked.question, request.subject.word), asked.question)
        for name in likely:
            if name in NAMED and name not in request.operation.names:
                other = Request(NAMED[name], request.subject, likely[name])
                if self.answers.wanted(asked.question, other):
                    yield other

    def named(self, text: str) -> Operation | None:
        """Return the operation that a text names; None where it names none for sure."""
        name, near = next(iter(self._tasks.said(text).items()))
        return NAMED.get(name) if near >= _LEAST_NAMED else None

    def subject(self, asked: PromptQuestion, word: str, said: str = "") -> Subject:
        """Return a word with the places, counts and letters that question and correction name."""
        told = f"{masked(asked.question, word)} {said}"
        return Subject(word, *numbers_in(self._languages.english(told)), letters_in(told))

    def fitting(self, asked: PromptQuestion, likely: Mapping[str, float], subject: Subject) -> dict[str, float]:
        """Return the labels, those of tasks less likely that have no answer for the subject."""
        is_given = subject.letters or subject.places or subject.count
        of_places = _COUNTED if len(subject.places) > 1 else frozenset[str]()  # "letters 1 and 3" are no beginning

        def share(name: str) -> float:
            if name not in NAMED:
                return 1.0
            if name in of_places or (definitions()[name].takes and not is_given):
                return 0.0
            return 1.0 if self.answers.all(asked.question, NAMED[name], subject) else _UNFIT

        found = {name: near * share(name) for name, near in likely.items()}
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def _asked(self, asked: PromptQuestion, word: str, demos: Sequence[Demonstration]) -> Request | None:
        """Return what a question asks for if it is about this word."""
        subject, text = self.subject(asked, word), masked(asked.question, word)
        for demo in demos:
            is_alike = demo.frame == text.casefold() or self._tasks.likeness(text, demo.frame) >= _SAME_WORDING
            if not demo.said and demo.operation and is_alike:
                return Request(demo.operation, subject, demo=demo)
        if not word:
            return None
        likely = self._tasks.asked(text, asked.question)
        name = next(label for label in self.fitting(asked, likely, subject) if label in NAMED)
        no_task = max(near for label, near in likely.items() if label not in NAMED)
        is_answered = likely[name] >= _SURE or self.answers.all(asked.question, NAMED[name], subject)
        is_task = likely[name] >= max(_LEAST_ASKED, _AHEAD * no_task) and is_answered
        return Request(NAMED[name], subject, likely[name]) if is_task else None


def _spelled(word: str, questions: Sequence[str]) -> str:
    """Return what is no word as an earlier question spells it that was put right: "genrous" after "generous"."""
    if lexicon().find(word):
        return word
    known = [other for question in questions for other in words_in(question) if lexicon().find(other)]
    return next(iter(get_close_matches(word, known, n=1, cutoff=_SPELLED)), word)
