"""Which words of some sentences name one thing: those that share a key, directly or over others. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.language.lexicon import lexicon
from assistant.reasoning.sentence import Sentence, Thing


class Classes:
    """Classes of things. A word of another language is in that of an English one where a gloss of it is a key there."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._parents: dict[str, str] = {}
        things = {thing.keys: thing for sentence in sentences for thing in (*sentence.things, *sentence.kinds)}
        for thing in things.values():
            self._join(thing.keys)
        plain = {key for thing in things.values() if not thing.glosses for key in thing.keys}
        for thing in things.values():
            same = sorted(thing.glosses & plain)
            # A word that English has too, or is a name, is not read as another one.
            if same and not (thing.named or thing.keys & plain):
                self._join([min(thing.keys), same[0]])
        self._join_scripts([*things.values()])
        self._join_synonyms(sentences)
        self._numbers: dict[str, int] = {}

    def _join_scripts(self, things: Sequence[Thing]) -> None:
        """A name in one script is that with the same consonants in another, where nothing else tells what it is."""
        latin = {thing.sound: thing for thing in things if thing.is_latin and thing.sound}
        known = {self._root(min(thing.keys)) for thing in things if thing.is_latin}
        for thing in things:
            alike = latin.get(thing.sound)
            is_unknown = not thing.is_latin and self._root(min(thing.keys)) not in known
            if alike and is_unknown:
                self._join([min(thing.keys), min(alike.keys)])

    def _join_synonyms(self, sentences: Sequence[Sentence]) -> None:
        """What a question calls otherwise than all that was told: dad, father."""
        asked, *told = ([*sentence.things, *sentence.kinds] for sentence in sentences)
        known = {key: thing for things in told for thing in things for key in thing.keys}
        roots = {self._root(min(thing.keys)) for thing in known.values()}
        for thing in asked:
            if thing.is_latin and not thing.named and self._root(min(thing.keys)) not in roots:
                words = filter(None, map(lexicon().find, thing.keys))
                alike = next((word for each in words for word in each.synonyms if word in known), "")
                if alike:
                    self._join([min(thing.keys), alike])

    def of(self, thing: Thing) -> int:
        """The number of a thing's class."""
        return self.of_key(min(thing.keys))

    def of_key(self, key: str) -> int:
        """The number of the class of things with a key."""
        root = self._root(key)
        return self._numbers.setdefault(root, len(self._numbers))

    def _join(self, keys: Iterable[str]) -> None:
        first, *others = sorted(keys)
        root = self._root(first)
        for key in others:
            self._parents[self._root(key)] = root

    def _root(self, key: str) -> str:
        while (parent := self._parents.setdefault(key, key)) != key:
            self._parents[key] = self._parents.get(parent, parent)
            key = parent
        return key
