"""Who is signed in on a page, and the referee that is asked for what an owner does.

And what a session keeps of an owner.

Who signs in with a key begins a sign-in, which has a key of its own. That one is in the session's
state and in a cookie of the browser (`kept_sign_in`), by which a later session goes on.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import streamlit as st

from arena.addresses import host_port, on_loopback
from arena.clients.owner_client import OwnerCallError, SignUpTerms
from arena.clients.upload_client import UploadClient, UploadTerms
from arena.settings import Settings, read_settings
from arena_dashboard import browser, identities, kept_sign_in
from arena_dashboard.short_memory import ShortMemory

_KEPT: Final = "owner"
"""The key under which the session's state holds all that it keeps of its owner."""
_SIGNED_IN: Final = "signed in"
_ASKED: Final = "browser was asked"
"""The key under which the state says that the first cookie was looked at."""
_TICKET: Final = "ticket"
"""The key under which `kept` has the ticket for what the browser is to keep."""
_VISIT: Final = "visit"
"""The key under which `kept` has the visit. Streamlit tells no cookies of a page that is gone
meanwhile."""
FRESH_SECONDS: Final = 3600.0
"""How long a new key is shown at most, also on pages that are loaded again."""
MOST_FRESH: Final = 10_000
"""New keys of the last FRESH_SECONDS, the newest; whose key is forgotten makes a new one."""
_EVERYWHERE = ("0.0.0.0", "::", "[::]")  # noqa: S104  compared, not bound


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An owner in this session."""

    name: str
    key: str


def referee() -> UploadClient | None:
    """Return the referee of ARENA_ADDRESS, asked for this page's visitor; None if it is not set.

    Raises AddressError.
    """
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
    """Return who may sign up.

    Raises OwnerCallError.
    """
    client = _client()
    assert client is not None  # the pages ask for it first
    return client.terms()


@st.cache_data(ttl=15, show_spinner=False)
def upload_terms() -> UploadTerms:
    """Return what may be uploaded.

    Raises OwnerCallError.
    """
    client = _client()
    assert client is not None
    return client.upload_terms()


def kept() -> dict[Any, Any]:
    """Return what this session keeps of its owner, for all that pages add.

    Signing out drops it whole.

    Whoever asks the referee for what it says once takes this before: when the visitor clicks again,
    Streamlit ends the run at the next look into the session's state, and the answer would be lost.
    """
    found: dict[Any, Any] = st.session_state.setdefault(_KEPT, {})
    found.setdefault(_VISIT, kept_sign_in.visit())
    return found


def signed_in(client: UploadClient) -> SignedIn | None:
    """Return who is signed in in this session, or was in an earlier one of this browser.

    Raises OwnerCallError.
    """
    found: SignedIn | None = kept().get(_SIGNED_IN)
    if found is not None:
        return found
    key = kept_sign_in.tickets().pending(kept()[_VISIT])
    if not key and not st.session_state.get(_ASKED):
        key = kept_sign_in.key_of_browser()
    if key:
        try:
            sign_in(kept(), client.owner(key), key)
        except OwnerCallError as error:
            if not error.stranger:
                raise
            _forget_refused(key)
    st.session_state[_ASKED] = True
    return kept().get(_SIGNED_IN)


def known() -> bool:
    """Whether this session or the browser remembers an owner, who may be signed out by now."""
    return _SIGNED_IN in kept() or bool(kept_sign_in.key_of_browser())


def offer_sign_out() -> None:
    """Let the visitor be forgotten while the referee does not let the remembered owner in.

    An owner who is banned keeps nobody else from signing in there.
    """
    if not st.session_state.get(_ASKED) and kept_sign_in.key_of_browser():
        st.button("Sign out", on_click=sign_out)


@cache
def fresh_keys() -> ShortMemory[str]:
    """Return new keys that their owners have not said to have stored, by key of the sign-in."""
    return ShortMemory(FRESH_SECONDS, MOST_FRESH)


def show_no_more(key: str) -> None:
    """Forget the new key of the owner whose sign-in has this key."""
    fresh_keys().take(key)


def begin(
    session: dict[Any, Any], client: UploadClient, name: str, key: str, *, fresh: bool = False
) -> None:
    """Sign in an owner who has shown the own key, or was just given it (`fresh`).

    `session` is what `kept` returned.
    """
    try:
        stays = client.stay_signed_in(key)
    except OwnerCallError:
        # A referee of an earlier release, or too many sign-ins: for this visit, then.
        stays = ""
        session[_SIGNED_IN] = SignedIn(name, key)
    if fresh:
        fresh_keys().put(stays or key, key)
    if stays:
        sign_in(session, name, stays)


def sign_in(session: dict[Any, Any], name: str, key: str) -> None:
    """Remember an owner in the session, `kept`, and in the browser, by the key of a sign-in."""
    session[_SIGNED_IN] = SignedIn(name, key)
    session[_TICKET] = kept_sign_in.tickets().issue(key, visit=session[_VISIT])


def sign_out() -> None:
    """End the sign-in, at the identity provider too, and forget all that the owner was shown."""
    found: SignedIn | None = kept().get(_SIGNED_IN)
    key = kept_sign_in.key_of_browser() if found is None else found.key
    client = referee()
    if key and client is not None:
        # While the referee is away the browser forgets the key all the same.
        with suppress(OwnerCallError):
            client.sign_out(key)
    identities.forget()
    show_no_more(key)
    _forget(kept_sign_in.tickets().issue("", visit=kept()[_VISIT]))
    if identities.here():
        st.logout()


def _forget_refused(key: str) -> None:
    """Forget the owner of a key that has ended, in the browser only if it has no newer one."""
    _forget(kept_sign_in.tickets().issue("", instead_of=key, visit=kept()[_VISIT]))


def _forget(ticket: str) -> None:
    """Forget the owner and all that was shown to it; the ticket tells the browser."""
    st.session_state[_KEPT] = {_TICKET: ticket}
    st.session_state[_ASKED] = True


def tell_browser() -> bool:
    """Have the browser keep who is signed in, or forget it.

    Returns whether there was anything to tell.
    """
    ticket = kept().get(_TICKET)
    if ticket is None:
        return False
    browser.keep_signed_in(ticket)
    return True


def refused(error: OwnerCallError) -> None:
    """Show why the referee refuses; a key that is nobody's any more is forgotten."""
    found: SignedIn | None = kept().get(_SIGNED_IN)
    if error.stranger and found is not None:
        identities.forget()
        _forget_refused(found.key)
    st.error(str(error))


def public_address() -> str:
    """Return the referee's address as the visitor reaches it.

    Raises SettingsError.
    """
    return address_for(st.context.url or "", _settings())


def address_for(page: str, settings: Settings) -> str:
    """Return the referee's address for a visitor of a page.

    ARENA_PUBLIC_ADDRESS, or else where it listens. All addresses, and this machine's own for
    visitors of another, are no address to them: there it is the name by which they reach the page.
    Raises SettingsError.
    """
    listens = f"{'https://' if settings.tls_cert else ''}{host_port(settings.host, settings.port)}"
    address = next(iter(settings.public_addresses), listens)
    host, _, port = address.rpartition(":")
    scheme = "https://" if host.startswith("https://") else ""
    host = host.removeprefix(scheme)
    visited = urlsplit(page).hostname or "localhost"
    if host in _EVERYWHERE or (on_loopback(host) and not on_loopback(visited)):
        host = f"[{visited}]" if ":" in visited else visited
    return f"{scheme}{host}:{port}"
