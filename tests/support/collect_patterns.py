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
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
AT_ONE_PLACE = {"match", "fullmatch"}
# The functions of `re`, with the place of their flags.
METHODS = {"compile": 1, "match": 2, "fullmatch": 2, "search": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4}
UNKNOWN = "16"  # valid as a word, within a class, and as a bound
RECORDED: defaultdict[tuple[str | None, int], set[tuple[str | bytes, int]]] = defaultdict(set)
"""Compiled patterns and their flags, by file and line."""


def record() -> None:
    """Start to record all compiled patterns."""
    compile_ = re._compile  # type: ignore[attr-defined]

    def compile_and_record(pattern: Any, flags: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_code.co_filename == re.__file__ and frame.f_back:
            frame = frame.f_back
        RECORDED[frame.f_code.co_filename, frame.f_lineno].add((getattr(pattern, "pattern", pattern), int(flags)))
        return compile_(pattern, flags)

    re._compile = compile_and_record  # type: ignore[attr-defined]


def collect_patterns() -> Iterator[tuple[str, str, int, bool, list[str]]]:
    """Yield the pattern of each call of `re` in the product: place, text, flags, whether of bytes, and methods."""
    packages = map(importlib.import_module, ("assistant", "memory_store", "ui"))
    names = [
        found.name for one in packages for found in pkgutil.walk_packages(one.__path__, f"{one.__name__}.")
    ]  # fmt: skip
    modules = [importlib.import_module(name) for name in ["app", *names] if not name.endswith("__main__")]
    trees = {module: ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")) for module in modules}
    for module, tree in trees.items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            made = getattr(module, function.name, None)
            if callable(made) and "re.compile" in ast.unparse(function) and not inspect.signature(made).parameters:
                made()
    used = _methods_by_pattern(trees)
    for module, tree in trees.items():
        assigned = {node.value: node.targets[0] for node in ast.walk(tree) if isinstance(node, ast.Assign)}
        local = {target.id: value for value, target in assigned.items() if isinstance(target, ast.Name)}
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or (method := ast.unparse(call.func).removeprefix("re.")) not in METHODS:
                continue
            lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
            found = set().union(*(RECORDED[module.__file__, line] for line in lines))
            if method == "compile":
                pattern_of = vars(module).get(getattr(assigned.get(call), "id", ""))
                methods = used.get(id(pattern_of), {*METHODS}) if pattern_of else {*METHODS}
            else:
                methods = {method}
            ways = sorted((methods & AT_ONE_PLACE) | ({"finditer"} if methods - AT_ONE_PLACE else set()))
            for pattern, flags in sorted(found or {_read(call, METHODS[method], module, local)}, key=repr):
                text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
                where = f"{Path(str(module.__file__)).relative_to(ROOT)}:{call.lineno}"
                yield where, text, flags, isinstance(pattern, bytes), ways


def _methods_by_pattern(trees: Mapping[ModuleType, ast.Module]) -> Mapping[int, set[str]]:
    """Return the methods called on each object of a module, by `id`; objects also used otherwise are left out."""
    loads, methods = Counter[int](), defaultdict[int, list[str]](list)
    for module, tree in trees.items():
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=name, ctx=ast.Load()) if name in vars(module):
                    loads[id(vars(module)[name])] += 1
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=args) if name in vars(
                    module
                ):
                    methods[id(vars(module)[name])].append("search" if len(args) > 1 else method)
    return {key: {*called} for key, called in methods.items() if len(called) == loads[key]}


def _read(call: ast.Call, place: int, module: ModuleType, local: Mapping[str, ast.expr]) -> tuple[str | bytes, int]:
    """Return pattern and flags of a call that was not made; the flags are its argument at this place."""
    pattern = _value(call.args[0], module, local)
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"] or call.args[place:]
    return getattr(pattern, "pattern", pattern), int(_value(flags[0], module, {})) if flags else 0


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
            case ast.Name(id=name) if name in local:
                return _value(local[name], module, local)
        return UNKNOWN


if __name__ == "__main__":
    record()
    print(json.dumps(list(collect_patterns())))
