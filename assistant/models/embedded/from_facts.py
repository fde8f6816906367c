"""What the embedded model says of facts that it was told: the answer that follows from them, or that none does.

The chain is the reason: each fact on which an answer rests stands in the reply, in the words in which it was told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.feedback.telling import told_in
from assistant.language.languages import Languages
from assistant.models.embedded.phrases import say, voice
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.reasoning.chaining import Outcome, Verdict
from assistant.reasoning.reasoner import Note, Reasoner
from assistant.reasoning.sentence import Asks
from assistant.reasoning.triples.read import triples_in
from assistant.reasoning.words import is_known_word, mirrored

_ASKING = "asking"  # the kind of words with which one asks about words
_ENDS = " .!।॥"


@dataclass(frozen=True, slots=True)
class FromFacts:
    """See the module."""

    languages: Languages
    reasoner: Reasoner = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reasoner", Reasoner(self.languages))

    def settled(self, asked: PromptQuestion) -> str:
        """The reply to a question that the facts of its prompt settle; else empty."""
        outcome = self._outcome(asked)
        if outcome is None or outcome.verdict is Verdict.UNKNOWN:
            return ""
        at, notes = self._voice(asked), asked.facts
        if outcome.verdict is Verdict.DISPUTED:
            told = self._reasons(asked, outcome.disagree, at)
            answer = say("disputed", at, facts=told)
        else:
            reasons = self._reasons(asked, outcome.rests_on, at)
            words = say("and", at).join(map(mirrored, outcome.words))
            answer = say(outcome.verdict.value, at, reasons=reasons, word=words[:1].upper() + words[1:])
        return tagged(
            notes=", ".join(str(notes[place].note) for place in outcome.rests_on),
            because=[notes[place].text for place in outcome.rests_on],
            understanding=say("asked", at, question=asked.question),
            answer=answer,
        )

    def untold(self, asked: PromptQuestion) -> str:
        """The reply to a question about things that the facts speak of, but do not settle; else empty."""
        outcome = self._outcome(asked)
        if outcome is None or outcome.verdict is not Verdict.UNKNOWN or not outcome.about:
            return ""
        at = self._voice(asked)
        things = ", ".join(map(mirrored, outcome.names))
        name = "untold" if things and outcome.asked else "untold_of"
        answer = say(name, at, things=things or mirrored(outcome.asked), asked=mirrored(outcome.asked))
        return tagged(notes="none", understanding=say("asked", at, question=asked.question), answer=answer)

    def kept(self, asked: PromptQuestion) -> str:
        """The reply to what says that it is to be kept; else empty."""
        told = told_in(asked.question, self.languages)
        kept = told.fact if told and told.is_certain else ""
        return self._noted(asked, kept) if (kept := asked.instead or kept) else ""

    def told(self, asked: PromptQuestion) -> str:
        """The reply to a plain statement; else empty."""
        tells = self.reasoner.tells(asked.question) or self.reasoner.tells_of_change(asked.question)
        return self._noted(asked, asked.question.strip(_ENDS)) if tells else ""

    def is_about_words(self, question: str) -> bool:
        """Whether a text may want something of a word: it asks for more than yes or no, or speaks of words."""
        speaks_of_words = any(str(word.kind) == _ASKING for word in self.languages.words(question))
        return speaks_of_words or self.reasoner.read(question).asks not in {Asks.WHETHER, Asks.NOTHING}

    def _noted(self, asked: PromptQuestion, fact: str) -> str:
        at = self._voice(asked)
        understanding = say("told", at, fact=self._within(mirrored(fact), (fact,)))
        keep = [triple.line for triple in triples_in(fact, self.reasoner.reader)]
        return tagged(understanding=understanding, answer=say("noted", at), fact=[fact], keep=keep)

    def _outcome(self, asked: PromptQuestion) -> Outcome | None:
        if not asked.facts or not self.reasoner.read(asked.question).is_question:
            return None
        return self.reasoner.outcome(
            asked.question, [Note(fact.text, fact.denied, fact.triples) for fact in asked.facts]
        )

    def _voice(self, asked: PromptQuestion) -> int:
        return voice(self.languages.language(asked.question), asked.question)

    def _reasons(self, asked: PromptQuestion, places: Sequence[int], at: int) -> str:
        facts = [asked.facts[place] for place in places]
        texts = [asked.question, *(fact.text for fact in facts)]
        said = [self._within(mirrored(fact.text.strip(_ENDS)), texts) for fact in facts]
        said = [say("untrue", at, fact=each) if fact.denied else each for fact, each in zip(facts, said, strict=True)]
        return say("and", at).join(filter(None, (", ".join(said[:-1]), said[-1])))

    def _within(self, sentence: str, texts: Sequence[str]) -> str:
        """A sentence as it stands within another one: its first word begins small, unless it is a name."""
        first, _, rest = sentence.partition(" ")
        within = {word.strip(_ENDS + "?,") for text in texts for word in text.split()[1:]}
        small = first.lower()
        is_name = first in within or len(first) == 1 or not is_known_word(small)
        return sentence if is_name else f"{small} {rest}".strip()


def tagged(**fields: str | Sequence[str]) -> str:
    """A reply of these tags, in their order; each text of a list in one of its own."""
    parts = ((name, text) for name, said in fields.items() for text in ([said] if isinstance(said, str) else said))
    return "\n".join(f"<{name}>{text}</{name}>" for name, text in parts)
