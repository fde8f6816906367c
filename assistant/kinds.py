"""What an entry may be: one table. Whoever treats two entries differently asks the rows of their kinds, not the names.

A new kind is a class with the fields of what it says and one more row. Only what makes an entry of a kind names it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from assistant.sentences import Sentence, plain
from assistant.text.cleaning import for_prompt, storable


def _storable(text: object) -> object:
    return storable(text) if isinstance(text, str) else text


LONGEST_NAME = 300
"""Characters of a subject, a relation or an object."""
MOST_TRIPLES = 100
"""Of one fact."""
STORABLE = BeforeValidator(_storable)
Text = Annotated[str, STORABLE]


def texts_in(value: object) -> Iterator[str]:
    """Every text in what an entry says, as it is kept."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(part)


class Reach(StrEnum):
    """For which questions an entry counts."""

    QUESTION = "question"  # the one it was given for, in any wording, spelling or script
    WAY = "way"  # those that are asked in this way
    CONVERSATION = "conversation"  # all of one conversation, and no others

    def fields(self, conversation: str) -> dict[str, object]:
        """What says so in the body of an entry, said in this conversation."""
        only_in = conversation if self is Reach.CONVERSATION else ""
        return {"only_in": only_in, "only_its_question": self is Reach.QUESTION}


class Place(StrEnum):
    """What a later clarification is to an earlier one of the same person."""

    INSTEAD = "instead"  # it counts, and the earlier one no more
    BESIDE = "beside"  # both count: the same question or word, with another meaning
    APART = "apart"  # both count, and have nothing to do with each other


class Body(BaseModel):
    """What an entry says: checked, and with texts that every database keeps. It stands in one column, as JSON.

    A kind may have any fields beside these, but none that is named like a column of the ledger's entries or `keys`.
    """

    model_config = ConfigDict(frozen=True)

    wrong_understanding: Text = ""  # the understanding that the person corrected. Empty where there was none.
    only_in: Text = ""  # id of the conversation in which alone it counts; empty where it counts in all
    only_its_question: bool = False  # it counts for the question that it was given for, and for no other
    reach_chosen: bool = False  # the person chose the reach; else it was proposed, and may be proposed again
    apart: tuple[Text, ...] = ()  # ids of earlier entries that it seems to stand beside, and has nothing to do with
    why_both: Text = ""  # why it counts beside what contradicts it, in the person's own words; empty where none is said
    replaced: tuple[Text, ...] = ()  # ids of entries in whose place it came, beside the one that it supersedes
    place_chosen: bool = False  # the person said what it is to earlier ones; else a model that writes keys may
    title: Text = ""  # for which questions it counts, as a model put it; for people only
    in_view: tuple[Text, ...] = ()  # ids of earlier entries that the model had before it as it wrote title and keys

    def stored(self) -> dict[str, Any]:
        """As it is kept: what is as by default is not, so that a field can be added later."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def changed(self, changes: Mapping[str, object]) -> Self:
        """The same with some fields changed."""
        return self.model_validate({**self.stored(), **changes})


class Clarification(Body):
    """What a person meant by a question."""

    text: Text  # in their own words


class Example(Body):
    """A question with an understanding and an answer that the person confirmed."""

    understanding: Text
    answer: Text


class Triple(BaseModel):
    """What a fact says of two things: the subject's relation to the object (MemLLM, section 3.1)."""

    model_config = ConfigDict(frozen=True)

    subject: Text
    relation: Text
    object: Text

    @property
    def line(self) -> str:
        """As people and models write it."""
        return f"{self.subject} | {self.relation} | {self.object}"

    @classmethod
    def read(cls, line: str) -> Self | None:
        """What stands in a line `subject | relation | object`; None where that is no such line."""
        parts = [" ".join(part.replace(";", ",").split()) for part in storable(line).split("|")]
        is_told = all(for_prompt(part).strip() for part in parts)  # what cannot be seen says nothing
        if len(parts) != len(cls.model_fields) or not is_told or max(map(len, parts)) > LONGEST_NAME:
            return None
        return cls(subject=parts[0], relation=parts[1], object=parts[2])


class Fact(Body):
    """What is so, as a person said it: a sentence that counts by itself, not only for the question it was told at."""

    text: Text  # in their own words
    denied: bool = False  # the person said that it is not so
    triples: tuple[Triple, ...] = ()  # what it says, as its person took it over
    # sides of relations, as "object works in", that have one value: the person put it in the place of another value
    one_valued: tuple[Text, ...] = ()


class Step(Body):
    """A step of reasoning that a person blocked: from the premises, the conclusion does not follow.

    One that counts in one conversation alone says less: there, its premises have nothing to do with its question.
    """

    premises: tuple[Text, ...]
    conclusion: Text


class Lesson(Body):
    """How something is done, as a model drew it from a case; what it had said before of it is `wrong_understanding`."""

    key: Text  # what it is found under; its question
    rule: Text
    from_right: bool = False  # the answer that it was drawn from was right


MOST_SCORERS = 16
"""Scorers of drafts."""
ScorerName = Annotated[Text, Field(max_length=40)]
"""The name of one."""
_Gain = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]


class Preference(Body):
    """Another draft of an answer that a person took than the one that was shown: by how much each scorer liked it
    better, by name of the scorer. No words of anybody's stand in it.
    """

    gains: Annotated[dict[ScorerName, _Gain], Field(max_length=MOST_SCORERS)]
    line: Text  # the same, to be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A row of the table."""

    name: str
    body: type[Body]
    shown: str  # the field that people read, search for and change
    # what stands of it in a prompt: in the row of a note, or of an example its understanding and answer
    prompted: Callable[[Any], dict[str, str]]
    # what makes it the same where it is given once more for the same turn; without a turn, for the same question
    identity: Callable[[Any], Sequence[str]]
    # the calibration of the gate that decides about it, as a note; without one, the example selector does
    calibration: str = ""
    # It puts an answer right: its turn says so, it takes the place of an earlier one of that turn, and what confirms an
    # answer to its question counts no more.
    corrects: bool = False
    # It keeps what a model answered, which goes with its turn. All else is in a person's own words: `shown` is compared
    # with questions and with what others say, and is held to the content rules.
    confirms: bool = False
    shareable: bool = False  # it may be offered to everyone
    # What it says holds whatever was asked: it is found under its own words too, its question is those words where none
    # was asked, and only the same said once more takes its place.
    asserts: bool = False
    # A model's words stand in it, with those of entries: it goes with its turn, and none takes another's place, but of
    # what is `keyed`.
    quotes: bool = False
    # fields that were drawn from `shown`: what is said in other words is without them
    drawn: tuple[str, ...] = ()
    # Its question is a key, under which there is one: the next one takes its place, whatever both say.
    keyed: bool = False
    # questions find it; else it only stands among what is remembered
    is_found: bool = True
    # what people are told that it says, where that is not the field that is `shown` as it is
    says: Callable[[Any], Sentence] | None = None

    @property
    def is_note(self) -> bool:
        """Whether it stands in a prompt as a note, about which the gate decides."""
        return bool(self.calibration)

    def idempotency_key(self, asked: str, body: Body) -> str:
        """The key under which it is saved once, made of what it is about and says, so that nobody chooses it.

        `asked` is the id of its turn; where there is none, the question.
        """
        named = (self.name, asked, *self.identity(body), *([body.only_in] if body.only_in else []))
        return hashlib.sha256("\0".join(named).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Content:
    """What an entry says, or one that is about to be remembered."""

    kind: Kind  # what it is
    question: str  # the question it was given for, as the person wrote it
    body: Body  # what it says of it; the fields are those of its kind

    @property
    def shown(self) -> str:
        """What people read of it."""
        return str(getattr(self.body, self.kind.shown))

    @property
    def text(self) -> str:
        """What the person said, in their own words. Empty where a model said it and the person confirmed it."""
        return "" if self.kind.confirms else self.shown

    @property
    def texts(self) -> Iterator[str]:
        """All that stands of a person's own words in it."""
        yield self.text
        yield self.body.why_both
        for name in self.kind.drawn:
            yield from texts_in(self.body.stored().get(name, []))

    @property
    def wrong_understanding(self) -> str:
        return self.body.wrong_understanding

    @property
    def only_in(self) -> str:
        return self.body.only_in

    @property
    def reach(self) -> Reach:
        if self.only_in:
            return Reach.CONVERSATION
        return Reach.QUESTION if self.body.only_its_question else Reach.WAY

    def in_words(self, text: str) -> dict[str, object]:
        """How what it says changes where it is said in these words."""
        drawn = () if text == self.shown else self.kind.drawn
        return {self.kind.shown: text, **dict.fromkeys(drawn, ())}

    @property
    def prompted(self) -> dict[str, str]:
        """What stands of it in a prompt."""
        return self.kind.prompted(self.body)

    @property
    def sentence(self) -> Sentence:
        """What it says, for people, as a sentence in their language."""
        return self.kind.says(self.body) if self.kind.says else plain(self.shown)


def _compared(text: str) -> str:
    return " ".join(for_prompt(text).casefold().split())


def _blocked(said: Step) -> dict[str, str]:
    premises = "; ".join(said.premises)
    if said.only_in:
        return {"does not matter here": premises}
    return {"does not follow": said.conclusion, "from": premises}


def _told(said: Fact) -> dict[str, str]:
    row = {"not true" if said.denied else "true": said.text}
    row |= {"as": "the answer"} if said.only_its_question else {}
    row |= {"as well, because": said.why_both} if said.why_both else {}
    return {**row, "triples": "; ".join(triple.line for triple in said.triples)} if said.triples else row


def _says_blocked(said: Step) -> Sentence:
    premises = "”, “".join(said.premises)
    if said.only_in:
        return Sentence("step.aside", {"premises": premises})
    return Sentence("step.blocked", {"premises": premises, "conclusion": said.conclusion})


CLARIFICATION = Kind(
    name="clarification",
    body=Clarification,
    shown="text",
    prompted=lambda said: {"said": said.text},
    identity=lambda said: (_compared(said.text),),
    calibration="clarification",
    corrects=True,
    shareable=True,
)
EXAMPLE = Kind(
    name="example",
    body=Example,
    shown="understanding",
    prompted=lambda said: {"understanding": said.understanding, "answer": said.answer},
    identity=lambda _: (),
    confirms=True,
)
FACT = Kind(
    name="fact",
    body=Fact,
    shown="text",
    prompted=_told,
    identity=lambda said: (_compared(said.text), "denied" if said.denied else "told"),
    calibration="fact",
    shareable=True,
    asserts=True,
    drawn=("triples",),
    says=lambda said: Sentence("fact.denied", {"text": said.text}) if said.denied else plain(said.text),
)
STEP = Kind(
    name="step",
    body=Step,
    shown="conclusion",
    prompted=_blocked,
    identity=lambda said: (*map(_compared, said.premises), _compared(said.conclusion)),
    # The gate has none for it: it stands in a prompt only where it was blocked a moment ago, and else keeps proofs out.
    calibration="step",
    asserts=True,
    quotes=True,
    says=_says_blocked,
)
LESSON = Kind(
    name="lesson",
    body=Lesson,
    shown="rule",
    prompted=lambda said: {"lesson": said.rule},
    identity=lambda said: (_compared(said.key), _compared(said.rule)),
    # It is found by what it says, as a fact is (docs/decisions/0046).
    calibration="fact",
    asserts=True,
    quotes=True,
    keyed=True,
    says=lambda said: Sentence("lesson.noted", {"rule": said.rule}),
)
PREFERENCE = Kind(
    name="preference",
    body=Preference,
    shown="line",
    prompted=lambda _: {},
    identity=lambda _: (),
    quotes=True,  # it goes with its turn
    is_found=False,
    says=lambda _: Sentence("preference.kept"),
)

Kinds = Mapping[str, Kind]
"""Name of a kind to its row."""


def table(*kinds: Kind) -> Kinds:
    """These kinds by their names."""
    return MappingProxyType({kind.name: kind for kind in kinds})


KINDS = table(CLARIFICATION, EXAMPLE, FACT, STEP, LESSON, PREFERENCE)
