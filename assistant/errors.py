"""Everything that can go wrong, as one tree. Each is one plain sentence for a person, and says what to do.

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

from assistant.sentences import Sentence, plain


class NotedError(Exception):
    """Base of all errors of Noted. Words instead of a sentence are for hosts: they stand in English everywhere."""

    sentence = Sentence("failed")

    def __init__(self, sentence: Sentence | str | None = None) -> None:
        if sentence:
            self.sentence = plain(sentence) if isinstance(sentence, str) else sentence
        super().__init__(self.sentence)


class InputError(NotedError):
    sentence = Sentence("input")


class EmptyText(InputError):
    sentence = Sentence("empty_text")


class TooLong(InputError):
    def __init__(self, length: int, limit: int) -> None:
        super().__init__(Sentence("too_long", {"length": length, "limit": limit}))


class TooManyEntries(InputError):
    def __init__(self, most: int) -> None:
        super().__init__(Sentence("entry.too_many", {"most": most}))


class NotKept(InputError):
    def __init__(self, what: Sentence) -> None:
        super().__init__(Sentence("not_kept", {"what": what}))


class NotShared(InputError):
    def __init__(self, what: Sentence) -> None:
        super().__init__(Sentence("not_shared", {"what": what}))


class NoIdentity(NotedError):
    sentence = Sentence("sign_in")


class TooOften(NotedError):
    def __init__(self, limit: int) -> None:
        super().__init__(Sentence("too_often", {"limit": limit}))


class NotFound(NotedError):
    sentence = Sentence("not_found")


class NotAllowed(NotedError):
    sentence = Sentence("not_allowed")


class NotCurator(NotAllowed):
    sentence = Sentence("not_curator")


class ReadOnly(NotAllowed):
    sentence = Sentence("read_only")


class SettingsError(NotedError):
    sentence = Sentence("setting")


class PromptError(NotedError):
    sentence = Sentence("prompt_file")


class StoreError(NotedError):
    sentence = Sentence("store.unreachable")


class DamagedLedger(StoreError):
    sentence = Sentence("store.damaged_ledger")


class DamagedEntry(StoreError):
    def __init__(self, entry_id: str) -> None:
        super().__init__(Sentence("store.damaged_entry", {"entry": entry_id}))


class ModelError(NotedError):
    sentence = Sentence("model.failed")


class NoKey(ModelError):
    sentence = Sentence("model.no_key")


class KeyRefused(ModelError):
    sentence = Sentence("model.key_refused")


class UnknownModel(ModelError):
    sentence = Sentence("model.unknown")


class RateLimited(ModelError):
    sentence = Sentence("model.rate_limited")


class OutOfCredit(ModelError):
    sentence = Sentence("model.out_of_credit")


class SpendUsedUp(ModelError):
    sentence = Sentence("model.spend_used_up")


class PriceUnknown(ModelError):
    sentence = Sentence("model.price_unknown")


class ContextFull(ModelError):
    sentence = Sentence("model.context_full")


class ContentRefused(ModelError):
    sentence = Sentence("model.content_refused")


class ModelUnavailable(ModelError):
    sentence = Sentence("model.unavailable")


class ModelTimeout(ModelError):
    sentence = Sentence("model.timeout")


class StreamCut(ModelError):
    sentence = Sentence("model.stream_cut")


class EmptyReply(ModelError):
    sentence = Sentence("model.empty_reply")


class BadReply(ModelError):
    sentence = Sentence("model.bad_reply")
