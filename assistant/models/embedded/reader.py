"""Find the operation and the subject of a question. Below a margin, nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.answers import Answers, WordRequest
from assistant.models.embedded.induction import Demonstration, Demonstrations, mask_word
from assistant.models.embedded.operations import NAMED, Subject, WordOperation, definitions, plain
from assistant.models.embedded.phrases import SMALL_TALK
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.subjects import PLACE, SubjectFinder
from assistant.models.embedded.tasks import TaskFinder
from assistant.sentences import Sentence
from assistant.types import Message

NOT_UNDERSTOOD = str(Sentence("embedded.not_understood"))
_NO_EXAMPLES = frozenset({NOT_UNDERSTOOD, *SMALL_TALK})
_LEAST_ASKED, _AHEAD = 0.35, 1.5  # minimum probability of a task, and minimum ratio to that of no task
_SURE = 0.6  # minimum probability of a task without an answer
_LEAST_READING = 0.01  # minimum probability of another reading
_LEAST_NAMED = 0.35  # minimum probability of a task in an understanding or a correction
_MOST_NEW = 1  # unexplained words of a question
_WHAT_IS = re.compile(r"\W*(?P<what>what(?:['’]?s| is| are) +)?(?P<article>an? +)?(?P<word>[a-z]+)\W*", re.IGNORECASE)
_CONTENT = "content"  # kind of content words


class RequestReader:
    """Reader of questions. Thread-safe."""

    def __init__(self, languages: Languages, tasks: TaskFinder) -> None:
        self.subjects, self.answers = SubjectFinder(languages), Answers(languages)
        self._languages, self._tasks = languages, tasks
        self._demonstrations = Demonstrations(self.subjects, self.named)

    def demos(self, messages: Sequence[Message]) -> list[Demonstration]:
        """Return the examples of a prompt, without declined ones and small talk."""
        demos = self._demonstrations.of(tuple(messages[:-1]))
        return [demo for demo in demos if demo.understanding not in _NO_EXAMPLES]

    def alone(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> WordRequest | None:
        """Return the request of a question without its notes; None if unclear."""
        word = next(iter(self.words(asked, demos)), "")
        return self._asked(asked, word, demos) if word else None

    def words(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> dict[str, float]:
        """Return possible subjects of a question with their probabilities, highest first."""
        return self.subjects.find(asked, [demo.frame for demo in demos if demo.subject and not demo.said])

    def offered(self, asked: PromptQuestion, request: WordRequest) -> dict[str, WordRequest]:
        """Return other possible requests of a question by their understanding: the senses of its word, other tasks."""
        senses = lexicon().senses(request.subject.word) if request.name == "definition" else ()
        of_senses = [replace(request, subject=replace(request.subject, sense=sense)) for sense in senses]
        found: dict[str, WordRequest] = {}
        for one in (*of_senses[len(of_senses) < 2 :], *self.others(asked, request)):
            if self.answers.wanted(asked.question, one):
                found.setdefault(self.answers.understood(asked.question, one), one)
        return found

    def others(self, asked: PromptQuestion, request: WordRequest) -> Iterator[WordRequest]:
        """Yield other possible requests of a question with an answer, most probable first."""
        likely = self._tasks.asked(mask_word(asked.question, request.subject.word), asked.question)
        for name, near in likely.items():
            if name in NAMED and name not in request.operation.names and near >= _LEAST_READING:
                other = WordRequest(NAMED[name], request.subject, near)
                if self.answers.wanted(asked.question, other):
                    yield other

    def new_words(self, text: str, known: Iterable[str]) -> list[str]:
        """Return the content words of a text that no known text has, that explain no task and are not common."""
        fold = self._languages.fold
        seen = {fold(word) for one in (*known, PLACE) for word in words_in(one)}
        content = (word.written for word in self._languages.words(text) if str(word.kind) == _CONTENT)
        new = (word for word in content if fold(word) not in seen and not self._tasks.is_common(word))
        return [word for word in new if not self.subjects.explains(word)]

    def named(self, text: str) -> WordOperation | None:
        """Return the operation that a text names, None if unclear."""
        name, near = next(iter(self._tasks.said(text).items()))
        return NAMED.get(name) if near >= _LEAST_NAMED else None

    def subject(self, asked: PromptQuestion, word: str, said: str = "") -> Subject:
        """Build the subject: a word with the places, counts and letters that question and correction name."""
        told = f"{mask_word(asked.question, word)} {said}"
        return Subject(word, *numbers_in(self._languages.english(told)), letters_in(told))

    def _asked(self, asked: PromptQuestion, word: str, demos: Sequence[Demonstration]) -> WordRequest | None:
        """Return the request of a question if it is about this word, or None."""
        subject, text = self.subject(asked, word), mask_word(asked.question, word)
        for demo in demos:
            if not demo.said and demo.operation and demo.frame == text.casefold():
                return WordRequest(demo.operation, subject, demo=demo)
        if self._is_meaning(asked.question, word):
            return WordRequest(NAMED["definition"], subject)
        likely = self._tasks.asked(text, asked.question)
        is_given = subject.letters or subject.places or subject.count
        name = next(label for label in likely if label in NAMED and (is_given or not definitions()[label].takes))
        no_task = max(near for label, near in likely.items() if label not in NAMED)
        is_answered = likely[name] >= _SURE or self.answers.all(asked.question, NAMED[name], subject)
        is_task = likely[name] >= max(_LEAST_ASKED, _AHEAD * no_task) and is_answered
        if not is_task or len(self.new_words(text, ())) > _MOST_NEW:
            return None
        return self._mended(WordRequest(NAMED[name], subject, likely[name]))

    def _is_meaning(self, question: str, word: str) -> bool:
        """Return True if a question is "what is a word?", or a known noun only, which explains no task."""
        found, known = _WHAT_IS.fullmatch(question), lexicon().find(word)
        if not found or found["word"].lower() != word.lower() or not known or self.subjects.explains(word):
            return False
        kinds = [str(each.kind) for each in self._languages.words(word)]
        is_noun = "n" in known.parts if found["article"] else known.parts[:1] == "n" and known.parts[:2] != "nr"
        return is_noun and kinds == [_CONTENT]

    def _mended(self, request: WordRequest) -> WordRequest:
        """Correct the spelling of an unknown word, unless the request is about its letters."""
        word, is_meant = request.subject.word, plain(request.operation) and request.name != "spelled_out"
        is_known = lexicon().find(word) or lexicon().is_rare(word.lower()) or self._languages.english(word) != word
        near = "" if is_meant or is_known else lexicon().nearest(word)
        return replace(request, subject=replace(request.subject, word=near)) if near else request
