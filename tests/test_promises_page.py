"""Every promise has a test, every marker names a promise, and the page is up to date."""

from tools import promises


def test_every_promise_has_a_test() -> None:
    assert set(promises.load_promises()) - {proof.promise for proof in promises.find_proofs()} == set()


def test_every_marker_names_a_promise() -> None:
    assert {proof.promise for proof in promises.find_proofs()} - set(promises.load_promises()) == set()


def test_page_is_up_to_date() -> None:
    assert promises.PAGE.read_text(encoding="utf-8") == promises.render_page(promises.find_proofs()), (
        "Run `make promises`."
    )
