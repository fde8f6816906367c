from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from assistant.errors import InputError, SettingsError
from tests.support.threads import run_in_thread
from ui.server.sign_in import Passwords, SignInMiddleware, format_password, load_passwords, password_line

pytestmark = pytest.mark.promise("wrong-passwords-wait", "sign-in")

RIGHT = "correct horse battery"
QUICK = (10, 8, 1)
ANN = password_line("ann", RIGHT, QUICK)
BOB = password_line("ਬੌਬੀ", "another long password", QUICK)


def passwords(lines: str | None = f"{ANN} {BOB}", file: Path | None = None) -> Passwords:
    kept = load_passwords(lines, file)
    assert kept
    return kept


def signs_in(kept: Passwords, name: str, password: str) -> bool:
    return run_in_thread(kept.check(name, password))


def test_only_the_right_password_signs_in(tmp_path: Path) -> None:
    file = tmp_path / "people"
    file.write_text(f"# who may sign in\n\n{ANN}\r\n{BOB}\n", encoding="utf-8")
    for kept in (passwords(), passwords(None, file)):
        assert signs_in(kept, "ann", RIGHT)
        assert signs_in(kept, "ਬੌਬੀ", "another long password")
        for name, password in (
            ("ann", RIGHT + " "),
            ("ann", ""),
            ("Ann", RIGHT),
            ("ਬੌਬੀ", RIGHT),
            ("", ""),
            ("eve", RIGHT),
        ):
            assert not signs_in(kept, name, password)
    composed = passwords(password_line("ann", "caf\u00e9 " * 3, QUICK))
    assert signs_in(composed, "ann", "cafe\u0301 " * 3)
    assert load_passwords(None, None) is None
    for broken in (tmp_path / "missing", tmp_path):
        with pytest.raises(SettingsError, match="cannot be read"):
            load_passwords(None, broken)


def login(kept: Passwords) -> FastAPI:
    """Return an app that answers `POST /login` as Gradio does, with both of its cookies."""

    async def answer(request: Request) -> Response:
        form = await request.form()
        if not await kept.check(str(form["username"]), str(form["password"])):
            return JSONResponse({"detail": "Incorrect credentials."}, 400)
        response = JSONResponse({"success": True})
        response.set_cookie("access-token-1", "secret", httponly=True, samesite="none", secure=True)
        response.set_cookie("access-token-unsecure-1", "secret", httponly=True)
        return response

    return FastAPI(routes=[Route("/login", answer, methods=["POST"])], middleware=[Middleware(SignInMiddleware)])


def tries(client: TestClient, name: str, password: str) -> int:
    return client.post("/login", data={"username": name, "password": password}).status_code


def test_ten_wrong_passwords_make_a_name_wait() -> None:
    app = login(passwords())
    guessing, elsewhere = TestClient(app, client=("203.0.113.1", 1)), TestClient(app, client=("203.0.113.2", 1))
    assert [tries(guessing, "ann", "wrong") for _ in range(10)] == [400] * 10
    assert tries(guessing, "ann", RIGHT) == 429
    answer = guessing.post("/login", data={"username": "ann", "password": RIGHT})
    assert "Wait a minute" in answer.json()["detail"]
    assert tries(guessing, "ਬੌਬੀ", "another long password") == 200
    assert tries(elsewhere, "ann", RIGHT) == 200


@pytest.mark.parametrize(("scheme", "kept"), [("https", "access-token-1"), ("http", "access-token-unsecure-1")])
def test_session_is_in_one_cookie(scheme: str, kept: str) -> None:
    client = TestClient(login(passwords()), base_url=f"{scheme}://testserver")
    answer = client.post("/login", data={"username": "ann", "password": RIGHT})
    (cookie,) = answer.headers.get_list("set-cookie")
    assert cookie.startswith(f"{kept}=")
    assert ("Secure" in cookie) == (scheme == "https")


def test_sixty_tries_a_minute_are_heard() -> None:
    client = TestClient(login(passwords()))
    assert [tries(client, str(number), "wrong") for number in range(61)] == [400] * 60 + [429]


UNUSABLE = (
    "", "ann", "ann:" + RIGHT, f"{ANN} {ANN}", ANN.replace("ann", "local"), ANN[:-10], ANN.replace(":10:", ":30:"),
    ANN.replace("scrypt", "md5"),
)  # fmt: skip


@pytest.mark.parametrize("lines", UNUSABLE, ids=range(len(UNUSABLE)))  # the salt is another one each time
def test_unusable_line_is_said(lines: str) -> None:
    with pytest.raises(SettingsError, match="NOTED_AUTH"):
        load_passwords(lines, None)


@pytest.mark.parametrize("name", ["", "local", "hf:ann", "visitor:1", "a b", "#ann", "a" * 201, "a\u202eb"])
def test_line_is_made_of_a_name_and_a_long_password(name: str) -> None:
    line = format_password("ann", RIGHT)
    assert signs_in(passwords(line), "ann", RIGHT)
    assert RIGHT not in line
    for ask in ((name, RIGHT), ("ann", "short")):
        with pytest.raises(InputError):
            format_password(*ask)
