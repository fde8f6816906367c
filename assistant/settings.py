"""All settings in one frozen value, from the environment and the command line, with the source of each.

The variable of a setting is its name in capitals after `NOTED_`: `home` is NOTED_HOME.
"""

import dataclasses
import ipaddress
import logging
import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote, urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, PositiveInt, ValidationError
from pydantic.dataclasses import dataclass

from assistant.errors import SettingsError

_log = logging.getLogger(__name__)

EMBEDDED = "embedded"
FULL, SHORT, MEASURED = "full", "short", "measured"
"""Forms of the prompt."""
LOCAL = "local/"
"""Prefix of the names of models that run in this process."""
GGUF = ".gguf"
"""Suffix of model files."""
SPACE_MODEL = "Qwen/Qwen2.5-1.5B-Instruct-GGUF/qwen2.5-1.5b-instruct-q4_k_m.gguf"
"""File that a Space preloads from the Hub, as OWNER/REPO/FILE; used if no model is set."""
MOST_DRAFTS = 5
"""Maximum number of drafts for one question."""
LONGEST_QUESTION = 100_000
"""Maximum characters of a question in imports, and upper bound of the setting."""
# Fallback variables: those of Gradio, which hosts may set for any Gradio app, and an earlier name.
_FALLBACKS = {
    "host": "GRADIO_SERVER_NAME",
    "port": "GRADIO_SERVER_PORT",
    "root_path": "GRADIO_ROOT_PATH",
    "propose_lessons": "NOTED_DRAFT_LESSONS",
}
_READ_ONLY = "NOTED_READ_ONLY"  # a removed setting; ignoring it would silently allow visitors to write
_FOR_NOBODY_ELSE = 0o077
_DEMO_SEED = Path(__file__).parents[1] / "seed" / "demo.jsonl"
# Defaults of a public Space: reachable host, limits per visitor and in total, seed data, no traces.
_ON_SPACES: Mapping[str, Any] = {
    "host": "0.0.0.0",  # noqa: S104  a Space needs it to be reachable
    # Networks of the proxy of a Space; visitors come from outside them.
    "proxies": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
    "visitor_hours": 24.0,
    "turns_per_minute": 10,
    "saves_per_minute": 10,
    "answers_at_once": 64,
    "spend_per_day": 2.0,
    "seed": _DEMO_SEED if _DEMO_SEED.exists() else None,
}
_QUOTES = "\"'`´‘’‚‛“”„‟‹›«»<>"  # editors and chat apps put quotes around copied text
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?")
_CALLS = ("/chat/completions", "/completions", "/embeddings", "/models", "/api/chat", "/api/generate")


def clean_key(text: str) -> str:
    """Strip a copied API key: white space, invisible characters, quotes, `Bearer`, `NAME_KEY=`."""
    text = re.sub(r"^\W*(export\s+)?\w*KEY\s*=\s*", "", text)
    text = re.sub(r"^\W*(authorization\W+)?bearer\b[\s:]*", "", text, flags=re.IGNORECASE)
    text = "".join(sign for sign in text if unicodedata.category(sign) not in {"Cc", "Cf", "Zl", "Zp"})
    return text.strip(_QUOTES + " \xa0,;")


def clean_address(text: str) -> str | None:
    """Return the normalised base address of a server; None if the text is not an address.

    White space, invisible characters, quotes and endpoint paths are removed. The default scheme is http:// for a server
    on this machine or in its own network, else https://.
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


def find_preloaded(name: str) -> Path | None:
    """Return the file OWNER/REPO/FILE in the cache of the Hugging Face Hub, None if it is not there."""
    owner, _, rest = name.partition("/")
    repo, _, file = rest.partition("/")
    if not file:
        return None
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(f"{owner}/{repo}", file)
    return Path(found) if isinstance(found, str) else None


def ledger_in(home: Path) -> str:
    """Return the URL of the ledger in a data directory, with its name quoted."""
    return "sqlite:///" + quote(str(home / "ledger.sqlite3"), safe="/:\\ ")


def _read_address(text: str) -> str:
    if (address := clean_address(text)) is None:
        raise ValueError("must be the address of a server, such as http://127.0.0.1:8000/v1")
    return address


def _read_path(text: str) -> str:
    """Return the path of an address, without a final slash."""
    path = urlsplit(text).path.strip("/")
    if not re.fullmatch(r"([A-Za-z0-9_~-][A-Za-z0-9._~-]*(/|$))*", path):
        raise ValueError("must be a path such as /noted")
    return f"/{path}" if path else ""


def _find_file(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        raise ValueError("must be a path with a known home directory") from None


def _split_names(given: object) -> object:
    return [name.strip() for name in given.split(",") if name.strip()] if isinstance(given, str) else given


File = Annotated[Path, AfterValidator(_find_file)]
Names = Annotated[tuple[str, ...], BeforeValidator(_split_names)]
Number = Annotated[float, Field(gt=0, lt=1e9)]
NumberOrNone = Annotated[Number | None, BeforeValidator(lambda given: None if str(given).lower() == "none" else given)]
Characters = Annotated[PositiveInt, Field(le=LONGEST_QUESTION)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings. `sources` has the source of each: "default", "argument", "Spaces", or the name of a variable."""

    home: File  # the data directory: ledger, index and keys
    # the model: `embedded`, a LiteLLM model string such as `openai/gpt-5-mini`, or a model in this process: the path of
    # a GGUF file, or `local/NAME` for the file NAME.gguf in the folder `models` of the data directory, or
    # `local/OWNER/REPO/FILE.gguf` for a file in the cache of the Hugging Face Hub; default on a Space: `SPACE_MODEL`
    model: Annotated[str, AfterValidator(lambda name: name.strip(_QUOTES))] = EMBEDDED
    api_base: Annotated[str, AfterValidator(_read_address)] | None = None  # address of an OpenAI-compatible server
    # key for the model; default: the provider's own variable
    api_key: Annotated[str, AfterValidator(lambda key: clean_key(key) or None)] | None = field(default=None, repr=False)
    window: PositiveInt | None = None  # maximum of prompt and reply together, in tokens; default: the model's own
    # form of the prompt: `full`, `short` for small models, or `measured` by a call at the start; default: `short` for a
    # model in this process, else `full`
    prompt: Literal["full", "short", "measured"] | None = None
    reply_tokens: PositiveInt = 8000  # maximum reply in tokens, thinking included; at most a quarter of the window
    embedder: str | None = None  # folder or cached name of a sentence-transformers model, or `none`
    ledger: str = ""  # SQLAlchemy URL of the ledger; default: a file in the data directory
    index: str = ""  # folder or URI of the index; default: a folder in the data directory
    host: str = "127.0.0.1"  # address to serve on
    port: Annotated[PositiveInt, Field(le=65535)] = 7860  # port to serve on
    local_token: bool = False  # `on` requires a token on loopback, because other accounts of this machine can reach it
    # accepted host names, separated by commas, such as `noted.example,*.example`; default: the names of this machine if
    # `host` is loopback, else all
    names: Names = ()
    # addresses or networks of trusted proxies, separated by commas; only their X-Forwarded-* headers are used
    proxies: Names = ()
    root_path: Annotated[str, AfterValidator(_read_path)] = ""  # path prefix behind a proxy, such as `/noted`
    # timeout of the first word of a reply; default: a minute, and half an hour for a server of this machine
    first_token_seconds: NumberOrNone = None
    read_seconds: NumberOrNone = None  # timeout of each further piece of a reply; same default
    question_characters: Characters = 8000  # maximum length of a question
    clarification_characters: PositiveInt = 2000  # maximum length of a clarification
    curators: Names = ()  # users who decide on offers to everyone: names, separated by commas
    anonymous_offers: bool = False  # `on` lets users who are not signed in make offers to everyone
    keep_triples: bool = False  # `on` keeps triples of a model without asking, although some are misread
    # drafts per question, 1 to 5, written in parallel; each takes a model call, and a second call for its score
    drafts: Annotated[PositiveInt, Field(le=MOST_DRAFTS)] = 1
    think_through: bool = False  # `on` thinks every question through: up to 38 calls of a connected model for each
    propose_lessons: bool = True  # `on` proposes a lesson after feedback, with one call of a connected model
    keep_turns_days: PositiveInt = 90  # days from the last turn of a conversation until it is deleted; entries stay
    # accounts: lines from `noted password NAME`, separated by spaces
    auth: str | None = field(default=None, repr=False)
    auth_file: File | None = None  # file with such lines
    api: str = "tokens"  # access for programs: `tokens` (with an API token), `everyone`, or `off`
    turns_per_minute: PositiveInt = 30  # rate limit per user: answers
    saves_per_minute: PositiveInt = 20  # rate limit per user: clarifications and changes of memory
    answers_at_once: PositiveInt = 128  # maximum concurrent answers, of all users
    own_models: bool = True  # `off` forbids users to connect their own model and key in the page
    spend_per_day: NumberOrNone = None  # maximum model cost of all users per day (UTC), in US dollars
    seed: File | None = None  # export file with read-only clarifications for everyone
    visitor_hours: NumberOrNone = None  # hours from the last visit of a visitor until their data is erased
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
            name = f"{self.model.removeprefix(LOCAL).removesuffix(GGUF)}{GGUF}"
            return find_preloaded(name) or self.models / name
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
            raise SettingsError(
                f"The data directory {self.home} cannot be created; set NOTED_HOME to another."
            ) from error
        if is_open:
            sentence = "Other accounts of this machine can read %s. To prevent that: chmod -R go= %s"
            _log.warning(sentence, self.home, self.home)
        return self.home

    @classmethod
    def load(cls, environment: Mapping[str, str] = os.environ, **arguments: object) -> "Settings":
        """Load the settings: from arguments (None: not given), else from the environment, else defaults.

        Raises SettingsError with the name of an invalid value.
        """
        if environment.get(_READ_ONLY, "").strip().lower() not in {"", "0", "no", "off", "false"}:
            raise SettingsError(f"{_READ_ONLY} is gone. Unset it; NOTED_VISITOR_HOURS deletes what visitors leave.")
        names = [field.name for field in dataclasses.fields(cls) if field.name not in {"sources", "on_spaces"}]
        values: dict[str, Any] = {"home": user_data_path("noted", appauthor=False)}
        sources = dict.fromkeys(names, "default")
        on_spaces = bool(environment.get("SPACE_ID"))
        for name in names:
            variables = (f"NOTED_{name.upper()}", _FALLBACKS.get(name, ""))
            variable = next((each for each in variables if environment.get(each, "").strip()), None)
            if arguments.get(name) is not None:
                values[name], sources[name] = str(arguments[name]), "argument"
            elif variable is not None:
                values[name], sources[name] = environment[variable].strip(), variable
            elif on_spaces and name in _ON_SPACES:
                values[name], sources[name] = _ON_SPACES[name], "Spaces"
            elif on_spaces and name == "model" and find_preloaded(SPACE_MODEL):
                values[name], sources[name] = LOCAL + SPACE_MODEL, "Spaces"
        try:
            settings = cls(**values, on_spaces=on_spaces, sources=sources)
        except ValidationError as invalid:
            first = invalid.errors(include_url=False)[0]
            name = str(first["loc"][0])
            wrong = first["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
            raise SettingsError(f"{name if sources[name] == 'argument' else sources[name]} {wrong}.") from None
        ledger = settings.ledger or ledger_in(settings.home)
        return dataclasses.replace(settings, ledger=ledger, index=settings.index or str(settings.home / "index"))
