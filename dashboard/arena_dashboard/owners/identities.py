"""Signing in at an identity provider, as far as Streamlit handles it.

Streamlit leads the visitor to the provider and back, and keeps the ID token in a cookie that it
signs and no script can read. The referee verifies the token and accepts it once, in exchange for
the key of that sign-in, which the browser keeps like any other (`owners`). Until the browser keeps
it, a reloaded page has the token alone, so the referee's answer to a token is kept for
FRESH_SECONDS.
"""

import hashlib
import hmac
import json
import os
import time
from functools import cache
from pathlib import Path
from typing import Final

import streamlit as st

from arena.clients.owner_client import OwnerClient, SignedInBy
from arena.clients.referee_client import OwnerCallError
from arena.settings import Settings, SettingsError
from arena_dashboard.owners.short_memory import ShortMemory

FRESH_SECONDS: Final = 120.0
"""The seconds for which a sign-in counts as fresh: its visitor is led on to "Submit a bot"."""
MOST_FRESH: Final = 10_000
"""The most sign-ins kept, the newest; a visitor whose sign-in is forgotten signs in again."""
_CALLBACK = "/oauth2callback"


def here() -> bool:
    """Return whether this visitor has signed in at the identity provider."""
    return configured() and bool(st.user.is_logged_in)


def configured() -> bool:
    """Return whether this dashboard knows an identity provider."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def just_came() -> bool:
    """Return whether this visitor signed in at the identity provider within FRESH_SECONDS."""
    issued = st.user.get("iat") if here() else None
    return isinstance(issued, int | float) and time.time() - issued < FRESH_SECONDS


def signed_in(client: OwnerClient) -> SignedInBy | None:
    """Return the referee's answer to the visitor's identity: its owner, or that it has none yet.

    None if the visitor has not signed in at the provider. Raises OwnerCallError, after which the
    visitor has to sign in again if the token is refused.
    """
    token = _id_token()
    if token is None:
        return None
    return _fresh().get(_hashed(token)) or _kept(token, client.sign_in(token))


def signed_up(client: OwnerClient, name: str, invite: str, key: str) -> SignedInBy:
    """Make the visitor's new identity an owner, and return the referee's answer.

    It becomes a new owner of this name, by an invite if one is needed, or the existing owner with
    this key. Raises OwnerCallError.
    """
    token = _id_token()
    if token is None:
        raise OwnerCallError("Sign in first.")
    return _kept(token, client.sign_in(token, name, invite, key))


def forget() -> None:
    """Forget the referee's answer to the visitor's token, so that a new sign-in is needed."""
    token = _id_token()
    if token is not None:
        _fresh().take(_hashed(token))


def write_secrets(settings: Settings, folder: Path) -> Path:
    """Write Streamlit's secrets for the settings' identity provider, and return the file.

    Only this user can read the file; without a provider it is empty. Raises SettingsError.
    """
    file = folder / "secrets.toml"
    provider = settings.identity_provider
    if provider is None:
        file.touch(0o600)
        return file
    if settings.oidc_client_secret is None or settings.dashboard_url is None:
        raise SettingsError(
            "With ARENA_OIDC_ISSUER the dashboard needs ARENA_OIDC_CLIENT_SECRET and "
            "ARENA_DASHBOARD_URL."
        )
    issuer, client_id = provider
    # The same at every start, so that the provider's cookies stay valid after a restart.
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
    # A JSON string is also a TOML string.
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as secrets:
        secrets.write("\n".join(("[auth]", *lines, "")))
    return file


@cache
def _fresh() -> ShortMemory[SignedInBy]:
    """Return the fresh sign-ins of this process, by the hash of their ID token."""
    return ShortMemory(FRESH_SECONDS, MOST_FRESH)


def _kept(token: str, found: SignedInBy) -> SignedInBy:
    if found.owner:
        _fresh().put(_hashed(token), found)
    return found


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _id_token() -> str | None:
    if not here():
        return None
    token: str | None = st.user.tokens.get("id")
    return token
