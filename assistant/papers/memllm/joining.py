"""A reply that stops to look something up and goes on, followed as it streams: its parts become one reply.

A chat model that is asked to go on often begins anew: it writes its tags and its first words once more. What
the person read already is passed over, so that nothing doubles; nothing that was shown is ever taken back.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from assistant.papers.memllm.looks import LONGEST_LOOK, LOOK
from assistant.reply.grammar import ANSWER, Grammar
from assistant.reply.parser import ReplyParser

_OPENING = re.compile(rf"<\s{{0,3}}{LOOK.name}\s{{0,3}}>", re.IGNORECASE)
_BEGINNING = re.compile(rf"<\s{{0,3}}(?:{LOOK.name}\s{{0,3}}|loo|lo|l)?", re.IGNORECASE)
_WORD = re.compile(r"<?[^\s<]+|<")
_MOST_HELD, _TAIL = 20_000, 100  # characters of a block that does not end, and of these what is kept for its end
_FEWEST_WORDS = 2  # that are passed over where they are said twice; one may be meant so
_MOST_WORDS = 1_000
_SPACE_AFTER = ",;:!?.)”’»।"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reply would look up, where it stopped for that."""

    text: str
    closed: bool  # whether its tag ends


class Listening:
    """Feed it each part, chunk by chunk, and `finish()` it; what comes back is passed on, without looks.

    After each, `asked` is what the reply would look up, and nothing more of the part counts; `go_on` begins the next
    one. A look counts before the answer and in it; in code it is text.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._parser = ReplyParser(Grammar((*grammar.tags, LOOK)))
        self._joint: _Joint | None = None
        self._held = ""  # the possible beginning of a tag
        self._look: str | None = None  # what has come of one
        self.asked: Asked | None = None
        self.said = ""  # all that was passed on
        self._ignores_looks = False

    def feed(self, chunk: str) -> str:
        """Take in a chunk."""
        return self._follow(self._joint.feed(chunk) if self._joint else chunk)

    def finish(self) -> str:
        """The part has ended."""
        passed = self._follow(self._joint.finish()) if self._joint else ""
        if self._look is not None and not self.asked:
            self._end_look(Asked(self._look, closed=False))
        held, self._held = self._held, ""
        return passed + self._pass(held)

    def go_on(self, *, ignoring_looks: bool) -> None:
        """A further part begins; looks in it may be left out, and not stop it any more."""
        self.asked, self._ignores_looks = None, ignoring_looks
        self._joint = _Joint(self._parser.grammar, self._parser.open, self._parser.so_far(self._parser.open), self.said)

    def _follow(self, text: str) -> str:
        text, self._held, passed = self._held + text, "", ""
        while text and self.asked is None:
            if self._look is None:
                here, text = self._until_look(text)
                passed += here
            else:
                text = self._in_look(text)
        return passed

    def _until_look(self, text: str) -> tuple[str, str]:
        """What is passed on, and what is left to be followed."""
        opening = _OPENING.search(text)
        if opening is None:
            start = text.rfind("<")
            if start >= 0 and _BEGINNING.fullmatch(text, start):
                text, self._held = text[:start], text[start:]
            return self._pass(text), ""
        passed = self._pass(text[: opening.start()])
        self._parser.feed(opening[0])
        if self._parser.open == LOOK.name and not self._parser.closed(ANSWER.name):
            self._look = ""
        else:
            self.said += opening[0]
            passed += opening[0]
        return passed, text[opening.end() :]

    def _in_look(self, text: str) -> str:
        """What is left to be followed."""
        look = self._look = (self._look or "") + text
        tag = self._parser.grammar.tag.search(look)
        if tag is None and len(look) <= LONGEST_LOOK:
            return ""
        end = tag.start() if tag else len(look)
        is_closed = tag is not None and bool(tag[1]) and tag[2].lower() == LOOK.name
        self._end_look(Asked(look[:end], is_closed))
        return look[tag.end() if tag and is_closed else end :]

    def _end_look(self, asked: Asked) -> None:
        self._look, self.asked = None, None if self._ignores_looks else asked
        self._parser.feed(f"</{LOOK.name}>")

    def _pass(self, text: str) -> str:
        self._parser.feed(text)
        self.said += text
        return text


class _Joint:
    """Where a reply goes on in the middle of a block, or between two: passes over what it had said."""

    def __init__(self, grammar: Grammar, block: str, text: str, said: str) -> None:
        names = [tag.name for tag in grammar.tags]
        self._tag, self._partial_tag, self._block = grammar.tag, grammar.partial_tag, block
        self._before = frozenset(names[: names.index(block)] if block else ())
        self._words = _WORD.findall(text)[-_MOST_WORDS:]
        self._end = said[-1:]  # the last sign that was shown
        self._held = ""
        self._unclosed = ""  # what begins with a tag whose end has not come
        self._in_head, self._is_through = bool(block), not block

    def feed(self, text: str) -> str:
        if self._is_through:
            return text
        self._held += text
        passed = self._new(at_end=False)
        if len(self._held) > _MOST_HELD and self._unclosed:
            self._held = self._unclosed + self._held[-_TAIL:]
        return passed

    def finish(self) -> str:
        return "" if self._is_through else self._new(at_end=True)

    def _new(self, *, at_end: bool) -> str:
        if self._in_head:
            head = self._head()
            if head is None and not at_end:
                return ""
            if head is None and self._unclosed:
                head = len(self._held)
            self._held, self._in_head = self._held[head or 0 :], False
        known = self._known(at_end=at_end)
        if known is None:
            return ""
        text, self._held, self._is_through = self._held, "", True
        if known:
            return text[known:].lstrip(" ") if self._end.isspace() else text[known:]
        if self._words and self._end.isspace():
            return text.lstrip() if self._end == " " else text.lstrip("\n")
        is_glued = self._words and _parts_words(self._end) and _begins_word(text[:1], self._end)
        return f" {text}" if is_glued else text

    def _head(self) -> int | None:
        """Where the tags that were there already end; None where that is not known yet."""
        end = 0
        while True:
            start = end + len(self._held[end:]) - len(self._held[end:].lstrip())
            tag = self._tag.match(self._held, start)
            if tag is None:
                rest = self._held[start:]
                return end if rest and not self._partial_tag.fullmatch(rest) else None
            closes, name = bool(tag[1]), tag[2].lower()
            if not closes and name == self._block:
                return tag.end()
            if closes and name == LOOK.name:
                end = tag.end()
            elif not closes and name in self._before:
                tags = self._tag.finditer(self._held, tag.end())
                closing = (one for one in tags if one[1] and one[2].lower() == name)
                last = next(closing, None)
                self._unclosed = "" if last else self._held[:start] + tag[0]
                if last is None:
                    return None
                end = last.end()
            else:
                return end

    def _known(self, *, at_end: bool) -> int | None:
        """How much of the text says the last words of the block again; None where that is not known yet."""
        found = list(_WORD.finditer(self._held))
        words = [word[0] for word in found]
        whole = len(words) if at_end or self._held[-1:].isspace() else max(0, len(words) - 1)
        for count in range(len(self._words), 0, -1):
            if count < _FEWEST_WORDS and count < len(self._words):
                break
            last = self._words[-count:]
            if whole >= count:
                if words[:count] == last:
                    return found[count - 1].end()
            elif not at_end and words[:whole] == last[:whole] and last[whole].startswith("".join(words[whole:])):
                return None
        return 0


def _parts_words(end: str) -> bool:
    """Whether a word that comes behind this sign wants a space."""
    is_letter = end.isalnum() or unicodedata.category(end).startswith("M")  # a vowel of Hindi stands on its letter
    return end in _SPACE_AFTER or (is_letter and not _is_written_together(end))


def _begins_word(sign: str, end: str) -> bool:
    is_number = sign.isdigit() and (end.isdigit() or end in ".,:")
    return sign.isalnum() and not is_number and not _is_written_together(sign)


def _is_written_together(sign: str) -> bool:
    """Whether it is of a script that sets no spaces between words."""
    return unicodedata.east_asian_width(sign) in {"W", "F"}
