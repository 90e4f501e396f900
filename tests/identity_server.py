"""A small identity provider (OpenID Connect) on this machine, which signs in every visitor.

Tests can make it issue ID tokens that no honest provider would issue.
"""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

CLIENT: Final = "arena"
CLIENT_SECRET: Final = "the arena's secret at the provider"


class IdentityServer:
    """Issues ID tokens; `fetches` counts how often its documents were asked for."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.subject = "248289761001"
        """The subject who signs in next."""
        self.name = "Zoë"
        self.silent = False
        """Whether it answers nothing."""
        self.fetches = 0
        self._codes: dict[str, dict[str, str]] = {}
        self.renew_keys()

    def renew_keys(self) -> None:
        """Sign with a new key, and publish no other."""
        self.key = RSAKey.generate_key(2048, {"kid": secrets.token_hex(4), "use": "sig"})

    def claims(self, **changed: Any) -> dict[str, Any]:
        """Return the claims of an ID token; None leaves a claim out."""
        now = int(time.time())
        usual = {"iss": self.issuer, "aud": CLIENT, "sub": self.subject, "name": self.name}
        found = usual | {"iat": now, "exp": now + 300, "jti": secrets.token_hex(4)} | changed
        return {claim: value for claim, value in found.items() if value is not None}

    def token(self, **changed: Any) -> str:
        """Return an ID token that is signed with the published key."""
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, self.claims(**changed), self.key)

    def token_of_none(self) -> str:
        """Return an ID token without a signature."""
        head = {"alg": "none", "typ": "JWT", "kid": self.key.kid}
        return f"{_base64(head)}.{_base64(self.claims())}."

    def token_by_public_key(self) -> str:
        """Return an ID token signed with a "shared secret" that is public: the public key."""
        public = self.key.as_pem(private=False)
        signed = f"{_base64({'alg': 'HS256', 'kid': self.key.kid})}.{_base64(self.claims())}"
        return f"{signed}.{_encoded(hmac.digest(public, signed.encode(), 'sha256'))}"

    def token_of_another(self) -> str:
        """Return an ID token signed with another key that has the id of the published one."""
        other = RSAKey.generate_key(2048, {"kid": self.key.kid})
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, self.claims(), other)

    def document(self, path: str) -> dict[str, Any] | None:
        """What is published at a path."""
        self.fetches += 1
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
            }
        return KeySet([self.key]).as_dict(private=False) if path == "/keys" else None

    def code(self, asked: dict[str, str]) -> str:
        """Return a code for a request to sign in."""
        assert asked["client_id"] == CLIENT
        code = secrets.token_urlsafe(8)
        self._codes[code] = asked
        return code

    def redeem(self, code: str, verifier: str) -> dict[str, Any]:
        """The tokens of a code, which is used once."""
        asked = self._codes.pop(code)
        digest = hashlib.sha256(verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        assert asked.get("code_challenge", challenge) == challenge
        token = self.token(nonce=asked.get("nonce"))
        return {"id_token": token, "access_token": "none", "token_type": "Bearer"}


@contextmanager
def identity_server() -> Iterator[IdentityServer]:
    """A provider that listens until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if provider.silent:
                self.send_error(503)
            elif parts.path == "/authorize":
                asked = {key: values[0] for key, values in parse_qs(parts.query).items()}
                back = {"code": provider.code(asked), "state": asked["state"]}
                self.send_response(302)
                self.send_header("Location", f"{asked['redirect_uri']}?{urlencode(back)}")
                self.end_headers()
            else:
                self._say(provider.document(parts.path))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            sent = {key: values[0] for key, values in parse_qs(body).items()}
            self._say(provider.redeem(sent["code"], sent.get("code_verifier", "")))

        def _say(self, found: dict[str, Any] | None) -> None:
            said = json.dumps(found).encode()
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            """Print nothing on stderr."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider = IdentityServer(f"http://127.0.0.1:{server.server_port}")
        Thread(target=server.serve_forever, daemon=True).start()
        yield provider
        server.shutdown()


def _base64(value: dict[str, Any]) -> str:
    return _encoded(json.dumps(value).encode())


def _encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")
