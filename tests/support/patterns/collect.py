"""Collect every regular expression of the product, with the methods that apply it.

Patterns compiled on import, or in functions without parameters, are recorded at runtime. For other functions, the
source is read, with a word in place of unknown parts. Run as a program in its own process, it prints all as JSON.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[3]
PACKAGES = ("assistant", "memory_store", "ui")
AT_ONE_PLACE = {"match", "fullmatch"}
APPLYING = AT_ONE_PLACE | {"search", "sub", "subn", "split", "findall", "finditer"}
ANY_WAY = ("finditer", "fullmatch", "match")
UNKNOWN = "16"  # valid as a word, within a class, and as a bound


class CollectedPattern(NamedTuple):
    """A pattern, where it is compiled, and the methods that apply it."""

    where: str
    pattern: str
    flags: int
    is_bytes: bool
    ways: tuple[str, ...]


Compiled = tuple[str | bytes, int]
Recorded = dict[tuple[str, int], set[Compiled]]


def record() -> Recorded:
    """Start to record all compiled patterns, by file and line."""
    compile_, recorded = re._compile, Recorded()  # type: ignore[attr-defined]

    def compile_and_record(pattern: Any, flags: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_code.co_filename == re.__file__ and frame.f_back:
            frame = frame.f_back
        text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
        recorded.setdefault((frame.f_code.co_filename, frame.f_lineno), set()).add((text, int(flags)))
        return compile_(pattern, flags)

    re._compile = compile_and_record  # type: ignore[attr-defined]
    return recorded


def load_modules() -> Iterator[ModuleType]:
    yield importlib.import_module("app")
    for package in map(importlib.import_module, PACKAGES):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


def collect_patterns() -> list[CollectedPattern]:
    recorded = record()
    sources = {module: Source(module) for module in load_modules()}
    for source in sources.values():
        source.call_makers()
    return [each for source in sources.values() for each in source.collected(recorded, list(sources.values()))]


class Source:
    """Source of a module, with the calls that compile and use patterns."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.file = module, str(module.__file__)
        self.tree = ast.parse(Path(self.file).read_text(encoding="utf-8"))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.sites = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call) and _is_of_re(node.func)]

    def call_makers(self) -> None:
        """Call each function without parameters that compiles a pattern."""
        for name in {self._function(site) for site in self.sites}:
            made = getattr(self.module, name, None)
            if made is not None and not inspect.signature(made).parameters:
                made()

    def collected(self, recorded: Recorded, all_sources: list[Source]) -> Iterator[CollectedPattern]:
        for site in self.sites:
            lines = range(site.lineno, (site.end_lineno or site.lineno) + 1)
            found = set[Compiled]().union(*(recorded.get((self.file, line), set()) for line in lines))
            where = f"{Path(self.file).relative_to(ROOT)}:{site.lineno}"
            for pattern, flags in sorted(found or {self._read(site)}, key=repr):
                text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
                yield CollectedPattern(where, text, flags, isinstance(pattern, bytes), self._ways(site, all_sources))

    def _function(self, node: ast.AST) -> str:
        while node in self.parents and not isinstance(node, ast.FunctionDef):
            node = self.parents[node]
        return node.name if isinstance(node, ast.FunctionDef) else ""

    def _read(self, site: ast.Call) -> Compiled:
        """Return the pattern of a call that was not made; fail if it depends on a caller."""
        assert isinstance(site.func, ast.Attribute)
        flags = site.args[1] if site.func.attr == "compile" and len(site.args) > 1 else None
        flags = next((keyword.value for keyword in site.keywords if keyword.arg == "flags"), flags)
        text = self._text(site.args[0])
        if text is None:
            raise AssertionError(
                f"{self.file}:{site.lineno}: no test can read this pattern; compile it with its module"
            )
        return text, int(self._value(flags)) if flags else 0

    def _text(self, node: ast.expr) -> str | bytes | None:
        if isinstance(node, ast.JoinedStr):
            parts = (self._value(part) if isinstance(part, ast.Constant) else self._part(part) for part in node.values)
            return "".join(parts)
        value = self._value(node)
        text: str | bytes | None = value.pattern if isinstance(value, re.Pattern) else value
        return text

    def _part(self, node: ast.expr) -> str:
        assert isinstance(node, ast.FormattedValue)
        value = self._value(node.value)
        return UNKNOWN if value is None else str(value)

    def _value(self, node: ast.expr) -> Any:
        try:
            return eval(compile(ast.Expression(node), self.file, "eval"), vars(self.module).copy())  # noqa: S307
        except NameError:
            return None

    def _ways(self, site: ast.Call, all_sources: list[Source]) -> tuple[str, ...]:
        """Return the methods that apply a pattern; any method if some use is unknown."""
        assert isinstance(site.func, ast.Attribute)
        if site.func.attr != "compile":
            return _find_slowest([site.func.attr])
        assigned = self.parents[site]
        if not isinstance(assigned, ast.Assign) or not isinstance(name := assigned.targets[0], ast.Name):
            return ANY_WAY
        used = [use for source in all_sources for use in source.uses(name.id, self)]
        return ANY_WAY if None in used else _find_slowest([use for use in used if use])

    def uses(self, name: str, of: Source) -> Iterator[str | None]:
        """Yield the methods of a pattern called here; None for any other use."""
        if vars(self.module).get(name) is not vars(of.module)[name]:
            return
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                yield self._use(node)

    def _use(self, node: ast.Name) -> str | None:
        method = self.parents[node]
        if not isinstance(method, ast.Attribute) or method.attr not in {*APPLYING, "pattern"}:
            return None
        call = self.parents[method]
        is_from_a_place = isinstance(call, ast.Call) and call.func is method and len(call.args) > 1
        return "search" if is_from_a_place and method.attr in AT_ONE_PLACE else method.attr


def _find_slowest(methods: list[str]) -> tuple[str, ...]:
    """Return the slowest of these methods: finding all matches is no faster than finding one."""
    at_one_place = AT_ONE_PLACE.intersection(methods)
    return tuple(sorted(at_one_place | ({"finditer"} if set(methods) & APPLYING - AT_ONE_PLACE else set())))


def _is_of_re(function: ast.expr) -> bool:
    is_of_re = (
        isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"
    )
    return is_of_re and isinstance(function, ast.Attribute) and function.attr in {*APPLYING, "compile"}


if __name__ == "__main__":
    print(json.dumps(collect_patterns()))
