"""An OpenID provider on this machine, that signs in whoever a test says."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs

from joserfc import jwt
from joserfc.jwk import RSAKey


class OpenIdProvider:
    """From `with` to the end of its block. A code that it is asked to redeem is the name of the person and a nonce.

    Attributes:
        client: what the application has to know of it, as environment variables.
    """

    def __init__(self) -> None:
        self._key = RSAKey.generate_key(2048, {"kid": "test", "alg": "RS256", "use": "sig"})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self.client = {
            "OPENID_PROVIDER_URL": self.url,
            "OAUTH_CLIENT_ID": "noted",
            "OAUTH_CLIENT_SECRET": "a secret of the tests",
            "OAUTH_SCOPES": "openid profile",
        }

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, path: str, body: str) -> dict[str, Any]:
        if path.endswith("/openid-configuration"):
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        if path == "/keys":
            return {"keys": [self._key.as_dict(private=False)]}
        name, _, nonce = parse_qs(body)["code"][0].partition(":")
        return {"access_token": "t", "token_type": "bearer", "expires_in": 3600, "id_token": self._token(name, nonce)}

    def _token(self, name: str, nonce: str) -> str:
        now = int(time.time())
        person = {"sub": f"id-{name}", "name": name, "preferred_username": name, "profile": "", "picture": ""}
        claims = {"iss": self.url, "aud": "noted", "iat": now, "exp": now + 3600, "nonce": nonce} | person
        return jwt.encode({"alg": "RS256", "kid": "test"}, claims, self._key)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._say("")

            def do_POST(self) -> None:
                self._say(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def _say(self, body: str) -> None:
                said = json.dumps(provider.answer(self.path, body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *args: object) -> None:
                """Nobody reads it."""

        return Handler
