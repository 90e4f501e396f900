"""`IdentityProvider`, which verifies the ID tokens (OpenID Connect Core, 3.1.3.7) of one issuer.

Only the issuer's signature counts: a dashboard only passes the token on. The issuer's keys are
fetched by its discovery document and kept; if a token's key is not among them, they are fetched
again, at most every REFETCH_SECONDS.
"""

import asyncio
import hashlib
import json
import time
import urllib.request
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import grpc
import structlog
from joserfc import jws, jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from arena.records import Identity
from arena.server.requests.errors import ProtocolError
from arena.settings import web_address

ALGORITHMS: Final = tuple(
    f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)
)
"""The accepted algorithms: signatures by a private key that only the issuer has.

Never `none`, nor a shared secret.
"""
MOST_TOKEN: Final = 16 * 1024
"""The greatest length of an ID token, in characters."""
MOST_AGE_SECONDS: Final = 600.0
"""The time after its issue for which a token may be used, even if it expires later."""
LEEWAY_SECONDS: Final = 30.0
"""The allowed difference between the clocks of the issuer and the referee."""
KEPT_SECONDS: Final = 3600.0
"""The time for which the keys are used before they are fetched again."""
REFETCH_SECONDS: Final = 30.0
"""The least time between two fetches of the keys, even if tokens with unknown keys arrive."""
FETCH_SECONDS: Final = 5.0
_MOST_BYTES: Final = 512 * 1024
_LONGEST_SUBJECT: Final = 255  # by the specification
_LONGEST_NAME: Final = 40

log = structlog.get_logger()

Fetch = Callable[[str], bytes]
"""A function that fetches the document at an address. Raises OSError."""


class IdentityProvider:
    """The verifier of ID tokens for this arena."""

    def __init__(
        self,
        issuer: str,
        client_id: str,
        clock: Callable[[], float] = time.time,
        fetch: Fetch | None = None,
    ) -> None:
        """Make it; `clock` returns the seconds since 1970."""
        self.issuer = issuer
        self._client_id = client_id
        self._clock = clock
        self._fetch = fetch or _fetched
        self._keys: KeySet | None = None
        self._fetched_at = self._tried_at = -float("inf")
        self._fetching = asyncio.Lock()

    async def identity(self, id_token: str) -> Identity:
        """Return the identity that the token proves.

        Raises ProtocolError: UNAUTHENTICATED for a token that is not the issuer's for this arena,
        or too old; UNAVAILABLE if the issuer does not answer.
        """
        claims = await self._signed_claims(id_token)
        now = self._clock()
        if claims.get("iss") != self.issuer:
            raise _refused("is of another issuer")
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        party = claims.get("azp", self._client_id if len(audiences) == 1 else None)
        if self._client_id not in audiences or party != self._client_id:
            raise _refused("is for another application")
        expires, issued = _seconds(claims, "exp"), _seconds(claims, "iat")
        begins = max(issued, _seconds(claims, "nbf") if "nbf" in claims else issued)
        if begins > now + LEEWAY_SECONDS:
            raise _refused("is of the future: compare the clocks")
        until = min(expires, issued + MOST_AGE_SECONDS) + LEEWAY_SECONDS
        if until <= now:
            raise _refused("is expired: sign in again")
        subject = claims.get("sub")
        if not isinstance(subject, str) or not 1 <= len(subject) <= _LONGEST_SUBJECT:
            raise _refused("has no valid sub claim")
        return Identity(
            self.issuer,
            subject,
            _name(claims),
            hashlib.sha256(id_token.rpartition(".")[0].encode()).digest(),
            datetime.fromtimestamp(until, UTC),
        )

    async def _signed_claims(self, id_token: str) -> Mapping[str, Any]:
        if len(id_token) > MOST_TOKEN or not id_token.isascii():
            raise _refused("is malformed")
        for newest in (False, True):
            keys = await self._known_keys(newest=newest)
            try:
                claims = jwt.decode(id_token, keys, list(ALGORITHMS), _REGISTRY).claims
                return claims if isinstance(claims, dict) else {}
            except InvalidKeyIdError:
                pass  # the key may be newer than those known
            # The library lets errors of malformed values through.
            except (JoseError, ValueError, TypeError, KeyError) as error:
                log.debug("ID token refused", why=str(error))
                raise _refused("is not signed by the identity provider") from error
        raise _refused("is signed by no key of the identity provider")

    async def _known_keys(self, *, newest: bool) -> KeySet:
        async with self._fetching:
            now = self._clock()
            old = newest or now - self._fetched_at > KEPT_SECONDS
            if old and now - self._tried_at > REFETCH_SECONDS:
                self._tried_at = now
                try:
                    self._keys = await asyncio.to_thread(self._fetched_keys)
                    self._fetched_at = now
                except (OSError, ValueError, TypeError, KeyError, JoseError) as error:
                    log.error("identity provider does not answer", issuer=self.issuer, why=error)
            if self._keys is None:
                raise ProtocolError(
                    grpc.StatusCode.UNAVAILABLE,
                    "the identity provider does not answer; try again in a minute",
                )
            return self._keys

    def _fetched_keys(self) -> KeySet:
        about = json.loads(
            self._fetch(self.issuer.rstrip("/") + "/.well-known/openid-configuration")
        )
        if about["issuer"] != self.issuer:
            raise ValueError(f"its discovery document is of {about['issuer']!r:.200}")
        address = str(about["jwks_uri"])
        web_address(address)  # raises ValueError for an address without a secure connection
        return KeySet.import_key_set(json.loads(self._fetch(address)))


_REGISTRY: Final = jws.JWSRegistry(algorithms=list(ALGORITHMS))


def _seconds(claims: Mapping[str, Any], claim: str) -> float:
    value = claims.get(claim)
    # Within the range of a date; a bool is an int to Python.
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 2**37:
        raise _refused(f"has no valid {claim} claim")
    return float(value)


def _name(claims: Mapping[str, Any]) -> str:
    for claim in ("name", "preferred_username", "nickname"):
        value = claims.get(claim)
        if isinstance(value, str) and 1 <= len(value.strip()) <= _LONGEST_NAME:
            return value.strip()
    return ""


def _refused(why: str) -> ProtocolError:
    return ProtocolError(grpc.StatusCode.UNAUTHENTICATED, f"this ID token {why}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A handler that refuses redirects: an issuer's documents are at its own addresses only."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _fetched(address: str) -> bytes:
    opener = urllib.request.build_opener(_NoRedirects)
    with opener.open(address, timeout=FETCH_SECONDS) as response:
        read: bytes = response.read(_MOST_BYTES + 1)
    if len(read) > _MOST_BYTES:
        raise ValueError("its document is too long")
    return read
