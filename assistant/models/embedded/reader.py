"""Find the operation and the subject of a question, apply corrections to them, and word the answers.

Below a margin, nothing is guessed. Every word of a correction must be understood: an unexplained one ("show me how to
write a loop in it") leaves the answer unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain, islice

from assistant.feedback.corrections import DENIES, find_new_value, parse_correction, remove_denied
from assistant.language.asked_word import MARKED, letters_in, numbers_in, words_in
from assistant.language.lexicon import Sense, lexicon
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
from assistant.models.embedded.tasks import (
    OUTSIDE,
    PLACE,
    SubjectFinder,
    TaskFinder,
    encode,
    known_stems,
    mask_word,
    stem_of,
    stems_of,
)
from assistant.reasoning.reading import Words
from assistant.sentences import Sentence
from assistant.types import Message

NOT_UNDERSTOOD = str(Sentence("embedded.not_understood"))
_NO_EXAMPLES = frozenset({NOT_UNDERSTOOD, *SMALL_TALK})
_LEAST_ASKED, _AHEAD = 0.35, 1.5  # minimum probability of a task, and minimum ratio to that of no task
_SURE = 0.6  # minimum probability of a task without an answer
_LEAST_READING = 0.01  # minimum probability of another reading
_READINGS = 3  # other possible requests
_LEAST_NAMED = 0.35  # minimum probability of a task in an understanding
_MOST_NEW = 1  # unexplained words of a question or a correction
_WHAT_IS = re.compile(r"\W*(?P<what>what(?:['’]?s| is| are) +)?(?P<article>an? +)?(?P<word>[a-z]+)\W*", re.IGNORECASE)
_CONTENT = "content"  # kind of content words
_OF_MEANING = frozenset({"synonym", "antonym", "definition"})  # valid in any language
_CARRIED = 3  # answers to translate, since the word lists are coarse
_SHOWN = {"rhyme": 3}  # answers, if not one
_MISSING = {
    "antonym": "no_opposite", "synonym": "no_synonym", "homophone": "no_homophone", "letters_at": "no_position",
}  # fmt: skip

# Minimum probability of a task, and minimum ratio to the next label: for a question without an answer, for one with a
# good answer, and for another form of an answer.
_LEAST_SAID, _LEAST_CHANGED, _LEAST_FORM = (0.39, 1.3), (0.6, 2.0), (0.45, 1.5)
_MOST_RESTATED = 6  # words of a correction that names another word
_LEAST_KIND, _LEAST_GIVEN = 0.3, 0.1  # minimum probabilities: of a kind of correction, of a given answer
_LEAST_WORD = 0.15  # minimum probability of the subject of a question that was not understood
_LEAST_SENSE, _CLEAR_SENSE = 0.1, 0.6  # minimum probability that a correction picks a sense, or cosine of the sense
_LEAST_COSINE, _AHEAD_SENSE = 0.45, 0.03  # of a sense, and minimum lead over the next
_SPELLED_ALIKE = 0.65  # minimum similarity of a word and the one that was meant
_LONGEST_SAID = 400  # characters
_MOST_WORDS = 7  # of a question that was not understood and may ask about one of them
_MORE = 3  # additional answers
_LETTER = "letter"  # stem of words for letters in any language
_OF_FORM = frozenset({"upper", "lower"})
_BY_SENSE = frozenset({"definition", "synonym", "antonym"})
_SAYS_LITTLE = frozenset(
    {"the", "a", "an", "i", "mean", "meant", "one", "as", "in", "it", "of", "kind", "is", "my", "with"}
)


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
        ahead = 1.0 if self.subjects.names(text, name) else _AHEAD
        is_task = likely[name] >= max(_LEAST_ASKED, ahead * no_task) and is_answered
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

    def followed(
        self, asked: PromptQuestion, said: str, about: str, alone: WordRequest | None, demos: Sequence[Demonstration]
    ) -> WordRequest | None:
        """Return the request of a question after a correction; None if its effect is unclear.

        Args:
            asked: the question.
            said: the correction.
            about: the question that the correction was given for.
            alone: the request of the question without it; None if that was not understood.
            demos: the examples of the prompt.
        """
        corrected = parse_correction(said[:_LONGEST_SAID])
        whole = corrected.meant if corrected else said[:_LONGEST_SAID]
        text = remove_denied(MARKED.sub(" ", whole).strip() or whole)
        words = [alone.subject.word] if alone else [*self.words(asked, demos)]
        if not (text and words):
            return None
        told, likely = self.subject(asked, words[0], text), self.tasks.said(mask_word(text, words[0]))
        if alone is None:
            # Of a long question, only its surely first word may be meant.
            is_short = len(words_in(asked.question)) <= _MOST_WORDS or self.words(asked, demos)[words[0]] == 1
            name = self._asked_for(likely) if is_short else ""
            # Unclear words may ask for more than a meaning, and "the first one" for no letter.
            is_unknown = name == "definition" and not lexicon().find(words[0])
            is_vague = is_unknown and len(self.new_words(text, words[:1])) > _MOST_NEW
            names_letters = _LETTER in stems_of(self.languages, text)
            if is_vague or not name or ("takes" in DEFINITIONS[name] and not names_letters):
                return None
            likeliest = [word for word, near in self.words(asked, demos).items() if near >= _LEAST_WORD]
            tried = [WordRequest(NAMED[name], replace(told, word=word)) for word in likeliest]
            return next((one for one in tried if self.wanted(asked.question, one)), None)
        changes = chain(
            [self.offered(asked, alone).get(whole)],
            self._other_tasks(asked.question, about, whole, text, alone, told),
            self._other_answers(asked.question, about, text, alone),
        )
        return next((one for one in changes if one and self.wanted(asked.question, one)), None)

    def names_task(self, text: str) -> bool:
        """Return True if a correction names a task by itself."""
        return bool(self._asked_for(self.tasks.said(text[:_LONGEST_SAID])))

    def is_of_form(self, text: str) -> bool:
        """Return True if a correction asks for the same answer in another language or in other letters."""
        name = _clearest(self.tasks.said(text[:_LONGEST_SAID]), *_LEAST_FORM)
        return name in _OF_FORM or name in LANGUAGES

    def _asked_for(self, likely: Mapping[str, float]) -> str:
        """Return the task that a text asks for, for a question without an answer; empty if unclear."""
        tasks = {*NAMED, OUTSIDE} - _OF_FORM  # upper and lower case need an answer
        return _clearest({name: near for name, near in likely.items() if name in tasks}, *_LEAST_SAID)

    def _other_tasks(
        self, question: str, about: str, whole: str, text: str, alone: WordRequest, told: Subject
    ) -> Iterator[WordRequest]:
        """Yield requests for another form of the answer, another task and another word, surest first."""
        word, names = alone.subject.word, self.subjects.names
        # Only a named task may replace a good answer.
        found = self.tasks.said(mask_word(text, word))
        likely = {name: near for name, near in found.items() if name not in NAMED or names(whole, name)}
        new = self.new_words(text, (question, about, *DENIES))
        name = _clearest(likely, *_LEAST_FORM)
        if len(new) <= _MOST_NEW and name != alone.name:
            if name in LANGUAGES and alone.name in {*LANGUAGES, "", "definition"}:
                yield replace(alone, operation=NAMED[name])
            elif name in LANGUAGES:
                yield replace(alone, language=LANGUAGES[name])
            elif name in _OF_FORM:
                yield replace(alone, operation=alone.operation.then(NAMED[name]))
            elif likely.get("shorter", 0.0) >= _LEAST_KIND and alone.name == "definition" and not alone.subject.sense:
                yield replace(alone, subject=replace(alone.subject, sense=next(iter(lexicon().senses(word)), None)))
        name = _clearest(likely, *_LEAST_CHANGED)
        if name and len(new) <= _MOST_NEW and name not in LANGUAGES:
            yield alone if name in alone.operation.names else WordRequest(NAMED[name], told)
        # The same for another word: "not cat, dog", or one that is spelled alike.
        words = words_in(whole)
        others = [each for each in new if lexicon().find(each) and not self.subjects.explains(each)]
        if len(words) <= _MOST_RESTATED and len(others) == 1:
            is_alike = others[0][0] == word[0] and get_close_matches(word, others, n=1, cutoff=_SPELLED_ALIKE)
            is_denied = word in words and word not in words_in(text)
            if is_denied or (is_alike and others[0] not in self.wanted(question, alone)):
                yield replace(alone, subject=replace(alone.subject, word=others[0]))

    def _other_answers(self, question: str, about: str, text: str, alone: WordRequest) -> Iterator[WordRequest]:
        """Yield requests for further answers, for one sense of the word, and with the answer that the user gave."""
        word, names = alone.subject.word, self.subjects.names
        likely, answers = self.tasks.said(mask_word(text, word)), self.wanted(question, alone)
        named = [name for name in NAMED if names(text, name)]
        kind = next(name for name in likely if name not in NAMED or name in named)
        if kind == "another" and likely[kind] >= _LEAST_KIND and alone.name != "definition":
            count = numbers_in(self.languages.english(text))[1]
            yield replace(alone, skip=len(answers), most=count or _MORE)
        words = words_in(text)
        if alone.name in _BY_SENSE and word in words_in(about):
            sense, near = self._pick_sense(word, text)
            own = {"antonym": sense.antonyms, "synonym": sense.synonyms}.get(alone.name, ()) if sense else ()
            is_meant = near >= _CLEAR_SENSE or likely.get("sense", 0.0) >= _LEAST_SENSE
            if sense and is_meant and {*words}.isdisjoint(own):  # else the correction names an answer, not a sense
                yield replace(alone, subject=replace(alone.subject, sense=sense))
        is_of_this = self.languages.fold(about) == self.languages.fold(question)
        if alone.name == "definition" or not is_of_this or named:
            return
        if any(answer in words for answer in answers):
            yield alone
        is_other = kind not in {"gives", "wrong"} and likely[kind] >= _LEAST_KIND
        if not is_other and (likely.get("gives", 0.0) >= _LEAST_GIVEN or len(words) == 1):
            given = find_new_value(text, "", question, self.languages)
            if lexicon().find(given) or self.english(given):
                yield replace(alone, given=given)

    def _pick_sense(self, word: str, said: str) -> tuple[Sense | None, float]:
        """Return the sense that a text means, and their cosine; None if unclear, or without an embedder."""
        english = self.languages.in_plain_english(said).lower().split()
        text = " ".join(each for each in english if each not in {word, *_SAYS_LITTLE} and lexicon().find(each))
        senses = lexicon().senses(word)
        if "to" not in english:  # "of a tree" names a thing, "to strip" an action
            senses = tuple(sense for sense in senses if sense.part != "v") or senses
        texts = [[", ".join((*sense.words, *sense.hints)), *sense.words, *sense.hints] for sense in senses]
        vectors = encode(self.tasks.embedder, [text, *chain.from_iterable(texts)]) if len(senses) > 1 and text else None
        if vectors is None:
            return None, 0.0
        cosines = iter([float(vectors[0] @ vector) for vector in vectors[1:]])
        near = [[*islice(cosines, len(each))] for each in texts]
        # The mean of two cosines: with all words of the sense together, and with the nearest one.
        scores = [(each[0] + max(each)) / 2 for each in near]
        best = scores.index(max(scores))
        # Senses that share a word with the best one are no rivals.
        rivals = (
            at
            for at, sense in enumerate(senses)
            if {*sense.words, *sense.antonyms}.isdisjoint((*senses[best].words, *senses[best].antonyms))
        )
        is_ahead = scores[best] - max((scores[at] for at in rivals), default=0.0) >= _AHEAD_SENSE
        return (senses[best] if is_ahead and max(near[best]) >= _LEAST_COSINE else None), max(near[best])


def _clearest(likely: Mapping[str, float], least: float, ahead: float) -> str:
    """Return the first label if it is a task with at least `least` and `ahead` times the next; else an empty text."""
    (name, near), (_, second) = [*likely.items(), ("", 0.0), ("", 0.0)][:2]
    return name if name in NAMED and near >= max(least, ahead * second) else ""
