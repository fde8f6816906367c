"""An OpenID provider on this machine, for any user that a test names."""

import json
import logging
import threading
import time
from typing import Any, Self

from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug import Request, Response
from werkzeug.serving import make_server


class OpenIdProvider:
    """The provider as a context manager. A code to redeem is the name of the user and a nonce.

    Attributes:
        client: environment variables for the app.
    """

    def __init__(self) -> None:
        self._key = RSAKey.generate_key(2048, {"kid": "test", "alg": "RS256", "use": "sig"})
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._http = make_server("127.0.0.1", 0, Request.application(self._response), threaded=True)
        self.url = f"http://127.0.0.1:{self._http.port}"
        self.client = {
            "OPENID_PROVIDER_URL": self.url,
            "OAUTH_CLIENT_ID": "noted",
            "OAUTH_CLIENT_SECRET": "a secret of the tests",
            "OAUTH_SCOPES": "openid profile",
        }

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _response(self, request: Request) -> Response:
        return Response(json.dumps(self._answer(request)), content_type="application/json")

    def _answer(self, request: Request) -> dict[str, Any]:
        if request.path.endswith("/openid-configuration"):
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        if request.path == "/keys":
            return {"keys": [self._key.as_dict(private=False)]}
        name, _, nonce = request.form["code"].partition(":")
        return {"access_token": "t", "token_type": "bearer", "expires_in": 3600, "id_token": self._token(name, nonce)}

    def _token(self, name: str, nonce: str) -> str:
        now = int(time.time())
        person = {"sub": f"id-{name}", "name": name, "preferred_username": name, "profile": "", "picture": ""}
        claims = {"iss": self.url, "aud": "noted", "iat": now, "exp": now + 3600, "nonce": nonce} | person
        return jwt.encode({"alg": "RS256", "kid": "test"}, claims, self._key)
