"""The embedder that the settings name, as all of the app uses it: what reads with it, on which scale, fitted how."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from assistant.choose.gate import NOT_FITTED, Fitted, Gate
from assistant.errors import InputError
from assistant.memllm.sheet import EDIT, Profile
from assistant.models.remote.embeddings import RemoteEmbedder
from assistant.ports import Embedder, Spending
from assistant.settings import Settings
from memory_store.embedding.embedder import (
    BUNDLED,
    LOADING_SECONDS,
    NONE,
    EmbedderChoice,
    SentenceEmbedder,
    choose_embedder,
)
from memory_store.embedding.reading import for_memory
from memory_store.embedding.standard import Scale, StandardScale, as_they_are

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EmbedderInUse:
    """One embedder."""

    choice: EmbedderChoice
    embedder: SentenceEmbedder | RemoteEmbedder | None  # None for surface form only
    reader: Embedder | None  # the same, as memory uses it
    # for the embedded model, whose margins were made for the bundled one; None where that is not to be had
    here: SentenceEmbedder | None
    scale: Scale  # how its cosines are read
    fitted: Fitted  # what was fitted for it here
    profile: Profile  # by which the fact sheet compares names
    key: str = ""  # what it is known by in this home

    def gate(self) -> Gate:
        """The gate for what it finds."""
        return Gate.from_file(self.choice.name, fitted=self.fitted)

    def start(self) -> None:
        """Load it in the background, and embed there what its scale needs."""
        if self.embedder is not None:
            self.embedder.start()
        if isinstance(self.scale, StandardScale):
            self.scale.start()

    def release(self) -> None:
        """Let go of the model; it is loaded again where it is asked for."""
        if isinstance(self.embedder, SentenceEmbedder):
            self.embedder.release()


def embedder_in_use(settings: Settings, spending: Callable[[], Spending | None]) -> EmbedderInUse:
    """The embedder of these settings; nothing of it is loaded yet. `spending` is what one behind an API may cost."""
    choice = choose_embedder(settings.embedder, settings.embedder_api_base)
    return _in_use(choice, settings, spending, fitted_for(choice, settings.home).english)


def used_before(
    settings: Settings, spending: Callable[[], Spending | None], used: EmbedderInUse, keys: Iterable[str]
) -> list[EmbedderInUse]:
    """Those of the embedders with these keys, and the bundled one, that may read for the one that is `used` now.

    One behind an API may only where that is behind the same one: who leaves it expects that nothing is sent there.
    """
    found: dict[str, EmbedderInUse] = {}
    for key in dict.fromkeys([*keys, _key(BUNDLED, None)]) if used.reader else ():
        try:
            name, api_base, *read = json.loads(key)
        except ValueError:
            continue
        choice = choose_embedder(name, api_base)
        there = choice.dimension or (choice.is_remote and _is_same_server(choice.name, api_base, settings, used))
        if there and choice.name == name not in found and key != used.key:
            found[name] = _in_use(choice, settings, spending, read[0] if read else None)
    return list(found.values())


def _is_same_server(name: str, api_base: str | None, settings: Settings, used: EmbedderInUse) -> bool:
    providers = {each.partition("/")[0] for each in (name, used.choice.name)}
    return used.choice.is_remote and api_base == settings.embedder_api_base and len(providers) == 1


def _key(name: str, api_base: str | None, english: bool | None = None) -> str:
    """By which a ledger knows an embedder, and how a fit found that texts are read to it."""
    return json.dumps([name, api_base] if english is None else [name, api_base, english])


def _in_use(
    choice: EmbedderChoice, settings: Settings, spending: Callable[[], Spending | None], english: bool | None
) -> EmbedderInUse:
    embedder, file = opened(choice, settings, spending), fitted_file(choice, settings.home)
    reader = for_memory(embedder, file.with_suffix(".reading"), english=english)
    here = embedder if isinstance(embedder, SentenceEmbedder) else None
    if embedder is not None and choice.name != BUNDLED:
        bundled = choose_embedder(BUNDLED)
        here = SentenceEmbedder(bundled) if bundled.dimension else None
    scale: Scale = as_they_are
    if reader is not None and choice.name != BUNDLED:
        scale = StandardScale(reader, kept=file.with_suffix(".npz"))
    key = _key(choice.name, settings.embedder_api_base if choice.is_remote else None, english)
    fit = fitted_for(choice, settings.home)
    fitted = fit.calibrations if fit.english == english else NOT_FITTED
    return EmbedderInUse(choice, embedder, reader, here, scale, fitted, fit.profile, key)


def opened(
    choice: EmbedderChoice,
    settings: Settings,
    spending: Callable[[], Spending | None],
    loading_seconds: float = LOADING_SECONDS,
) -> SentenceEmbedder | RemoteEmbedder | None:
    """The embedder of a choice; None for none. One on this machine is waited for so long."""
    if choice.is_remote:
        key, base = settings.embedder_api_key, settings.embedder_api_base
        return RemoteEmbedder(choice.name, api_key=key, api_base=base, spending=spending)
    return SentenceEmbedder(choice, loading_seconds) if choice.dimension else None


def fitted_file(choice: EmbedderChoice, home: Path) -> Path:
    """Where a home keeps what was fitted for an embedder."""
    return home / "embedders" / f"{choice.fingerprint}.json"


def fitted_names(home: Path) -> dict[str, str]:
    """Fingerprint to name of the embedders that something was fitted for in this home."""
    found = {}
    for file in sorted((home / "embedders").glob("*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):  # a damaged one counts as none
            found[file.stem] = str(json.loads(file.read_text(encoding="utf-8"))["embedder"])
    return found


class FittedHere(NamedTuple):
    """What was fitted for an embedder in a home, and how texts were read to it; None where that is for measuring."""

    calibrations: Fitted = NOT_FITTED
    english: bool | None = None
    profile: Profile = EDIT  # by which the fact sheet compares names


def fitted_for(choice: EmbedderChoice, home: Path) -> FittedHere:
    """What was fitted for an embedder in this home; nothing where that was not done, or the file cannot be used."""
    try:
        found: dict[str, Any] = json.loads(fitted_file(choice, home).read_text(encoding="utf-8"))
        profile = Profile(**found["profiles"]["edit"]) if "profiles" in found else EDIT
        return FittedHere(found["calibrations"], bool(found.get("english")), profile)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError, KeyError, TypeError) as error:
        _log.warning("What was fitted for the embedder %s cannot be used: %s", choice.name, error)
    return FittedHere()


def fittable(settings: Settings, name: str) -> EmbedderChoice:
    """The embedder of this name, which a gate can be fitted for.

    Raises InputError: there is no such embedder, or it is the bundled one, whose fit comes with the app.
    """
    choice = choose_embedder(name, settings.embedder_api_base if name == settings.embedder else None)
    if choice.name in {BUNDLED, NONE}:
        raise InputError("embedder.not_fittable", name=name)
    return choice


def undo_fit(settings: Settings, name: str) -> bool:
    """Take back what was fitted for an embedder of this name, though it may be gone by now; whether there was any."""
    chosen = choose_embedder(name, settings.embedder_api_base if name == settings.embedder else None)
    named = {fingerprint for fingerprint, of in fitted_names(settings.home).items() if of == name}
    named |= {chosen.fingerprint} if chosen.name == name else set()  # its file may be damaged
    folder = settings.home / "embedders"
    files = [file for each in named if (file := folder / f"{each}.json").exists()]
    for file in files:
        file.unlink()
    if files and not any(folder.iterdir()):
        folder.rmdir()
    return bool(files)
