"""The form in which a server wants to be asked: learned from what it refuses, and kept while the process lives."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from assistant.models.remote.complaint import Complaint

_LIMITS = ("max_tokens", "max_completion_tokens")
_SHORTEST = 16  # a lower number in a message is not the longest reply
_QUARTER = 4  # of the window, or of a longest reply that is refused without a number
_ROLE = re.compile(
    r"\bsystem['\"`]? (role|message|prompt|instruction)|role:? ['\"`]?system\b|support\w{0,8} ['\"`]?system\b"
    r"|developer instruction|roles must alternate"
)
_NAMES = re.compile(
    r"\b(?:(?P<limit>max_(?:completion_|new_|output_)?tokens|num_predict)|(?P<usage>stream_options|include_usage)"
    r"|(?P<other>temperature|top_p|stop)|(?P<stream>stream(?:ing)?))\b"
)
_NUMBER = re.compile(r"(?<![\w.-])\d[\d,_]*(?!\.?\w)")
_WINDOW = re.compile(
    r"(?:context (?:length|window|size)|max_model_len|n_ctx|inputs[` ]+tokens \+ [` ]*max_new_tokens)\D{0,40}?"
    r"(\d[\d,_]*)"
)
_UNKNOWN = re.compile(r"unsupported_parameter|unknown|unrecogni|extra_forbidden|unexpected|not_permitted")
_VALUE = re.compile(r"value|above|large|range|less_than|exceed|too_")


@dataclass(frozen=True, slots=True)
class Form:
    """How one server differs from the usual. Each property that is set was wanted by the server."""

    limit: str | None = None  # the name of the longest reply; empty: it is not sent; None: the usual one
    most: int | None = None  # longest reply that it takes, in tokens
    window: int | None = None  # its context window, in tokens
    without: frozenset[str] = frozenset()  # parameters that it does not take
    merges_system: bool = False  # it takes no system role

    def apply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the call in this form."""
        changed = {name: value for name, value in request.items() if name not in self.without or name == "stream"}
        extra = dict(request.get("extra_body", {}))
        changed["max_tokens"] = self._longest(request["max_tokens"])
        if self.limit is not None:
            longest = changed.pop("max_tokens")
            if self.limit:
                where = extra if _speaks_openai(request) else changed
                where[self.limit] = longest
        if self.merges_system:
            holder = extra if "messages" in extra else changed
            holder["messages"] = _without_system(holder["messages"])
        if "stream" in self.without:  # the completion is read in one piece
            extra["stream"] = False
        return {**changed, "extra_body": extra} if extra else changed

    def adapted(self, complaint: Complaint, request: Mapping[str, Any], *, may_be_endless: bool) -> "Form | None":
        """Return the next form to ask in, or None where the complaint names nothing that can be changed.

        `may_be_endless` allows a request without a longest reply.
        """
        if complaint.status not in {400, 422} and not (complaint.status in {500, 501} and _ROLE.search(complaint.text)):
            return None
        for what, name in _refused(complaint):
            other: Form | None = None
            if what == "limit":
                other = self._limited(complaint, name, request["max_tokens"], may_be_endless=may_be_endless)
            elif what == "role" and _has_system(request):
                other = replace(self, merges_system=True)
            elif what == "usage" or (what == "other" and name in request):
                other = replace(self, without=self.without | {"stream_options" if what == "usage" else name})
            elif what == "stream" and _speaks_openai(request):
                other = replace(self, without=self.without | {"stream", "stream_options"})
            if other is not None and other != self and other.apply(request) != self.apply(request):
                return other
        return None

    def _limited(self, complaint: Complaint, name: str, asked: int, *, may_be_endless: bool) -> "Form | None":
        codes, sent = " ".join(complaint.codes), self._longest(asked)
        unknown = _UNKNOWN.search(codes) is not None
        if not unknown and (window := _WINDOW.search(complaint.text)):
            form = replace(self, window=_number(window[1]))
            if form._longest(asked) < sent:
                return form
        if not unknown and (lower := _stated(complaint, sent)) is not None:
            return replace(self, most=lower)
        if self.limit is None and not _VALUE.search(codes):
            return replace(self, limit=_LIMITS[name != "max_completion_tokens"])
        if unknown:
            return replace(self, limit="") if may_be_endless and self.limit else None
        lower = sent // _QUARTER
        return replace(self, most=lower) if lower >= _SHORTEST else None

    def _longest(self, asked: int) -> int:
        return min(asked, self.most or asked, (self.window or asked * _QUARTER) // _QUARTER)


class Learned:
    """The form of one model of one server, as it stands."""

    def __init__(self) -> None:
        self.form = Form()


@lru_cache(maxsize=1000)
def learned(name: str, api_base: str | None) -> Learned:  # noqa: ARG001
    """Return what this process has learned of a model, by its name and the address of its server."""
    return Learned()


def _refused(complaint: Complaint) -> list[tuple[str, str]]:
    """Return the parameters that an error names: by its fields, else by the first that its message names."""
    told = [found for param in complaint.params if (found := _of_param(param, complaint)) is not None]
    if told or (complaint.params and not _WINDOW.search(complaint.text)):
        return told
    places = [(match.start(), _named(match)) for match in _NAMES.finditer(complaint.text)]
    if role := _ROLE.search(complaint.text):
        places.append((role.start(), ("role", "")))
    if not places and re.search(r"completion|max_tokens|output", complaint.text) and _WINDOW.search(complaint.text):
        return [("limit", "max_tokens")]
    return [what for _, what in sorted(places)]


def _of_param(param: str, complaint: Complaint) -> tuple[str, str] | None:
    if match := _NAMES.match(param):
        return _named(match)
    if "role" in param or param == "system":
        return ("role", "")
    unsupported = any("unsupported" in code or "role" in code for code in complaint.codes)
    if param.startswith("messages") and (unsupported or _ROLE.search(complaint.text)):
        return ("role", "")
    return None


def _named(match: re.Match[str]) -> tuple[str, str]:
    return str(match.lastgroup), match[0]


def _stated(complaint: Complaint, sent: int) -> int | None:
    """Return the highest number below what was sent, which is what the server takes."""
    numbers = [complaint.most] if complaint.most else [_number(found) for found in _NUMBER.findall(complaint.text)]
    return max((number for number in numbers if _SHORTEST <= number < sent), default=None)


def _number(digits: str) -> int:
    return int(re.sub(r"\D", "", digits)[:9])


def _speaks_openai(request: Mapping[str, Any]) -> bool:
    return str(request["model"]).startswith("openai/")


def _messages(request: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    sent: Sequence[Mapping[str, Any]] = request.get("extra_body", request).get("messages", request["messages"])
    return sent


def _has_system(request: Mapping[str, Any]) -> bool:
    return any(message["role"] == "system" for message in _messages(request))


def _without_system(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages with each system message at the head of the user message after it."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        role, content = "user" if message["role"] == "system" else message["role"], message["content"]
        if merged and merged[-1]["role"] == role and isinstance(content, str):
            merged[-1] = {"role": role, "content": f"{merged[-1]['content']}\n\n{content}"}
        else:
            merged.append({"role": role, "content": content})
    return merged
