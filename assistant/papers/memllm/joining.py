"""The parts of a reply that stops for lookups become one reply, as they stream (MemLLM, section 3.2).

1. `Listening` passes a part on up to its `<look>`, and says what it asks for.
2. The paper's finetuned model goes on where it stopped. A chat model that is asked to go on often begins anew, with
   its tags and its first words. `_Joint` passes over what the user has read already.

Nothing doubles, and nothing that was shown is ever taken back.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from assistant.reply.grammar import ANSWER, Grammar, Tag
from assistant.reply.parser import ReplyParser

LOOK = Tag("look", anywhere=True, repeats=True)
"""What a reply looks up before it goes on."""
LONGEST_LOOK = 600
"""Characters of one; nobody waits longer for its end."""
_OPENING = re.compile(rf"<\s{{0,3}}{LOOK.name}\s{{0,3}}>", re.IGNORECASE)
_BEGINNING = re.compile(rf"<\s{{0,3}}(?:{LOOK.name}\s{{0,3}}|loo|lo|l)?", re.IGNORECASE)
_WORD = re.compile(r"<?[^\s<]+|<")
_MOST_HELD = 20_000  # characters that are held back for the end of a block
_FEWEST_WORDS = 2  # that are passed over where they are said twice; one may be meant so
_MOST_WORDS = 1_000
_SPACE_AFTER = ",;:!?.)”’»।"


@dataclass(frozen=True, slots=True)
class Asked:
    """The text of a look at which a reply stopped."""

    text: str
    closed: bool  # whether its tag ends


class Listening:
    """Feed it each part, chunk by chunk, and `finish()` it; they return what is passed on, without looks.

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
        """Take the end of the part in."""
        passed = self._follow(self._joint.feed("", is_end=True)) if self._joint else ""
        if self._look is not None and not self.asked:
            self._end_look(Asked(self._look, closed=False))
        held, self._held = self._held, ""
        return passed + self._pass(held)

    def go_on(self, *, ignoring_looks: bool) -> None:
        """Begin a further part; looks in it may be left out, and not stop it any more."""
        self.asked, self._ignores_looks = None, ignoring_looks
        self._joint = _Joint(self._parser, self.said[-1:])

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
        """Return what is passed on, and what is left to be followed."""
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
        """Return what is left to be followed."""
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
    """The beginning of a further part, held back until it is known what of it was said before."""

    def __init__(self, parser: ReplyParser, end: str) -> None:
        self._grammar, self._block = parser.grammar, parser.open
        names = [tag.name for tag in parser.grammar.tags]
        self._before = frozenset(names[: names.index(self._block)] if self._block else ())
        self._words = _WORD.findall(parser.so_far(self._block))[-_MOST_WORDS:]
        self._end = end  # the last sign that was shown
        self._held = ""
        self._is_through = not self._block  # between two blocks, all is new

    def feed(self, text: str, *, is_end: bool = False) -> str:
        """Take in a piece, and return what is new."""
        if self._is_through:
            return text
        self._held += text
        is_end = is_end or len(self._held) > _MOST_HELD
        start = self._end_of_tags(is_end=is_end)
        rest = "" if start is None else self._held[start:]
        known = None if start is None else self._said_again(rest, is_end=is_end)
        if known is None:
            return ""
        self._is_through = True
        return self._spaced(rest, known)

    def _end_of_tags(self, *, is_end: bool) -> int | None:
        """Return where the blocks and tags end that were there already; None where that is not known yet."""
        held, end = self._held, 0
        while tag := self._grammar.tag.match(held, len(held) - len(held[end:].lstrip())):
            closes, name = bool(tag[1]), tag[2].lower()
            if name == self._block and not closes:
                return tag.end()
            if closes and name == LOOK.name:
                end = tag.end()
            elif closes or name not in self._before:
                return end
            else:
                later = self._grammar.tag.finditer(held, tag.end())
                closing = next((one for one in later if one[1] and one[2].lower() == name), None)
                if closing is None:
                    return len(held) if is_end else None
                end = closing.end()
        rest = held[end:].lstrip()
        return end if is_end or (rest and not self._grammar.partial_tag.fullmatch(rest)) else None

    def _said_again(self, text: str, *, is_end: bool) -> int | None:
        """Return how much of a text says the last words of the block again; None where that is not known yet."""
        found = list(_WORD.finditer(text))
        words = [word[0] for word in found]
        whole = len(words) if is_end or text[-1:].isspace() else max(0, len(words) - 1)
        for count in range(len(self._words), 0, -1):
            if count < _FEWEST_WORDS and count < len(self._words):
                break
            last = self._words[-count:]
            if whole >= count:
                if words[:count] == last:
                    return found[count - 1].end()
            elif not is_end and words[:whole] == last[:whole] and last[whole].startswith("".join(words[whole:])):
                return None
        return 0

    def _spaced(self, text: str, known: int) -> str:
        """Return what is new of a text, with the space between two words."""
        if known:
            return text[known:].lstrip(" ") if self._end.isspace() else text[known:]
        if not self._words:
            return text
        if self._end.isspace():
            return text.lstrip() if self._end == " " else text.lstrip("\n")
        return f" {text}" if _is_word_between(self._end, text[:1]) else text


def _is_word_between(end: str, sign: str) -> bool:
    """Return True if a word that begins with a sign stands apart from what ends with another one."""
    is_letter = end.isalnum() or unicodedata.category(end).startswith("M")  # a vowel of Hindi, on its letter
    is_number = sign.isdigit() and (end.isdigit() or end in ".,:")
    is_spaced = not any(unicodedata.east_asian_width(one) in {"W", "F"} for one in (end, sign) if one)
    return sign.isalnum() and (end in _SPACE_AFTER or is_letter) and not is_number and is_spaced
