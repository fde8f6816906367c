"""All errors, as one tree. Each has one plain sentence for users that says what to do.

NotedError
├── InputError      the input cannot be used
├── NoIdentity, TooOften, NotFound
├── NotAllowed      the user may not do this here
├── SettingsError, PromptError
├── StoreError      the memory cannot be read or written
└── ModelError      the model did not answer: one subclass per cause

They contain no prompt text. An unparsable reply is not an error but a status (`assistant.reply.parser`).
"""

from typing import ClassVar

from assistant.sentences import Sentence, english, plain


class NotedError(Exception):
    """Base of all errors. The code is a message code, or an English text for hosts."""

    code: ClassVar[str] = "failed"

    def __init__(self, code: str | None = None, **parameters: str | float | Sentence) -> None:
        code = code or self.code
        self.sentence = Sentence(code, parameters) if code in english() else plain(code)
        super().__init__(self.sentence)


class InputError(NotedError):
    code = "input"


class EmptyText(InputError):
    code = "empty_text"


class TooLong(InputError):
    def __init__(self, length: int, limit: int) -> None:
        super().__init__("too_long", length=length, limit=limit)


class NotKept(InputError):
    def __init__(self, what: str) -> None:
        super().__init__("not_kept", what=Sentence(what))


class NotSaid(InputError):
    def __init__(self, line: str) -> None:
        super().__init__("triple.not_said", line=line)


class HeaderUnclear(InputError):
    """Error of a table whose header is undetectable; the user is asked."""

    code = "file.header"


class NoIdentity(NotedError):
    code = "sign_in"


class TooOften(NotedError):
    def __init__(self, limit: int) -> None:
        super().__init__("too_often", limit=limit)


class NotFound(NotedError):
    code = "not_found"


class NotAllowed(NotedError):
    code = "not_allowed"


class NotCurator(NotAllowed):
    code = "not_curator"


class SettingsError(NotedError):
    code = "setting"


class PromptError(NotedError):
    code = "prompt_file"


class StoreError(NotedError):
    code = "store.unreachable"


class DamagedLedger(StoreError):
    code = "store.damaged_ledger"


class DamagedEntry(StoreError):
    def __init__(self, entry_id: str) -> None:
        super().__init__("store.damaged_entry", entry=entry_id)


class ModelError(NotedError):
    code = "model.failed"


class NoKey(ModelError):
    code = "model.no_key"


class KeyRefused(ModelError):
    code = "model.key_refused"


class UnknownModel(ModelError):
    code = "model.unknown"


class ModelMoved(ModelError):
    code = "model.moved"


class RateLimited(ModelError):
    code = "model.rate_limited"


class OutOfCredit(ModelError):
    code = "model.out_of_credit"


class SpendUsedUp(ModelError):
    code = "model.spend_used_up"


class PriceUnknown(ModelError):
    code = "model.price_unknown"


class ContextFull(ModelError):
    code = "model.context_full"


class ContentRefused(ModelError):
    code = "model.content_refused"


class ModelUnavailable(ModelError):
    code = "model.unavailable"


class ModelLoading(ModelUnavailable):
    code = "model.loading"


class NothingListens(ModelUnavailable):
    code = "model.nothing_listens"


class WrongAddress(ModelError):
    code = "model.wrong_address"


class UnknownHost(WrongAddress):
    code = "model.unknown_host"


class NoTls(WrongAddress):
    code = "model.no_tls"


class ModelTimeout(ModelError):
    code = "model.timeout"


class StreamCut(ModelError):
    code = "model.stream_cut"


class EmptyReply(ModelError):
    code = "model.empty_reply"


class BadReply(ModelError):
    code = "model.bad_reply"
