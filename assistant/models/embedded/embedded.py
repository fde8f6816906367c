"""The embedded model: an in-context learner for questions about words. It is no language model, and says so.

It reads the very prompt that a remote model would get, infers from its examples which operation each stands for
(`demonstrations`, `induction`), finds the operation that a question, or what was said about it, asks for (`matching`),
and performs it with a lexicon. A clarification is one more thing that it is told: MemPrompt, section 3.4, without a
trained model. Below a margin it says that it cannot do this.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING

from assistant.feedback.corrections import correction_in, shows_correction
from assistant.feedback.reach import had_note
from assistant.language.asked_word import repeated_places, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.model_usage import Count, not_counted
from assistant.models.embedded.arguments import letters_in, numbers_in
from assistant.models.embedded.demonstrations import Demonstration, Demonstrations, masked
from assistant.models.embedded.from_facts import FromFacts
from assistant.models.embedded.from_lessons import FromLessons
from assistant.models.embedded.lessons.book import LessonBook
from assistant.models.embedded.matching import Match, Matcher
from assistant.models.embedded.operations import NAMED, Operation, Subject, definitions, plain
from assistant.models.embedded.phrases import phrases_for, phrases_in, script_of, voice, wanted
from assistant.models.embedded.prompt_reader import PromptQuestion, read_question, reply_pairs
from assistant.models.embedded.similarity import Likeness
from assistant.models.embedded.small_talk import SMALL_TALK, small_talk
from assistant.models.embedded.subjects import SubjectFinder
from assistant.reply.grammar import ANSWER, GRAMMAR, NONE_FOLLOWED, READINGS, UNDERSTANDING
from assistant.sentences import Sentence

if TYPE_CHECKING:
    from assistant.ports import ChatModel, Embedder
    from assistant.types import Message, Reply, Turn

_LONGEST_QUESTION = _LONGEST_SAID = 400  # characters; a longer question is not one about a word
NOT_UNDERSTOOD = str(Sentence("embedded.not_understood"))
_NO_EXAMPLES = frozenset({NOT_UNDERSTOOD, *SMALL_TALK})
WHAT_I_AM = str(Sentence("embedded.what_i_am"))
_NOTHING_FOLLOWED = f"{NONE_FOLLOWED}\n"
_PIECES = re.compile(r"\S+\s*|\s+")
_TRIED = 3  # words that a question may ask about
_READINGS = 3  # other operations that it may ask for
_SURE = 1.0  # so much nearer than it has to be is what the very words of an example or a definition ask for
_JUMBLED, _COUNTED = frozenset({"unscrambled_1", "unscrambled_2"}), frozenset({"beginning", "ending"})
_TAKEN = _COUNTED | {"letters_at"}
_OF_LETTERS = {
    "letters_at": "no_position",
    "unscrambled": "no_word", "unscrambled_1": "no_word", "unscrambled_2": "no_word", "unrotated": "no_word",
    "without_symbols": "no_letters",
}  # fmt: skip
_MISSING = {"antonym": "no_opposite", "synonym": "no_synonym", "homophone": "no_homophone"} | _OF_LETTERS


class EmbeddedModel:
    """The embedded example-follower, a `ChatModel`. Safe to share between threads.

    Args:
        languages: what it knows of the languages in which people ask.
        embedder: for similarity of meaning. Without one, or while it fails, it goes by wording alone.
    """

    name = "embedded"
    writes_keys = False
    window = 32_768

    def __init__(self, languages: Languages, embedder: Embedder | None = None) -> None:
        told = [text for each in definitions().values() for text in (*each.english, *each.others)]
        self._languages = languages
        self._subjects = SubjectFinder(
            languages, frozenset(word.folded for text in told for word in languages.words(text))
        )
        self._facts = FromFacts(languages)
        self._matcher = Matcher(languages, Likeness(languages, embedder))
        self._lessons = FromLessons(LessonBook.of(languages, embedder), languages)
        self._demonstrations = Demonstrations(self._subjects, self._matcher.named)
        self._answers = lru_cache(maxsize=1_024)(self._all_answers)

    def start(self) -> None:
        """Encode the definitions in the background, so that the first question does not wait for that."""
        Thread(target=self._matcher.warm, name="encode-definitions", daemon=True).start()

    def close(self) -> None:
        """Nothing has to be ended."""

    def follows(self, corrected: Turn, said: str) -> bool:
        """Whether what was said tells what was wanted of a question that was declined, or a note about it misread."""
        is_clear = corrected.reply.understanding != NOT_UNDERSTOOD and not had_note(corrected)
        return not is_clear and self._matcher.said(said[:_LONGEST_SAID], (), ()) is not None

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:  # noqa: ARG002
        """The reply, word by word. The same messages give the same reply. It has no tokens that could be counted."""
        yield from _PIECES.findall(self._reply(messages))

    def drafting(self, count: int) -> Sequence[ChatModel]:
        """It does not draw: the others go by its next-best readings."""
        return [self, *(NextReading(self, place) for place in range(count - 1))]

    def next_best(self, messages: Sequence[Message]) -> Iterator[str]:
        """The replies by what else a question may ask for, the likeliest first; none where something was said of it."""
        asked = read_question(messages[-1].content)
        if len(asked.question) > _LONGEST_QUESTION or asked.said or self._from_facts(asked):
            return
        demos = self._demos(messages)
        match, _, subject = self._wanted(asked, demos)
        if match and subject:
            for reading, other, about in self._other_readings(asked, match, subject, demos):
                told = {UNDERSTANDING.name: reading, ANSWER.name: self._answer(asked, other.operation, about)}
                yield GRAMMAR.written(told)

    def comes_back(self, messages: Sequence[Message], reply: Reply) -> float:
        """Whether, from an answer about what a question names, one would guess its understanding: 1, or else 0.

        One guesses the operation that gives this answer and the fewest others.
        """
        asked = read_question(messages[-1].content)
        said = replace(asked, said=(reply.understanding[:_LONGEST_SAID],), about=(asked.question,))
        match, _, subject = self._wanted(said, self._demos(messages))
        if match is None or subject is None:
            return 0.0
        answers = self._solved(match.operation, subject, asked)
        others = (self._solved(each, subject, asked) for each in NAMED.values())
        fewest = min((len(found) for found in others if reply.answer in found), default=len(answers))
        return float(reply.answer in answers and len(answers) <= fewest)

    def _demos(self, messages: Sequence[Message]) -> list[Demonstration]:
        return [demo for demo in self._demonstrations(reply_pairs(messages)) if demo.understanding not in _NO_EXAMPLES]

    def _reply(self, messages: Sequence[Message]) -> str:
        asked = read_question(messages[-1].content)
        if len(asked.question) > _LONGEST_QUESTION:
            return _declined(asked)
        demos = self._demos(messages)
        if correction := self._correction(asked, demos):
            return f"<correction>{correction}</correction>"
        talk = "" if asked.said else small_talk(asked.question)
        if at_once := talk or self._from_facts(asked):
            return at_once
        match, is_followed, subject = self._wanted(asked, demos)
        if asked.said and not is_followed and (learnt := self._lessons(asked)):
            return learnt  # what was said of it tells nothing to do
        if match is None or subject is None:
            return ("" if asked.said else self._facts.untold(asked)) or _declined(asked)
        unused = _NOTHING_FOLLOWED if asked.said and not is_followed else ""
        understood = self._understood(asked, match, subject)
        told = {UNDERSTANDING.name: understood, ANSWER.name: self._answer(asked, match.operation, subject)}
        others = [] if asked.said else self._other_readings(asked, match, subject, demos)
        readings = [reading for reading, *_ in others]
        return unused + GRAMMAR.written(told | ({READINGS.name: "\n".join(readings)} if readings else {}))

    def _other_readings(
        self, asked: PromptQuestion, match: Match, subject: Subject, demos: Sequence[Demonstration]
    ) -> Iterator[tuple[str, Match, Subject]]:
        """What else may be meant: what it would understand and do, if a person said so."""
        for operation in match.others[:_READINGS]:
            reading = self._understood(asked, Match(operation), subject)
            said = replace(asked, said=(reading,), about=(asked.question,))
            followed, is_followed, again = self._wanted(said, demos)
            if followed and again and is_followed and self._understood(said, followed, again) == reading:
                yield reading, followed, again

    def _wanted(
        self, asked: PromptQuestion, demos: Sequence[Demonstration]
    ) -> tuple[Match | None, bool, Subject | None]:
        """What is asked for, whether it is something that was said that tells so, and of what it is asked."""
        frames = [demo.frame for demo in demos if demo.subject and not demo.said]
        words = self._subjects.find(asked, self._phrasing(demos), frames)
        match, is_followed, word = self._likeliest(asked, words, demos)
        if word and match is None:
            match = self._of_phrase(asked, word, demos)
        subject = self._subject(asked, [word, *words], match.operation) if match and word else None
        return match, is_followed, subject

    def _from_facts(self, asked: PromptQuestion) -> str:
        """The reply that goes by what was told, or notes it; empty where something is wanted of a word."""
        corrects = bool(asked.previous) and shows_correction(asked.question)
        if (settled := self._facts.settled(asked)) or asked.said or corrects:
            return settled
        if learnt := self._lessons(asked):
            return learnt
        if (kept := self._facts.kept(asked)) or self._facts.is_about_words(asked.question):
            return kept
        return self._facts.untold(asked) or self._facts.told(asked)

    def _likeliest(
        self, asked: PromptQuestion, words: Sequence[str], demos: Sequence[Demonstration]
    ) -> tuple[Match | None, bool, str]:
        """What is asked for, and of which word: the one with which the rest is nearest to what can be done."""
        best: tuple[Match | None, bool, str] = (None, False, next(iter(words), ""))
        for word in words[: 1 if asked.said else _TRIED] or [""]:
            match, is_followed = self._match(asked, word, demos)
            if match and (best[0] is None or match.near > best[0].near):
                best = match, is_followed, word
            if match and match.near >= _SURE:
                break
        return best

    def _correction(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> str:
        """What a message says was meant by the one before it; empty where it says nothing like that."""
        if not asked.previous:
            return ""
        if corrected := correction_in(asked.question):
            return corrected.meant
        if asked.question.endswith("?") or not shows_correction(asked.question):
            return ""
        known = {*self._phrasing(demos), *self._subjects.folded(words_in(asked.previous))}
        return (
            ""
            if self._subjects.asks(asked.question, known) or self._matcher.said(asked.question, demos, ()) is None
            else asked.question
        )

    def _match(self, asked: PromptQuestion, word: str, demos: Sequence[Demonstration]) -> tuple[Match | None, bool]:
        """What is asked for, and whether it is something that was said that tells so."""
        unfit = self._unfit(asked, word)
        question = masked(asked.question, word)
        for said, about in zip(asked.said, asked.about, strict=True):
            corrected = correction_in(said)
            meant = (corrected.meant if corrected else said)[:_LONGEST_SAID]
            rest = self._less_repeated(meant, (asked.question, about))
            clause = "" if self._matcher.both(rest) else self._matcher.telling(rest.split(","))
            if self._matcher.is_answer(rest, demos) and (operation := self._giving(rest, asked, word)):
                return Match(operation), True
            for text in filter(None, dict.fromkeys((clause, rest, meant))):
                if match := self._matcher.said(masked(text, word), demos, unfit):
                    return self._changed(question, match), True
        return self._matcher.asked(question, asked.question, demos, unfit), False

    def _giving(self, answer: str, asked: PromptQuestion, word: str) -> Operation | None:
        """The operation that gives what was said to be the answer: "fast" is another word for quick."""
        subject, fold = self._bound(asked, word), self._languages.fold
        solved = ((each, self._solved(each, subject, asked)) for each in NAMED.values())
        return next((each for each, answers in solved if fold(answer) in map(fold, answers)), None)

    def _of_phrase(self, asked: PromptQuestion, word: str, demos: Sequence[Demonstration]) -> Match | None:
        """What is asked for where the word is one of a phrase that is asked about."""
        phrase = self._subjects.phrase(asked.question, word)
        match = (
            self._matcher.asked(masked(asked.question, phrase), asked.question, demos, ()) if phrase != word else None
        )
        return match if match and _on(match.operation) == "phrase" else None

    def _changed(self, question: str, match: Match) -> Match:
        """What was said changes the form of what the question names: "in capitals" about the opposite of a word."""
        named = self._matcher.named(question)
        if named is None or plain(named) or not plain(match.operation) or match.demo:
            return match
        return Match(named.then(match.operation))

    def _unfit(self, asked: PromptQuestion, word: str) -> frozenset[str]:
        """The operations that find no answer."""
        subject = self._bound(asked, word)
        unfit = {name for name, each in NAMED.items() if not self._solved(each, subject, asked)}
        # Who writes no word, but what a word can be made of, speaks of its letters to have it made.
        is_jumbled = lexicon().find(word) is None and not unfit >= _JUMBLED
        return frozenset(unfit | _TAKEN if is_jumbled else unfit)

    def _solved(self, operation: Operation, subject: Subject, asked: PromptQuestion) -> Sequence[str]:
        """All answers of an operation about what a question asks; worked out once."""
        return self._answers(operation, subject, self._languages.language(asked.question), script_of(asked.question))

    def _subject(self, asked: PromptQuestion, words: Sequence[str], operation: Operation) -> Subject:
        """Of the words that may be meant the likeliest with which it can be done."""
        if _on(operation) == "phrase":
            return self._bound(asked, self._subjects.phrase(asked.question, words[0]))
        bound = [self._bound(asked, word) for word in words]
        return next((each for each in bound if self._solved(operation, each, asked)), bound[0])

    def _bound(self, asked: PromptQuestion, word: str) -> Subject:
        told = " ".join([masked(asked.question, word), *asked.said])
        return Subject(word, *numbers_in(self._languages.english(told)), letters_in(told))

    def _all_answers(self, operation: Operation, subject: Subject, language: str, script: str) -> Sequence[str]:
        """All answers. A word of another language is taken by what it says in English, and answered in its own.

        That is in Latin letters, as the word lists are: they do not tell for which letters of a script they stand.
        """
        ours = phrases_in(script)
        found = operation.solve(subject, ours)
        if found or language == "en" or plain(operation) or not operation.names or lexicon().find(subject.word):
            return found
        for english in self._languages.english(subject.word).split():
            solved = operation.solve(replace(subject, word=english), ours) if lexicon().find(english) else ()
            if operation.names[0] == "definition" and solved:
                return [f"{subject.word}: {solved[0]}"]
            own = [native for each in solved if (native := self._languages.native(each, language))]
            if solved:
                return own or solved
        return []

    def _answer(self, asked: PromptQuestion, operation: Operation, subject: Subject) -> str:
        phrases = phrases_for(asked.question)
        if found := self._solved(operation, subject, asked):
            return found[0]
        name = next(iter(operation.names), "")
        if not plain(operation) and lexicon().find(subject.word) is None:
            return phrases.say("unknown", word=subject.word)
        return phrases.say(_MISSING.get(name, "nothing"), word=subject.word)

    def _understood(self, asked: PromptQuestion, match: Match, subject: Subject) -> str:
        """That of the example which is followed, about the new word; else in words of its own."""
        names = match.operation.names
        demo = match.demo
        if demo and demo.subject and (not names or script_of(demo.understanding) == script_of(asked.question)):
            return demo.understanding.replace(demo.subject.word, subject.word, 1)
        at = voice(self._languages.language(asked.question), asked.question)
        thing = f'"{subject.word}"'
        told = map(str, subject.letters if "without" in names else subject.places or [subject.count])
        listed = phrases_for(asked.question).say("and").join(told)
        for name in names:
            thing = definitions()[name].says[at].format(it=thing, n=listed)
        return wanted(thing, at)

    def _less_repeated(self, said: str, questions: Sequence[str]) -> str:
        """What was said, less where it repeats one of the questions."""
        words = words_in(said)
        told = self._subjects.folded(words)
        asked = (self._subjects.folded(words_in(text)) for text in questions)
        repeated = next(filter(None, (repeated_places(words, told) for words in asked)), None)
        return said if repeated is None else " ".join([*words[: repeated.start], *words[repeated.stop :]])

    def _phrasing(self, demos: Sequence[Demonstration]) -> frozenset[str]:
        """The words, folded, with which examples about a word ask."""
        return frozenset(word for demo in demos if demo.subject for word in self._subjects.folded(words_in(demo.frame)))


@dataclass(frozen=True, slots=True)
class NextReading:
    """A `ChatModel`: the embedded one, which takes a question for what it asks for less likely."""

    model: EmbeddedModel
    place: int  # among those readings, from 0
    name = EmbeddedModel.name
    writes_keys = EmbeddedModel.writes_keys
    window = EmbeddedModel.window

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:  # noqa: ARG002
        """The reply, word by word; nothing where there is no such reading."""
        yield from _PIECES.findall(next(islice(self.model.next_best(messages), self.place, None), ""))


def _on(operation: Operation) -> str:
    """What an operation is about."""
    return definitions()[operation.names[0]].on if operation.names else ""


def _declined(asked: PromptQuestion) -> str:
    told = {UNDERSTANDING.name: NOT_UNDERSTOOD, ANSWER.name: WHAT_I_AM}
    return (_NOTHING_FOLLOWED if asked.said else "") + GRAMMAR.written(told)
