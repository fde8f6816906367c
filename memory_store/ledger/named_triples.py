"""Drop the triples of a fact whose things are not in its sentence."""

from collections.abc import Sequence

from assistant.kinds import Body, Fact, Triple
from assistant.reasoning.reasoner import names_both
from memory_store.language.languages import sentence_parser


def find_unnamed(body: Body) -> Sequence[Triple]:
    """Return the triples of a fact whose subject or object is not in its sentence."""
    if not isinstance(body, Fact):
        return ()
    return [triple for triple in body.triples if not names_both(body.text, triple, sentence_parser())]


def drop_unnamed(body: Body) -> Body:
    """Return a body without the triples whose things are not in its sentence."""
    if dropped := find_unnamed(body):
        named = [triple for triple in getattr(body, "triples", ()) if triple not in dropped]
        return body.changed({"triples": named})
    return body
