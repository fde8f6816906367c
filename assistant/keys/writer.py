"""Let a model write further keys: texts for the retrieval of a clarification, in addition to its question.

    <phrase>lit</phrase>
    <paraphrase>Is this song lit?</paraphrase>
    <reach>alike</reach>
    <earlier>1 beside</earlier>

In this reply, `reach` and `earlier` propose the reach and the relation to the first earlier clarification. The keys are
searched, and shown to users as the model's. They are never part of a prompt.
"""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from assistant.kinds import Place, Reach
from assistant.ports import ChatModel, WrittenKeys
from assistant.prompt.envelope import write_block
from assistant.prompt.prompt import read_prompt
from assistant.reply.filter import visible
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Entry, Key, KeyOrigin, Message, MessageRole

MOST_KEYS = 9
LONGEST_KEY = 300
"""Characters of a key."""

_AT_MOST = {"phrase": 1, "meaning": 1, "applies": 1, "paraphrase": 6}
_LONGEST_REPLY = 12_000
# Characters of a text in the prompt.
_LONGEST_TEXT = 1500
_REACHES = {"this": Reach.QUESTION, "alike": Reach.WAY}
_PLACE = re.compile(rf"(\d)\W{{0,3}}({'|'.join(Place)})\b", re.IGNORECASE | re.ASCII)
_NAMES = "|".join((*_AT_MOST, "reach", "earlier"))
_TAG = re.compile(rf"<\s{{0,3}}(/?)\s{{0,3}}({_NAMES})\s{{0,3}}\d?\s{{0,3}}>", re.IGNORECASE)
_LABEL = re.compile(
    rf"^[^\w\n]{{0,8}}({_NAMES})s?[^\w\n]{{0,3}}\d?[^\w\n]{{0,3}}[:=](.+)$", re.IGNORECASE | re.MULTILINE
)
_EDGES = " \t\"'“”‘’«»`*_,-–—•"
_NUMBERING = re.compile(r"^\(?\d{1,2}[.)]\s+")


class ModelKeyWriter:
    """Implements `KeyWriter` by one call of a model with `writes_keys`; `folder` and `secret` as in `PromptBuilder`."""

    def __init__(self, model: ChatModel, folder: Path, secret: bytes) -> None:
        self._model = model
        self._secret = secret
        self._system = read_prompt(folder / "keys" / "system.txt")

    def __call__(self, entry: Entry, earlier: Sequence[Entry], is_stopped: Callable[[], bool]) -> WrittenKeys:
        reply = ""
        with contextlib.closing(visible(self._model.stream(self.messages(entry, earlier)))) as stream:
            for piece in stream:
                if is_stopped():
                    return WrittenKeys()
                reply += piece
                if len(reply) > _LONGEST_REPLY:
                    break
        return replace(parse_keys(reply, [each.id for each in earlier]), seen=(entry, *earlier))

    def messages(self, entry: Entry, earlier: Sequence[Entry] = ()) -> tuple[Message, ...]:
        """Build the prompt, reproducibly."""
        rows = [{"question": entry.question, "misunderstood": entry.wrong_understanding, "said": entry.text}]
        for number, each in enumerate(earlier, start=1):
            rows.append({"earlier": str(number), "question": each.question, "said": each.text})
        cut = [{name: clean_for_prompt(text)[:_LONGEST_TEXT] for name, text in row.items() if text} for row in rows]
        block = write_block("clarification", cut, self._secret)
        return (Message(MessageRole.SYSTEM, self._system), Message(MessageRole.USER, block.rstrip("\n")))


def parse_keys(reply: str, earlier: Sequence[str] = ()) -> WrittenKeys:
    """Parse a model's reply: at most `MOST_KEYS` different keys, the reach, and the relations to `earlier` ids.

    Accepts case and spaces in tags, unclosed tags, numbered lines, and labels instead of tags. A reply without a
    paraphrase is unusable.
    """
    reply = reply[:_LONGEST_REPLY]
    parts = list(_tagged(reply)) or [(found[1].lower(), found[2]) for found in _LABEL.finditer(reply)]
    keys: dict[str, Key] = {}
    first: dict[str, str] = {}
    places: dict[str, Place] = {}
    left = dict(_AT_MOST)
    for name, written in parts:
        line = " ".join(clean_for_prompt(written).split())
        text = _NUMBERING.sub("", line.strip(_EDGES)).strip(_EDGES)[:LONGEST_KEY].rstrip()
        if not re.search(r"\w", text):
            continue
        first.setdefault(name, text)
        if name == "earlier" and (said := _PLACE.match(text)) and 0 < int(said[1]) <= len(earlier):
            places.setdefault(earlier[int(said[1]) - 1], Place(said[2].lower()))
        if left.get(name) and text.casefold() not in keys:
            left[name] -= 1
            keys[text.casefold()] = Key(text, KeyOrigin.MODEL)
    if left["paraphrase"] == _AT_MOST["paraphrase"]:
        return WrittenKeys()
    reach = _REACHES.get(first.get("reach", "").rstrip(".").casefold())
    return WrittenKeys(tuple(keys.values()), first.get("applies", ""), reach, places)


def _tagged(reply: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of each part. An unclosed one ends with the line, or at the next tag."""
    tags = list(_TAG.finditer(reply))
    for tag, after in zip_longest(tags, tags[1:]):
        if tag[1]:
            continue
        name, text = tag[2].lower(), reply[tag.end() : after.start() if after else len(reply)]
        closed = after is not None and bool(after[1]) and after[2].lower() == name
        yield name, text if closed else text.strip().partition("\n")[0]
