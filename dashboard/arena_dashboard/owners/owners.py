"""The owner signed in on a page, the session's data on the owner, and the client of the referee.

An owner who signs in with a key begins a sign-in, which has a key of its own. That key is kept in
the session's state and in a cookie of the browser (`kept_sign_in`), by which a later session
continues the sign-in.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import streamlit as st

from arena.addresses import host_port, on_loopback
from arena.clients.operator_client import OperatorClient
from arena.clients.owner_client import SignUpTerms
from arena.clients.referee_client import AddressError, OwnerCallError
from arena.clients.upload_client import UploadClient, UploadTerms
from arena.settings import Settings, read_settings
from arena_dashboard import browser
from arena_dashboard.owners import identities, kept_sign_in
from arena_dashboard.owners.short_memory import ShortMemory
from arena_dashboard.parts.markup import in_markdown

_KEPT: Final = "owner"
"""The key in the session's state of all data that it keeps on its owner."""
_SIGNED_IN: Final = "signed in"
_ASKED: Final = "browser was asked"
"""The key in the session's state that is set once the session's first cookie has been examined."""
_TICKET: Final = "ticket"
"""The key in `kept` of the ticket that the browser will redeem."""
_VISIT: Final = "visit"
"""The key in `kept` of the visit id: once a page is closed, Streamlit gives no cookies of it."""
FRESH_SECONDS: Final = 3600.0
"""The most seconds for which a new key is shown, also on pages that are reloaded."""
VALID_SECONDS: Final = 30.0
"""How long pages that show more to some owners cache whether a key is valid."""
MOST_FRESH: Final = 10_000
"""The most new keys kept, the newest; an owner whose key is forgotten makes a new one."""
_EVERYWHERE = ("0.0.0.0", "::", "[::]")  # noqa: S104  compared, not bound


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The owner who is signed in in this session."""

    name: str
    key: str


def referee() -> OperatorClient | None:
    """Return the client of the referee at ARENA_ADDRESS for this page's visitor.

    None if the variable is not set. Raises AddressError.
    """
    client = _client()
    if client is None:
        return None
    # Streamlit gives no address for a visitor on this machine itself.
    return client.for_visitor(st.context.ip_address or "127.0.0.1", _settings().dashboard_secret)


def _client() -> OperatorClient | None:
    address = os.environ.get("ARENA_ADDRESS", "").strip()
    return _client_at(address) if address else None


@cache
def _client_at(address: str) -> OperatorClient:
    return OperatorClient.at(address, os.environ)


@cache
def _settings() -> Settings:
    return read_settings()


@st.cache_data(ttl=15, show_spinner=False)
def terms() -> SignUpTerms:
    """Return who may sign up, and how. Raises OwnerCallError."""
    client = _client()
    assert client is not None  # the pages call `referee` first
    return client.terms()


@st.cache_data(ttl=15, show_spinner=False)
def upload_terms() -> UploadTerms:
    """Return what may be uploaded. Raises OwnerCallError."""
    client = _client()
    assert client is not None
    return client.upload_terms()


def kept() -> dict[Any, Any]:
    """Return this session's data on its owner, to which pages may add; signing out drops it all.

    Call it before a request whose answer the referee gives only once: if the visitor clicks again
    meanwhile, Streamlit ends the run at the next access to the session's state, and the answer
    would be lost.
    """
    found: dict[Any, Any] = st.session_state.setdefault(_KEPT, {})
    found.setdefault(_VISIT, kept_sign_in.visit())
    return found


def signed_in(client: UploadClient) -> SignedIn | None:
    """Return the owner signed in in this session, or in an earlier one of this browser.

    None if there is none. Raises OwnerCallError.
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


def visitor() -> SignedIn | None:
    """Return the owner signed in, for content that a page shows only to some owners.

    None if there is none, or if the referee cannot confirm the key.
    """
    if not known():
        return None
    with suppress(OwnerCallError, AddressError):
        client = referee()
        if client is None:
            return None
        found = signed_in(client)
        # Verified again every VALID_SECONDS: the key may have ended since.
        return found if found is not None and _valid(client, found.key) else None
    return None


@st.cache_data(ttl=VALID_SECONDS, max_entries=1_000, show_spinner=False)
def _valid(_client: OperatorClient, key: str) -> bool:
    """Return whether a key is an owner's. Raises OwnerCallError if the referee does not say."""
    try:
        _client.owner(key)
    except OwnerCallError as error:
        if error.stranger:
            return False
        raise
    return True


def known() -> bool:
    """Return whether this session or the browser remembers an owner.

    That owner may have been signed out since.
    """
    return _SIGNED_IN in kept() or bool(kept_sign_in.key_of_browser())


def offer_sign_out() -> None:
    """Show a button to sign out while the referee refuses the owner whom the browser remembers.

    Without it, a banned owner would keep others from signing in with this browser.
    """
    if not st.session_state.get(_ASKED) and kept_sign_in.key_of_browser():
        st.button("Sign out", on_click=sign_out)


@cache
def fresh_keys() -> ShortMemory[str]:
    """Return the new keys whose owners have not yet confirmed storing them, by sign-in key."""
    return ShortMemory(FRESH_SECONDS, MOST_FRESH)


def show_no_more(key: str) -> None:
    """Forget the owner's new key; `key` is the key of the owner's sign-in."""
    fresh_keys().take(key)


def begin(
    session: dict[Any, Any], client: UploadClient, name: str, key: str, *, fresh: bool = False
) -> None:
    """Sign in an owner who has entered the owner's key, or was just given it (`fresh`).

    `session` is the result of `kept`.
    """
    try:
        stays = client.stay_signed_in(key)
    except OwnerCallError:
        # A referee of an earlier release, or too many sign-ins: signed in for this visit only.
        stays = ""
        session[_SIGNED_IN] = SignedIn(name, key)
    if fresh:
        fresh_keys().put(stays or key, key)
    if stays:
        sign_in(session, name, stays)


def sign_in(session: dict[Any, Any], name: str, key: str) -> None:
    """Remember an owner in the session and in the browser by the key of a sign-in.

    `session` is the result of `kept`.
    """
    session[_SIGNED_IN] = SignedIn(name, key)
    session[_TICKET] = kept_sign_in.tickets().issue(key, visit=session[_VISIT])


def sign_out() -> None:
    """End the sign-in, also at the identity provider, and forget all data on the owner."""
    found: SignedIn | None = kept().get(_SIGNED_IN)
    key = kept_sign_in.key_of_browser() if found is None else found.key
    client = referee()
    if key and client is not None:
        # Even if the referee is away, the browser forgets the key.
        with suppress(OwnerCallError):
            client.sign_out(key)
    identities.forget()
    show_no_more(key)
    _forget(kept_sign_in.tickets().issue("", visit=kept()[_VISIT]))
    if identities.here():
        st.logout()


def _forget_refused(key: str) -> None:
    """Forget the owner of a key that has ended; in the browser only if it has no newer key."""
    _forget(kept_sign_in.tickets().issue("", instead_of=key, visit=kept()[_VISIT]))


def _forget(ticket: str) -> None:
    """Forget the owner and all data on the owner; the ticket makes the browser do so, too."""
    st.session_state[_KEPT] = {_TICKET: ticket}
    st.session_state[_ASKED] = True


def tell_browser() -> bool:
    """Make the browser keep or forget its sign-in, and return whether there was a ticket for it."""
    ticket = kept().get(_TICKET)
    if ticket is None:
        return False
    browser.keep_signed_in(ticket)
    return True


def refused(error: OwnerCallError) -> None:
    """Show why the referee refuses; forget the owner if the key is no longer valid."""
    found: SignedIn | None = kept().get(_SIGNED_IN)
    if error.stranger and found is not None:
        identities.forget()
        _forget_refused(found.key)
    st.error(in_markdown(str(error)))


def change(call: Callable[[], object]) -> None:
    """Make a call that changes something, and show what it changed, or why it was refused."""
    try:
        call()
    except OwnerCallError as error:
        refused(error)
    else:
        st.rerun()


def public_address() -> str:
    """Return the referee's address as the visitor reaches it. Raises SettingsError."""
    return address_for(st.context.url or "", _settings())


def address_for(page: str, settings: Settings) -> str:
    """Return the referee's address for a visitor of the page at the address `page`.

    It is ARENA_PUBLIC_ADDRESS, or else the address at which the referee listens. A visitor cannot
    use a wildcard such as 0.0.0.0, nor a visitor of another machine the loopback address: the host
    is then the one by which the visitor reaches the page. Raises SettingsError.
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
