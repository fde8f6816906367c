"""Every setting in one frozen value, from the environment and the command line, and where each came from.

| setting | variable | meaning |
|---|---|---|
| home | NOTED_HOME | the data directory: ledger, index and keys |
| model | NOTED_MODEL | what answers: `embedded`, or a LiteLLM model string such as `openai/gpt-5-mini` |
| api_base | NOTED_API_BASE | address of an OpenAI-compatible server |
| api_key | NOTED_API_KEY | key for the model; where it is not set, the provider's own variable counts |
| window | NOTED_WINDOW | longest prompt and reply together, in tokens; else what is known of the model |
| embedder | NOTED_EMBEDDER | folder or cached name of a sentence-transformers model, or `none` |
| ledger | NOTED_LEDGER | SQLAlchemy URL of the ledger |
| index | NOTED_INDEX | folder or URI of the index |
| host | NOTED_HOST | address to serve on |
| port | NOTED_PORT | port to serve on |
| first_token_seconds | NOTED_FIRST_TOKEN_SECONDS | how long a model may take until its first word |
| read_seconds | NOTED_READ_SECONDS | how long a model may fall silent in the middle of a reply |
| question_characters | NOTED_QUESTION_CHARACTERS | longest question |
| clarification_characters | NOTED_CLARIFICATION_CHARACTERS | longest clarification |
| curators | NOTED_CURATORS | who decides what counts for everyone: names, separated by commas |
| anonymous_offers | NOTED_ANONYMOUS_OFFERS | `on` lets people who are not signed in offer something to everyone |
| keep_turns_days | NOTED_KEEP_TURNS_DAYS | days that conversations are kept; what is remembered stays until erased |
| auth | NOTED_AUTH | who may sign in: lines that `python app.py password NAME` makes, with spaces between them |
| auth_file | NOTED_AUTH_FILE | file of such lines |
| api | NOTED_API | who may call it from programs: `tokens` (whoever has one), `everyone`, or `off` |
| turns_per_minute | NOTED_TURNS_PER_MINUTE | answers that one person may ask for in a minute |
| saves_per_minute | NOTED_SAVES_PER_MINUTE | clarifications and changes of memory by one person in a minute |
| answers_at_once | NOTED_ANSWERS_AT_ONCE | answers that are written at the same time, for everybody together |
| own_models | NOTED_OWN_MODELS | `off` lets nobody bring a model and a key of their own for the page they have open |
| spend_per_day | NOTED_SPEND_PER_DAY | US dollars that the model may cost in a day (UTC), all together; or `none` |
| snapshots | NOTED_SNAPSHOTS | folder, as of a mount, that gets copies of the ledger, and fills an empty home |
| snapshot_minutes | NOTED_SNAPSHOT_MINUTES | minutes between two such copies, where something was saved |
| seed | NOTED_SEED | file of an export whose clarifications count for everyone, and can only be read |
| read_only | NOTED_READ_ONLY | `on` answers questions and saves nothing |
| visitor_hours | NOTED_VISITOR_HOURS | hours after which everything of a visitor who has not come back is erased |
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from assistant.errors import SettingsError

EMBEDDED = "embedded"
_PREFIX = "NOTED_"
_SWITCH = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}
# Where a Storage Bucket is mounted as a rule. SQLite cannot work on one, so it gets copies.
_SPACES_MOUNT = Path("/data")
_ON_SPACES = {
    "host": "0.0.0.0",  # noqa: S104  a Space is reached from outside only so
    "visitor_hours": 24.0,
    "turns_per_minute": 10,
    "saves_per_minute": 10,
    "answers_at_once": 64,
    "spend_per_day": 2.0,
}
_DEMO_SEED = Path(__file__).parents[1] / "seed" / "demo.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """See the module for what each setting means. `sources` says where each value came from."""

    home: Path
    model: str = EMBEDDED
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    window: int | None = None
    embedder: str | None = None
    ledger: str
    index: str
    host: str = "127.0.0.1"
    port: int = 7860
    first_token_seconds: float = 60.0
    read_seconds: float = 60.0
    question_characters: int = 8000
    clarification_characters: int = 2000
    curators: tuple[str, ...] = ()
    anonymous_offers: bool = False
    keep_turns_days: int = 90
    auth: str | None = field(default=None, repr=False)
    auth_file: Path | None = None
    api: str = "tokens"
    turns_per_minute: int = 30
    saves_per_minute: int = 20
    answers_at_once: int = 128
    own_models: bool = True
    spend_per_day: float | None = None
    snapshots: Path | None = None
    snapshot_minutes: float = 5.0
    seed: Path | None = None
    read_only: bool = False
    visitor_hours: float | None = None
    on_spaces: bool = False
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def memory_is_temporary(self) -> bool:
        """On a Space without a mount that gets copies, what is kept is lost when it restarts."""
        is_kept = self.snapshots is not None or self.sources["home"] != "default" or self.sources["ledger"] != "default"
        return self.on_spaces and not is_kept

    @property
    def erasures(self) -> Path:
        """The file in which erasures are written down, so that a backup that is put back loses the same again."""
        return self.home / "erasures.jsonl"

    def make_home(self) -> Path:
        """The data directory, made where it is missing.

        Raises:
            SettingsError: it cannot be made.
        """
        try:
            self.home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(f"The data directory {self.home} cannot be made; set NOTED_HOME to another.") from error
        return self.home

    @classmethod
    def load(cls, environment: Mapping[str, str] = os.environ, **arguments: object) -> Settings:
        """The settings in force: arguments before environment before defaults.

        Args:
            environment: variables by name.
            arguments: settings by name; None means not given.

        Raises:
            SettingsError: a value cannot be used; the sentence names it.
        """
        fields = {f.name: str(f.type) for f in dataclasses.fields(cls) if f.name not in {"sources", "on_spaces"}}
        values: dict[str, Any] = {}
        sources = dict.fromkeys(fields, "default")
        for name, kind in fields.items():
            variable = _PREFIX + name.upper()
            if arguments.get(name) is not None:
                values[name], sources[name] = _converted(name, kind, str(arguments[name])), "argument"
            elif environment.get(variable, "").strip():
                values[name], sources[name] = _converted(variable, kind, environment[variable].strip()), variable
        on_spaces = bool(environment.get("SPACE_ID"))
        if on_spaces:
            _set_for_spaces(values, sources)
        values.setdefault("home", user_data_path("noted", appauthor=False))
        values.setdefault("ledger", f"sqlite:///{values['home'] / 'ledger.sqlite3'}")
        values.setdefault("index", str(values["home"] / "index"))
        return cls(**values, on_spaces=on_spaces, sources=sources)


def _set_for_spaces(values: dict[str, Any], sources: dict[str, str]) -> None:
    """What a public page needs where its host says nothing: it can be reached, limits what each may ask and what all
    may cost, begins with a seed, and visitors leave nothing.
    """
    usual: dict[str, object] = dict(_ON_SPACES)
    if _DEMO_SEED.exists():
        usual["seed"] = _DEMO_SEED
    if "home" not in values and os.access(_SPACES_MOUNT, os.W_OK):
        usual["snapshots"] = _SPACES_MOUNT / "noted"
    for name, value in usual.items():
        if sources[name] == "default":
            values[name], sources[name] = value, "Spaces"


def _converted(name: str, kind: str, text: str) -> object:
    try:
        if kind.startswith("Path"):
            return Path(text).expanduser().absolute()
        if kind == "bool":
            return _SWITCH[text.lower()]
        if kind.startswith("tuple"):
            return tuple(name.strip() for name in text.split(",") if name.strip())
        if not kind.startswith(("int", "float")):
            return text
        if text.lower() == "none" and kind.endswith("None"):
            return None
        number = int(text) if kind.startswith("int") else float(text)
    except KeyError:
        raise SettingsError(f"{name} must be on or off, not {text!r}.") from None
    except ValueError:
        raise SettingsError(f"{name} must be a number, not {text!r}.") from None
    except RuntimeError:
        raise SettingsError(f"{name} names a folder that cannot be found: {text}.") from None
    if not 0 < number < 10**9:
        raise SettingsError(f"{name} must be greater than zero, not {text}.")
    return number
