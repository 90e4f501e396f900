"""Who is signed in on a page, what a session keeps of an owner, and the referee that is asked for
what an owner does.

The key is in the session's state alone: it is entered once a session, and in no address.
"""

import os
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import streamlit as st

from arena.owner_client import OwnerCallError, SignUpTerms
from arena.settings import Settings, on_loopback, read_settings
from arena.upload_client import UploadClient, UploadTerms
from arena_dashboard import identities

_KEPT: Final = "owner"
"""Under which the session's state holds all that it keeps of its owner."""
_SIGNED_IN: Final = "signed in"
_EVERYWHERE = ("0.0.0.0", "::", "[::]")  # noqa: S104  compared, not bound


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An owner in this session."""

    name: str
    key: str


def referee() -> UploadClient | None:
    """The referee of ARENA_ADDRESS, asked for this page's visitor; None if it is not set. Raises
    AddressError."""
    client = _client()
    if client is None:
        return None
    # Streamlit names no address of this machine itself.
    return client.for_visitor(st.context.ip_address or "127.0.0.1", _settings().dashboard_secret)


def _client() -> UploadClient | None:
    address = os.environ.get("ARENA_ADDRESS", "").strip()
    return _client_at(address) if address else None


@cache
def _client_at(address: str) -> UploadClient:
    return UploadClient.at(address, os.environ)


@cache
def _settings() -> Settings:
    return read_settings()


@st.cache_data(ttl=15, show_spinner=False)
def terms() -> SignUpTerms:
    """Who may sign up. Raises OwnerCallError."""
    client = _client()
    assert client is not None  # the pages ask for it first
    return client.terms()


@st.cache_data(ttl=15, show_spinner=False)
def upload_terms() -> UploadTerms:
    """What may be uploaded. Raises OwnerCallError."""
    client = _client()
    assert client is not None
    return client.upload_terms()


def kept() -> dict[Any, Any]:
    """What this session keeps of its owner, for all that pages add; `forget` drops it whole."""
    found: dict[Any, Any] = st.session_state.setdefault(_KEPT, {})
    return found


def signed_in() -> SignedIn | None:
    """Who is signed in in this session."""
    found: SignedIn | None = kept().get(_SIGNED_IN)
    return found


def sign_in(name: str, key: str) -> None:
    """Remember an owner for this session."""
    kept()[_SIGNED_IN] = SignedIn(name, key)


def sign_out() -> None:
    """Forget the owner, and all that was shown to it; at the identity provider, too."""
    forget()
    if identities.here():
        identities.forget()
        st.logout()


def forget() -> None:
    """Forget the owner in this session, and all that was shown to it."""
    st.session_state.pop(_KEPT, None)


def refused(error: OwnerCallError) -> None:
    """Show why the referee refuses; a key that is nobody's any more is forgotten."""
    if error.stranger:
        forget()
        identities.forget()
    st.error(str(error))


def public_address() -> str:
    """The referee's address as the visitor reaches it. Raises SettingsError."""
    return address_for(st.context.url or "", _settings())


def address_for(page: str, settings: Settings) -> str:
    """The referee's address for a visitor of a page: ARENA_PUBLIC_ADDRESS, or else where it
    listens. All addresses, and this machine's own for visitors of another, are no address to them:
    there it is the name by which they reach the page. Raises SettingsError."""
    listens = f"{'https://' if settings.tls_cert else ''}{settings.host}:{settings.port}"
    address = next(iter(settings.public_addresses), listens)
    host, _, port = address.rpartition(":")
    scheme = "https://" if host.startswith("https://") else ""
    host = host.removeprefix(scheme)
    visited = urlsplit(page).hostname or "localhost"
    if host in _EVERYWHERE or (on_loopback(host) and not on_loopback(visited)):
        host = f"[{visited}]" if ":" in visited else visited
    return f"{scheme}{host}:{port}"
