"""No user's data reaches another through a module: no module keeps mutable state."""

import ast
import dataclasses
import importlib
import re
from collections.abc import Iterator
from enum import EnumType
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.promise("modules-keep-no-state")

ROOT = Path(__file__).parents[2]
PACKAGES = ("assistant", "memory_store", "ui")
CHANGING = {
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update", "setdefault",
    "popitem", "appendleft", "popleft", "__setitem__", "__delitem__",
}  # fmt: skip


@cache
def modules() -> list[tuple[ModuleType, ast.Module]]:
    """Return every module with its syntax tree."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    return [
        (importlib.import_module(name), ast.parse(path.read_text(encoding="utf-8")))
        for name, path in zip(names, paths, strict=True)
    ]


def bound_names(tree: ast.Module) -> set[str]:
    """Return the names that a module binds or imports at the top level."""
    names: set[str] = set()
    for node in tree.body:
        match node:
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.ImportFrom(names=imported, module=source) if str(source).startswith(PACKAGES):
                names |= {alias.asname or alias.name for alias in imported}
    return names


def changes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name where a function changes a name of its module."""
    names = bound_names(tree)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in [inner for function in functions for inner in ast.walk(function)]:
        match node:
            case ast.Global(names=changed):
                yield from ((node.lineno, name) for name in changed)
            case (
                ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del())
                | ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del())
            ) if name in names:
                yield node.lineno, name
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if name in names:
                if method in CHANGING:
                    yield node.lineno, name


def test_no_function_changes_its_module() -> None:
    assert [(module.__name__, *change) for module, tree in modules() for change in changes(tree)] == []


def is_ours(value: object) -> bool:
    return type(value).__module__.startswith(PACKAGES)


def is_frozen(value: Any) -> bool:
    """Return True if an object of our classes is immutable."""
    if isinstance(type(value), EnumType):
        return True
    parameters = getattr(type(value), "__dataclass_params__", None)
    if parameters is None:
        return not getattr(value, "__dict__", None) and not getattr(type(value), "__slots__", ())
    return bool(parameters.frozen) and all(
        is_frozen(part) for field in dataclasses.fields(value) if is_ours(part := getattr(value, field.name))
    )


def test_no_module_keeps_an_object_that_changes() -> None:
    found = {
        f"{module.__name__}.{name}"
        for module, _ in modules()
        for name, value in vars(module).items()
        if is_ours(value) and not isinstance(value, type | FunctionType) and not is_frozen(value)
    }
    assert found == set()


def test_caches_depend_on_arguments_alone() -> None:
    # Cached functions get no object that could answer differently for another user.
    functions = [node for _, tree in modules() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    decorators = [(function, " ".join(map(ast.unparse, function.decorator_list))) for function in functions]
    cached = [function for function, named in decorators if re.search(r"\b(?:lru_)?cache\b", named)]
    assert len(cached) > 10
    for function in cached:
        arguments = {argument.arg for argument in function.args.args}
        assert not arguments & {"self", "connection", "request", "ledger", "memory"}, function.name
