"""Collect every regular expression of the product, with the methods that apply it.

Patterns compiled on import, or in functions without parameters, are recorded at runtime. Those of other functions are
read from the source, with a word in place of what depends on a caller. Run in its own process, it prints all as JSON.
"""

import ast
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[3]
PACKAGES = ("assistant", "memory_store", "ui")
AT_ONE_PLACE = {"match", "fullmatch"}
METHODS = {
    "compile": 1,
    **dict.fromkeys(("match", "fullmatch", "search", "findall", "finditer"), 2),
    "split": 3,
    "sub": 4,
}
"""The functions of `re`, with the place of their flags."""
ANY_WAY = ("finditer", "fullmatch", "match")
UNKNOWN = "16"  # valid as a word, within a class, and as a bound


class CollectedPattern(NamedTuple):
    """A pattern, where it is compiled, and the methods that apply it."""

    where: str
    pattern: str
    flags: int
    is_bytes: bool
    ways: tuple[str, ...]


RECORDED: defaultdict[tuple[str | None, int], set[tuple[str | bytes, int]]] = defaultdict(set)
"""Compiled patterns and their flags, by file and line."""


def record() -> None:
    """Start to record all compiled patterns."""
    compile_ = re._compile  # type: ignore[attr-defined]

    def compile_and_record(pattern: Any, flags: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_code.co_filename == re.__file__ and frame.f_back:
            frame = frame.f_back
        text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
        RECORDED[frame.f_code.co_filename, frame.f_lineno].add((text, int(flags)))
        return compile_(pattern, flags)

    re._compile = compile_and_record  # type: ignore[attr-defined]


def collect_patterns() -> Iterator[CollectedPattern]:
    """Yield the patterns of each call of `re` in the product."""
    modules = [importlib.import_module(name) for name in _module_names()]
    trees = {module: ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")) for module in modules}
    for module, tree in trees.items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            made = getattr(module, function.name, None)
            if callable(made) and "re.compile" in ast.unparse(function) and not inspect.signature(made).parameters:
                made()
    for module, tree in trees.items():
        assigned = {node.value: node.targets[0] for node in ast.walk(tree) if isinstance(node, ast.Assign)}
        local = {target.id: value for value, target in assigned.items() if isinstance(target, ast.Name)}
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or (method := ast.unparse(call.func).removeprefix("re.")) not in METHODS:
                continue
            lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
            found = set().union(*(RECORDED[module.__file__, line] for line in lines))
            ways = _ways(assigned.get(call), module, trees) if method == "compile" else _find_slowest([method])
            for pattern, flags in sorted(found or {_read(call, METHODS[method], module, local)}, key=repr):
                text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
                where = f"{Path(str(module.__file__)).relative_to(ROOT)}:{call.lineno}"
                yield CollectedPattern(where, text, flags, isinstance(pattern, bytes), ways)


def _module_names() -> Iterator[str]:
    yield "app"
    for package in map(importlib.import_module, PACKAGES):
        found = (each.name for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))
        yield from (name for name in found if not name.endswith("__main__"))


def _read(call: ast.Call, place: int, module: ModuleType, local: Mapping[str, ast.expr]) -> tuple[str | bytes, int]:
    """Return pattern and flags of a call that was not made; the flags are its argument at this place."""
    pattern = _value(call.args[0], module, local)
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"] or call.args[place:]
    text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    return text, int(_value(flags[0], module, {})) if flags else 0


def _value(node: ast.expr, module: ModuleType, local: Mapping[str, ast.expr]) -> Any:
    """Return the value of an expression, with a word in place of each part that depends on a caller."""
    try:
        return eval(compile(ast.Expression(node), str(module.__file__), "eval"), vars(module).copy())  # noqa: S307
    except (NameError, AttributeError):
        match node:
            case ast.JoinedStr(values=parts):
                return "".join(str(_value(part, module, local)) for part in parts)
            case ast.FormattedValue(value=inner):
                return _value(inner, module, local)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _value(left, module, local) + _value(right, module, local)
            case ast.Name(id=name) if name in local:
                return _value(local[name], module, local)
        return UNKNOWN


def _ways(target: ast.expr | None, module: ModuleType, trees: Mapping[ModuleType, ast.Module]) -> tuple[str, ...]:
    """Return the methods called on a compiled pattern; any method if some use is unknown."""
    if not isinstance(target, ast.Name) or target.id not in vars(module):
        return ANY_WAY
    used = list[str]()
    for tree in (tree for other, tree in trees.items() if vars(other).get(target.id) is vars(module)[target.id]):
        nodes = list(ast.walk(tree))
        calls = [
            one for one in nodes if isinstance(one, ast.Call) and ast.unparse(one.func).startswith(f"{target.id}.")
        ]
        loads = [
            one for one in nodes if isinstance(one, ast.Name) and one.id == target.id and isinstance(one.ctx, ast.Load)
        ]
        if len(calls) < len(loads):
            return ANY_WAY
        used += ["search" if len(call.args) > 1 else ast.unparse(call.func).rpartition(".")[2] for call in calls]
    return _find_slowest(used)


def _find_slowest(methods: list[str]) -> tuple[str, ...]:
    """Return the slowest of these methods: finding all matches is no faster than finding one."""
    at_one_place = AT_ONE_PLACE.intersection(methods)
    return tuple(sorted(at_one_place | ({"finditer"} if {*methods} - AT_ONE_PLACE else set())))


if __name__ == "__main__":
    record()
    print(json.dumps(list(collect_patterns())))
