"""Find the operation and the subject of a question, and word its answers. Below a margin, nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from assistant.language.asked_word import letters_in, numbers_in, words_in
from assistant.language.lexicon import lexicon
from assistant.models.embedded.operations import (
    LANGUAGES,
    NAMED,
    Demonstration,
    Subject,
    WordOperation,
    name_sense,
    read_demonstrations,
)
from assistant.models.embedded.phrases import DEFINITIONS, LATIN, SMALL_TALK, say, script_of, voice, write_tags
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.tasks import PLACE, SubjectFinder, TaskFinder, known_stems, mask_word, stem_of
from assistant.sentences import Sentence
from assistant.types import Message

NOT_UNDERSTOOD = str(Sentence("embedded.not_understood"))
_NO_EXAMPLES = frozenset({NOT_UNDERSTOOD, *SMALL_TALK})
_LEAST_ASKED, _AHEAD = 0.35, 1.5  # minimum probability of a task, and minimum ratio to that of no task
_SURE = 0.6  # minimum probability of a task without an answer
_LEAST_READING = 0.01  # minimum probability of another reading
_READINGS = 3  # other possible requests
_LEAST_NAMED = 0.35  # minimum probability of a task in an understanding
_MOST_NEW = 1  # unexplained words of a question
_WHAT_IS = re.compile(r"\W*(?P<what>what(?:['’]?s| is| are) +)?(?P<article>an? +)?(?P<word>[a-z]+)\W*", re.IGNORECASE)
_CONTENT = "content"  # kind of content words
_OF_MEANING = frozenset({"synonym", "antonym", "definition"})  # valid in any language
_CARRIED = 3  # answers to translate, since the word lists are coarse
_SHOWN = {"rhyme": 3}  # answers, if not one
_MISSING = {
    "antonym": "no_opposite", "synonym": "no_synonym", "homophone": "no_homophone", "letters_at": "no_position",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordRequest:
    """An operation on a subject, with the wanted form of the answer."""

    operation: WordOperation
    subject: Subject
    demo: Demonstration | None = None  # the example to follow
    skip: int = 0  # number of rejected answers
    most: int = 0  # maximum number of answers; 0 if not named
    language: str = ""  # of the answer, if named
    given: str = ""  # the answer that the user gave

    @property
    def name(self) -> str:
        """Return the name of its first operation, empty if it was learnt from examples."""
        return next(iter(self.operation.names), "")


class RequestReader:
    """Reader of questions about words, and writer of their answers. Thread-safe."""

    def __init__(self, tasks: TaskFinder) -> None:
        self.tasks, self.languages, self.subjects = tasks, tasks.languages, SubjectFinder(tasks.languages)
        self._demos = lru_cache(maxsize=64)(self._read_demos)

    def demos(self, messages: Sequence[Message]) -> list[Demonstration]:
        """Return the examples of a prompt, without declined ones and small talk."""
        return self._demos(tuple(messages[:-1]))

    def _read_demos(self, messages: tuple[Message, ...]) -> list[Demonstration]:
        def named(text: str) -> WordOperation | None:
            name, near = next(iter(self.tasks.said(text).items()))
            return NAMED.get(name) if near >= _LEAST_NAMED else None

        demos = read_demonstrations(messages, self.subjects, named)
        return [demo for demo in demos if demo.understanding not in _NO_EXAMPLES]

    def words(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> dict[str, float]:
        """Return possible subjects of a question with their probabilities, highest first."""
        return self.subjects.find(asked, [demo.frame for demo in demos])

    def subject(self, asked: PromptQuestion, word: str, said: str = "") -> Subject:
        """Build the subject: a word with the places, counts and letters that question and correction name."""
        told = f"{mask_word(asked.question, word)} {said}"
        return Subject(word, *numbers_in(self.languages.english(told)), letters_in(told))

    def alone(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> WordRequest | None:
        """Return the request of a question without its notes; None if unclear."""
        if not (word := next(iter(self.words(asked, demos)), "")):
            return None
        subject, text = self.subject(asked, word), mask_word(asked.question, word)
        for demo in demos:
            if demo.operation and demo.frame == text.casefold():
                return WordRequest(demo.operation, subject, demo)
        if self._is_meaning(asked.question, word):
            return WordRequest(NAMED["definition"], subject)
        likely = self.tasks.asked(text, asked.question)
        is_given = subject.letters or subject.places or subject.count
        name = next(label for label in likely if label in NAMED and (is_given or "takes" not in DEFINITIONS[label]))
        no_task = max(near for label, near in likely.items() if label not in NAMED)
        is_answered = likely[name] >= _SURE or self.answers(asked.question, NAMED[name], subject)
        is_task = likely[name] >= max(_LEAST_ASKED, _AHEAD * no_task) and is_answered
        if not is_task or len(self.new_words(text, ())) > _MOST_NEW:
            return None
        return WordRequest(NAMED[name], replace(subject, word=self._mend(word, NAMED[name])))

    def _is_meaning(self, question: str, word: str) -> bool:
        """Return True if a question is "what is a word?", or a known noun only, which explains no task."""
        found, known = _WHAT_IS.fullmatch(question), lexicon().find(word)
        if not found or found["word"].lower() != word.lower() or not known or self.subjects.explains(word):
            return False
        kinds = [each.kind for each in self.languages.words(word)]
        is_noun = "n" in known.parts if found["article"] else known.parts[:1] == "n" and known.parts[:2] != "nr"
        return is_noun and kinds == [_CONTENT]

    def _mend(self, word: str, operation: WordOperation) -> str:
        """Correct the spelling of an unknown word, unless the operation is about its letters."""
        is_meant = operation.of_letters and operation.names != ("spelled_out",)
        is_known = lexicon().find(word) or lexicon().is_rare(word.lower()) or self.languages.english(word) != word
        return word if is_meant or is_known else lexicon().nearest(word) or word

    def offered(self, asked: PromptQuestion, request: WordRequest) -> dict[str, WordRequest]:
        """Return other possible requests of a question by their understanding: the senses of its word, other tasks."""
        senses = lexicon().senses(request.subject.word) if request.name == "definition" else ()
        of_senses = [replace(request, subject=replace(request.subject, sense=sense)) for sense in senses]
        found: dict[str, WordRequest] = {}
        for one in (*of_senses[len(of_senses) < 2 :], *self.others(asked, request)):
            if self.wanted(asked.question, one):
                found.setdefault(self.understood(asked.question, one), one)
        return found

    def others(self, asked: PromptQuestion, request: WordRequest) -> Iterator[WordRequest]:
        """Yield other possible requests of a question with an answer, most probable first."""
        likely = self.tasks.asked(mask_word(asked.question, request.subject.word), asked.question)
        for name, near in likely.items():
            if name in NAMED and name not in request.operation.names and near >= _LEAST_READING:
                other = WordRequest(NAMED[name], request.subject)
                if self.wanted(asked.question, other):
                    yield other

    def new_words(self, text: str, known: Iterable[str]) -> list[str]:
        """Return the unexplained content words of a text: in no `known` text, no definition of a task, not common."""
        fold = self.languages.fold
        seen = {fold(word) for one in (*known, PLACE) for word in words_in(one)}
        content = (word.written for word in self.languages.words(text) if word.kind == _CONTENT)
        new = (word for word in content if fold(word) not in seen)
        return [
            word
            for word in new
            if stem_of(self.languages, word) not in known_stems() and not self.subjects.explains(word)
        ]

    def written(self, question: str, request: WordRequest, *, readings: bool = False) -> str:
        """Write the reply to a request; with `readings`, also the next-best readings of the question."""
        understanding = self.understood(question, request)
        if found := self.wanted(question, request):
            answer = ", ".join(found)
        else:
            word = request.subject.word
            is_unknown = not request.operation.of_letters and lexicon().find(word) is None
            name = "unknown" if is_unknown else _MISSING.get(request.name, "nothing")
            answer = say(name, voice(self.languages.language, question), word=word)
        others = [*islice(self.offered(PromptQuestion(question), request), _READINGS)] if readings else []
        further = {"readings": "\n".join(others)} if others else {}
        return write_tags(understanding=understanding, answer=answer, **further)

    def understood(self, question: str, request: WordRequest) -> str:
        """Return the understanding: that of the example, with the new word, else one from the phrase table."""
        names, demo, subject = request.operation.names, request.demo, request.subject
        language = self.languages.language
        at = voice(language, question)
        if demo and not subject.sense and (not names or voice(language, demo.understanding) == at):
            return demo.understanding.replace(demo.subject.word, subject.word, 1)
        thing = f'"{subject.word}"' + (f" ({name_sense(subject.sense)})" if subject.sense else "")
        told = subject.letters if "count_of" in names else subject.places or [subject.count]
        listed = say("and", at).join(map(str, told))
        for name in (*names, *(name for name, language in LANGUAGES.items() if language == request.language)):
            thing = DEFINITIONS[name]["says"][at].format(it=thing, n=listed)
        return say("wanted", at, thing=thing)

    def wanted(self, question: str, request: WordRequest) -> Sequence[str]:
        """Return the answers to a request, if any."""
        if request.given:
            return [request.given]
        most = request.most or _SHOWN.get(request.name, 1)
        found = self.answers(question, request.operation, request.subject)[request.skip :][:most]
        if not request.language:
            return found
        in_latin = script_of(question) == LATIN
        return [self._translate(each, request.language, in_latin=in_latin) or each for each in found]

    def answers(self, question: str, operation: WordOperation, subject: Subject) -> Sequence[str]:
        """Return all answers of an operation on a subject, best first, in the language of the question.

        Words of other languages are translated to English first.
        """
        language, in_latin = self.languages.language(question), script_of(question) == LATIN
        name, word = next(iter(operation.names), ""), subject.word
        if name in LANGUAGES:
            made = self._translate(word, LANGUAGES[name], in_latin=in_latin)
            return [made] if made and made.casefold() != word.casefold() else []
        is_known, found = lexicon().find(word) is not None, operation.solve(subject)
        if is_known and name == "definition" and not in_latin:  # a meaning in its own script, if there is one
            words = (word.lower(), *NAMED["synonym"].solve(subject))
            natives = (self._translate(one, language, in_latin=False) for one in words)
            return next(([f"{word}: {own}"] for own in natives if own), found)
        if found or is_known or name not in _OF_MEANING:
            return found
        english = self.english(word)
        if not english or name == "definition":
            return [f"{word}: {english}"] if english else []
        solved = operation.solve(replace(subject, word=english))[:_CARRIED]
        translated = [self._translate(one, language, in_latin=in_latin) for one in solved]
        return [one for one in dict.fromkeys(solved if language == "en" else translated) if one and one != word]

    def english(self, word: str) -> str:
        """Return the first English translation of a word that the lexicon has, else an empty text."""
        english = self.languages.english(word)
        return next((each for each in english.split() if lexicon().find(each)), "") if english != word else ""

    def _translate(self, word: str, language: str, *, in_latin: bool) -> str:
        """Translate a word, as an English word if possible ("mango" is no "maango"); empty if unknown."""
        english, native = self.english(word), self.languages.native
        if language == "en":
            return english
        return native(word.lower(), language, in_latin=in_latin) or native(english, language, in_latin=in_latin)
