"""What can be made of a reply without any tags: JSON, or else the whole text as the answer."""

import json
import re

from assistant.reply.fields import Reply, ReplyStatus

_FENCE = re.compile(r"\A```[a-z]*\n(.*)\n```\Z", re.DOTALL)


def without_tags(raw: str, text: str) -> Reply:
    """The reply that a text without tags amounts to; `raw` is how it came, thinking included."""
    text = text.strip()
    if not text:
        return Reply(raw)
    found = _from_json(text)
    if found is None:
        return Reply.of(raw, answer=text, status=ReplyStatus.UNSTRUCTURED)
    understanding, answer = found
    if not answer:
        return Reply.of(raw, understanding, status=ReplyStatus.NO_ANSWER)
    status = ReplyStatus.OK if understanding else ReplyStatus.NO_UNDERSTANDING
    return Reply.of(raw, understanding, answer, status)


def _from_json(text: str) -> tuple[str, str] | None:
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    fields = {str(name).lower(): content for name, content in value.items()}
    understanding, answer = fields.get("understanding"), fields.get("answer")
    if not isinstance(understanding, str | None) or not isinstance(answer, str | int | float | None):
        return None
    if understanding is None and answer is None:
        return None
    return (understanding or "").strip(), "" if answer is None else str(answer).strip()
