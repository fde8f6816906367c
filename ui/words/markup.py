"""Convert a model's Markdown to HTML that loads nothing and runs nothing.

HTML other than `<br>` is escaped, images become their description, links allow http and https only, and TeX becomes
MathML. The page copies the result through its own allow-list and asks before it follows a link
(`ui/static/conversation/markup.js`).
"""

import re
from collections.abc import Sequence
from copy import deepcopy
from functools import cache, lru_cache
from html import escape, unescape
from xml.etree.ElementTree import Element

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

ELEMENTS = frozenset((
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder",
    "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom",
))  # fmt: skip
ATTRIBUTES = frozenset((
    "display", "mathvariant", "stretchy", "fence", "form", "separator", "accent", "accentunder", "largeop",
    "movablelimits", "symmetric", "lspace", "rspace", "minsize", "maxsize", "width", "height", "depth", "linethickness",
    "displaystyle", "scriptlevel", "columnalign", "linebreak",
))  # fmt: skip
_VALUE = re.compile(r"[\w. %+-]{1,40}")
_LONGEST = 1_000  # characters; bounds the search for a closing mark
# A dollar sign is money unless it touches the formula and no digit follows.
_FORMULA = re.compile(
    rf"\$\$(?P<display>.{{1,{_LONGEST}}}?)\$\$|\\\[(?P<bracketed>.{{1,{_LONGEST}}}?)\\\]"
    rf"|\\\((?P<inline>.{{1,{_LONGEST}}}?)\\\)|\$(?![\s$])(?P<dollars>(?:[^$\\]|\\.){{1,{_LONGEST}}}?)(?<!\s)\$(?!\d)",
    re.DOTALL,
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_HEADINGS = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6"}


def safe_markup(markdown: str) -> str:
    r"""Convert Markdown to HTML that is safe to insert into the page.

    >>> safe_markup("**fast** <b>")
    '<p><strong>fast</strong> &lt;b&gt;</p>\n'
    """
    return str(_parser().render(markdown))


class GrowingMarkup:
    """Incremental markup of a growing text: only its last blocks are rendered again.

    It differs from the markup of the whole text in two cases: references that are defined after their use, and a table
    followed only by unusual white space.
    """

    def __init__(self) -> None:
        self._read = ""
        self._markup = ""
        self._references: dict[str, object] = {}

    def __call__(self, markdown: str) -> str:
        """Return the HTML of the text so far, which extends the text of the previous call."""
        rest = markdown.removeprefix(self._read)
        references = deepcopy(self._references)
        tokens = _parser().parse(rest, references)
        lines = _LINE.findall(rest)
        blocks = (token.map[0] for token in reversed(tokens) if token.level == 0 and token.map)
        last = next((line for line in blocks if _starts_separate_block(lines, line)), 0)
        if last:
            settled = "".join(lines[:last])
            self._markup += _parser().render(settled, self._references)
            self._read += settled
            references = deepcopy(self._references)
            tokens = _parser().parse("".join(lines[last:]), references)
        return self._markup + str(_parser().renderer.render(tokens, _parser().options, references))


def _starts_separate_block(lines: Sequence[str], line: int) -> bool:
    """Return True if no further text can join the block that begins in this line to the one before.

    No paragraph continues after an empty line, but an unfinished line may become any block.
    """
    return 0 < line < len(lines) and not lines[line - 1].strip() and lines[line].endswith(("\r", "\n"))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: url.lower().startswith(("http://", "https://"))  # type: ignore[method-assign]
    parser.inline.ruler.before("escape", "maths", _formula)
    parser.add_render_rule(
        "maths", lambda _self, tokens, at, *_: mathml(tokens[at].content, tokens[at].meta["display"])
    )
    parser.inline.ruler.before("autolink", "line_break", _line_break)
    parser.add_render_rule("image", _description)
    parser.add_render_rule("heading_open", _smaller_heading)
    parser.add_render_rule("heading_close", _smaller_heading)
    return parser


def _line_break(state: StateInline, silent: bool) -> bool:
    """Parse `<br>` as a line break, the only way to break a line in a table cell."""
    found = _BREAK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = found.end()
    return True


def _description(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    described = tokens[index].content
    return f"[picture: {escape(described)}]" if described else "[picture]"


def _smaller_heading(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """Render headings of an answer below those of the page."""
    token = tokens[index]
    token.tag = _HEADINGS.get(token.tag, token.tag)
    return str(renderer.renderToken(tokens, index, options, env))


@lru_cache(maxsize=2_048)
def mathml(tex: str, display: str) -> str:
    """Return the MathML of a formula without delimiters, `block` or `inline`; as code if it cannot be parsed."""
    from latex2mathml.converter import convert_to_element  # loads a table of symbols that the first page does not need

    try:
        return _safe(convert_to_element(tex, display=display))
    except Exception:  # it may raise anything on input of a model
        return f"<code>{escape(tex)}</code>"


def _formula(state: StateInline, silent: bool) -> bool:
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None or not (tex := found[found.lastgroup or 0].strip()):
        return False
    if not silent:
        token = state.push("maths", "math", 0)
        token.content = tex
        token.meta["display"] = "block" if found.lastgroup in {"display", "bracketed"} else "inline"
    state.pos = found.end()
    return True


def _safe(element: Element) -> str:
    """Serialise an element that the TeX library made; the library escapes nothing, and supports links and styles.

    An element that is not in `ELEMENTS` is replaced by its content. The library writes symbols as character references.
    """
    inner = escape(unescape(element.text or "")) + "".join(map(_safe, element))
    tail = escape(unescape(element.tail or ""))
    if element.tag not in ELEMENTS:
        return inner + tail
    attributes = "".join(
        f' {name}="{value}"' for name, value in element.attrib.items() if name in ATTRIBUTES and _VALUE.fullmatch(value)
    )
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>{tail}"
