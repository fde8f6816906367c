"""Forbidden content of entries: refusals by user with their messages, and harmless look-alikes."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InputError, NotKept, TooLong
from assistant.text.content_rules import check_private, check_shared

pytestmark = pytest.mark.promise("content-rules")

LINK, ACCOUNT, KEY = "a link", "an email address or account name", "a password or a key"
NUMBER, ADDRESS = "a phone number or another long number", "a postal address"
LETTERS = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    "text",
    ["a ![x]\n\n[x]: //a.test/p.png", "<im\u200bg src=x>", "!\u200d[x](y)", '<table background="x">', "url(//a.b)"],
)
def test_picture_from_the_web_is_refused(text: str) -> None:
    for check in (check_private, check_shared):
        with pytest.raises(NotKept, match=r"^This contains a picture from the web, which can’t be saved."):
            check(text)


def test_private_entry_may_hold_all_else() -> None:
    for text in ("by tag I mean the <img> tag of HTML", "a curl (the sport)", "![x] is an array", "", "x" * 2000):
        check_private(text)
    with pytest.raises(TooLong, match=r"2,001 characters long\. Shorten it to 2,000"):
        check_private("x" * 2001)


SECRETS = {
    LINK: ("see https://a.test", "nahi yaar, ｈｔｔｐｓ：//abc.example wala", "hxxps://abc[.]test", "[x](//a.test)"),
    ACCOUNT: ("write to me@a.test", "ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ ravi@okbank ਸੀ"),
    KEY: (
        "my password is tiger42", "पासवर्ड: tiger42", "AKIAIOSFODNN7EXAMPLE", f"ghp_{LETTERS}", f"AIza{LETTERS}",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAK\n-----END RSA PRIVATE KEY-----", f"hf_{'aBcDeFgHiJ' * 3}",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", "my PAN: ABCDE1234F",
        "xoxb-123456789012-a1B2c3D4e5F6", "sk_" + "live_a1B2c3D4e5F6g7H8", f"sk-proj-{LETTERS}, not the other",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "2f1acc6c-3f2e-4d9d-8f41-8f1b7c2f9a10",
    ),
    NUMBER: ("4111 1111 1111 1111", "GB82 WEST 1234 5698 7654 32", "मेरा मतलब +९१ ९८७६५ ४३२१० था"),
    ADDRESS: ("I live at 10 Downing Street", "flat no. 12, Shanti Nagar"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "what"), [(text, what) for what, texts in SECRETS.items() for text in texts])
def test_secret_is_not_shared_and_named(text: str, what: str) -> None:
    check_private(text)
    with pytest.raises(InputError) as refused:
        check_shared(text)
    assert str(refused.value) == (
        f"This contains {what}, which can’t be shared with everyone. Remove it and offer it again."
    )


def test_look_alike_of_a_secret_is_shared() -> None:
    for text in ("from 2019-01-01 to 2020-12-31", "1,000,000 rupees", "ghar par hoon.in sab", "disestablishmentarian"):
        check_shared(text)


@given(st.text(st.characters(codec=None), max_size=200))
def test_any_text_is_kept_or_refused(text: str) -> None:
    for check in (check_private, check_shared):
        with suppress(InputError):
            check(text)
