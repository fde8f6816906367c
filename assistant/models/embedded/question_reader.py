"""What a question asks for, and of what: operation, word and answers, by its examples and what was said of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache

from assistant.feedback.corrections import correction_in
from assistant.language.arguments import letters_in, numbers_in
from assistant.language.asked_word import repeated_places, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.demonstrations import Demonstration, Demonstrations, masked
from assistant.models.embedded.matching import Match, Matcher
from assistant.models.embedded.operations import NAMED, Operation, Subject, definitions, plain
from assistant.models.embedded.phrases import LATIN, phrases_for, phrases_in, script_of, voice, wanted
from assistant.models.embedded.prompt_reader import PromptQuestion, reply_pairs
from assistant.models.embedded.small_talk import SMALL_TALK
from assistant.models.embedded.subjects import SubjectFinder
from assistant.sentences import Sentence
from assistant.types import Message

NOT_UNDERSTOOD = str(Sentence("embedded.not_understood"))
_NO_EXAMPLES = frozenset({NOT_UNDERSTOOD, *SMALL_TALK})
_SHORTEST_FORM = 3  # letters
_SAME_SPELLING = 0.8  # share of letters that two spellings of a word have in common
_LONGEST_SAID = 400  # characters
_TRIED = 3  # words that a question may ask about
_READINGS = 3  # other operations that it may ask for
_SURE = 1.0  # so much nearer than it has to be is what the very words of an example or a definition ask for
_OF_MEANING = frozenset({"synonym", "antonym", "general", "special", "definition"})  # what holds in any language
_JUMBLED, _COUNTED = frozenset({"unscrambled_1", "unscrambled_2"}), frozenset({"beginning", "ending"})
_TAKEN = _COUNTED | {"letters_at"}
_OF_LETTERS = {
    "letters_at": "no_position",
    "unscrambled": "no_word", "unscrambled_1": "no_word", "unscrambled_2": "no_word", "unrotated": "no_word",
    "without_symbols": "no_letters",
}  # fmt: skip
_MISSING = {"antonym": "no_opposite", "synonym": "no_synonym", "homophone": "no_homophone"} | _OF_LETTERS


class QuestionReader:
    """Safe to share between threads."""

    def __init__(self, languages: Languages, subjects: SubjectFinder, matcher: Matcher) -> None:
        self._languages = languages
        self._subjects = subjects
        self._matcher = matcher
        self._demonstrations = Demonstrations(subjects, matcher.named)
        self._answers = lru_cache(maxsize=1_024)(self._all_answers)

    def demos(self, messages: Sequence[Message]) -> list[Demonstration]:
        """The examples of a prompt, but for those that were declined or are small talk."""
        return [demo for demo in self._demonstrations(reply_pairs(messages)) if demo.understanding not in _NO_EXAMPLES]

    def wanted(
        self, asked: PromptQuestion, demos: Sequence[Demonstration]
    ) -> tuple[Match | None, bool, Subject | None]:
        """What is asked for, whether it is something that was said that tells so, and of what it is asked."""
        words = self._words(asked, demos)
        match, is_followed, word = self._likeliest(asked, words, demos)
        if word and match is None:
            match = self._of_phrase(asked, word, demos)
        # Said of this very question, it says that what was understood is wrong: not the same again.
        if match and not is_followed and asked.question in asked.about:
            before = self._words(replace(asked, said=(), about=()), demos)
            match = match if [word] != before[:1] else None
        subject = self._subject(asked, [word, *words], match.operation) if match and word else None
        return match, is_followed, subject

    def _words(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> list[str]:
        """What a question may ask about, the likeliest first."""
        frames = [demo.frame for demo in demos if demo.subject and not demo.said]
        found = self._subjects.find(asked, self.phrasing(demos), frames)
        return [_spelled(word, asked.about) for word in found]

    def other_readings(
        self, asked: PromptQuestion, match: Match, subject: Subject, demos: Sequence[Demonstration]
    ) -> Iterator[tuple[str, Match, Subject]]:
        """What else may be meant: what it would understand and do, if a person said so."""
        for operation in match.others[:_READINGS]:
            reading = self.understood(asked, Match(operation), subject)
            said = replace(asked, said=(reading,), about=(asked.question,))
            followed, is_followed, again = self.wanted(said, demos)
            if followed and again and is_followed and self.understood(said, followed, again) == reading:
                yield reading, followed, again

    def ranked(self, asked: PromptQuestion, subject: Subject) -> Mapping[Operation, float]:
        """How near a question is to each operation that can be done with what it is about, the nearest first."""
        return self._matcher.ranked(masked(asked.question, subject.word), self._unfit(asked, subject.word))

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

    def _match(self, asked: PromptQuestion, word: str, demos: Sequence[Demonstration]) -> tuple[Match | None, bool]:
        """What is asked for, and whether it is something that was said that tells so."""
        unfit = self._unfit(asked, word)
        question = masked(asked.question, word)
        alone = self._matcher.asked(question, asked.question, demos, unfit)
        before = next(iter(alone.operation.names), "") if alone else ""
        for said, about in zip(asked.said, asked.about, strict=True):
            corrected = correction_in(said)
            meant = (corrected.meant if corrected else said)[:_LONGEST_SAID]
            if _spells_out(meant, word):
                continue  # it is an answer, and tells nothing to do
            before_it, after_it = self._around_repeated(meant, (asked.question, about))
            rest = " ".join(filter(None, (before_it, after_it)))
            clause = "" if self._matcher.both(rest) else self._matcher.telling(rest.split(","))
            if self._matcher.is_answer(rest, demos) and (operation := self._giving(rest, asked, word)):
                return Match(operation), True
            for text in filter(None, dict.fromkeys((clause, after_it, rest, meant))):
                if match := self._matcher.said(masked(text, word), demos, unfit, before):
                    return self._changed(question, match), True
        return alone, False

    def _giving(self, answer: str, asked: PromptQuestion, word: str) -> Operation | None:
        """The operation that gives what was said to be the answer: "fast" is another word for quick."""
        subject, fold = self._bound(asked, word), self._languages.fold
        solved = ((each, self.solved(each, subject, asked)) for each in NAMED.values())
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
        unfit = {name for name, each in NAMED.items() if not self.solved(each, subject, asked)}
        # Who writes no word, but what a word can be made of, speaks of its letters to have it made.
        is_jumbled = lexicon().find(word) is None and not unfit >= _JUMBLED
        return frozenset(unfit | _TAKEN if is_jumbled else unfit)

    def solved(self, operation: Operation, subject: Subject, asked: PromptQuestion) -> Sequence[str]:
        """All answers of an operation about what a question asks; worked out once."""
        return self._answers(operation, subject, self._languages.language(asked.question), script_of(asked.question))

    def _subject(self, asked: PromptQuestion, words: Sequence[str], operation: Operation) -> Subject:
        """Of the words that may be meant the likeliest with which it can be done."""
        if _on(operation) == "phrase":
            return self._bound(asked, self._subjects.phrase(asked.question, words[0]))
        bound = [self._bound(asked, word) for word in words]
        return next((each for each in bound if self.solved(operation, each, asked)), bound[0])

    def _bound(self, asked: PromptQuestion, word: str) -> Subject:
        told = " ".join([masked(asked.question, word), *asked.said])
        return Subject(word, *numbers_in(self._languages.english(told)), letters_in(told))

    def _all_answers(self, operation: Operation, subject: Subject, language: str, script: str) -> Sequence[str]:
        """All answers. A word of another language is taken by what it says in English, and answered in its own."""
        ours, is_own = phrases_in(script), script != LATIN

        def native(english: str) -> str:
            word = self._languages.native(english, language, in_latin=False)
            return "" if self._languages.fold(word) == self._languages.fold(subject.word) else word

        if is_own and language != "en":
            ours = replace(ours, native=native)
        found = operation.solve(subject, ours)
        if found or language == "en" or _OF_MEANING.isdisjoint(operation.names[:1]) or lexicon().find(subject.word):
            return found
        for english in self._languages.english(subject.word).split():
            solved = operation.solve(replace(subject, word=english), ours) if lexicon().find(english) else ()
            if operation.names[0] == "definition" and solved:
                if not solved[0].startswith(english):
                    continue  # it says that nothing is known of that English word
                return [solved[0].replace(english, subject.word, 1) if is_own else f"{subject.word}: {solved[0]}"]
            own = [self._languages.native(each, language, in_latin=not is_own) for each in solved]
            if solved:
                return [word for word in own if word and word != subject.word] or solved
        return []

    def answer(self, asked: PromptQuestion, operation: Operation, subject: Subject) -> str:
        phrases = phrases_for(asked.question)
        if found := self.solved(operation, subject, asked):
            return found[0]
        name = next(iter(operation.names), "")
        if not plain(operation) and lexicon().find(subject.word) is None:
            return phrases.say("unknown", word=subject.word)
        return phrases.say(_MISSING.get(name, "nothing"), word=subject.word)

    def understood(self, asked: PromptQuestion, match: Match, subject: Subject) -> str:
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

    def _around_repeated(self, said: str, questions: Sequence[str]) -> tuple[str, str]:
        """What was said before and after it repeats one of the questions: "when I say … | I want a synonym"."""
        words = words_in(said)
        told = self._subjects.folded(words)
        asked = (self._subjects.folded(words_in(text)) for text in questions)
        repeated = next(filter(None, (repeated_places(words, told) for words in asked)), None)
        if repeated is None:
            return "", said
        return " ".join(words[: repeated.start]), " ".join(words[repeated.stop :])

    def phrasing(self, demos: Sequence[Demonstration]) -> frozenset[str]:
        """The words, folded, with which examples about a word ask."""
        return frozenset(word for demo in demos if demo.subject for word in self._subjects.folded(words_in(demo.frame)))


def _on(operation: Operation) -> str:
    """What an operation is about."""
    return definitions()[operation.names[0]].on if operation.names else ""


def _spelled(word: str, questions: Sequence[str]) -> str:
    """What is no word, as an earlier question spells it that was put right: "genrous" after "generous"."""
    if lexicon().find(word):
        return word
    known = [other for question in questions for other in words_in(question) if lexicon().find(other)]
    return next(iter(get_close_matches(word, known, n=1, cutoff=_SAME_SPELLING)), word)


def _spells_out(said: str, word: str) -> bool:
    """Whether what was said is the long form of what is asked about: "be right back" for brb."""
    letters = "".join(part[0] for part in words_in(said)).casefold()
    return len(letters) >= _SHORTEST_FORM and letters == word.casefold() and lexicon().find(word) is None
