"""Everything that can go wrong, as one tree. The text of each is one plain sentence for a person, and says what to do.

NotedError
├── InputError      what the person sent cannot be used
├── NoIdentity, TooOften, NotFound
├── NotAllowed      this person may not do this here
├── SettingsError, PromptError
├── StoreError      the memory cannot be read or written
└── ModelError      the model did not answer: one subclass per cause

The exceptions do no input or output and keep no prompt text. A reply that came but could not be taken apart is no
error: `assistant.reply.parser` says so in its status and keeps the raw text.
"""

from typing import ClassVar


class NotedError(Exception):
    """Base of all errors of Noted. `str(error)` is one plain sentence for a person."""

    sentence: ClassVar[str] = "Something went wrong. Please try again."

    def __init__(self, sentence: str | None = None) -> None:
        super().__init__(sentence or self.sentence)


class InputError(NotedError):
    sentence = "This cannot be used as it is. Please change it and send it again."


class EmptyText(InputError):
    sentence = "Please write something first."


class TooLong(InputError):
    def __init__(self, length: int, limit: int) -> None:
        super().__init__(f"This is {length:,} characters long; please shorten it to {limit:,}.")


class NotKept(InputError):
    def __init__(self, what: str) -> None:
        super().__init__(f"This holds {what}, which is not kept in memory; please take it out and save again.")


class NotShared(InputError):
    def __init__(self, what: str) -> None:
        super().__init__(
            f"This holds {what}, which is not shared with everyone; please take it out and offer it again."
        )


class NoIdentity(NotedError):
    sentence = "Please sign in first."


class TooOften(NotedError):
    def __init__(self, limit: int) -> None:
        super().__init__(f"This can be done {limit} times a minute. Please wait a moment, then send it again.")


class NotFound(NotedError):
    sentence = "There is no such thing here, or it is not yours."


class NotAllowed(NotedError):
    sentence = "This is not allowed here."


class NotCurator(NotAllowed):
    sentence = "Only a curator may look at offers and decide about them."


class ReadOnly(NotAllowed):
    sentence = "Nothing is saved here: this memory can only be read. Your question is answered all the same."


class SettingsError(NotedError):
    sentence = "A setting cannot be used."


class PromptError(NotedError):
    sentence = "A prompt file is wrong."


class StoreError(NotedError):
    sentence = "The memory cannot be reached right now. Nothing was changed; please try again."


class DamagedLedger(StoreError):
    sentence = (
        "The memory's file is damaged. `python app.py memory verify` says what is, and `python app.py memory restore` "
        "brings back a backup."
    )


class DamagedEntry(StoreError):
    def __init__(self, entry_id: str) -> None:
        super().__init__(f"The entry {entry_id} is damaged and is not used.")


class ModelError(NotedError):
    sentence = "The model did not answer. Please try again."


class NoKey(ModelError):
    sentence = "No key is set for this model. Set NOTED_API_KEY, or choose another model."


class KeyRefused(ModelError):
    sentence = "The model's server refused the key. Please check NOTED_API_KEY."


class UnknownModel(ModelError):
    sentence = "The server does not know this model. Please check NOTED_MODEL."


class RateLimited(ModelError):
    sentence = "The model has too many requests right now. Please try again in a moment."


class OutOfCredit(ModelError):
    sentence = "The account of this model has no credit left."


class SpendUsedUp(ModelError):
    sentence = "What may be spent on answers today is used up. Memory works as before; please ask again tomorrow."


class PriceUnknown(ModelError):
    sentence = "What this model costs is not known. Please set NOTED_SPEND_PER_DAY to none, or choose another model."


class ContextFull(ModelError):
    sentence = "This is too long for the model. Please shorten it, or start a new conversation."


class ContentRefused(ModelError):
    sentence = "The model's provider refused this text. Please put it differently."


class ModelUnavailable(ModelError):
    sentence = "The model cannot be reached right now. Please try again."


class ModelTimeout(ModelError):
    sentence = "The model took too long to answer. Please try again."


class StreamCut(ModelError):
    sentence = "The connection to the model broke in the middle of the answer. Please try again."


class EmptyReply(ModelError):
    sentence = "The model sent an empty answer. Please try again."


class BadReply(ModelError):
    sentence = "The model's server sent something that is not an answer. Please check NOTED_API_BASE, or try again."
