"""Which model answers, by the settings."""

from assistant.language.languages import Languages
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.remote.remote import RemoteModel
from assistant.ports import Embedder, Spending
from assistant.settings import EMBEDDED, MEASURED, SHORT, Settings

Model = EmbeddedModel | RemoteModel


def choose_model(
    settings: Settings, languages: Languages, embedder: Embedder | None, spending: Spending | None
) -> Model:
    """The model that the settings name; nothing of it is loaded yet.

    `languages` and `embedder` are for the embedded model. `spending` is what a remote one may cost; None: anything.
    """
    if settings.model == EMBEDDED:
        return EmbeddedModel(languages, embedder)
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
