"""Content rules for private and shared entries.

A private entry may have up to 2,000 characters and no web images, because displaying them would contact other sites. A
shared entry also may not have links, addresses or secrets. When in doubt, the patterns refuse: any number of nine
digits could be a phone number. Patterns cannot find everything, so a curator reviews every shared entry.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable

from assistant.errors import InputError, NotKept, TooLong
from assistant.sentences import Sentence
from assistant.text.cleaning import clean_for_prompt

LONGEST_TEXT = 2000
"""Maximum characters of the text of an entry."""

_LOADING_TAGS = "audio|body|embed|iframe|image|img|input|link|object|picture|script|source|svg|table|td|track|video"
# A match ends where the next image or tag could start, so that the search takes linear time.
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

# Top-level domains of addresses without a scheme. Domains that are also words match only with a path.
_ENDINGS = "app|biz|ca|cn|co|com|dev|edu|eu|gov|info|io|link|ly|net|online|org|pk|ru|shop|site|tk|top|tv|uk|xyz"
_ENDINGS_WITH_PATH = "ai|am|at|be|de|fm|gg|gl|in|is|it|me|so|to|us"
_LINK = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://|\bhxxps?:|\b(?:mailto|javascript|data|tel|magnet|intent):\S|\bwww\.\w"
    rf"|\w-*(?:\s?(?:\[dot\]|\(dot\))\s?|\.)(?:{_ENDINGS})(?![\w-]|\.\w*[A-Z])"
    rf"|\w[.-]*\.(?:{_ENDINGS_WITH_PATH})/\w|\]\(\s*\S|^{_DEFINED}\s*\S|\bhref\s*="
    r"|\b(?:\d{1,3}\.){3}\d{1,3}\b",
    re.IGNORECASE | re.MULTILINE,
)
# Email addresses and payment ids (name@bank).
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
# A long number with separators, or an IBAN, which starts with letters.
_NUMBER = re.compile(
    r"(?<!\w)\+?\(?\d(?:[ .()/-]{0,2}\d){6,30}(?!\w)"
    r"|\b[A-Z]{2}\d\d ?(?:[A-Z]{4} ?)?\d(?:[ -]?\d){7,25}\b",
    re.IGNORECASE,
)
_DATES = re.compile(
    r"\b(?:19|20)\d\d(?:[./-]\d{1,2}[./-]\d{1,2}|\s?[-–/]\s?(?:19|20)?\d\d)\b|\b\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d\b"
)
_LEAST_DIGITS = 9

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
_LEAST_BITS = 3.2  # entropy per character; long words have about 3


def check_private(text: str) -> None:
    """Check a private entry. Raises TooLong (2,000 characters), or NotKept for a web image."""
    if len(text) > LONGEST_TEXT:
        raise TooLong(len(text), LONGEST_TEXT)
    text = clean_for_prompt(text)
    named = _NAMED_PICTURE.search(text)  # ![name], with [name]: address below
    if _PICTURE.search(text) or (named and _ADDRESS_BELOW.search(text, named.end())):
        raise NotKept("holds.picture")


def check_shared(text: str) -> None:
    """Check a shared entry. Raises InputError for a link, an address or a secret, and the errors of `check_private`."""
    check_private(text)
    # Normalise full-width letters and the digits of all scripts, so that the patterns match them.
    text = unicodedata.normalize("NFKC", clean_for_prompt(text))
    text = "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in text)
    for what, holds in _NOT_FOR_EVERYONE:
        if holds(text):
            raise InputError("not_shared", what=Sentence(what))


def _holds_secret(text: str) -> bool:
    """Return True if a text has a key, a named secret, or a long word of letters and digits with high entropy."""
    named = (found["value"].rstrip(".,!?") for found in _NAMED_SECRET.finditer(text))
    if _KEY.search(text) or any(re.search(r"[\W\d_]", value) for value in named):
        return True
    for word in _LONG_WORD.findall(text):
        shares = [count / len(word) for count in Counter(word).values()]
        is_mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
        if is_mixed and -sum(share * math.log2(share) for share in shares) > _LEAST_BITS:
            return True
    return False


def _holds_number(text: str) -> bool:
    """Return True if a text has a number long enough for a phone, card or account number."""
    return any(
        sum(map(str.isdigit, found[0])) >= (7 if found[0].startswith("+") else _LEAST_DIGITS)
        for found in _NUMBER.finditer(_DATES.sub(" ", text))
    )


_NOT_FOR_EVERYONE: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("holds.link", _LINK.search),
    ("holds.mail", _MAIL.search),
    ("holds.secret", _holds_secret),
    ("holds.number", _holds_number),
    ("holds.address", _POST.search),
)
