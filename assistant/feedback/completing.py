"""Complete a change that names only the new value, from the earlier fact.

my landlord is Mr Okafor    landlord changed, its Mrs Bell now    my landlord is Mrs Bell
mera boss Amit hai          ab Sumit hai                          mera boss Sumit hai
"""

from __future__ import annotations

from assistant.feedback.corrections import replace_denied_word
from assistant.feedback.cues import fold_for_cues
from assistant.feedback.fact_messages import asks, change_cues, strip_lead_in, without_denial
from assistant.feedback.values import find_new_value, is_name
from assistant.reasoning.reasoner import Reasoner

_ENDS = " .!।"


def complete_change(message: str, told: str, reasoner: Reasoner) -> str:
    """Return the fact that a message puts in place of an earlier one, else an empty text.

    A number replaces a number, and a name a name. A message that is a fact of its own changes no other.

    Args:
        message: the message after the fact.
        told: the fact in the user's words.
        reasoner: parses both.
    """
    text, fact = fold_for_cues(message), strip_lead_in(fold_for_cues(told)).strip(_ENDS)
    is_question = asks(text, reasoner.languages) or reasoner.read(text).is_question
    if is_question or "past" in reasoner.read(fact).signs or not reasoner.tells(fact) or reasoner.triples(text):
        return ""
    said = reasoner.read(fact)
    now, *others = change_cues()
    if swap := replace_denied_word(now.sub(" ", text), told):
        pairs = zip(said.parts, reasoner.read(swap).parts, strict=False)
        return swap if sum(one.word.keys != other.word.keys for one, other in pairs) == 1 else ""
    bare = without_denial(text)
    full = reasoner.follow_up(bare, fact)
    slots = ({reasoner.slot(one) for one in reasoner.triples(each)} for each in (full, fact))
    if text != bare != full and set.intersection(*slots):  # "no, it's on the second floor"
        return full
    rest = text
    for cue in (now, *others):
        rest = cue.sub(" ", rest)
    old, new = said.written(said.value), ""
    if old and rest != text:
        new = find_new_value(rest, old, fact, reasoner.languages)
    are_names = [one[0].isupper() or is_name(one, reasoner.languages) for one in (old, new) if new]
    is_alike = are_names in ([True, True], [False, False], [False, True])
    changed = fact.replace(old, new) if is_alike else ""
    return changed if changed and reasoner.tells(changed) else ""
