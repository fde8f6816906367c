"""No user's data reaches another through a module: no module keeps mutable state."""

import ast
import dataclasses
import importlib
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
def trees() -> list[tuple[str, ast.Module]]:
    """Return the name and syntax tree of every module."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [
        (".".join(path.relative_to(ROOT).with_suffix("").parts), ast.parse(path.read_text(encoding="utf-8")))
        for path in paths
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
                | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=_))
            ) if name in names:
                if not isinstance(node, ast.Call) or node.func.attr in CHANGING:  # type: ignore[attr-defined]
                    yield node.lineno, name


def test_no_function_changes_what_a_module_keeps() -> None:
    assert [(name, *change) for name, tree in trees() for change in changes(tree)] == []


@pytest.mark.parametrize("line", ["KEPT['a'] = 1", "KEPT.append(1)", "del KEPT['a']", "KEPT.last = 1", "global KEPT"])
def test_the_search_finds_each_way_of_changing_it(line: str) -> None:
    assert list(changes(ast.parse(f"KEPT = {{}}\ndef f():\n    {line}"))) != []
    assert list(changes(ast.parse(f"def f():\n    KEPT = {{}}\n    {line}"))) == [] or "global" in line


def modules() -> Iterator[ModuleType]:
    for name, _ in trees():
        yield importlib.import_module(name.removesuffix(".__init__"))


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


def test_no_module_keeps_an_object_of_ours_that_can_change() -> None:
    found = {
        f"{module.__name__}.{name}"
        for module in modules()
        for name, value in vars(module).items()
        if is_ours(value) and not isinstance(value, type | FunctionType) and not is_frozen(value)
    }
    assert found == set()


def test_what_is_remembered_between_calls_depends_on_the_arguments_alone() -> None:
    # Cached functions get no object that could answer differently for another user.
    functions = [node for _, tree in trees() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    cached = [function for function in functions if is_cached(function)]
    assert len(cached) > 10
    for function in cached:
        arguments = {argument.arg for argument in function.args.args}
        assert not arguments & {"self", "connection", "request", "ledger", "memory"}, function.name


def is_cached(function: ast.FunctionDef) -> bool:
    parts = [part for decorator in function.decorator_list for part in ast.walk(decorator)]
    return any(isinstance(part, ast.Name) and part.id in {"cache", "lru_cache"} for part in parts)
