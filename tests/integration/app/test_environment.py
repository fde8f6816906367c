"""The app as a process in unusual environments: proxies, no home, other encodings and time zones."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.servers.chat_server import ChatServer
from tests.support.servers.noted_server import ROOT, serve

HINDI = "मेरा नाम राहुल है — 日本語 😀"
NOBODY = ["unshare", "--user", "--map-user=54321", "--map-group=54321"]


Done = tuple[int, bytes, str]


def run(
    *command: str, home: Path | None, user: Sequence[str] = (), text: bytes = b"", unset: str = "", **environment: str
) -> Done:
    """Return the exit code, output and errors of `app.py`; `user` is a prefix that runs it as another user."""
    told = {**os.environ, "NOTED_EMBEDDER": "none", **environment}
    if home is not None:
        told["NOTED_HOME"] = str(home)
    told.pop(unset, None)
    done = subprocess.run(
        [*user, sys.executable, "app.py", *command], cwd=ROOT, env=told, input=text, capture_output=True, check=False
    )
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.promise("proxy-variables")
def test_loopback_goes_through_no_proxy(tmp_path: Path) -> None:
    # Requests: the page, which Gradio requests from itself, a model, and a model at "localhost".
    reply = "<understanding>You greet me.</understanding>\n<answer>Hello.</answer>"
    with ChatServer(lambda body: reply) as server, ChatServer() as proxy:
        url = f"http://user:s3cret@127.0.0.1:{proxy.port}"
        proxies: dict[str, Any] = dict.fromkeys(("http_proxy", "HTTPS_PROXY", "all_proxy"), url)
        model: dict[str, Any] = {"NOTED_MODEL": "openai/test", "NOTED_API_KEY": "sk-secret", "NOTED_EMBEDDER": "none"}
        with serve(tmp_path / "home", NOTED_API_BASE=server.url, **model, **proxies) as page:
            assert "Noted" in page.first_page
            code, out, _ = run("ask", "hi", home=tmp_path / "home", NOTED_API_BASE=server.url, **model, **proxies)
            assert (code, out.decode().splitlines()[-1]) == (0, "Hello.")
        assert server.requests[-1].headers["authorization"] == "Bearer sk-secret"
        elsewhere = server.url.replace("127.0.0.1", "localhost")
        code, out, _ = run("ask", "hi", home=tmp_path / "other", NOTED_API_BASE=elsewhere, **model, **proxies)
        assert (code, out.decode().splitlines()[-1]) == (0, "Hello.")
        assert proxy.requests == []
        away = {"NOTED_API_BASE": "http://model.invalid/v1"}
        run("ask", "hi", home=tmp_path / "away", **{**model, **away, **proxies})
        assert proxy.requests[0].path.startswith("http://model.invalid/v1/")  # other hosts use the proxy


@pytest.mark.promise("proxy-variables")
def test_page_starts_under_broken_proxies(tmp_path: Path) -> None:
    broken: dict[str, Any] = {"http_proxy": "::", "HTTPS_PROXY": "not a url", "ALL_PROXY": "socks5://127.0.0.1:9"}
    with serve(tmp_path, **broken, no_proxy="[::1],::/x", NOTED_EMBEDDER="none") as server:
        assert "Noted" in server.first_page


@pytest.fixture(scope="module")
def nobody() -> list[str]:
    """Return a prefix that runs a command as a user without an account."""
    asked = [*NOBODY, sys.executable, "-c", "import os; print(os.getuid())"]
    try:
        told = subprocess.run(asked, capture_output=True, check=False).stdout
    except FileNotFoundError:
        told = b""
    if told != b"54321\n":
        pytest.skip("this system makes no user namespaces, in which a user id has no name")
    return NOBODY


@pytest.mark.promise("starts-without-home")
def test_user_without_home_or_name_is_answered(nobody: list[str], tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    code, out, errors = run("ask", "hi", user=nobody, home=tmp_path / "home", unset="HOME")
    assert (code, "Hello!" in out.decode(), "Traceback" in errors) == (0, True, False)
    code, _, errors = run("ask", "hi", user=nobody, home=None, unset="HOME")
    assert code == 1
    assert errors.endswith("cannot be created; set NOTED_HOME to another.\n")
    assert errors.count("\n") == 1


@pytest.mark.promise("starts-without-home")
def test_page_starts_without_home_or_rights(nobody: list[str], tmp_path: Path) -> None:
    # As in a container: only the data directory is writable, and HOME is unreadable.
    for name, mode in {"home": 0o700, "locked": 0o000, "work": 0o500}.items():
        (tmp_path / name).mkdir(mode=mode)
    told = {"HOME": str(tmp_path / "locked"), "NOTED_HOME": str(tmp_path / "home"), "NOTED_EMBEDDER": "none"}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command = [*nobody, sys.executable, str(ROOT / "app.py"), "serve", "--port", port]
    environment = {**os.environ, **told}
    with subprocess.Popen(
        command, cwd=tmp_path / "work", env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        try:
            assert process.stdout.readline() == f"Noted is on http://127.0.0.1:{port}/\n"
        finally:
            process.terminate()


@pytest.mark.promise("any-terminal-encoding")
@pytest.mark.parametrize(("encoding", "shown"), [
    ("cp1252", "mera nam rahul hai — RiBenYu :grinning:"),
    ("ascii", "mera nam rahul hai - RiBenYu :grinning:"),
    ("utf-8", HINDI),
])  # fmt: skip
def test_text_degrades_readably(encoding: str, shown: str, tmp_path: Path) -> None:
    _, out, errors = run("chat", home=tmp_path, text=f"{HINDI}\n/help\n".encode(), PYTHONIOENCODING=encoding)
    assert shown in out.decode(encoding)
    assert "??" not in out.decode(encoding)
    assert "Traceback" not in errors


@pytest.mark.promise("any-terminal-encoding")
def test_json_is_escaped_and_any_input_read(tmp_path: Path) -> None:
    code, out, _ = run("ask", HINDI, "--json", home=tmp_path, PYTHONIOENCODING="cp1252")
    assert (code, json.loads(out.decode("ascii"))["question"]) == (0, HINDI)
    for encoding, text, question in (("cp1252", "café".encode("cp1252"), "café"), ("utf-8", b"caf\xe9", "caf\ufffd")):
        _, out, _ = run("ask", "-", "--json", home=tmp_path, text=text, PYTHONIOENCODING=encoding)
        assert json.loads(out)["question"] == question
