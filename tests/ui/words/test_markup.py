"""Markup of a model's Markdown loads and runs nothing; while it grows, it equals that of the whole text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui.words.markup import ATTRIBUTES, ELEMENTS, GrowingMarkup, safe_markup

TAGS = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "h5", "h6",
    "table", "thead", "tbody", "tr", "th", "td", "a",
} | ELEMENTS  # fmt: skip
PIECES = [
    "<", ">", "!", "[", "](", ")", "`", "\n", "*", "|", "-", "javascript:", "a", "$", "$$", "\\(", "\\)", "\\text{",
    "\\href{", "\\style{", "\\frac", "}", '"', "&lt;",
]  # fmt: skip


@pytest.mark.parametrize(("markdown", "html"), [
    ("**fast**", "<p><strong>fast</strong></p>\n"),
    ("# Big", "<h3>Big</h3>\n"),
    ("<b>bold</b>", "<p>&lt;b&gt;bold&lt;/b&gt;</p>\n"),
    ("![a <b>](https://attacker.test/x.png)", "<p>[picture: a &lt;b&gt;]</p>\n"),
    ("![a][1]\n\n[1]: https://attacker.test/x.png", "<p>[picture: a]</p>\n"),
    ("[name](https://example.test)", '<p><a href="https://example.test">name</a></p>\n'),
    ("[name](javascript:alert(1))", "<p>[name](javascript:alert(1))</p>\n"),
    ("one<br>two<BR />three`<br>` <br x>", "<p>one<br />\ntwo<br />\nthree<code>&lt;br&gt;</code> &lt;br x&gt;</p>\n"),
])  # fmt: skip
def test_markdown_becomes_inert_markup(markdown: str, html: str) -> None:
    assert safe_markup(markdown) == html


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_only_known_tags_come_out(markdown: str) -> None:
    html = safe_markup(markdown)
    named = set(re.findall(r' ([a-z]+)="', "".join(re.findall(r"<[^<>]+>", html))))
    assert named <= ATTRIBUTES | {"href", "title", "start", "class"}
    assert {tag.lower() for tag in re.findall(r"<\s*/?\s*([^\s/>]+)", html)} <= TAGS
    assert all(
        not address or address.startswith(("http://", "https://"))
        for address in re.findall(r'(?:href|src)="([^"]*)"', html)
    )


@pytest.mark.parametrize(("markdown", "html"), [
    ("so $x^2$.", "so <math display=\"inline\"><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math>."),
    (r"\(a\)", '<math display="inline"><mrow><mi>a</mi></mrow></math>'),
    ("$$\na\n$$", '<math display="block"><mrow><mi>a</mi></mrow></math>'),
    ("$5 and $10; 5 $ and 10 $", "$5 and $10; 5 $ and 10 $"),
    ("`$a$`", "<code>$a$</code>"),
    (r"$\frac$", r"<code>\frac</code>"),
    (r"$\text{<script>alert(1)</script>}$", '<math display="inline"><mrow><mtext>&lt;script&gt;alert(1)&lt;/script&gt;'
                                             "</mtext></mrow></math>"),
    (r"$\href{javascript:x}{x}$", '<math display="inline"><mrow><mrow><mrow><mi>x</mi></mrow></mrow></mrow></math>'),
])  # fmt: skip
def test_formulas_become_mathml(markdown: str, html: str) -> None:
    assert safe_markup(markdown) == f"<p>{html}</p>\n"


GROWING = st.sampled_from([
    "\n", "\n\n", "a ", "**b** ", "- x", "1. y", "```\n", "    c", "> q", "# h\n", "===\n", "---\n", "$$", "\\[", "\\]",
    "| a | b |\n|---|---|\n", "[z](http://q.w)", "[z]", "\\", "`", "\r\n",
    "```", "1", ". y", "-", " x", "|",
])  # fmt: skip


@settings(max_examples=40)
@given(st.lists(GROWING, max_size=20))
def test_growing_markup_is_that_of_the_whole(pieces: list[str]) -> None:
    growing = GrowingMarkup()
    for end in range(1, len(pieces) + 1):
        text = "".join(pieces[:end])
        assert growing(text) == safe_markup(text)


def test_growing_address_is_not_kept() -> None:
    text = "[a]: http://x.example/long\n\nsee [a]\n\nand [a]\n\nend"
    growing = GrowingMarkup()
    for end in range(1, len(text)):
        growing(text[:end])
    assert growing(text) == safe_markup(text)
    assert 'href="http://x.example/long"' in growing(text)
