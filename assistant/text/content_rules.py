"""What an entry may not carry, because no clarification has a use for it: for oneself, and when shared with everyone.

For oneself: more than 2,000 characters, and pictures from the web, which a page or a model's answer could be made to
load. Shared with everyone, also links, addresses and secrets, which lead others somewhere or give somebody away. What
is refused says why, so that a person can take it out. The patterns lean to refusing: a number of nine digits is one
that somebody can be called or charged by, whatever it was meant to be. No list of patterns finds all; that a curator
sees what is shared before others do counts for more. Pure.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator

from assistant.errors import NotKept, NotShared, TooLong
from assistant.text.cleaning import for_prompt

LONGEST_TEXT = 2000
"""Characters of what an entry says."""

_LOADING_TAGS = "audio|body|embed|iframe|image|img|input|link|object|picture|script|source|svg|table|td|track|video"
# What opens runs to its end or to where the next of its kind opens, so that no part of a text is looked through twice.
_ALT = r"!\[(?:[^]!]|!(?!\[))"
_TAG = rf"<\s*(?:{_LOADING_TAGS})\b"
_DEFINED = r"\s{0,3}\[(?:[^]\n]|\n(?!\s{0,3}\[))+\]:"  # [name]: address
_PICTURE = re.compile(
    rf"{_ALT}*\]\s?[(\[]"  # ![a](address), ![a][name]
    rf"|{_TAG}(?:[^<>]|(?!{_TAG})<)*\b(?:src|srcset|href|data|poster|background|style)\s*="
    r"|\burl\s*\(\s*(?:['\"]\s*)?(?:https?:)?//",
    re.IGNORECASE,
)
_NAMED_PICTURE, _ADDRESS_BELOW = re.compile(rf"{_ALT}+\]"), re.compile(rf"\n{_DEFINED}")

# Endings of bare addresses. Some that are also words count only with a path behind them.
_ENDINGS = "app|biz|ca|cn|co|com|dev|edu|eu|gov|info|io|link|ly|net|online|org|pk|ru|shop|site|tk|top|tv|uk|xyz"
_ENDINGS_WITH_PATH = "ai|am|at|be|de|fm|gg|gl|in|is|it|me|so|to|us"
_LINK = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://|\bhxxps?:|\b(?:mailto|javascript|data|tel|magnet|intent):\S|\bwww\.\w"
    rf"|\w-*(?:\s?(?:\[dot\]|\(dot\))\s?|\.)(?:{_ENDINGS})(?![\w-]|\.\w*[A-Z])"
    rf"|\w[.-]*\.(?:{_ENDINGS_WITH_PATH})/\w|\]\(\s*\S|^{_DEFINED}\s*\S|\bhref\s*="
    r"|\b(?:\d{1,3}\.){3}\d{1,3}\b",
    re.IGNORECASE | re.MULTILINE,
)
# Names at a provider, payment names included (name@bank).
_MAIL = re.compile(r"[\w.+-](?:@|\s?(?:\[at\]|\(at\))\s?)[a-z]|\w\s@\s\w+\.\w", re.IGNORECASE)
_STREETS = (
    "street|str|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|court|crescent|close|terrace|highway|parkway"
    "|nagar|marg|colony|gali|vihar|enclave|chowk|bazar|bazaar|mohalla"
)
_NO_STREET_NAMES = "and|are|at|by|down|for|from|in|is|my|of|on|one|or|our|that|the|this|to|was|with|your"
_POST = re.compile(
    rf"\b\d{{1,5}}[a-z]?,?\s+(?:(?!(?:{_NO_STREET_NAMES})\b)[\w'.-]+\s+){{1,3}}(?:{_STREETS})\b"
    r"|\b(?:flat|house|plot|apartment|apt|suite|unit|door)\s*(?:no\.?|number|#)\s*\d+[a-z]?\s*[,/-]"
    r"|\b(?:p\.?\s?o\.?\s?box|pin\s?code|postcode|post\s?code|zip(?:\s?code)?)\s*(?:[:#-]\s*)?\w*\d"
    r"|(?-i:\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b|\b[A-Z]{2}\s\d{5}(?:-\d{4})?\b)",
    re.IGNORECASE,
)
# Ways in which digits of one number are written apart.
_NUMBER = re.compile(r"(?<!\w)\+?\(?\d(?:[ .()/-]{0,2}\d){6,30}(?!\w)")
_DATES = re.compile(
    r"\b(?:19|20)\d\d(?:[./-]\d{1,2}[./-]\d{1,2}|\s?[-–/]\s?(?:19|20)?\d\d)\b|\b\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d\b"
)
_LEAST_DIGITS = 9
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b")

_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File|\bssh-(?:rsa|ed25519|dss) AAAA"
    r"|\b(?:A3T[A-Z0-9]|AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\bya29\.[\w-]{10,}"
    r"|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[a-z]-[\w-]{10,}|\bxapp-[\w-]{10,}"
    r"|\b[prs]k_(?:live|test)_\w{10,}|\bwhsec_\w{10,}|\bsk-[\w-]{16,}|\bhf_[A-Za-z]{20,}|\bnpm_\w{30,}|\bpypi-[\w-]{16,}"
    r"|\bSG\.[\w-]{10,}\.[\w-]{10,}|\b(?:AC|SK)[0-9a-f]{32}\b|\b\d{8,10}:[\w-]{30,}|\beyJ[\w-]{8,500}\.[\w-]{8,}"
    r"|\b[0-9a-f]{32,}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[A-Z]{5}\d{4}[A-Z]\b"
)
_NAMED_SECRET = re.compile(
    r"(?:\b(?:password|passwd|passcode|pass\s?phrase|pwd|pin|otp|cvv|cvc|secret|token|credentials?|api[ _-]?key|login)"
    r"|पासवर्ड|ਪਾਸਵਰਡ|پاس\s?ورڈ)\s*(?:is|was|hai|h|da|ka|है|ਹੈ|ہے|[:=–-])+\s*(?P<value>\S{4,})",
    re.IGNORECASE,
)
_LONG_WORD = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_LEAST_BITS = 3.2  # for each character; words that people write in one have about 3


def check_private(text: str) -> None:
    """What an entry of one's own may say. Raises TooLong (2,000 characters), and NotKept: a picture from the web."""
    if len(text) > LONGEST_TEXT:
        raise TooLong(len(text), LONGEST_TEXT)
    if _holds_picture(for_prompt(text)):
        raise NotKept("holds.picture")


def check_shared(text: str) -> None:
    """What an entry that is shared with everyone may say. Raises also NotShared: a link, an address or a secret."""
    check_private(text)
    text = _comparable(text)
    for what, holds in _NOT_FOR_EVERYONE:
        if holds(text):
            raise NotShared(what)


def _holds_picture(text: str) -> bool:
    named = _NAMED_PICTURE.search(text)  # ![name], with [name]: address below
    return bool(_PICTURE.search(text) or (named and _ADDRESS_BELOW.search(text, named.end())))


def _comparable(text: str) -> str:
    """Letters and digits of any width or script, as the patterns know them."""
    text = unicodedata.normalize("NFKC", for_prompt(text))
    return "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in text)


def _holds_secret(text: str) -> bool:
    if _KEY.search(text):
        return True
    if any(re.search(r"[\W\d_]", found["value"].rstrip(".,!?")) for found in _NAMED_SECRET.finditer(text)):
        return True
    return any(_looks_random(found[0]) for found in _LONG_WORD.finditer(text))


def _looks_random(word: str) -> bool:
    """Whether a long word is made of letters and digits, and no two of them come much more often than the others."""
    kinds = sum(any(map(is_kind, word)) for is_kind in (str.islower, str.isupper, str.isdigit))
    counts = Counter(word).values()
    bits = -sum(count / len(word) * math.log2(count / len(word)) for count in counts)
    return kinds >= 2 and any(map(str.isdigit, word)) and bits > _LEAST_BITS


def _numbers(text: str) -> Iterator[str]:
    """The digits of each number that is long enough to belong to somebody."""
    for found in _NUMBER.finditer(_DATES.sub(" ", text)):
        digits = re.sub(r"\D", "", found[0])
        if len(digits) >= (7 if found[0].startswith("+") else _LEAST_DIGITS):
            yield digits


def _is_card(digits: str) -> bool:
    """Whether the last digit is that of a card number (Luhn)."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return 13 <= len(digits) <= 19 and sum(map(sum, (divmod(number, 10) for number in doubled))) % 10 == 0


def _is_account(code: str) -> bool:
    """Whether some beginning of it is an international account number (IBAN, remainder 1 by 97)."""
    code = re.sub("[ -]", "", code)
    for length in range(15, len(code) + 1):
        turned = code[4:length] + code[:4]
        has_number = sum(map(str.isdigit, turned)) >= _LEAST_DIGITS
        if has_number and int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1:
            return True
    return False


_NOT_FOR_EVERYONE: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("holds.link", _LINK.search),
    ("holds.mail", _MAIL.search),
    ("holds.secret", _holds_secret),
    ("holds.card", lambda text: any(map(_is_card, _numbers(text)))),
    ("holds.account", lambda text: any(_is_account(found[0]) for found in _ACCOUNT.finditer(text.upper()))),
    ("holds.number", lambda text: next(_numbers(text), None)),
    ("holds.address", _POST.search),
)
