"""Every promise has a test, every marker names a promise, and the page is up to date."""

import pytest

from tools import promises


def test_every_promise_has_a_test() -> None:
    assert set(promises.load_promises()) - {proof.promise for proof in promises.find_proofs()} == set()


def test_every_marker_names_a_promise() -> None:
    assert {proof.promise for proof in promises.find_proofs()} - set(promises.load_promises()) == set()


def test_page_is_up_to_date() -> None:
    assert promises.PAGE.read_text(encoding="utf-8") == promises.render_page(promises.find_proofs()), (
        "Run `make promises`."
    )


@pytest.mark.parametrize(("file", "marks", "in_gate"), [
    ("tests/test_a.py", "@pytest.mark.promise('a')", True),
    ("tests/test_a.py", "@pytest.mark.slow\n@pytest.mark.promise('a')", False),
    ("tests/test_a.py", "pytestmark = [pytest.mark.promise('b', 'a'), pytest.mark.slow]\n", False),
    ("tests/ui/browser/test_a.py", "@pytest.mark.promise('a')", False),
])  # fmt: skip
def test_markers_tell_when_a_test_runs(file: str, marks: str, *, in_gate: bool) -> None:
    found = list(promises.parse_proofs(f"{marks}\ndef test_a(): ...", file))
    assert promises.PromiseProof("a", file, in_gate) in found
