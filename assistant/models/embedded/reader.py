"""Find the operation and the subject of a question, and word the answers. Below a margin, nothing is guessed."""

from __future__ import annotations

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
    told_senses,
)
from assistant.models.embedded.phrases import DEFINITIONS, LATIN, SMALL_TALK, say, script_of, voice, write_tags
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.tasks import PLACE, SubjectFinder, TaskFinder, known_stems, mask_word, stem_of
from assistant.reasoning.words import Words
from assistant.sentences import Sentence
from assistant.types import Message

NOT_UNDERSTOOD = str(Sentence("embedded.not_understood"))
_NO_EXAMPLES = frozenset({NOT_UNDERSTOOD, *SMALL_TALK})
_LEAST_ASKED = 0.35  # minimum probability of a task
_LEAST_SUBJECT = 0.2  # minimum probability of a word that may be the subject
_SURE = 0.6  # minimum probability of a task without an answer
_CLEARLY_ASKED = 0.85  # minimum probability of a task that a wording surely means
_LEAST_READING, _READINGS = 0.01, 3  # minimum probability of another reading, and how many are shown
_LEAST_NAMED = 0.35  # minimum probability of a task in an understanding
_MOST_NEW = 1  # unexplained words of a question
_CONTENT = "content"  # kind of content words
_OF_MEANING = frozenset({"synonym", "antonym", "definition"})  # valid in any language
_CARRIED = 3  # answers to translate, since the word lists are coarse
_SHOWN = {"rhyme": 3}  # number of answers by operation; 1 for all others
_MISSING = {
    "antonym": "no_opposite", "synonym": "no_synonym", "homophone": "no_homophone", "letters_at": "no_position",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordRequest:
    """An operation on a subject, with the wanted form of the answer."""

    operation: WordOperation
    subject: Subject
    demo: Demonstration | None = None  # the example to follow
    given: Sequence[str] = ()  # the answers, if they differ from the results of the operation
    form: str = ""  # the operation that changed the form of the given answers

    @property
    def name(self) -> str:
        """Return the name of its first operation, empty if it was learnt from examples."""
        return next(iter(self.operation.names), "")


class RequestReader:
    """Reader of questions about words, and writer of their answers. Thread-safe."""

    def __init__(self, tasks: TaskFinder) -> None:
        self.tasks, self.languages, self.subjects = tasks, tasks.languages, SubjectFinder(tasks.languages)
        self._words = Words(tasks.languages)
        self._demos = lru_cache(maxsize=64)(self._read_demos)

    def spoken(self, text: str) -> str:
        """Return the language code for the answer to a text: English if its words or its function words say so."""
        is_english = self.languages.language(text) == "en"
        return "en" if is_english else self._words.spoken(text)

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
        """Build the subject: a word with the places, counts and letters that a correction names, else the question."""
        named = [
            Subject(word, *numbers_in(self.languages.english(text)), letters_in(text))
            for text in (said, mask_word(asked.question, word))
        ]
        return next((one for one in named if one != Subject(word)), named[0])

    def alone(self, asked: PromptQuestion, demos: Sequence[Demonstration] = ()) -> WordRequest | None:
        """Return the request of a question without its notes; None if unclear."""
        words = self.words(asked, demos)
        if not words:
            return None
        word, said = next(iter(words)), words_in(asked.question)
        if word in said and self.spoken(asked.question) != "en":
            before = said[: said.index(word)][-2:-1]  # "pehla" of "pehla ka ulta"
            word = next((each for each in before if words.get(each, 0.0) >= _LEAST_SUBJECT), word)
        subject, text = self.subject(asked, word), mask_word(asked.question, word)
        for demo in demos:
            if demo.operation and demo.frame == text.casefold():
                return WordRequest(demo.operation, subject, demo)
        known, is_alone = lexicon().find(word), words_in(asked.question) == [word]
        is_noun = known and known.parts[:1] == "n" and self.content_words(word) and not self.subjects.explains(word)
        if is_alone and is_noun:
            return WordRequest(NAMED["definition"], subject)
        likely = self.tasks.asked(text, asked.question)
        is_given = subject.letters or subject.places or subject.count
        name = next(label for label in likely if label in NAMED and (is_given or "takes" not in DEFINITIONS[label]))
        no_task = max(near for label, near in likely.items() if label not in NAMED)
        subject = replace(subject, word=self._mend(asked.question, word, NAMED[name]))
        is_answered = likely[name] >= _SURE or self.answers(asked.question, NAMED[name], subject)
        is_task = likely[name] >= max(_LEAST_ASKED, no_task) and is_answered
        if not is_task or len(self.new_words(text, ())) > _MOST_NEW:
            return None
        return WordRequest(NAMED[name], subject)

    def _mend(self, question: str, word: str, operation: WordOperation) -> str:
        """Correct the spelling of an unknown word, unless the operation is about its letters."""
        is_meant = operation.of_letters and operation.names != ("spelled_out",)
        is_known = lexicon().find(word) or lexicon().is_rare(word.lower())
        near = "" if is_meant or is_known else lexicon().nearest(word)
        is_english = self.spoken(question) == "en" and near in self.languages.english(word).split()
        return near if near and (is_english or self.languages.english(word) == word) else word

    def offered(self, asked: PromptQuestion, request: WordRequest) -> dict[str, WordRequest]:
        """Return other possible requests of a question by their understanding: the senses of its word, other tasks."""
        senses = told_senses(request.subject.word) if request.name == "definition" else []
        of_senses = [replace(request, subject=replace(request.subject, sense=sense)) for sense in senses]
        found: dict[str, WordRequest] = {}
        for one in (*of_senses[len(of_senses) < 2 :], *self.others(asked, request)):
            if self.wanted(asked.question, one):
                found.setdefault(self.understood(asked.question, one), one)
        return found

    def is_sure(self, asked: PromptQuestion, request: WordRequest) -> bool:
        """Return True if the wording of a question hardly allows another task than that of its request."""
        return self._likely(asked, request).get(request.name, 0.0) >= _CLEARLY_ASKED

    def others(self, asked: PromptQuestion, request: WordRequest) -> Iterator[WordRequest]:
        """Yield other possible requests of a question with an answer, most probable first."""
        for name, near in self._likely(asked, request).items():
            if name in NAMED and name not in request.operation.names and near >= _LEAST_READING:
                other = WordRequest(NAMED[name], request.subject)
                if self.wanted(asked.question, other):
                    yield other

    def _likely(self, asked: PromptQuestion, request: WordRequest) -> dict[str, float]:
        return self.tasks.asked(mask_word(asked.question, request.subject.word), asked.question)

    def content_words(self, text: str) -> list[str]:
        """Return the content words of a text, as the user wrote them."""
        return [word.written for word in self.languages.words(text) if word.kind == _CONTENT]

    def new_words(self, text: str, known: Iterable[str]) -> list[str]:
        """Return the unexplained content words of a text: in no `known` text, no definition of a task, not common."""
        fold = self.languages.fold
        seen = {fold(word) for one in (*known, PLACE) for word in words_in(one)}
        new = (word for word in self.content_words(text) if fold(word) not in seen)
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
            is_known = lexicon().find(word) or (request.name in _OF_MEANING and self.english(word, question))
            is_unknown = not (request.operation.of_letters or is_known)
            name = "unknown" if is_unknown else _MISSING.get(request.name, "nothing")
            answer = say(name, voice(self.spoken, question), word=word)
        others = [*islice(self.offered(PromptQuestion(question), request), _READINGS)] if readings else []
        further = {"readings": "\n".join(others)} if others else {}
        return write_tags(understanding=understanding, answer=answer, **further)

    def understood(self, question: str, request: WordRequest) -> str:
        """Return the understanding: that of the example, with the new word, else one from the phrase table."""
        names, demo, subject = request.operation.names, request.demo, request.subject
        at = voice(self.spoken, question)
        if demo and not subject.sense and (not names or voice(self.spoken, demo.understanding) == at):
            return demo.understanding.replace(demo.subject.word, subject.word, 1)
        thing = f'"{subject.word}"' + (f" ({name_sense(subject.sense)})" if subject.sense else "")
        told = subject.letters if "count_of" in names else subject.places or [subject.count]
        listed = say("and", at).join(map(str, told))
        for name in filter(None, (*names, request.form)):
            thing = DEFINITIONS[name]["says"][at].format(it=thing, n=listed)
        return say("wanted", at, thing=thing)

    def wanted(self, question: str, request: WordRequest) -> Sequence[str]:
        """Return the answers to a request, if any."""
        if request.given:
            return request.given
        return self.answers(question, request.operation, request.subject)[: _SHOWN.get(request.name, 1)]

    def answers(self, question: str, operation: WordOperation, subject: Subject) -> Sequence[str]:
        """Return all answers of an operation on a subject, best first, in the language of the question.

        Words of other languages are translated to English first.
        """
        language, in_latin = self.spoken(question), script_of(question) == LATIN
        name, word = next(iter(operation.names), ""), subject.word
        if name in LANGUAGES:
            own = self.translate(word, LANGUAGES[name], question, in_latin=in_latin)
            return [own] if own else []
        is_known, found = lexicon().find(word) is not None, operation.solve(subject)
        if is_known and name == "definition" and not in_latin:  # a meaning in its own script, if there is one
            words = (word.lower(), *NAMED["synonym"].solve(subject))
            natives = (self.translate(one, language, in_latin=False) for one in words)
            return next(([f"{word}: {own}"] for own in natives if own), found)
        # "din" is a day in a question in Hindi, though it is an English word, too.
        is_english = is_known and (language == "en" or lexicon().is_common(word))
        english = self.english(word, question)
        if name not in _OF_MEANING or not english or (found if is_english else language == "en" and is_known):
            return found
        if name == "definition":
            return [f"{word}: {english}"]
        solved = operation.solve(replace(subject, word=english))
        if name == "synonym":  # "to water" is no synonym of a noun
            solved = [one for one in solved if _usual_part(one) == _usual_part(english)]
        solved = solved[:_CARRIED]
        translated = [self.translate(one, language, in_latin=in_latin) for one in solved]
        made = dict.fromkeys(solved if language == "en" else translated)
        return [one for one in made if one and not self._is_same(one, word)]

    def _is_same(self, word: str, other: str) -> bool:
        return self.languages.fold(word.casefold()) == self.languages.fold(other.casefold())

    def english(self, word: str, question: str = "") -> str:
        """Return the first English translation of a word that the lexicon has; empty if the word is English.

        The word after it in the question shows its language.
        """
        after = question.partition(word)[2].split()[:1]
        found = self.languages.english(" ".join([word, *after])).split()
        is_english = {*word.split()} <= {*found}
        return "" if is_english else next((each for each in found if lexicon().find(each)), "")

    def translate(self, word: str, language: str, question: str = "", *, in_latin: bool) -> str:
        """Translate a word, as an English word if possible ("mango" is no "maango"); empty if unknown."""
        english, native = self.english(word, question), self.languages.native
        if language == "en":
            return english
        return native(word.lower(), language, in_latin=in_latin) or native(english, language, in_latin=in_latin)


def _usual_part(word: str) -> str:
    """Return the most common part of speech of an English word: "n", "v", "a" or "r"."""
    known = lexicon().find(word)
    return known.parts[:1] if known else ""
