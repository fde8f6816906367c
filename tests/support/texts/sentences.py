"""The source of Noted, read for what it says to people: so that nothing is said in one language only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]


def sources() -> Iterator[ast.Module]:
    """All source files of Noted."""
    for room in ("assistant", "memory_store", "ui"):
        for path in (ROOT / room).rglob("*.py"):
            yield ast.parse(path.read_text(encoding="utf-8"))
    yield ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))


def sentences(path: str) -> set[str]:
    """The sentences in a source file, but for docstrings and what is logged. What is filled in stands in braces."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    passed_over = {id(part) for node in ast.walk(tree) for part in _not_said(node)}
    texts = (_text(node) for node in ast.walk(tree) if id(node) not in passed_over)
    return {text.strip() for text in texts if text[:1].isupper() and " " in text and text.rstrip().endswith(".")}


def _not_said(node: ast.AST) -> Iterator[ast.AST]:
    is_logged = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("_log.")
    if is_logged or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield from ast.walk(node)
    elif isinstance(node, ast.JoinedStr):
        yield from (part for part in ast.walk(node) if part is not node)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
