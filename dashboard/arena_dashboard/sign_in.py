"""The forms to sign up and to sign in, which pages show to who is not signed in."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from arena.owner_client import OwnerCallError, OwnerClient, SignUpTerms
from arena.records import SignUp
from arena_dashboard import owners
from arena_dashboard.attempts import Attempts, network_of

FRESH_KEY = "fresh_key"
"""Under which the session's state holds a key that was made on this page."""


def show(client: OwnerClient, terms: SignUpTerms) -> None:
    """Let somebody become an owner, or sign in as one."""
    if terms.sign_up is SignUp.CLOSED:
        st.info("Nobody can sign up here: the operator registers bots, and gives out owners' keys.")
        _sign_in(client)
        return
    new, known = st.tabs(["New here", "I have a key"])
    with new:
        _sign_up(client, by_invite=terms.sign_up is SignUp.INVITE)
    with known:
        _sign_in(client)


def show_fresh_key() -> None:
    """The key of an owner who has signed up in this session."""
    key = st.session_state.get(FRESH_KEY)
    if key is not None:
        st.success("You are signed up. Keep your key: it is shown in this visit only.")
        st.code(key, language=None)
        st.caption(
            "With it you sign in here again, or on your own machine with `arena login`. Whoever "
            "has it can register and retire your bots."
        )


def _sign_up(client: OwnerClient, *, by_invite: bool) -> None:
    with st.form("sign-up"):
        name = st.text_input(
            "Your name",
            max_chars=40,
            help="Public. Letters of any script, digits, spaces, dots, hyphens, underscores.",
        )
        invite = ""
        if by_invite:
            invite = st.text_input("Invite", help="The code that the operator gave you.")
        if not st.form_submit_button("Sign up", type="primary"):
            return
    try:
        with _tried():
            owner, key = client.sign_up(name, invite)
    except OwnerCallError as error:
        st.error(str(error))
        return
    owners.sign_in(owner, key)
    st.session_state[FRESH_KEY] = key
    st.rerun()


def _sign_in(client: OwnerClient) -> None:
    with st.form("sign-in"):
        key = st.text_input(
            "Your key",
            type="password",
            autocomplete="current-password",
            help="It begins with arena_owner_. If you lost it, the operator can make a new one.",
        ).strip()
        if not st.form_submit_button("Sign in", type="primary"):
            return
    try:
        with _tried():
            owners.sign_in(client.owner(key), key)
    except OwnerCallError as error:
        st.error(str(error))
        return
    st.rerun()


@contextmanager
def _tried() -> Iterator[None]:
    """A context in which a key or an invite is tried. Raises OwnerCallError for a visitor who was
    wrong too often."""
    address = network_of(st.context.ip_address or "")
    seconds = _attempts().wait(address)
    if seconds:
        raise OwnerCallError(
            f"Too many wrong keys or invites from your address: come back in {seconds} s."
        )
    try:
        yield
    except OwnerCallError as error:
        if error.stranger:
            _attempts().wrong(address)
        raise


@st.cache_resource(show_spinner=False)
def _attempts() -> Attempts:
    return Attempts()
