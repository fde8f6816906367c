"""What entries may not carry: what is refused, for whom, with which sentence, and how often a harmless one is."""

import base64
import json
import random
import re
import string
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InputError, NotKept, NotShared, TooLong
from assistant.text.content_rules import check_private, check_shared

pytestmark = pytest.mark.promise("content-rules")

DATA = Path(__file__).parents[3] / "evaluation" / "data"
ALPHABET = string.ascii_letters + string.digits
# What a secret stands in; written by hand, in several languages.
SENTENCES = (
    "{}",
    "nahi yaar, {} wala",
    "ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ {} ਸੀ",
    "मेरा मतलब {} था",
    "({})",
    "use: {}.",
    '"{}"',
    "it is {}, not the other",
)


def some(chooser: random.Random, alphabet: str, length: int) -> str:
    return "".join(chooser.choice(alphabet) for _ in range(length))


def digits(chooser: random.Random, length: int) -> str:
    return chooser.choice("123456789") + some(chooser, string.digits, length - 1)


def card(chooser: random.Random) -> str:
    start, length = chooser.choice([("4", 16), ("51", 16), ("37", 15), ("6011", 16), ("30", 14), ("62", 19)])
    number = start + some(chooser, string.digits, length - len(start) - 1)
    total = 0
    for place, digit in enumerate(reversed(number)):
        worth = int(digit) * (2 if place % 2 == 0 else 1)
        total += worth - 9 if worth > 9 else worth
    number += str(-total % 10)
    between = chooser.choice(["", " ", "-"])
    return between.join(number[place : place + 4] for place in range(0, length, 4))


def iban(chooser: random.Random) -> str:
    country, letters, length = chooser.choice(
        [("DE", 0, 18), ("GB", 4, 14), ("FR", 0, 23), ("NL", 4, 10), ("PK", 4, 16)]
    )
    account = some(chooser, string.ascii_uppercase, letters) + some(chooser, string.digits, length)
    as_number = "".join(str(int(sign, 36)) for sign in f"{account}{country}00")
    code = f"{country}{98 - int(as_number) % 97:02d}{account}"
    return " ".join(code[place : place + 4] for place in range(0, len(code), 4)) if chooser.random() < 0.5 else code


def token(chooser: random.Random) -> str:
    header, body, signature = (base64.urlsafe_b64encode(chooser.randbytes(24)).decode() for _ in range(3))
    return f"eyJ{header}.eyJ{body}.{signature}"


def key_file(chooser: random.Random) -> str:
    kind = chooser.choice(["RSA ", "EC ", "OPENSSH ", ""])
    body = base64.b64encode(chooser.randbytes(48)).decode()
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


def like(patterns: str) -> Callable[[random.Random], str]:
    """Makes a text like one of the patterns, which "|" parts.

    # becomes a digit, ~ a letter, * a letter or digit, each as often as a number in braces after it says; {a} and {b}
    become small letters.
    """

    def made(chooser: random.Random) -> str:
        names = {name: some(chooser, string.ascii_lowercase, 7) for name in "ab"}
        repeated = r"([#~*])\{(\d+)\}"
        pattern = re.sub(repeated, lambda found: found[1] * int(found[2]), chooser.choice(patterns.split("|")))
        signs = {"#": "123456789", "~": string.ascii_letters, "*": ALPHABET}
        filled = pattern.format(**names, A=names["a"].title())
        return re.sub("[#~*]", lambda found: chooser.choice(signs[found[0]]), filled)

    return made


def phone(chooser: random.Random) -> str:
    ways = "+91 ##### #####|+91-##########|9#########|(###) ###-####|+44 20 #### ####|0#### ######|+1.###.###.####"
    return like(ways)(chooser).translate(str.maketrans(string.digits, chooser.choice([string.digits, "०१२३४५६७८९"])))


def password(chooser: random.Random) -> str:
    name = chooser.choice(["password", "pwd", "passcode", "API key", "token", "OTP", "PIN", "पासवर्ड"])
    return name + like(": ~{4}#{4}| is ~{4}#{4}|=~{4}#{4}| hai ~{4}#{4}")(chooser)


LINKS = (
    "https://{a}.example/{b}|http://{a}.test|www.{a}.de|{a}.com|{a}.in/{b}|[{b}](//{a}.example)|<a href='{a}'>x</a>"
    "|ｈｔｔｐｓ：//{a}.example|hxxps://{a}[.]{b}|ftp://{a}.test/{b}|mailto:{a}|[1]: //{a}.example"
    "|{a}[dot]com|192.0.2.1##"
)
POST = (
    "## {A} Street|###, {A} Garden Road|flat no. ##, {A} Nagar|House No ###/# {A}|pin code ######|SW1A #AA"
    "|{A}, CA #####|P.O. Box ####|##b {A} Avenue"
)
SECRETS: dict[str, Callable[[random.Random], str]] = {
    "card": card,
    "iban": iban,
    "private key": key_file,
    "json web token": token,
    "password": password,
    "phone": phone,
    "e-mail": like("{a}@{b}.com|{a}.{b}@{b}.co.in|{a}@okbank|{a}+x@{b}.org"),
    "link": like(LINKS),
    "postal address": like(POST),
    "aws": lambda chooser: like("AKIA*{16}")(chooser).upper(),
    "aws secret": lambda chooser: base64.b64encode(chooser.randbytes(30)).decode(),
    "github": like("ghp_*{36}|gho_*{36}|ghs_*{36}"),
    "model provider": like("sk-*{40}|sk-proj-*{40}|sk-ant-api03-*{40}"),
    "google": like("AIza*{35}"),
    "slack": like("xoxb-#{11}-*{24}"),
    "payments": like("sk_live_*{24}"),
    "hugging face": like("hf_~{34}"),
    "hexadecimal": lambda chooser: some(chooser, "0123456789abcdef", chooser.choice([32, 40, 64])),
    "uuid": lambda chooser: str(uuid.UUID(int=chooser.getrandbits(128))),
    "aadhaar": like("#### #### ####"),
    "pan": lambda chooser: like("~{5}#{4}~")(chooser).upper(),
    "account": lambda chooser: digits(chooser, chooser.randrange(9, 18)),
}


def is_refused(text: str) -> bool:
    try:
        check_shared(text)
    except InputError:
        return True
    return False


def test_structured_secrets_are_not_shared() -> None:
    chooser = random.Random(20261121)  # noqa: S311
    kinds = [kind for _ in range(23) for kind in SECRETS][:500]
    made = [(kind, chooser.choice(SENTENCES).format(SECRETS[kind](chooser))) for kind in kinds]
    assert len({text for _, text in made}) == 500
    missed = [(kind, text) for kind, text in made if not is_refused(text)]
    print(f"500 secrets of {len(SECRETS)} kinds, {500 - len(missed)} refused; missed: {missed}")
    assert len(missed) <= 5


def test_harmless_clarifications_are_seldom_refused() -> None:
    """Everything that people said and meant in the data sets of the repository, questions included."""
    texts: dict[str, None] = {}
    for name in ("first", "second", "third", "fourth", "scripts"):
        for line in (DATA / f"{name}_entries.jsonl").read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            texts |= dict.fromkeys((entry["feedback"], entry["question"], entry["wrong_understanding"]))
    assert len(texts) >= 500
    alarms = [text for text in texts if is_refused(text)]
    print(f"{len(texts)} harmless texts, {len(alarms)} refused: {alarms}")
    assert len(alarms) <= len(texts) * 0.02
    for text in texts:
        check_private(text)


@pytest.mark.parametrize(
    "text",
    [
        "a ![x]\n\n[x]: https://a.test/p.png",
        '<img src="//a.test">',
        "<video poster=x>",
        "url(//a.test/x)",
        "<im\u200bg src=x>",
        "!\u200d[x](y)",
        '<table background="x">',
    ],
)
def test_pictures_from_the_web_are_not_kept(text: str) -> None:
    for check in (check_private, check_shared):
        with pytest.raises(NotKept, match=r"^This holds a picture from the web, which is not kept in memory; please"):
            check(text)


@pytest.mark.parametrize("text", ["by tag I mean the <img> tag of HTML", "a curl (the sport)", "![x] is an array", ""])
def test_for_oneself_all_else_is_kept(text: str) -> None:
    check_private(text)


def test_at_most_two_thousand_characters() -> None:
    check_private("x" * 2000)
    with pytest.raises(TooLong, match="2,001 characters long; please shorten it to 2,000"):
        check_private("x" * 2001)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("see https://a.test", "a link"),
        ("write to me@a.test", "an e-mail address or the name of an account"),
        ("my password is tiger42", "a password or a key"),
        ("4111 1111 1111 1111", "a phone number or another long number"),
        ("GB82 WEST 1234 5698 7654 32", "a phone number or another long number"),
        ("call 98765 43210", "a phone number or another long number"),
        ("I live at 10 Downing Street", "a postal address"),
    ],
)
def test_what_is_not_shared_is_named(text: str, what: str) -> None:
    check_private(text)
    with pytest.raises(NotShared) as refused:
        check_shared(text)
    assert str(refused.value) == (
        f"This holds {what}, which is not shared with everyone; please take it out and offer it again."
    )


@pytest.mark.parametrize(
    "text",
    ["from 2019-01-01 to 2020-12-31", "1,000,000 rupees", "ghar par hoon.in sab", "sk-learn", "haan/nahi/shayad"],
)
def test_what_only_looks_like_a_secret_is_shared(text: str) -> None:
    check_shared(text)


@given(st.text(st.characters(codec=None), max_size=200))
def test_whatever_is_written_is_kept_or_refused(text: str) -> None:
    for check in (check_private, check_shared):
        with suppress(InputError):
            check(text)


@pytest.mark.parametrize("piece", ["![", "[a]:", "<img ", "1a ", "a.", "a@", "url(", "password is ", "eyJ", "a-", "(("])
def test_long_repeated_pieces_take_no_time_to_speak_of(piece: str) -> None:
    """Each pattern looks at each place of a text once or a few times; with a bad one this would take minutes."""
    is_refused((piece * 2000)[:2000])
