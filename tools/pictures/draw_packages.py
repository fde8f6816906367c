"""Draw the packages of the code: `python -m tools.pictures.draw_packages` writes docs/pictures/rooms.svg.

It shows the layers of import-linter (`pyproject.toml`), the highest on top, with the first sentence of each package's
docstring. Positions are computed.
"""

import ast
import textwrap
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "pictures" / "rooms.svg"
PACKAGES = ("evaluation", "ui", "memory_store", "assistant")
"""From the outside inwards: each may import those to its right, but ui and memory_store not each other."""

_WIDTH, _GAP, _MARGIN = 380, 24, 20
_LINE, _LETTER = 15, 7  # height and width of text
_STYLE = (
    "text{font-family:system-ui,sans-serif;font-size:12px;fill:#334155}.name{font-size:14px;font-weight:600;fill:#0f172a}"
    ".package{font-size:18px;font-weight:700;fill:#0f766e}rect{fill:#f8fafc;stroke:#94a3b8}.ground{fill:#fff;stroke:none}"
)


def read_layers(package: str) -> list[list[str]]:
    """Return the subpackages of a package by layer, the highest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    found = next(one for one in contracts if one["type"] == "layers" and one.get("containers") == [package])
    return [[room.strip(" ()") for room in layer.replace(":", "|").split("|")] for layer in found["layers"]]


def read_summary(package: str, room: str) -> str:
    """Return the first sentence of the docstring of a subpackage or file."""
    folder = ROOT / package / room
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return told.split("\n\n")[0].replace("\n", " ").split(". ")[0].rstrip(".")


def render_picture() -> str:
    """Return the picture as SVG."""
    columns = [_render_column(package, number) for number, package in enumerate(PACKAGES)]
    width = len(PACKAGES) * (_WIDTH + _GAP) - _GAP + 2 * _MARGIN
    height = max(bottom for _, bottom in columns) + _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        f"<title>The rooms of the code: a room imports those below it, a package those to its right</title>\n"
        f'<style>{_STYLE}</style>\n<rect class="ground" width="{width}" height="{height}"/>\n'
        + "\n".join(drawn for drawn, _ in columns)
        + "\n</svg>\n"
    )


def _render_column(package: str, number: int) -> tuple[str, int]:
    """Return the SVG of a package, and its lower edge."""
    left, top = _MARGIN + number * (_WIDTH + _GAP), _MARGIN + 64
    parts = [
        f'<text class="package" x="{left}" y="{_MARGIN + 18}">{package}/</text>',
        *_render_lines(textwrap.wrap(read_summary(package, ""), _WIDTH // _LETTER), left, _MARGIN + 36),
    ]
    for layer in read_layers(package):
        width = (_WIDTH - (len(layer) - 1) * 6) // len(layer)
        wrapped = [
            textwrap.wrap(read_summary(package, room), (width - 16) // _LETTER, break_long_words=False)
            for room in layer
        ]
        height = 30 + _LINE * max(map(len, wrapped))
        for place, (room, lines) in enumerate(zip(layer, wrapped, strict=True)):
            x = left + place * (width + 6)
            parts.append(f'<rect x="{x}" y="{top}" width="{width}" height="{height}" rx="6"/>')
            parts.append(f'<text class="name" x="{x + 10}" y="{top + 19}">{room}</text>')
            parts += _render_lines(lines, x + 10, top + 36)
        top += height + 6
    return "\n".join(parts), top


def _render_lines(lines: list[str], x: int, y: int) -> list[str]:
    return [f'<text x="{x}" y="{y + row * _LINE}">{escape(line)}</text>' for row, line in enumerate(lines)]


if __name__ == "__main__":
    PICTURE.write_text(render_picture(), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))
