"""Who is signed in on a page, and the referee that is asked for what an owner does.

The key is in the session's state alone: it is entered once a session, and in no address.
"""

import os
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

import streamlit as st

from arena.owner_client import OwnerCallError, OwnerClient, SignUpTerms
from arena.settings import Settings, read_settings
from arena_dashboard import identities

SIGNED_IN = "owner"
"""Under which the session's state holds who is signed in."""
_EVERYWHERE = ("0.0.0.0", "::", "[::]")  # noqa: S104  compared, not bound


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An owner in this session."""

    name: str
    key: str


def referee() -> OwnerClient | None:
    """The referee of ARENA_ADDRESS, asked for this page's visitor; None if it is not set. Raises
    AddressError."""
    client = _client()
    if client is None:
        return None
    # Streamlit names no address of this machine itself.
    return client.for_visitor(st.context.ip_address or "127.0.0.1", _settings().dashboard_secret)


@cache
def _client() -> OwnerClient | None:
    address = os.environ.get("ARENA_ADDRESS", "").strip()
    return OwnerClient.at(address, os.environ) if address else None


@cache
def _settings() -> Settings:
    return read_settings()


@st.cache_data(ttl=15, show_spinner=False)
def terms() -> SignUpTerms:
    """Who may sign up. Raises OwnerCallError."""
    client = _client()
    assert client is not None  # the pages ask for it first
    return client.terms()


def signed_in() -> SignedIn | None:
    """Who is signed in in this session."""
    found: SignedIn | None = st.session_state.get(SIGNED_IN)
    return found


def sign_in(name: str, key: str) -> None:
    """Remember an owner for this session."""
    st.session_state[SIGNED_IN] = SignedIn(name, key)


def sign_out() -> None:
    """Forget the owner, and all that was shown to it; at the identity provider, too."""
    forget()
    if identities.here():
        identities.forget()
        st.logout()


def forget() -> None:
    """Forget the owner in this session, and all that was shown to it."""
    for key in (SIGNED_IN, "made", "fresh_key", "progress"):
        st.session_state.pop(key, None)


def refused(error: OwnerCallError) -> None:
    """Show why the referee refuses; a key that is nobody's any more is forgotten."""
    if error.stranger:
        forget()
        identities.forget()
    st.error(str(error))


def public_address() -> str:
    """The referee's address as the visitor reaches it: by the name in the visitor's own address
    bar, if the referee listens on all addresses."""
    settings = _settings()
    host = settings.host
    if host in _EVERYWHERE:
        host = urlsplit(st.context.url or "").hostname or "localhost"
    return f"{'https://' if settings.tls_cert else ''}{host}:{settings.port}"
