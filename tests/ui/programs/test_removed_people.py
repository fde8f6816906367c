"""Who may not sign in any more has no access by a token either."""

from pathlib import Path

import pytest

from tests.support.people.api_client import ApiClient, token_for
from tests.ui.conftest import served_here
from ui.server.entrance.passwords import Costs, Hash

pytestmark = pytest.mark.promise("removed-people-have-no-token")

ANN, BOB = (Hash.of("correct horse battery", Costs(10, 8, 1)).line(name) for name in ("ann", "bob"))


@pytest.mark.parametrize(("lines", "status"), [(f"{ANN} {BOB}", 200), (BOB, 401)], ids=["on the list", "removed"])
def test_a_token_counts_for_as_long_as_its_person_may_sign_in(tmp_path: Path, lines: str, status: int) -> None:
    for url in served_here(tmp_path, {"NOTED_AUTH": lines}):
        with ApiClient(url, token_for("ann", tmp_path)) as program:
            assert program.post("list").status_code == status
