"""Let a model write further keys in the background: texts for the retrieval of a clarification, besides its question.

    <phrase>lit</phrase>
    <paraphrase>Is this song lit?</paraphrase>
    <reach>alike</reach>
    <earlier>1 beside</earlier>

In this reply, `reach` and `earlier` propose the reach and the relation to the first earlier clarification. The keys are
searched, and shown to users as the model's. They are never part of a prompt. The queue is in the ledger (`KeyWork`), so
no work is lost when a call fails or the process dies.
"""

import logging
import queue
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from assistant.background import BackgroundWork
from assistant.errors import ContentRefused, ContextFull, EmptyReply, ModelError, NotedError, StoreError
from assistant.kinds import Place, Reach
from assistant.ports import ChatModel, KeyWork, WrittenKeys
from assistant.prompt.calling import IsStopped, hear
from assistant.prompt.envelope import write_block
from assistant.prompt.prompt import read_prompt
from assistant.reply.parser import Grammar, Tag, parse_reply
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Entry, Key, KeyOrigin, Message, MessageRole

_MOST_PARAPHRASES = 6
MOST_KEYS = 3 + _MOST_PARAPHRASES
LONGEST_KEY = 300
"""Characters of a key."""
_ONCE, _REPEATED = ("phrase", "meaning", "applies", "reach"), ("paraphrase", "earlier")
_WRITTEN = Grammar((*map(Tag, _ONCE), *(Tag(name, repeats=True) for name in _REPEATED)))
_LONGEST_TEXT = 1500  # characters of a text in the prompt
_REACHES = {"this": Reach.QUESTION, "alike": Reach.WAY}
_EDGES = " \t\"'“”‘’«»`*_,-–—•"
_OF_ONE_ENTRY = {ModelError, ContentRefused, ContextFull, EmptyReply}  # the model was reached, but refuses this prompt
_TRIES = 3  # of one entry with unusable replies, until the next start
_MOST_DOUBLINGS = 7  # of the pause while model or store are down
_log = logging.getLogger(__name__)


class KeyWriter:
    """Writes further keys by one call of a model with `writes_keys`; `folder` and `secret` as in `PromptBuilder`."""

    def __init__(self, model: ChatModel, folder: Path, secret: bytes) -> None:
        self._model = model
        self._secret = secret
        self._system = read_prompt(folder / "keys" / "system.txt")

    def __call__(self, entry: Entry, earlier: Sequence[Entry], is_stopped: IsStopped) -> WrittenKeys:
        """Write keys for an entry, given earlier ones, until `is_stopped`. Raises ModelError."""
        reply = hear(self._model, self.messages(entry, earlier), is_stopped=is_stopped)
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

    A reply without a paraphrase is unusable.
    """
    found: Mapping[str, Any] = parse_reply(reply, _WRITTEN).fields
    paraphrases = [*filter(None, map(_clean, found.get("paraphrase", ())))][:_MOST_PARAPHRASES]
    if not paraphrases:
        return WrittenKeys()
    phrase, meaning, title, reach = (_clean(found.get(name, "")) for name in ("phrase", "meaning", "applies", "reach"))
    keys: dict[str, Key] = {}
    for text in filter(None, (phrase, meaning, title, *paraphrases)):
        keys.setdefault(text.casefold(), Key(text, KeyOrigin.MODEL))
    places: dict[str, Place] = {}
    for line in found.get("earlier", ()):
        said = re.match(r"(\d)\W{0,3}(instead|beside|apart)\b", line, re.IGNORECASE | re.ASCII)
        if said and 0 < int(said[1]) <= len(earlier):
            places.setdefault(earlier[int(said[1]) - 1], Place(said[2].lower()))
    return WrittenKeys(tuple(keys.values()), title, _REACHES.get(reach.rstrip(".").casefold()), places)


def _clean(written: str) -> str:
    """Return one line without numbering and quotes; empty if it has no letter or digit."""
    line = " ".join(clean_for_prompt(written).split()).strip(_EDGES)
    text = re.sub(r"^\(?\d{1,2}[.)]\s+", "", line).strip(_EDGES)[:LONGEST_KEY].rstrip()
    return text if re.search(r"\w", text) else ""


class KeyWorker(BackgroundWork):
    """Lets a model write the keys of waiting entries; neither an answer nor "Saved" waits for it. Thread-safe.

    Polls the ledger every `look` seconds, and pauses ever longer while the model or the store is down. An entry of the
    ledger waits for `patience` seconds, since its answer comes first, unless `soon` says that its turn is over.
    """

    def __init__(self, writer: KeyWriter, work: KeyWork, look: float = 30.0, patience: float = 120.0) -> None:
        super().__init__("key-worker", self._write_all)
        self._writer, self._work, self._look, self._patience = writer, work, look, patience
        self._soon: queue.Queue[str] = queue.Queue()
        self._seen: dict[str, float] = {}  # first sight of waiting entries
        self._tried, self._unusable = Counter[str](), Counter[str]()  # by entry
        self._outages = 0  # in a row

    def soon(self, entry_id: str) -> None:
        """Queue an entry whose turn is over. Does not block."""
        self._soon.put(entry_id)
        self.wake()

    def settle(self) -> None:
        """Wait until each entry from `soon` was tried, unless the thread is not started."""
        if self.is_started:
            self._soon.join()

    def _write_all(self) -> float:
        """Process the entries from `soon` and of the ledger, and return the seconds until the next time."""
        while not self._soon.empty():
            self._write(self._soon.get())
            self._soon.task_done()
        try:
            waiting, now = self._work.wanting(), monotonic()
        except StoreError as error:
            _log.warning("What waits for keys could not be read; it is tried again. %s", error)
            return self._look
        self._seen = {entry_id: self._seen.get(entry_id, now) for entry_id in waiting}
        ready = [entry_id for entry_id, since in self._seen.items() if now - since >= self._patience]
        for entry_id in sorted(ready, key=self._tried.__getitem__):  # one that fails each time comes last
            if self._unusable[entry_id] < _TRIES and not self._write(entry_id):
                break
        return self._look * 2.0 ** min(self._outages, _MOST_DOUBLINGS)

    def _write(self, entry_id: str) -> bool:
        """Write the keys of one entry; return False if the model or the store is down, or the thread ends."""
        if self.closing.is_set():
            return False
        self._tried[entry_id] += 1
        try:
            if entry := self._work.wants(entry_id):
                written = self._writer(entry, self._work.earlier(entry), self.closing.is_set)
                if not written.keys:
                    self._unusable[entry_id] += 1
                elif not self._work.written(entry_id, written):
                    _log.info("Keys of the entry %s are not wanted any more.", entry_id)
            self._outages = 0
            return True
        except NotedError as error:
            _log.info("Keys of the entry %s could not be written: %s", entry_id, error)
            if type(error) not in _OF_ONE_ENTRY:
                self._outages += 1
                return False
        except Exception:  # the thread survives unexpected errors
            _log.exception("Keys of the entry %s could not be written.", entry_id)
        self._unusable[entry_id] += 1
        return True
