"""The table of entry types. Code reads the columns of this table, and never compares names of types.

To add a type, define its body and add a row.
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
from assistant.text.cleaning import clean_for_prompt, clean_text

LONGEST_NAME = 300
"""Characters of a subject, a relation or an object."""
MOST_TRIPLES = 100
"""Of one fact."""
STORABLE = BeforeValidator(lambda text: clean_text(text) if isinstance(text, str) else text)
Text = Annotated[str, STORABLE]


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a stored body."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(part)


class Reach(StrEnum):
    """The questions that an entry applies to."""

    QUESTION = "question"  # the question it was given for, in any wording, spelling or script
    WAY = "way"  # questions with similar wording
    CONVERSATION = "conversation"  # all questions of one conversation

    def fields(self, conversation: str) -> dict[str, object]:
        """Return this reach as fields of a body, for an entry of a conversation."""
        only_in = conversation if self is Reach.CONVERSATION else ""
        return {"only_in": only_in, "only_its_question": self is Reach.QUESTION}


class Place(StrEnum):
    """Relation of a clarification to an earlier one of the same user."""

    INSTEAD = "instead"  # replaces it
    BESIDE = "beside"  # both apply: another meaning of the same question or word
    APART = "apart"  # both apply, and are unrelated


class Body(BaseModel):
    """Contents of an entry, stored as JSON in one column.

    Names of fields must differ from the columns of the ledger's entries, and from `keys`.
    """

    model_config = ConfigDict(frozen=True)

    wrong_understanding: Text = ""  # the understanding that the user corrected, if any
    only_in: Text = ""  # id of the only conversation where it applies; empty for all
    only_its_question: bool = False  # applies only to the question that it was given for
    reach_chosen: bool = False  # the user chose the reach, so it is not proposed again
    apart: tuple[Text, ...] = ()  # ids of earlier entries that look related, but are not
    why_both: Text = ""  # the user's reason for keeping it together with a contradicting one
    replaced: tuple[Text, ...] = ()  # ids of replaced entries, except the superseded one
    place_chosen: bool = False  # the user chose the relation to earlier ones, so a model that writes keys keeps it
    title: Text = ""  # a model's description of the questions it applies to, for users
    in_view: tuple[Text, ...] = ()  # ids of entries that a model saw when it wrote texts of this one

    def stored(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, so that fields can be added later."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def changed(self, changes: Mapping[str, object]) -> Self:
        return self.model_validate({**self.stored(), **changes})


class Clarification(Body):
    """Meaning of a question in the user's own words."""

    text: Text


class Example(Body):
    """An understanding and an answer that the user confirmed."""

    understanding: Text
    answer: Text


class Triple(BaseModel):
    """The relation of a subject to an object (MemLLM, section 3.1)."""

    model_config = ConfigDict(frozen=True)

    subject: Text
    relation: Text
    object: Text

    @property
    def line(self) -> str:
        """Return the form that users and models write."""
        return f"{self.subject} | {self.relation} | {self.object}"

    @classmethod
    def read(cls, line: str) -> Self | None:
        """Parse a line `subject | relation | object`; None if it has another form."""
        parts = [" ".join(part.replace(";", ",").split()) for part in clean_text(line).split("|")]
        is_visible = all(clean_for_prompt(part).strip() for part in parts)
        if len(parts) != len(cls.model_fields) or not is_visible or max(map(len, parts)) > LONGEST_NAME:
            return None
        return cls(subject=parts[0], relation=parts[1], object=parts[2])


class Fact(Body):
    """A statement of a user, for any question."""

    text: Text  # in their own words
    denied: bool = False  # the user said that it is not true
    triples: tuple[Triple, ...] = ()  # parsed from it by rules, or accepted by the user


class Step(Body):
    """A blocked step of reasoning: the conclusion does not follow from the premises.

    With `only_in`, it says that the premises do not matter for the question.
    """

    premises: tuple[Text, ...]
    conclusion: Text


class Lesson(Body):
    """A rule from a case (ExpNote). `wrong_understanding` is the rule that it refutes."""

    key: Text  # its question
    rule: Text
    from_right: bool = False  # the answer in the case was right


MOST_SCORERS = 16
"""Scorers of drafts."""
ScorerName = Annotated[Text, Field(max_length=40)]
_Gain = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]


class Preference(Body):
    """The user's choice of another draft. Contains no user text."""

    # By scorer: the score of the chosen draft minus the score of the shown draft.
    gains: Annotated[dict[ScorerName, _Gain], Field(max_length=MOST_SCORERS)]
    line: Text  # the gains as text for users


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A row of the table."""

    name: str
    body: type[Body]
    shown: str  # the field that users read, search for and edit
    prompted: Callable[[Any], dict[str, str]]  # returns the fields of a body as they appear in a prompt
    identity: Callable[[Any], Sequence[str]]  # returns the parts of its idempotency key after turn or question
    calibration: str = ""  # name of the gate's calibration for notes; without one, the example selector decides
    # Corrects an answer: its turn names it, it replaces an earlier one of that turn, and examples confirmed for the
    # same question no longer apply.
    corrects: bool = False
    # Contains a model's answer, and is erased with its turn. Others are in the user's own words: `shown` is compared
    # with questions and other entries, and must pass the content rules.
    confirms: bool = False
    shareable: bool = False  # may be offered to everyone
    asserts: bool = False  # applies to any question: its own text is a key, and only a repetition replaces it
    quotes: bool = False  # quotes a model and entries: erased with its turn, and replaces another only if it is `keyed`
    drawn: tuple[str, ...] = ()  # fields derived from `shown`; a rewording drops them
    keyed: bool = False  # its question is a unique key: the next entry replaces it
    is_found: bool = True  # by retrievers; else it is only listed
    says: Callable[[Any], Sentence] | None = None  # message for users, if not `shown` itself

    @property
    def is_note(self) -> bool:
        """Return True if it is a note, which the gate decides on."""
        return bool(self.calibration)

    def idempotency_key(self, asked: str, body: Body) -> str:
        """Return the idempotency key of a body; `asked` is the id of its turn, or the question without a turn."""
        named = (self.name, asked, *self.identity(body), *([body.only_in] if body.only_in else []))
        return hashlib.sha256("\0".join(named).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Content:
    """Contents of an entry, stored or not yet stored."""

    kind: Kind
    question: str  # that it was given for, in the user's words
    body: Body

    @property
    def shown(self) -> str:
        """Return the text that users read."""
        return str(getattr(self.body, self.kind.shown))

    @property
    def text(self) -> str:
        """Return the user's own words; empty for confirmed words of a model."""
        return "" if self.kind.confirms else self.shown

    @property
    def texts(self) -> Iterator[str]:
        """Yield all texts in the user's own words."""
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
        """Return the changes of the body that set its shown text and, if that differs, drop the derived fields."""
        drawn = () if text == self.shown else self.kind.drawn
        return {self.kind.shown: text, **dict.fromkeys(drawn, ())}

    @property
    def prompted(self) -> dict[str, str]:
        return self.kind.prompted(self.body)

    @property
    def sentence(self) -> Sentence:
        """Return the message for users."""
        return self.kind.says(self.body) if self.kind.says else plain(self.shown)


def _compared(text: str) -> str:
    return " ".join(clean_for_prompt(text).casefold().split())


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
    # The gate has no such calibration: a step is in a prompt only right after it was blocked, or by an `OfferRule`.
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
    # Found by its own text, like a fact (docs/decisions/0046).
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
    quotes=True,  # erased with its turn
    is_found=False,
    says=lambda _: Sentence("preference.kept"),
)

Kinds = Mapping[str, Kind]
"""Rows by name."""
KINDS: Kinds = MappingProxyType({kind.name: kind for kind in (CLARIFICATION, FACT, LESSON, EXAMPLE, STEP, PREFERENCE)})
