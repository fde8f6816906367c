"""All settings in one frozen value, from the environment and the command line, with the source of each.

The variable of a setting is its name in capitals after `NOTED_`: `home` is NOTED_HOME.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import logging
import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from platformdirs import user_data_path

from assistant.errors import SettingsError

_log = logging.getLogger(__name__)

EMBEDDED = "embedded"
PROMPT_FORMS = (FULL, SHORT, MEASURED) = ("full", "short", "measured")
LOCAL = "local/"
"""Prefix of the names of models that run in this process."""
GGUF = ".gguf"
"""Suffix of their files."""
MOST_DRAFTS = 5
"""Answers that are drafted for one question."""
LONGEST_QUESTION = 100_000
"""Maximum characters of a question in imports, and upper bound of the setting."""
# Fallback variables of Gradio, which hosts may set for any Gradio app.
_GRADIO = {"host": "GRADIO_SERVER_NAME", "port": "GRADIO_SERVER_PORT", "root_path": "GRADIO_ROOT_PATH"}
# Settings of earlier versions: the new name of those that still work, and what replaces the others.
_RENAMED = {"NOTED_DRAFT_LESSONS": "NOTED_PROPOSE_LESSONS"}
_REPLACED = dict.fromkeys(
    ("NOTED_SNAPSHOTS", "NOTED_SNAPSHOT_MINUTES"),
    "copy the ledger with Litestream (docs/hosting.md); `noted restore` takes the copies that earlier versions made",
)
_AT_MOST = {"drafts": MOST_DRAFTS, "port": 65535, "question_characters": LONGEST_QUESTION}
_FOR_NOBODY_ELSE = 0o077
_SWITCH = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}
_ON_SPACES = {
    "host": "0.0.0.0",  # noqa: S104  a Space needs it to be reachable
    "proxies": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),  # networks of a Space's proxy, without visitors
    "visitor_hours": 24.0,
    "turns_per_minute": 10,
    "saves_per_minute": 10,
    "answers_at_once": 64,
    "spend_per_day": 2.0,
}
_QUOTES = "\"'`´‘’‚‛“”„‟‹›«»<>"  # editors and chats put some around copied text
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?")
_CALLS = ("/chat/completions", "/completions", "/embeddings", "/models", "/api/chat", "/api/generate")
_DEMO_SEED = Path(__file__).parents[1] / "seed" / "demo.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings. `sources` has the source of each: "default", "argument", "Spaces", or the name of a variable."""

    home: Path  # the data directory: ledger, index and keys
    # the model: `embedded`, a LiteLLM model string such as `openai/gpt-5-mini`, or a model in this process: the path of
    # a GGUF file, or `local/NAME` for the file NAME.gguf in the folder `models` of the data directory
    model: str = EMBEDDED
    api_base: str | None = None  # address of an OpenAI-compatible server
    api_key: str | None = field(default=None, repr=False)  # key for the model; default: the provider's own variable
    window: int | None = None  # maximum of prompt and reply together, in tokens; default: as known of the model
    # form of the prompt: `full`, `short` for small models, or `measured` by a call at the start; default: `short` for a
    # model in this process, else `full`
    prompt: str | None = None
    reply_tokens: int = 8000  # maximum reply in tokens, thinking included; at most a quarter of the window
    embedder: str | None = None  # folder or cached name of a sentence-transformers model, or `none`
    ledger: str  # SQLAlchemy URL of the ledger
    index: str  # folder or URI of the index
    host: str = "127.0.0.1"  # address to serve on
    port: int = 7860  # port to serve on
    local_token: bool = False  # `on` requires a token on loopback, too, which other accounts can also reach
    # host names that it answers to, with commas, as `noted.example` or `*.example`; default: on loopback those of this
    # machine, elsewhere all
    names: tuple[str, ...] = ()
    # addresses or networks, with commas, of trusted proxies, whose X-Forwarded-For, -Host and -Proto are used
    proxies: tuple[str, ...] = ()
    root_path: str = ""  # path prefix behind a proxy, as `/noted`
    # timeout of the first word of a reply; default: a minute, and half an hour for a server of this machine
    first_token_seconds: float | None = None
    read_seconds: float | None = None  # timeout of each further piece of a reply; same default
    question_characters: int = 8000  # maximum length of a question
    clarification_characters: int = 2000  # maximum length of a clarification
    curators: tuple[str, ...] = ()  # users who decide on offers to everyone: names, separated by commas
    anonymous_offers: bool = False  # `on` lets users who are not signed in make offers to everyone
    keep_triples: bool = False  # `on` keeps triples of a model without asking, although some are misread
    # drafts per question, written in parallel, 1 to 5; each takes one more call, and another one for its score
    drafts: int = 1
    think_through: bool = False  # `on` thinks every question through: up to 40 calls of a connected model for each
    propose_lessons: bool = True  # `off` proposes no lessons after feedback: with a connected model, a call for each
    keep_turns_days: int = 90  # days after its last turn until a conversation is deleted; entries stay
    # accounts: lines from `noted password NAME`, separated by spaces
    auth: str | None = field(default=None, repr=False)
    auth_file: Path | None = None  # file of such lines
    api: str = "tokens"  # access for programs: `tokens` (with an API token), `everyone`, or `off`
    turns_per_minute: int = 30  # rate limit per user: answers
    saves_per_minute: int = 20  # rate limit per user: clarifications and changes of memory
    answers_at_once: int = 128  # maximum concurrent answers, of all users
    own_models: bool = True  # `off` forbids users to connect their own model and key in their open page
    spend_per_day: float | None = None  # maximum cost of the model per day (UTC) in US dollars, of all users; or `none`
    seed: Path | None = None  # export file with read-only clarifications for everyone
    read_only: bool = False  # `on` answers questions and saves nothing
    visitor_hours: float | None = None  # hours since their last visit after which all data of a visitor are erased
    on_spaces: bool = False
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def memory_is_temporary(self) -> bool:
        """Return True on a Space with default storage, which is lost at a restart."""
        return self.on_spaces and self.sources["home"] == self.sources["ledger"] == "default"

    @property
    def models(self) -> Path:
        return self.home / "models"

    @property
    def model_file(self) -> Path | None:
        """Return the GGUF file of a model in this process, None for other models."""
        if self.model.startswith(LOCAL):
            return self.models / f"{self.model.removeprefix(LOCAL).removesuffix(GGUF)}{GGUF}"
        return Path(self.model).expanduser().absolute() if self.model.lower().endswith(GGUF) else None

    @property
    def erasures(self) -> Path:
        """Return the file that records erasures, so that they are repeated after a backup is restored."""
        return self.home / "erasures.jsonl"

    @property
    def has_memory(self) -> bool:
        """Return True if a ledger may exist: its file does, or it is a database elsewhere."""
        file = unquote(self.ledger.removeprefix("sqlite:///"))
        return file == self.ledger or Path(file).exists()

    def make_home(self) -> Path:
        """Create the data directory if it is missing, and return it. Raises SettingsError.

        Sets the umask, so that only this account can read files that the process creates.
        """
        os.umask(_FOR_NOBODY_ELSE)
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            is_open = os.name == "posix" and self.home.stat().st_mode & _FOR_NOBODY_ELSE
        except OSError as error:
            raise SettingsError(f"The data directory {self.home} cannot be made; set NOTED_HOME to another.") from error
        if is_open:
            sentence = "Other accounts of this machine can read what is in %s. To close it: chmod -R go= %s"
            _log.warning(sentence, self.home, self.home)
        return self.home

    @classmethod
    def load(cls, environment: Mapping[str, str] = os.environ, **arguments: object) -> Settings:
        """Load the settings: from arguments (None: not given), else from the environment, else defaults.

        Raises SettingsError with the name of an invalid value.
        """
        environment = _with_new_names(environment)
        values: dict[str, Any] = {}
        fields = {f.name: str(f.type) for f in dataclasses.fields(cls) if f.name not in {"sources", "on_spaces"}}
        sources = dict.fromkeys(fields, "default")
        for name, kind in fields.items():
            variables = (f"NOTED_{name.upper()}", _GRADIO.get(name, ""))
            variable = next((each for each in variables if environment.get(each, "").strip()), None)
            if arguments.get(name) is not None:
                values[name], sources[name] = _converted(name, name, kind, str(arguments[name])), "argument"
            elif variable is not None:
                values[name] = _converted(variable, name, kind, environment[variable].strip())
                sources[name] = variable
        on_spaces = bool(environment.get("SPACE_ID"))
        if on_spaces:
            _set_for_spaces(values, sources)
        values.setdefault("home", user_data_path("noted", appauthor=False))
        values.setdefault("ledger", ledger_in(values["home"]))
        values.setdefault("index", str(values["home"] / "index"))
        return cls(**values, on_spaces=on_spaces, sources=sources)


def clean_key(text: str) -> str:
    """Strip a copied API key: white space, invisible characters, quotes, `Bearer`, `NAME_KEY=`."""
    text = re.sub(r"^\W*(export\s+)?\w*KEY\s*=\s*", "", text)
    text = re.sub(r"^\W*(authorization\W+)?bearer\b[\s:]*", "", text, flags=re.IGNORECASE)
    text = "".join(sign for sign in text if unicodedata.category(sign) not in {"Cc", "Cf", "Zl", "Zp"})
    return text.strip(_QUOTES + " \xa0,;")


def clean_address(text: str) -> str | None:
    """Normalise the base address of a server; None if it is no address.

    Removes white space, invisible characters, quotes and the path of an endpoint. The default scheme is http:// for a
    server on this machine or in its own network, else https://.
    """
    text = "".join(sign for sign in text if not sign.isspace() and unicodedata.category(sign) not in {"Cc", "Cf"})
    text = text.strip(_QUOTES + ",;")
    if scheme := re.match(r"(https?):/+", text, re.IGNORECASE):
        text = f"{scheme[1].lower()}://{text[scheme.end() :]}"
    elif "://" not in text:
        text = f"{'http' if is_local('//' + text) else 'https'}://{text}"
    text = text.rstrip("/")
    call = next((call for call in _CALLS if text.lower().endswith(call)), "")
    text = text[: len(text) - len(call)].rstrip("/")
    try:
        _ = urlsplit(text).port  # raises ValueError for an invalid port
    except ValueError:
        return None
    return text if _ADDRESS.fullmatch(text) else None


def is_local(address: str) -> bool:
    """Return True if a server is on this machine or in its own network, judged by its name alone."""
    try:
        host = urlsplit(address).hostname or ""
        return ipaddress.ip_address(host).is_private
    except ValueError:
        host = address.split("//", 1)[-1].split("/", 1)[0].split(":", 1)[0]
        return "." not in host or host.endswith((".local", ".internal", ".lan", ".localhost"))


def ledger_in(home: Path) -> str:
    """Return the URL of the ledger in a data directory, with its name quoted."""
    return "sqlite:///" + quote(str(home / "ledger.sqlite3"), safe="/:\\ ")


def _set_for_spaces(values: dict[str, Any], sources: dict[str, str]) -> None:
    """Set the defaults of a public Space: reachable host, limits per visitor and in total, seed data, no traces."""
    usual: dict[str, object] = dict(_ON_SPACES)
    if _DEMO_SEED.exists():
        usual["seed"] = _DEMO_SEED
    for name, value in usual.items():
        if sources[name] == "default":
            values[name], sources[name] = value, "Spaces"


def _with_new_names(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return variables with the current names of old ones, and warn of those."""
    renamed = {}
    for old, new in _RENAMED.items():
        if environment.get(old, "").strip() and not environment.get(new, "").strip():
            renamed[new] = environment[old]
            _log.warning("%s is called %s now. The old name still works.", old, new)
    for old, instead in _REPLACED.items():
        if environment.get(old, "").strip():
            _log.warning("%s is no longer used: %s.", old, instead)
    return {**environment, **renamed}


def _converted(variable: str, name: str, kind: str, text: str) -> object:
    """Return the value of the setting `name` of type `kind`. Raises SettingsError, which names the variable."""
    if kind == "bool":
        if text.lower() not in _SWITCH:
            raise SettingsError(f"{variable} must be on or off, not {text!r}.")
        return _SWITCH[text.lower()]
    if kind.startswith("tuple"):
        return tuple(each.strip() for each in text.split(",") if each.strip())
    if kind.startswith("Path"):
        try:
            return Path(text).expanduser().absolute()
        except RuntimeError:
            raise SettingsError(f"{variable} names a folder that cannot be found: {text}.") from None
    return _number(variable, name, kind, text) if kind.startswith(("int", "float")) else _text(variable, name, text)


def _text(variable: str, name: str, text: str) -> str | None:
    if name == "prompt" and text not in PROMPT_FORMS:
        raise SettingsError(f"{variable} must be one of {', '.join(PROMPT_FORMS)}, not {text!r}.")
    if name == "root_path":
        return _as_path(variable, text)
    if name.endswith("api_key"):
        return clean_key(text) or None
    if name.endswith("api_base") and (text := clean_address(text) or "") == "":
        raise SettingsError(f"{variable} must be the address of a server, such as http://127.0.0.1:8000/v1.")
    return text.strip(_QUOTES) if name == "model" else text


def _number(variable: str, name: str, kind: str, text: str) -> float | None:
    if text.lower() == "none" and kind.endswith("None"):
        return None
    try:
        number = int(text) if kind.startswith("int") else float(text)
    except ValueError:
        raise SettingsError(f"{variable} must be a number, not {text!r}.") from None
    if number > _AT_MOST.get(name, number):
        raise SettingsError(f"{variable} must be at most {_AT_MOST[name]:,}, not {number:,}.")
    if not 0 < number < 10**9:
        raise SettingsError(f"{variable} must be greater than zero, not {text}.")
    return number


def _as_path(variable: str, text: str) -> str:
    """Return the path of an address, without a final slash. Raises SettingsError if it is no plain path."""
    path = urlsplit(text).path.strip("/")
    if not re.fullmatch(r"([A-Za-z0-9_~-][A-Za-z0-9._~-]*(/|$))*", path):
        raise SettingsError(f"{variable} must be a path such as /noted, not {text!r}.")
    return f"/{path}" if path else ""
