"""Replies of the embedded model about stored facts: the answer that follows from them, or that there is none.

A reply quotes each fact that its answer depends on as a reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.feedback.corrections import (
    find_new_value,
    fold_for_cues,
    parse_correction,
    remove_denied,
    shows_correction,
    words_of,
)
from assistant.feedback.fact_messages import (
    asks,
    is_joke,
    parse_fact_message,
    parse_forget_message,
    speaks_of_words,
    strip_lead_in,
    tells_password,
    without_denial,
)
from assistant.language.asked_word import marked_words, words_in
from assistant.language.languages import Languages
from assistant.models.embedded.phrases import say, voice, write_tags
from assistant.models.embedded.prompt_reader import PromptFact, PromptQuestion
from assistant.reasoning.chaining import Conclusion, Verdict
from assistant.reasoning.reading import Asks
from assistant.reasoning.reasoner import Note, Reasoner
from assistant.reasoning.words import ME
from assistant.sentences import Sentence
from assistant.text.sentences import sentences_of

_OPEN = frozenset({Asks.WHO, Asks.WHAT, Asks.WHERE, Asks.WHEN, Asks.AMOUNT})
_VERBS = frozenset({"is", "can", "has", "does"})  # roles of the verbs in yes-or-no questions
_HARDLY_TOLD = 0.01  # minimum probability of a statement
_MOST_OF_A_VALUE = 3  # words
_MOST_WORDS = 7  # of a question about something that the user owns
_CLAUSES = re.compile(r"[,.;!।]\s+")
_ENDS = " .!।॥"
_ALSO = frozenset({"also", "too", "bhi", "vi", "भी", "ਵੀ"})
_RIGHT = frozenset({"is", "right", "correct", "hai", "sahi", "theek", "aa", "है", "सही", "ਹੈ", "ਸਹੀ", "ਠੀਕ"})
_BETWEEN = "; "  # premises of a step in a prompt


class FactAnswers:
    """Write replies from facts; see the module. Methods return an empty text if there is no such reply."""

    def __init__(self, languages: Languages) -> None:
        self.languages, self.reasoner = languages, Reasoner(languages)

    def settled(self, asked: PromptQuestion) -> str:
        """Return the reply to a question that the facts in its prompt answer."""
        notes = asked.facts
        for fact in notes:  # the user gave the answer; no inference needed
            if fact.answers and _form(fact.answers) == _form(asked.question):
                return self._told_me(asked, fact)
        outcome = self._outcome(asked)
        return "" if outcome.verdict is Verdict.UNKNOWN else self._settled(asked, outcome)

    def _settled(self, asked: PromptQuestion, outcome: Conclusion) -> str:
        notes = asked.facts
        both_hold = any(notes[place].why_both for place in outcome.disagree)
        return self._reply(
            asked,
            self._answer(asked, outcome),
            notes=", ".join(str(notes[place].note) for place in outcome.rests_on),
            because=[notes[place].text for place in outcome.rests_on],
            disputed=[] if both_hold else [notes[place].text for place in outcome.disagree],
        )

    def unsettled(self, asked: PromptQuestion) -> str:
        """Return the reply to a question without an inferred value: the nearest fact, or that none is known.

        Empty if the question may be about something else.
        """
        fact, said = self._nearest(asked), self.reasoner.read(asked.question)
        if fact:
            is_yes_or_no = said.asks is Asks.WHETHER and any(word.roles & _VERBS for word in said.words)
            words = self.reasoner.read(fact.text).words
            owned = [part.word for part in said.parts if part.owned and "values" not in part.word.signs]
            is_whose = all(any(one.keys & other.keys for other in words) for one in owned)
            if is_whose and not is_yes_or_no:
                return self._told_me(asked, fact)
        else:
            is_where = said.asks is Asks.WHERE and "can" not in said.verbs  # "where do I live"
            is_mine = any(ME in part.word.keys for part in said.parts) and len(said.words) <= _MOST_WORDS
            owns = is_where or said.of_name or any(part.owned for part in said.parts)
            if not (is_mine and owns and said.asks in _OPEN):
                return ""
        return self._reply(asked, say("unknown_fact", self._voice(asked)), notes="none")

    def put_right(self, asked: PromptQuestion) -> str:
        """Return the reply to a question whose answer a correction contains: "not Dana, Priya", "my name is Kim"."""
        outcome, is_open = self._outcome(asked), self.reasoner.read(asked.question).asks in _OPEN
        old = " ".join(outcome.words)
        for said, about in zip(asked.said, asked.about, strict=True):
            if not _ALSO.isdisjoint(words_in(said.casefold())):
                continue  # "tea too" replaces nothing
            is_same = _form(about) == _form(asked.question) or self.reasoner.asks_the_same(about, asked.question)
            named = self._asked_about(asked, said) if is_same else ""
            if named:
                return named
            value = _picked(said, outcome) if is_same else ""
            # Without an old value, "I meant the other match" gives no new one.
            is_meant = not old and bool(remove_denied(said) != said or parse_correction(said))
            is_value = is_same and not is_meant and not self.reasoner.read(remove_denied(said)).is_question
            if is_value and not value and (old or is_open):
                value = find_new_value(said, old, asked.question, self.languages)
            if value and value in " ".join(said.split()):  # not from two clauses
                return self._reply(asked, value[:1].upper() + value[1:])
            whole = self.reasoner.completed(said, asked.question)
            told = self.reasoner.outcome(asked.question, [Note(whole)] if self.reasoner.tells(whole) else [])
            if is_open and told.verdict is not Verdict.UNKNOWN:
                return self._reply(asked, self._answer(asked, told))
        return ""

    def _asked_about(self, asked: PromptQuestion, said: str) -> str:
        """Return the reply to a question whose pronoun the correction replaces: "where does she live?", "Kim"."""
        words = self.reasoner.words.read(asked.question)
        pronoun = next((word.written for word in words if word.roles & {"it", "he"}), "")
        if not pronoun or self.reasoner.tells(said):
            return ""
        question = re.sub(rf"(?<!\w){re.escape(pronoun)}(?!\w)", lambda _: said.strip(_ENDS), asked.question)
        outcome = self._outcome(replace(asked, question=question))
        return "" if outcome.verdict is Verdict.UNKNOWN else self._settled(asked, outcome)

    def picks(self, asked: PromptQuestion) -> bool:
        """Return True if a message only names a value of the question before: "Rome", "Rome is right"."""
        said = " ".join(word for word in words_in(asked.question) if word.casefold() not in _RIGHT)
        picked = _picked(said, self._outcome(replace(asked, question=asked.previous)))
        return bool(picked) and _form(picked) == _form(said)

    def gives_value(self, asked: PromptQuestion) -> bool:
        """Return True if a message denies the answer before it, and gives another name or number: "no, Priya"."""
        text, before = strip_lead_in(asked.question), self.reasoner.read(asked.previous)
        value = without_denial(text)
        parts = self.reasoner.read(value).parts
        is_short = 0 < len(parts) <= _MOST_OF_A_VALUE and any(part.word.is_name for part in parts)
        is_denied = value != text and not self.reasoner.tells(value)
        is_of_fact = before.asks in _OPEN and not speaks_of_words(asked.previous, self.languages)
        return is_denied and is_short and is_of_fact

    def forgotten(self, asked: PromptQuestion) -> str:
        """Return the reply to a message that asks to forget a fact, if there is such a fact."""
        named = parse_forget_message(asked.question, self.languages)
        told = [{word.folded for word in self.languages.words(fact.text)} for fact in asked.facts]
        is_told = any(named <= words for words in told) if named else bool(asked.previous)
        if named is None or not is_told:
            return ""  # there is no such fact
        understanding = str(Sentence("embedded.asked_to_forget"))
        return write_tags(understanding=understanding, answer=say("forgotten", self._voice(asked)))

    def told(self, asked: PromptQuestion, *, likely: float) -> str:
        """Return the reply to a message that asks to remember something, or is a plain statement.

        A message that corrects the turn before must contain a triple: "no, my boss is Kim".

        Args:
            asked: the message.
            likely: the probability that it tells a fact.
        """
        corrects = bool(asked.previous) and shows_correction(asked.question)
        kept = parse_fact_message(asked.question, self.languages)
        if kept and kept.is_certain and not corrects:
            return self.noted(asked, kept.fact)
        if is_joke(asked.question):
            return ""
        said, text = self.reasoner.read(asked.question), self._whole(asked)
        is_asked = said.asks not in {Asks.WHETHER, Asks.NOTHING} or speaks_of_words(asked.question, self.languages)
        is_change = corrects or said.says_now or text not in asked.question
        if is_asked or self.reasoner.is_unsure(text) or not (likely >= _HARDLY_TOLD or is_change):
            return ""
        clauses, told = self.reasoner.statements(text), list[str]()
        if not self.reasoner.tells(clauses[0]):
            clauses = _CLAUSES.split(text)
            whole = text.replace(",", "")  # "shaadi ki date change ho gayi, ab 10 december ko hai"
            if is_change and not self.reasoner.tells(clauses[-1]) and self.reasoner.tells(whole):
                clauses = [whole]
        for clause in clauses:
            whole = self.reasoner.completed(clause.strip(), told[-1], within=True) if told else clause.strip()
            told += [whole] if self.reasoner.tells(whole) else []
        # A part alone may say something else: "if it rains, …".
        is_whole = len(told) == len(clauses) or (is_change and not corrects and "?" not in text)
        if not told or not is_whole:
            return ""
        is_clear = not corrects or self.reasoner.triples(told[0]) or self._changes(asked.previous, told[0])
        return self.noted(asked, ". ".join(told)) if is_clear else ""

    def _changes(self, before: str, text: str) -> bool:
        """Return True if a statement gives another value to the message before it."""
        before = strip_lead_in(before).strip(_ENDS)
        return self.reasoner.tells(before) and self.reasoner.replaces(text, Note(before), is_change=True)

    def _whole(self, asked: PromptQuestion) -> str:
        """Complete a message by the message before it to a whole statement, without a denial at its start."""
        text, before = without_denial(strip_lead_in(asked.question)).strip(_ENDS), strip_lead_in(asked.previous)
        if not self.reasoner.tells(before):
            return text
        whole = self.reasoner.completed(asked.question.strip(_ENDS), before)  # "oh" may be "she" in Punjabi
        if whole != asked.question.strip(_ENDS):
            return whole
        return self.reasoner.completed(text, before, corrects=text != strip_lead_in(asked.question).strip(_ENDS))

    def may_state(self, text: str) -> bool:
        """Return True if a text has a verb, and neither asks nor wishes for anything."""
        said = self.reasoner.read(text)
        is_asking = asks(text, self.languages) or said.is_question
        has_verb = bool(said.verbs) or said.has_verb
        return has_verb and not (is_joke(text) or is_asking or self.reasoner.is_unsure(text) or marked_words(text))

    def corrected(self, asked: PromptQuestion) -> str:
        """Return the reply to a message with the corrected version of its fact: the answer by it, or a note of it."""
        if not self.reasoner.read(asked.question).is_question:
            return self.noted(asked, asked.instead)
        outcome = self.reasoner.outcome(asked.question, [Note(asked.instead)])
        if outcome.verdict is Verdict.UNKNOWN:
            text = self.reasoner.words.mirrored(asked.instead.strip(_ENDS))
            answer = say("told_me", self._voice(asked), fact=text)
        else:
            answer = self._answer(asked, outcome)
        return self._reply(asked, answer, because=[asked.instead])

    def noted(self, asked: PromptQuestion, told: str) -> str:
        """Return the reply that stores a message as facts, one for each statement."""
        at = self._voice(asked)
        if tells_password(told):
            return write_tags(understanding=str(Sentence("embedded.told_password")), answer=say("no_password", at))
        facts = [part for one in sentences_of(told) for part in self.reasoner.statements(one.strip(_ENDS))]
        if any("he" in word.roles for one in facts[1:] for word in self.reasoner.read(one).words[:1]):
            facts = [told.strip(_ENDS)]  # "My boss is Kim. She lives in Pune."
        first, *others = map(self.reasoner.words.mirrored, facts)
        said = ". ".join([self._within(first), *(one[:1].upper() + one[1:] for one in others)])
        return write_tags(understanding=say("told", at, fact=said), answer=say("noted", at), fact=facts)

    def _told_me(self, asked: PromptQuestion, fact: PromptFact) -> str:
        text = self.reasoner.words.mirrored(fact.text.strip(_ENDS))
        answer = say("told_me", self._voice(asked), fact=text)
        return self._reply(asked, answer, notes=str(fact.note), because=[fact.text])

    def _reply(self, asked: PromptQuestion, answer: str, **fields: str | Sequence[str]) -> str:
        understanding = say("asked", self._voice(asked), question=asked.question)
        return write_tags(**fields, understanding=understanding, answer=answer)

    def _answer(self, asked: PromptQuestion, outcome: Conclusion) -> str:
        at = self._voice(asked)
        if outcome.verdict is not Verdict.DISPUTED:
            words = say("and", at).join(map(self.reasoner.words.mirrored, outcome.words))
            if any(map(str.isdecimal, words)):
                return words  # repeat a number, a date or a password unchanged
            return say(outcome.verdict.value, at, word=words[:1].upper() + words[1:])
        told, disagree = list[str](), [asked.facts[place] for place in outcome.disagree]
        for fact in disagree:
            text = self._within(self.reasoner.words.mirrored(fact.text.strip(_ENDS)))
            text = say("untrue", at, fact=text) if fact.denied else text
            told.append(f"{text} ({fact.why_both})" if fact.why_both else text)
        facts = say("and", at).join(filter(None, (", ".join(told[:-1]), told[-1])))
        return say("both" if any(fact.why_both for fact in disagree) else "disputed", at, facts=facts)

    def _nearest(self, asked: PromptQuestion) -> PromptFact | None:
        """Return the fact that shares the most content words with a question, at least half of them."""

        def telling(text: str) -> list[frozenset[str]]:
            words = (word.written.casefold() for word in self.languages.words(text) if word.kind == "content")
            content = {word.replace("’", "'").removesuffix("'s") for word in words}
            said = self.reasoner.read(text).words
            return [word.keys for word in said if not word.roles and word.written.casefold() in content]

        words = telling(asked.question)
        facts = [fact for fact in asked.facts if not (fact.denied or self.reasoner.read(fact.text).negative)]
        shared = [sum(any(one & other for other in telling(fact.text)) for one in words) for fact in facts]
        most = max(shared, default=0)
        return facts[shared.index(most)] if most and most * 2 >= len(words) else None

    def _outcome(self, asked: PromptQuestion) -> Conclusion:
        """Infer the answer; unknown if the user blocked the step from these premises to it."""
        if not asked.facts or not self.reasoner.read(asked.question).is_question:
            return Conclusion(Verdict.UNKNOWN)
        notes = [Note(fact.text, fact.denied, fact.triples) for fact in asked.facts]
        found = self.reasoner.outcome(asked.question, notes)
        if found.verdict is Verdict.UNKNOWN:
            return found
        facts = (asked.facts[place] for place in found.rests_on)
        premises = sorted(f"not true: {fact.text}" if fact.denied else fact.text for fact in facts)
        answer = _form(self._answer(asked, found))
        is_blocked = any(
            sorted(step.premises.split(_BETWEEN)) == premises
            and (_form(step.conclusion) == answer or self.reasoner.asks_the_same(asked.question, step.about))
            for step in asked.blocked
        )
        return replace(found, verdict=Verdict.UNKNOWN, words=()) if is_blocked else found

    def _voice(self, asked: PromptQuestion) -> int:
        return voice(self.reasoner.words.spoken, asked.question)

    def _within(self, sentence: str) -> str:
        """Start a sentence with a small letter, for use within another one, if its first word is a function word."""
        first, _, rest = sentence.partition(" ")
        is_small = len(first) > 1 and any(word.roles for word in self.reasoner.words.read(first))
        return f"{first.lower()} {rest}" if is_small else sentence


def _picked(said: str, outcome: Conclusion) -> str:
    """Return the value of the outcome that a text names, or an empty text if it names none or several."""
    words = words_of(remove_denied(said))
    named = [value for value in outcome.words if words_of(value) <= words]
    return named[0] if len(named) == 1 else ""


def _form(text: str) -> str:
    return " ".join(strip_lead_in(fold_for_cues(text)).casefold().split()).strip(_ENDS + "?")
