"""A browser on a Space: the connection counts as secure, and a test server replaces sign-in at Hugging Face."""

from __future__ import annotations

from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlsplit

import httpx2

from tests.support.people.page_client import PageClient


class SpaceVisitor(PageClient):
    """A browser that keeps cookies for secure connections although tests use plain HTTP."""

    def get(self, path: str) -> httpx2.Response:
        response = self.http.get(path, headers={"Accept": "text/html", "X-Forwarded-Proto": "https"})
        jar = SimpleCookie(self.http.headers.get("Cookie", ""))
        for header in response.headers.get_list("set-cookie"):
            jar.load(header.partition(";")[0])
        self.http.headers["Cookie"] = "; ".join(f"{name}={morsel.value}" for name, morsel in jar.items())
        return response

    def open(self) -> SpaceVisitor:
        self.page = self.get("/").text
        return self

    def sign_in(self, name: str) -> None:
        """Sign in at the provider as the user with this name, and return."""
        there = self.get("/login/huggingface").headers["location"]
        asked = parse_qs(urlsplit(there).query)
        self.get(f"/login/callback?code={name}:{asked['nonce'][0]}&state={asked['state'][0]}")

    @property
    def account(self) -> dict[str, str]:
        account: dict[str, str] = self.do("header.look")["account"]
        return account
