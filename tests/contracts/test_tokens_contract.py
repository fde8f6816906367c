"""API tokens: durable, for one user each, in both databases."""

import pytest
from sqlalchemy import select, update

from assistant.errors import NotFound, TooLong
from memory_store.ledger.database.schema import tokens
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.tokens import LedgerTokens
from memory_store.maintenance.erasure import Eraser
from tests.support.memory.store import ANN, BOB

pytestmark = pytest.mark.promise("tokens-are-hashed")


def test_token_is_valid_until_revoked(ledger: Ledger, any_ledger_url: str) -> None:
    kept = LedgerTokens(ledger)
    token, secret = kept.make(ANN, " my \n phone ")
    _, of_bob = kept.make(BOB)
    assert (token.person, token.label) == (ANN.person, "my phone")
    other = Ledger(any_ledger_url)
    replica = LedgerTokens(other)
    assert [replica.person(known) for known in (secret, of_bob)] == [ANN.person, BOB.person]
    assert list(replica.tokens(ANN)) == [token]
    with pytest.raises(NotFound):
        replica.revoke(token.id, BOB)
    replica.revoke(token.id, ANN)
    assert [kept.person(known) for known in (secret, of_bob)] == [None, BOB.person]
    with pytest.raises(NotFound):
        kept.revoke(token.id, ANN)
    other.close()


def test_other_text_is_no_token(ledger: Ledger) -> None:
    kept = LedgerTokens(ledger)
    token, secret = kept.make(ANN)
    _, of_bob = kept.make(BOB)
    mixed = secret[: len("noted_") + 16] + of_bob[len("noted_") + 16 :]
    for wrong in ("", "x", secret[:-1], secret + "x", secret.upper(), secret + "\n", " " + secret, mixed, token.id):
        assert kept.person(wrong) is None, wrong
    with pytest.raises(TooLong):
        kept.make(ANN, "x" * 81)


def test_only_a_keyed_hash_is_stored(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = LedgerTokens(ledger)
    _, secret = kept.make(ANN)
    with ledger.write() as connection:
        assert secret.removeprefix("noted_") not in str(tuple(connection.execute(select(tokens)).one()))
        connection.execute(update(tokens).values(owner=BOB.person))
    assert kept.person(secret) is None
    _, secret = kept.make(ANN)
    monkeypatch.setattr(ledger, "secret_for", lambda _purpose: b"of another ledger")
    assert LedgerTokens(ledger).person(secret) is None


def test_forgotten_person_has_no_tokens(ledger: Ledger) -> None:
    kept = LedgerTokens(ledger)
    _, secret = kept.make(ANN)
    _, of_bob = kept.make(BOB)
    assert Eraser(ledger).forget_all(ANN).erased == {"tokens": 1}
    assert (kept.person(secret), kept.person(of_bob)) == (None, BOB.person)
    _, later = kept.make(ANN)
    assert kept.person(later) == ANN.person
