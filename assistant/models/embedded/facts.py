"""Replies of the embedded model about facts that it was told: an answer that follows from them, or that none does.

A reply quotes each fact that its answer rests on as the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assistant.feedback.corrections import parse_correction
from assistant.feedback.cues import fold_for_cues, words_of
from assistant.feedback.fact_messages import (
    parse_fact_message,
    parse_forget_message,
    speaks_of_words,
    strip_lead_in,
    tells_password,
    without_denial,
)
from assistant.feedback.values import find_new_value, remove_denied
from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.models.embedded.phrases import say, voice
from assistant.models.embedded.prompt_reader import PromptFact, PromptQuestion
from assistant.reasoning.chaining import Conclusion, Verdict
from assistant.reasoning.reading import Asks
from assistant.reasoning.reasoner import Note, Reasoner, sentences_in
from assistant.reasoning.words import ME, is_known_word
from assistant.sentences import Sentence

_CONTENT = "content"  # kind of content words
_OPEN = frozenset({Asks.WHO, Asks.WHAT, Asks.WHERE, Asks.WHEN, Asks.AMOUNT})
_VERBS = frozenset({"is", "can", "has", "does"})  # roles of the verbs in yes-or-no questions
_MOST_TRIED = 24  # variants of a question with words of a correction
_MOST_WORDS = 7  # of a question about something that the user owns
_CLAUSES = re.compile(r"[,.;!।]\s+")
_ENDS = " .!।॥"
_ALSO = frozenset({"also", "too", "bhi", "vi", "भी", "ਵੀ"})
_RIGHT = frozenset({"is", "right", "correct", "hai", "sahi", "theek", "aa", "है", "सही", "ਹੈ", "ਸਹੀ", "ਠੀਕ"})
_BETWEEN = "; "  # premises of a step in a prompt


@dataclass(frozen=True, slots=True)
class FactAnswers:
    """Writer of replies from facts; see the module. Texts are empty if there is no reply."""

    languages: Languages
    reasoner: Reasoner = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reasoner", Reasoner(self.languages))

    def settled(self, asked: PromptQuestion) -> str:
        """Return the reply to a question that the facts of its prompt settle."""
        at, notes = self._voice(asked), asked.facts
        told = next((fact for fact in notes if fact.answers and _form(fact.answers) == _form(asked.question)), None)
        if told:  # the user gave the answer; no inference needed
            answer = say("told_me", at, fact=self._mirrored(told.text.strip(_ENDS)))
            return self._reply(asked, answer, notes=str(told.note), because=[told.text])
        outcome = self._outcome(asked)
        if outcome is None or outcome.verdict is Verdict.UNKNOWN:
            return ""
        return self._reply(
            asked,
            self._answer(asked, outcome, at),
            notes=", ".join(str(notes[place].note) for place in outcome.rests_on),
            because=[notes[place].text for place in outcome.rests_on],
            disputed=[] if _both_hold(notes, outcome) else [notes[place].text for place in outcome.disagree],
        )

    def _reply(self, asked: PromptQuestion, answer: str, **fields: str | Sequence[str]) -> str:
        understanding = say("asked", self._voice(asked), question=asked.question)
        return write_tags(**fields, understanding=understanding, answer=answer)

    def _answer(self, asked: PromptQuestion, outcome: Conclusion, at: int) -> str:
        if outcome.verdict is Verdict.DISPUTED:
            name = "both" if _both_hold(asked.facts, outcome) else "disputed"
            return say(name, at, facts=self._reasons(asked, outcome.disagree, at))
        if len(outcome.words) == len(outcome.rests_on) > 1 and all(
            self._gives_one(asked.facts[place].text) for place in outcome.rests_on
        ):
            return say("both", at, facts=self._reasons(asked, outcome.rests_on, at))
        words = say("and", at).join(map(self._mirrored, outcome.words))
        if any(map(str.isdecimal, words)):
            return words  # repeat a number, a date or a password unchanged
        return say(outcome.verdict.value, at, word=words[:1].upper() + words[1:])

    def _gives_one(self, fact: str) -> bool:
        """Return True if a fact gives a single thing of somebody its value: "my cat is called Mia"."""
        said = self.reasoner.read(fact)
        is_many = any(word.written.lower() == "are" for word in said.words)
        return said.is_being and not is_many and any(part.owned for part in said.subject)

    def unsettled(self, asked: PromptQuestion) -> str:
        """Return the reply to a question without an inferred value: the nearest fact, or that none is known.

        Empty if the question may be about something else.
        """
        fact, said = self._nearest(asked), self.reasoner.read(asked.question)
        is_where = said.asks is Asks.WHERE and "can" not in said.verbs  # "where do I live"
        is_own = any(part.owned for part in said.parts) or said.of_name or is_where
        is_own = is_own and any(ME in part.word.keys for part in said.parts)
        is_own = is_own and said.is_question and said.asks in _OPEN and len(said.words) <= _MOST_WORDS
        is_yes_or_no = said.asks is Asks.WHETHER and any(word.roles & _VERBS for word in said.words)
        if is_yes_or_no if fact else is_own:
            return self._reply(asked, say("unknown_fact", self._voice(asked)), notes="none")
        if fact is None:
            return ""
        told = self._within(self._mirrored(fact.text.strip(_ENDS)), (asked.question, fact.text))
        answer = say("told_me", self._voice(asked), fact=told)
        return self._reply(asked, answer, notes=str(fact.note), because=[fact.text])

    def _nearest(self, asked: PromptQuestion) -> PromptFact | None:
        """Return the fact that shares the most content words with a question, at least half of them."""
        words = self._telling(asked.question)

        def shared(fact: PromptFact) -> int:
            told = self._telling(fact.text)
            is_untrue = fact.denied or self.reasoner.read(fact.text).negative
            return 0 if is_untrue else sum(any(one & other for other in told) for one in words)

        counts = [shared(fact) for fact in asked.facts]
        most = max(counts, default=0)
        return asked.facts[counts.index(most)] if most and most * 2 >= len(words) else None

    def _telling(self, text: str) -> list[frozenset[str]]:
        """Return the comparison keys of each content word of a text."""
        said = (word.written.casefold() for word in self.languages.words(text) if str(word.kind) == _CONTENT)
        content = {word.replace("’", "'").removesuffix("'s") for word in said}
        words = (word for word in self.reasoner.read(text).words if not word.roles)
        return [word.keys for word in words if word.written.casefold() in content]

    def put_right(self, asked: PromptQuestion) -> str:
        """Return the reply to a question whose value a correction gives.

        The correction may be a value, "not Dana, Priya", a fact, "my name is Harpreet", or a reference to another fact,
        "I meant the car".
        """
        old, is_open = self._value(asked), self.reasoner.read(asked.question).asks in _OPEN
        outcome = self._outcome(asked)
        for said, about in zip(asked.said, asked.about, strict=True):
            is_same = self._is_same(about, asked.question)
            if is_same and (other := self._other_question(asked, said, old)):
                return self.settled(replace(asked, question=other))
            if not _ALSO.isdisjoint(words_in(said.casefold())):
                continue  # "tea too" replaces nothing
            picked = self._picked(said, outcome) if is_same else ""
            if outcome and picked and len(outcome.words) > 1:
                return self._reply(
                    asked, self._answer(asked, Conclusion(Verdict.WORD, words=(picked,)), self._voice(asked))
                )
            # Without an old value, "I meant the other match" gives no new one.
            is_meant = not old and bool(remove_denied(said) != said or parse_correction(said))
            is_value = is_same and not is_meant and not self.reasoner.read(remove_denied(said)).is_question
            value = find_new_value(said, old, asked.question, self.languages) if is_value and (old or is_open) else ""
            if value:
                return self._reply(asked, value[:1].upper() + value[1:])
            told = self.reasoner.outcome(asked.question, [Note(said)] if self.reasoner.tells(said) else [])
            if is_open and told.verdict is not Verdict.UNKNOWN:
                return self._reply(asked, self._answer(asked, told, self._voice(asked)))
        return ""

    def _value(self, asked: PromptQuestion) -> str:
        """Return the value that facts give to a question, else that of the nearest fact."""
        outcome, fact = self._outcome(asked), self._nearest(asked)
        if outcome and outcome.words:
            return " ".join(outcome.words)
        return next((triple.object for triple in self.reasoner.triples(fact.text)), fact.text) if fact else ""

    def picks(self, asked: PromptQuestion) -> bool:
        """Return True if a message only names a value of the question before: "Rome", "Rome is right"."""
        said = " ".join(word for word in words_in(asked.question) if word.casefold() not in _RIGHT)
        picked = self._picked(said, self._outcome(replace(asked, question=asked.previous)))
        return bool(picked) and _form(picked) == _form(said)

    def _picked(self, said: str, outcome: Conclusion | None) -> str:
        """Return the only value of an outcome that a text names, else an empty text."""
        words = words_of(remove_denied(said))
        named = [value for value in outcome.words if words_of(value) <= words] if outcome else []
        return named[0] if len(named) == 1 else ""

    def _other_question(self, asked: PromptQuestion, said: str, old: str) -> str:
        """Return the question of a correction, by itself or as a word to insert; empty if ambiguous."""
        text, words = remove_denied(said), asked.question.split()
        known = {word.casefold() for word in words_in(asked.question)}
        new = [word.strip("*") for word in words_in(text) if word.casefold() not in known]
        places = [
            at for at, word in enumerate(words) if any(one.kind == _CONTENT for one in self.languages.words(word))
        ]
        others = [(word, " ".join([*words[:at], word, *words[at + 1 :]])) for at in places for word in new]
        found: dict[str, str] = {}
        for word, other in (("", text), *others[:_MOST_TRIED]):
            outcome = self._outcome(replace(asked, question=other))
            rests_on = " ".join(asked.facts[place].text for place in outcome.rests_on) if outcome else ""
            if outcome and outcome.words and word in rests_on and " ".join(outcome.words) != old:
                found.setdefault(" ".join(outcome.words), other)
        return next(iter(found.values())) if len(found) == 1 else ""

    def _is_same(self, question: str, other: str) -> bool:
        return _form(question) == _form(other) or self.reasoner.asks_the_same(question, other)

    def kept(self, asked: PromptQuestion) -> str:
        """Return the reply to a message that asks to remember something."""
        told = parse_fact_message(asked.question, self.languages)
        kept = told.fact if told and told.is_certain else ""
        return self.noted(asked, kept) if (kept := asked.instead or kept) else ""

    def forgotten(self, asked: PromptQuestion) -> str:
        """Return the reply to a message that asks to forget a fact, if there is such a fact."""
        named = parse_forget_message(asked.question, self.languages)
        told = {word.folded for fact in asked.facts for word in self.languages.words(fact.text)}
        if named is None or (asked.facts and named and named.isdisjoint(told)):
            return ""
        understanding = str(Sentence("embedded.asked_to_forget"))
        return write_tags(understanding=understanding, answer=say("forgotten", self._voice(asked)))

    def told(self, asked: PromptQuestion) -> str:
        """Return the reply to a plain statement, or to a clause of a message about a change."""
        text = without_denial(strip_lead_in(asked.question)).strip(_ENDS)
        is_new = "?" not in text and self.reasoner.says_now(text)
        clauses = [clause.strip() for clause in _CLAUSES.split(text)] if is_new else []
        told = [one for one in (text, *clauses[::-1]) if one and self.reasoner.tells(one)]
        return self.noted(asked, told[0]) if told else ""

    def told_otherwise(self, asked: PromptQuestion) -> str:
        """Return the reply to a message that denies an answer and states a fact: "no, my boss is Kim"."""
        text = without_denial(asked.question).strip(_ENDS)
        is_plain = text != asked.question.strip(_ENDS) and self.reasoner.tells(text) and self.reasoner.triples(text)
        return self.noted(asked, text) if is_plain else ""

    def is_about_words(self, question: str) -> bool:
        """Return True if a text may ask about a word: it names a task, or is no yes-or-no question or statement."""
        return speaks_of_words(question, self.languages) or self.reasoner.read(question).asks not in {
            Asks.WHETHER,
            Asks.NOTHING,
        }

    def noted(self, asked: PromptQuestion, fact: str) -> str:
        """Return the reply that stores a fact."""
        at = self._voice(asked)
        if tells_password(fact):
            return write_tags(understanding=str(Sentence("embedded.told_password")), answer=say("no_password", at))
        facts = [one.strip(_ENDS) for one in sentences_in(fact)]
        if any("he" in word.roles for one in facts[1:] for word in self.reasoner.read(one).words[:1]):
            facts = [fact.strip(_ENDS)]  # "My boss is Kim. She lives in Pune."
        first, *others = map(self._mirrored, facts)
        said = ". ".join([self._within(first, facts), *(one[:1].upper() + one[1:] for one in others)])
        return write_tags(understanding=say("told", at, fact=said), answer=say("noted", at), fact=facts)

    def _outcome(self, asked: PromptQuestion) -> Conclusion | None:
        if not asked.facts or not self.reasoner.read(asked.question).is_question:
            return None
        notes = [Note(fact.text, fact.denied, fact.triples) for fact in asked.facts]
        found = self.reasoner.outcome(asked.question, notes)
        if not self._is_blocked(asked, found):
            return found
        without = ([*notes[:place], Note(""), *notes[place + 1 :]] for place in found.rests_on)
        others = [self.reasoner.outcome(asked.question, some) for some in without]
        standing = (one for one in others if one.verdict is not Verdict.UNKNOWN and not self._is_blocked(asked, one))
        return next(standing, replace(others[-1], verdict=Verdict.UNKNOWN, about=found.rests_on))

    def _is_blocked(self, asked: PromptQuestion, outcome: Conclusion) -> bool:
        """Return True if the user blocked the step from these premises to this answer."""
        if outcome.verdict is Verdict.UNKNOWN:
            return False
        premises = _parted(_BETWEEN.join(asked.facts[place].premise for place in outcome.rests_on))
        answer = self._answer(asked, outcome, self._voice(asked))
        return any(
            _parted(step.premises) == premises
            and (_form(step.conclusion) == _form(answer) or self.reasoner.asks_the_same(asked.question, step.about))
            for step in asked.blocked
        )

    def _voice(self, asked: PromptQuestion) -> int:
        return voice(self.reasoner.words.spoken, asked.question)

    def _mirrored(self, text: str) -> str:
        return self.reasoner.words.mirrored(text)

    def _reasons(self, asked: PromptQuestion, places: Sequence[int], at: int) -> str:
        facts = [asked.facts[place] for place in places]
        texts = [asked.question, *(fact.text for fact in facts)]
        said = [self._within(self._mirrored(fact.text.strip(_ENDS)), texts) for fact in facts]
        said = [say("untrue", at, fact=each) if fact.denied else each for fact, each in zip(facts, said, strict=True)]
        said = [f"{each} ({fact.why_both})" if fact.why_both else each for fact, each in zip(facts, said, strict=True)]
        return say("and", at).join(filter(None, (", ".join(said[:-1]), said[-1])))

    def _within(self, sentence: str, texts: Sequence[str]) -> str:
        """Start a sentence with a lower-case letter, for use within another one, unless its first word is a name."""
        first, _, rest = sentence.partition(" ")
        within = {word.strip(_ENDS + "?,") for text in texts for word in text.split()[1:]}
        small = first.lower()
        is_name = first in within or len(first) == 1 or not is_known_word(small)
        return sentence if is_name else f"{small} {rest}".strip()


def _form(text: str) -> str:
    return " ".join(strip_lead_in(fold_for_cues(text)).casefold().split()).strip(_ENDS + "?")


def _both_hold(facts: Sequence[PromptFact], outcome: Conclusion) -> bool:
    """Return True if the user explained why contradicting facts are both true."""
    return any(facts[place].why_both for place in outcome.disagree)


def _parted(premises: str) -> list[str]:
    return sorted(premises.split(_BETWEEN))


def write_tags(**fields: str | Sequence[str]) -> str:
    """Write a reply with these tags, in order, one per text."""
    parts = ((name, text) for name, said in fields.items() for text in ([said] if isinstance(said, str) else said))
    return "\n".join(f"<{name}>{text}</{name}>" for name, text in parts)
