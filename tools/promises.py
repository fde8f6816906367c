"""Write `docs/promises.md` from `docs/promises.toml` and the tests with the marker `promise`.

The marker names one or several promises. It decorates a test, or is in `pytestmark` for all tests of a file.

python -m tools.promises
"""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.marks import MARKED, NIGHTLY

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "docs/promises.toml"
PAGE = ROOT / "docs/promises.md"


class PromiseProof(NamedTuple):
    promise: str
    file: str
    in_gate: bool


def load_promises() -> dict[str, dict[str, str]]:
    """Return section and text of each promise by id, in the order of the page."""
    return dict(_load_document()["promises"])


def find_proofs() -> list[PromiseProof]:
    """Return a proof for each promise of each marked test."""
    files = {file.relative_to(ROOT).as_posix(): file for file in (ROOT / "tests").rglob("test_*.py")}
    return [proof for name in sorted(files) for proof in parse_proofs(files[name].read_text(encoding="utf-8"), name)]


def parse_proofs(source: str, file: str) -> Iterator[PromiseProof]:
    """Yield a proof for each promise of each test in a file's source."""
    body = ast.parse(source).body
    assigned = {ast.unparse(node.targets[0]): node.value for node in body if isinstance(node, ast.Assign)}
    by_path = {marker for prefix, marker in MARKED.items() if file.startswith(prefix)}
    shared = [assigned["pytestmark"]] if "pytestmark" in assigned else []
    functions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [node for node in functions if node.name.startswith("test_")]
    own = [test.decorator_list for test in tests]
    own += [[] for name in assigned if name.startswith("Test")]  # state machines of Hypothesis
    for written in own:
        nodes = [node for mark in (*shared, *written) for node in ast.walk(mark)]
        names = by_path | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.promise":
                promises = map(ast.literal_eval, node.args)
                yield from (PromiseProof(promise, file, names.isdisjoint(NIGHTLY)) for promise in promises)


def render_page(proved: Iterable[PromiseProof]) -> str:
    """Return the page with a table per section."""
    by_promise: Mapping[str, list[PromiseProof]] = defaultdict(list)
    for proof in proved:
        by_promise[proof.promise].append(proof)
    sections: dict[str, list[str]] = {}
    for promise, row in load_promises().items():
        found = by_promise[promise]
        files = ", ".join(dict.fromkeys(proof.file for proof in found))
        when = "gate" if any(proof.in_gate for proof in found) else "nightly"
        cells = (row["text"], f"`{promise}`", files, when)
        sections.setdefault(row["section"], []).append(f"| {' | '.join(cells)} |\n")
    head = "| promise | id | tests | when |\n|---|---|---|---|\n"
    tables = [f"## {section}\n\n{head}{''.join(rows)}" for section, rows in sections.items()]
    document = _load_document()
    return "\n".join([document["introduction"], *tables, document["closing"]])


def _load_document() -> dict[str, Any]:
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(render_page(find_proofs()), encoding="utf-8")
