"""Two origins in one browser: another site can do nothing in the name of a user of Noted."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from werkzeug import Response
from werkzeug.serving import make_server

from tests.support.people.page_client import PageClient, address_of
from tests.support.people.passwords import PEOPLE, with_passwords
from tests.support.people.windows import Windows
from tests.ui.conftest import served_here

pytestmark = pytest.mark.promise("no-foreign-origin")

# What comes back to each way of sending an event, from a page at any origin.
SEND = """([target, body]) => {
  const json = { "Content-Type": "application/json" };
  const ways = [
    { headers: json },
    { headers: { ...json, "X-Forwarded-Host": location.host } },
    { headers: { ...json, "X-Forwarded-Host": location.host, "X-Gradio-Server": location.origin } },
    { headers: { "Content-Type": "text/plain" } },
    { mode: "no-cors" },
  ];
  const send = (way) => fetch(target, { method: "POST", credentials: "include", body, ...way });
  return Promise.all(ways.map((way) => send(way).then((answer) => answer.text(), () => "refused")));
}"""
REFUSED = ["refused"] * 5
MAKE = address_of("tokens.make")
LOAD_IMAGE = """(address) => new Promise((loaded) => {
  const image = new Image();
  image.onload = image.onerror = loaded;
  image.src = address;
})"""
SUBMIT = """([address, fields]) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "POST", action: address });
  for (const [name, value] of Object.entries(fields))
    form.append(Object.assign(document.createElement("input"), { name, value }));
  document.body.append(form);
  form.submit();
}"""


@pytest.fixture(scope="module")
def other_port() -> Iterator[int]:
    """Serve another site on this machine, and yield its port."""
    server = make_server("127.0.0.1", 0, Response("elsewhere"), threaded=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server.port
    server.shutdown()
    server.server_close()


@pytest.fixture
def context(windows: Windows) -> Iterator[BrowserContext]:
    with windows.lend() as lent:
        yield lent


def page_at(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    return page


def test_other_port_cannot_use_the_cookie(context: BrowserContext, other_port: int, tmp_path: Path) -> None:
    for url in served_here(tmp_path, with_passwords()):
        ann = PageClient(url, {})
        ann.http.post("/login", data={"username": "ann", "password": PEOPLE["ann"]}).raise_for_status()
        ann.open()
        context.add_cookies([{"name": name, "value": value, "url": url} for name, value in ann.http.cookies.items()])
        make = json.dumps(ann.body({"label": "stolen"}))
        elsewhere = page_at(context, f"http://127.0.0.1:{other_port}/")
        target = url.rstrip("/") + MAKE

        assert elsewhere.evaluate(SEND, [target, make]) == REFUSED
        elsewhere.evaluate(LOAD_IMAGE, f"{url}logout")
        assert ann.do("tokens.look")["tokens"] == []  # and she is still signed in

        with elsewhere.expect_navigation():
            elsewhere.evaluate(SUBMIT, [f"{url}login", {"username": "ann", "password": PEOPLE["ann"]}])
        expect(elsewhere.locator("body")).to_have_text("Requests from other sites are refused.")

        assert "secret" in page_at(context, f"{url}robots.txt").evaluate(SEND, [target, make])[0]
        assert len(ann.do("tokens.look")["tokens"]) > 0
        ann.close()


def test_other_site_can_only_open_the_page(context: BrowserContext, own_url: str, other_port: int) -> None:
    local = PageClient(own_url, {}).open()
    make = json.dumps(local.body({"label": "stolen"}))
    for host in ("127.0.0.1", "localhost"):
        elsewhere = page_at(context, f"http://{host}:{other_port}/")
        for name in ("localhost", "127.0.0.1"):
            target = f"http://{name}:{urlsplit(own_url).port}{MAKE}"
            assert elsewhere.evaluate(SEND, [target, make]) == REFUSED
    assert local.do("tokens.look")["tokens"] == []
    local.close()
    with elsewhere.expect_navigation():
        elsewhere.evaluate("(address) => { location.href = address; }", own_url)
    expect(elsewhere.get_by_role("textbox", name="Message")).to_be_visible()
