"""Signing in by an identity provider: Streamlit's part, and what this process keeps of it.

Streamlit conducts the visitor to the provider and back, and keeps the ID token in a cookie that it
signs and no script can read. The referee verifies the token and takes it once, for a key of that
sign-in. A reload is a new session with the same cookie, so the key is kept by the token's hash.
"""

import hashlib
import hmac
import json
import os
import time
from collections import OrderedDict
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

import streamlit as st

from arena.owner_client import OwnerCallError, OwnerClient, SignedInBy
from arena.settings import Settings, SettingsError

MOST_SIGNED_IN: Final = 10_000
"""Sign-ins that are kept, the newest; whoever is forgotten signs in again."""
FRESH_SECONDS: Final = 120.0
"""How long ago a visitor may have signed in to be led to where that is for."""
_CALLBACK = "/oauth2callback"


def here() -> bool:
    """Whether this visitor has signed in at the identity provider."""
    return configured() and bool(st.user.is_logged_in)


def configured() -> bool:
    """Whether this dashboard knows an identity provider."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def just_came() -> bool:
    """Whether this visitor comes from the identity provider and has not been anywhere yet."""
    token = _id_token()
    if token is None or _sign_ins().get(token) is not None:
        return False
    issued = st.user.get("iat")
    return isinstance(issued, int | float) and time.time() - issued < FRESH_SECONDS


def signed_in(client: OwnerClient) -> SignedInBy | None:
    """The owner of the visitor's identity, or one to be; None for who has not signed in there.

    Raises OwnerCallError, after which the visitor has to sign in again if the token is refused.
    """
    token = _id_token()
    if token is None:
        return None
    known = _sign_ins().get(token)
    return known or _kept(token, client.sign_in(token))


def signed_up(client: OwnerClient, name: str, invite: str, key: str) -> SignedInBy:
    """The same for an identity that is new, with what it is to become. Raises OwnerCallError."""
    token = _id_token()
    if token is None:
        raise OwnerCallError("Sign in first.")
    return _kept(token, client.sign_in(token, name, invite, key))


def replace(owner: str, key: str) -> None:
    """From now on the visitor's sign-in has this key."""
    token = _id_token()
    if token is not None:
        _kept(token, SignedInBy(owner, key, ""))


def forget() -> None:
    """The visitor has to sign in again."""
    token = _id_token()
    if token is not None:
        _sign_ins().forget(token)


def write_secrets(settings: Settings, folder: Path) -> Path | None:
    """Write Streamlit's secrets for the identity provider of the settings, readable by this user
    alone; returns the file, None without a provider. Raises SettingsError."""
    provider = settings.identity_provider
    if provider is None:
        return None
    if settings.oidc_client_secret is None or settings.dashboard_url is None:
        raise SettingsError(
            "With ARENA_OIDC_ISSUER the dashboard needs ARENA_OIDC_CLIENT_SECRET and "
            "ARENA_DASHBOARD_URL."
        )
    issuer, client_id = provider
    # The same in every start, so that a restart signs nobody out of the provider's cookie.
    secret = settings.oidc_client_secret.encode()
    cookies = hmac.digest(secret, b"arena dashboard cookies", "sha256")
    values = {
        "redirect_uri": settings.dashboard_url + _CALLBACK,
        "cookie_secret": cookies.hex(),
        "client_id": client_id,
        "client_secret": settings.oidc_client_secret,
        "server_metadata_url": issuer.rstrip("/") + "/.well-known/openid-configuration",
        "expose_tokens": "id",
    }
    # A JSON string is one of TOML, too.
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    file = folder / "secrets.toml"
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as secrets:
        secrets.write("\n".join(("[auth]", *lines, "")))
    return file


class _SignIns:
    """Keys of sign-ins by their ID tokens. Threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[bytes, SignedInBy] = OrderedDict()

    def get(self, token: str) -> SignedInBy | None:
        with self._lock:
            return self._known.get(_hashed(token))

    def add(self, token: str, found: SignedInBy) -> None:
        with self._lock:
            self._known[_hashed(token)] = found
            if len(self._known) > MOST_SIGNED_IN:
                self._known.popitem(last=False)

    def forget(self, token: str) -> None:
        with self._lock:
            self._known.pop(_hashed(token), None)


def _kept(token: str, found: SignedInBy) -> SignedInBy:
    if found.owner:
        _sign_ins().add(token, found)
    return found


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


@cache
def _sign_ins() -> _SignIns:
    return _SignIns()


def _id_token() -> str | None:
    if not here():
        return None
    token: str | None = st.user.tokens.get("id")
    return token
