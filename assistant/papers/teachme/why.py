"""Why?: one call, with a prompt of its own, says on what an answer rests.

    <because>A magnet can attract magnetic metals.</because>
    <doubted>A penny is made of a magnetic metal.</doubted>
    <claim>A magnet can attract a penny.</claim>
    <follows>yes</follows>

Whose a premise is, its words tell (`assistant.papers.teachme.told`), and never what the model says of it. What it says
is data: it is shown, and stands in later prompts only within a block.
"""

import contextlib
from collections.abc import Generator, Iterable
from typing import Any

from assistant.calls import LONGEST_REPLY
from assistant.errors import EmptyReply, StreamCut
from assistant.events import Event, Waiting
from assistant.gate.by_person import JUST_TOLD
from assistant.model_usage import Meter
from assistant.papers.teachme.reasons import Premise, kept_premise
from assistant.papers.teachme.told import Told, is_fact
from assistant.ports import ChatModel
from assistant.prompt.prompt import Prompting
from assistant.reply.filter import visible
from assistant.reply.grammar import Grammar, Tag
from assistant.reply.parser import parse_reply
from assistant.text.cleaning import for_prompt
from assistant.types import Action, Entry, Message, ReplyStatus, Turn

MOST_PREMISES = 3
LONGEST_PREMISE = 300
"""Characters of a premise."""
# Characters of a text of which only what it says matters.
_LONGEST_TEXT = 2_000
_NOTHING = frozenset({"", "none", "no", "nothing", "n/a", "-"})


def yes_or_no(text: str) -> bool | None:
    """What a word says at the beginning of a text; None where it is neither."""
    first = text.strip().casefold()
    return True if first.startswith("yes") else False if first.startswith("no") else None


_GRAMMAR = Grammar(
    (Tag("because", repeats=True), Tag("doubted", repeats=True), Tag("claim"), Tag("follows", read=yes_or_no))
)


def ask_why(
    turn: Turn, model: ChatModel, prompting: Prompting, told: Told, meter: Meter
) -> Generator[Event, None, dict[str, Any]]:
    """What is kept of the reasons for the answer of a turn. Raises ModelError; closing it ends the call."""
    reply = ""
    with contextlib.closing(visible(model.stream(prompt(turn, prompting), meter))) as stream:
        for piece in stream:
            reply += piece
            if len(reply) > LONGEST_REPLY:
                break
            yield Waiting(turn.id)
    if not reply.strip():
        raise EmptyReply
    said = parse_reply(reply, _GRAMMAR)
    if said.status is ReplyStatus.TRUNCATED:
        raise StreamCut
    fields = said.fields
    believed, doubted = (sentences(fields.get(name, ())) for name in ("because", "doubted"))
    premises = [Premise(text, entry=told.fact(text)) for text in believed]
    premises += [Premise(text, believed=False, entry=told.fact(text)) for text in doubted if text not in believed]
    claim = one_line(str(fields.get("claim", "")))
    return {"premises": tuple(map(kept_premise, premises)), "claim": claim, "follows": fields.get("follows")}


def prompt(turn: Turn, prompting: Prompting) -> tuple[Message, ...]:
    """What is asked about a turn."""
    asked = {"question": turn.question, "understanding": turn.reply.understanding, "answer": turn.reply.answer}
    row = {name: for_prompt(text)[:_LONGEST_TEXT] for name, text in asked.items()}
    return prompting.call("teachme/why", asked=[row], facts=[fact.prompted for fact in facts_of(turn)])


def facts_of(turn: Turn) -> list[Entry]:
    """The facts that an answer rests on: those that it says it went by, and those that were told just before."""
    return [
        decision.entry
        for decision in turn.decisions
        if is_fact(decision.entry) and decision.action is not Action.LEAVE
        if decision.entry.id in turn.used or decision.reason == JUST_TOLD
    ]


def sentences(texts: Iterable[str]) -> list[str]:
    """Premises as they are kept: each on one line, none twice, none that says nothing."""
    lines = dict.fromkeys(one_line(text) for text in texts)
    return [line for line in lines if line.casefold().strip(".") not in _NOTHING][:MOST_PREMISES]


def one_line(text: str) -> str:
    """A sentence of a model's, without what cannot be seen."""
    return " ".join(for_prompt(text).split())[:LONGEST_PREMISE].rstrip()
