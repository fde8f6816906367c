r"""Formulas in Markdown: convert TeX between `$`, `$$`, `\(` or `\[` to MathML.

The TeX library escapes nothing, and supports links and styles. So its tree is serialised here with an allow-list of
elements and attributes. Formulas that it cannot parse are shown as code.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
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


def add_maths(parser: MarkdownIt) -> None:
    """Add formulas to a Markdown parser."""
    parser.inline.ruler.before("escape", "maths", _formula)
    parser.add_render_rule("maths", _written)


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


def _written(_renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType) -> str:
    return mathml(tokens[index].content, tokens[index].meta["display"])


def _safe(element: Element) -> str:
    """Serialise an element; one that is not on the list is replaced by its content."""
    # The library writes symbols as character references.
    inner = escape(unescape(element.text or "")) + "".join(map(_safe, element))
    tail = escape(unescape(element.tail or ""))
    if element.tag not in ELEMENTS:
        return inner + tail
    attributes = "".join(
        f' {name}="{value}"' for name, value in element.attrib.items() if name in ATTRIBUTES and _VALUE.fullmatch(value)
    )
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>{tail}"
