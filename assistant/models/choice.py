"""Choose the model by the settings."""

from pathlib import Path

from assistant.language.languages import Languages
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.local.local import LocalModel
from assistant.models.remote.remote import RemoteModel
from assistant.ports import Embedder, Spending
from assistant.settings import EMBEDDED, FULL, LOCAL, MEASURED, SHORT, Settings

Model = EmbeddedModel | LocalModel | RemoteModel


def choose_model(
    settings: Settings, languages: Languages, embedder: Embedder | None, spending: Spending | None
) -> Model:
    """Return the model that the settings name, not loaded yet.

    `languages` and `embedder` are for the embedded model, `spending` limits the cost of a remote one.
    """
    if settings.model == EMBEDDED:
        return EmbeddedModel(languages, embedder)
    if (file := settings.model_file) is not None:
        return local_model(settings, file, file.stem if settings.model.startswith(LOCAL) else "")
    return RemoteModel(
        settings.model,
        api_key=settings.api_key,
        api_base=settings.api_base,
        first_token_seconds=settings.first_token_seconds,
        read_seconds=settings.read_seconds,
        context=settings.window,
        reply_tokens=settings.reply_tokens,
        spending=spending,
        is_small=settings.prompt in {SHORT, MEASURED},
    )


def local_model(settings: Settings, file: Path, download_name: str = "") -> LocalModel:
    """Return the model of a GGUF file, not loaded yet."""
    return LocalModel(
        file,
        context=settings.window,
        reply_tokens=settings.reply_tokens,
        download_name=download_name,
        is_small=settings.prompt != FULL,
    )
