"""Why an answer was given (figure 1 and section 3.2 of the paper): its premises, who told them, and whether it follows.

An answer is one call, so its reasons are a call of their own, made where somebody asks:

    <because>A magnet can attract magnetic metals.</because>
    <doubted>A penny is made of a magnetic metal.</doubted>
    <claim>A magnet can attract a penny.</claim>
    <follows>yes</follows>

They are kept in the fields of the reply and read anew each time, since facts change: a premise that is a fact is kept
by the id of that, so that its words are gone once it is forgotten.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from assistant.errors import NotFound
from assistant.events import Event, Waiting
from assistant.gate.gate import JUST_TOLD
from assistant.model_usage import Meter
from assistant.papers.calls import one_call
from assistant.papers.teachme.facts import Assertions, is_denied, is_fact, opposes, premise_of
from assistant.ports import ChatModel
from assistant.prompt.prompt import Prompting
from assistant.reply.fields import FactPremise, TextPremise, Thought, Why
from assistant.reply.grammar import Grammar, Tag
from assistant.sentences import Sentence, plain
from assistant.text.cleaning import for_prompt
from assistant.types import Action, Entry, Reply, Turn, day_of

MOST_PREMISES = 3
LONGEST_PREMISE = 300
"""Characters of a premise."""
LONGEST_TEXT = 2_000
"""Characters of a question or an answer in a prompt that asks about it."""
_MOST_CONSIDERED = 8
_NOTHING = frozenset({"", "none", "no", "nothing", "n/a", "-"})


def yes_or_no(text: str) -> bool | None:
    """Read a yes or no at the beginning of a text; None where it is neither."""
    first = text.strip().casefold()
    return True if first.startswith("yes") else False if first.startswith("no") else None


def sentences(texts: Iterable[str]) -> list[str]:
    """Return the sentences of a model as premises: each on one line, none twice, none that says nothing."""
    lines = dict.fromkeys(one_line(text) for text in texts)
    return [line for line in lines if line.casefold().strip(".") not in _NOTHING][:MOST_PREMISES]


def one_line(text: str) -> str:
    """Return a sentence of a model on one line, without invisible characters."""
    return " ".join(for_prompt(text).split())[:LONGEST_PREMISE].rstrip()


_GRAMMAR = Grammar(
    (Tag("because", repeats=True), Tag("doubted", repeats=True), Tag("claim"), Tag("follows", read=yes_or_no))
)


class Source(StrEnum):
    """The origin of a premise."""

    YOURS = "yours"
    SHARED = "shared"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Premise:
    """A sentence that an answer is based on, or would be."""

    text: str
    believed: bool = True  # the model takes it to be true
    entry: Entry | None = None  # the fact that states it, or contradicts it

    @property
    def source(self) -> Source:
        if self.entry is None:
            return Source.MODEL
        return Source.SHARED if self.entry.shared else Source.YOURS

    @property
    def opposed(self) -> bool:
        """Return True if somebody told that it is not so."""
        return self.entry is not None and opposes(self.entry, self.text)

    @property
    def sentence(self) -> Sentence:
        """Return the message that shows it."""
        return self.entry.sentence if self.entry and not self.opposed else plain(self.text)

    @property
    def origin(self) -> Sentence:
        """Return the message that says where it comes from and whether it is believed."""
        if self.entry is None:
            return Sentence("why.model_believes" if self.believed else "why.model_doubts")
        day = {"day": day_of(self.entry.created).isoformat()}
        if self.opposed:
            return Sentence("why.shared_otherwise" if self.entry.shared else "why.told_otherwise", day)
        return Sentence("why.shared" if self.entry.shared else "why.told", day)

    def stored(self) -> FactPremise | TextPremise:
        """Return it for the fields of a reply; `read_premises` is the inverse."""
        if self.entry:
            return FactPremise(entry=self.entry.id, opposed=self.opposed, believed=self.believed)
        return TextPremise(text=self.text, believed=self.believed)


def read_premises(stored: Iterable[FactPremise | TextPremise], known: Assertions) -> Iterator[Premise]:
    """Yield premises as they were stored, without those whose fact was forgotten."""
    for said in stored:
        if "entry" not in said:
            yield Premise(said["text"], said["believed"])
            continue
        try:
            entry = known.memory.entry(said["entry"], known.scope)
        except NotFound:
            continue
        is_as_told = not (said["opposed"] and is_denied(entry))
        yield Premise(premise_of(entry) if is_as_told else entry.shown, said["believed"], entry)


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why an answer was given."""

    claim: str  # the answer as one statement
    premises: tuple[Premise, ...]  # believed ones first; they are numbered in this order, from 1
    follows: bool | None = None  # None where the model does not say
    blocked: bool = False  # the user blocked the step, or said that a premise does not matter
    disputed: bool = False  # the premises contradict each other
    tried: bool = False  # no proof was found, and the premises are those that were considered

    @property
    def believed(self) -> tuple[Premise, ...]:
        return tuple(premise for premise in self.premises if premise.believed)

    @property
    def proves(self) -> bool:
        """Return True if the premises prove the answer, as far as the model and the user say."""
        is_refused = any(premise.opposed or not premise.believed for premise in self.premises)
        is_open = self.blocked or self.disputed or self.tried
        return bool(self.premises) and not (is_refused or is_open or self.follows is False)

    @property
    def verdict(self) -> Sentence:
        """Return the message that says whether the answer follows."""
        if not self.premises:
            return Sentence("why.nothing")
        if self.blocked:
            return Sentence("why.blocked")
        if self.disputed:
            return Sentence("why.disputed")
        if self.proves:
            return Sentence("why.follows")
        is_whole = self.believed == self.premises and not self.tried
        return Sentence("why.does_not_follow" if is_whole else "why.no_proof")


def has_reasons(reply: Reply) -> bool:
    """Return True if the reasons for an answer are known without a call."""
    return any(name in reply.fields for name in ("because", "why", "thought"))


def disputing(turn: Turn) -> tuple[int, ...]:
    """Return the numbers of the premises that contradict each other, as the answer says itself."""
    premises, disputed = turn.reply.fields.get("because", ()), turn.reply.fields.get("disputed", ())
    return tuple(number for number, text in enumerate(premises, 1) if text in disputed)


def reasons_of(turn: Turn, known: Assertions) -> Reasons | None:
    """Return the reasons for the answer of a turn; None where nobody asked for them yet. Raises StoreError."""
    fields = turn.reply.fields
    if not has_reasons(turn.reply):
        return None
    follows, claim, is_tried = None, turn.reply.answer, False
    if "because" in fields:
        found = [*_told_with(turn, known)]
        follows, claim = True, (fields["thought"]["claim"] if "thought" in fields else "") or claim
    elif "why" in fields:
        found = [*read_premises(fields["why"]["premises"], known)]
        follows, claim = fields["why"]["follows"], fields["why"]["claim"] or claim
    else:
        found = _considered(fields["thought"], known)
        is_tried = True
    if not found:  # the model gives no reasons: these are the facts that its prompt offered
        offered = (one.entry for one in turn.decisions if one.action in {Action.USE, Action.OFFER})
        found = [Premise(premise_of(entry), believed=False, entry=entry) for entry in offered if is_fact(entry)]
        is_tried = True
    found.sort(key=lambda premise: not premise.believed)
    texts = [premise.text for premise in found if premise.believed]
    is_blocked = bool(texts) and known.blocks(texts, claim, turn)
    return Reasons(claim, tuple(found), follows, is_blocked, bool(disputing(turn)), is_tried)


def _told_with(turn: Turn, known: Assertions) -> Iterator[Premise]:
    """Yield the premises with which an answer came. One based on a denial means that, however the reply words it."""
    for text in filter(None, map(str, turn.reply.fields["because"])):
        fact = known.fact(text)
        is_denial = fact is not None and is_denied(fact) and fact.id in turn.used
        yield Premise(premise_of(fact) if fact and is_denial else text, entry=fact)


def _considered(thought: Thought, known: Assertions) -> list[Premise]:
    """Return the premises of proofs of which none stands, each once."""
    found: dict[str, Premise] = {}
    for hypothesis in thought["hypotheses"]:
        for proof in hypothesis["proofs"]:
            for premise in read_premises(proof["premises"], known):
                found.setdefault(premise.text, premise)
    return [*found.values()][:_MOST_CONSIDERED]


def ask_why(
    turn: Turn, model: ChatModel, prompting: Prompting, known: Assertions, meter: Meter
) -> Generator[Event, None, Why]:
    """Ask the model why it gave the answer of a turn; return the field `why` of its reply.

    Raises ModelError; closing it ends the call.
    """
    asked = {"question": turn.question, "understanding": turn.reply.understanding, "answer": turn.reply.answer}
    row = {name: for_prompt(text)[:LONGEST_TEXT] for name, text in asked.items()}
    decided = [one for one in turn.decisions if is_fact(one.entry) and one.action is not Action.LEAVE]
    facts = [one.entry.prompted for one in decided if one.entry.id in turn.used or one.reason == JUST_TOLD]
    messages = prompting.call("teachme/why", asked=[row], facts=facts)
    said = (yield from one_call(model, messages, _GRAMMAR, meter, Waiting(turn.id))).fields
    believed, doubted = sentences(said.get("because", ())), sentences(said.get("doubted", ()))
    premises = [Premise(text, entry=known.fact(text)) for text in believed]
    premises += [Premise(text, believed=False, entry=known.fact(text)) for text in doubted if text not in believed]
    claim = one_line(str(said.get("claim", "")))
    return {"premises": tuple(one.stored() for one in premises), "claim": claim, "follows": said.get("follows")}
