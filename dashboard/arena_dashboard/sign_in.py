"""The forms to sign up and to sign in, which pages show to who is not signed in."""

from urllib.parse import urlsplit

import streamlit as st

from arena.owner_client import OwnerCallError, OwnerClient, SignUpTerms
from arena.records import SignUp
from arena_dashboard import identities, owners

FRESH_KEY = "fresh_key"
"""Under which `owners.kept` has a key that was made on this page."""
NAME_HELP = "Public. Letters of any script, digits, spaces, dots, hyphens, underscores."
INVITE_HELP = "The code that the operator gave you."


def show(client: OwnerClient, terms: SignUpTerms) -> None:
    """Let somebody become an owner, or sign in as one."""
    if terms.identity_issuer and identities.configured():
        _show_identity(client, terms)
        return
    if terms.identity_issuer:
        st.info("To sign up, this dashboard needs ARENA_OIDC_ISSUER: ask the operator.")
        _sign_in(client)
        return
    if terms.sign_up is SignUp.CLOSED:
        st.info("Nobody can sign up here: the operator registers bots, and gives out owners' keys.")
        _sign_in(client)
        return
    new, known = st.tabs(["New here", "I have a key"])
    with new:
        _sign_up(client, by_invite=terms.sign_up is SignUp.INVITE)
    with known:
        _sign_in(client)


def _show_identity(client: OwnerClient, terms: SignUpTerms) -> None:
    """Let somebody sign in by the identity provider, or with a key."""
    by_identity, by_key = st.tabs(["Sign in", "I have a key"])
    with by_key:
        _sign_in(client)
    with by_identity:
        at = urlsplit(terms.identity_issuer).hostname
        if not identities.here():
            st.button(f"Sign in at {at}", type="primary", on_click=st.login)
            return
        try:
            found = identities.signed_in(client)
        except OwnerCallError as error:
            st.error(str(error))
            st.button(f"Sign in again at {at}", type="primary", on_click=st.login)
            return
        if found is not None and found.owner:
            owners.sign_in(found.owner, found.key)
            st.rerun()
        _become_owner(client, terms, "" if found is None else found.suggested_name)


def _become_owner(client: OwnerClient, terms: SignUpTerms, suggested: str) -> None:
    """What somebody is to become who has signed in for the first time."""
    st.markdown("You are signed in, and no owner here yet.")
    name = invite = key = ""
    with st.form("become-owner"):
        if terms.sign_up is not SignUp.CLOSED:
            name = st.text_input("Your name", suggested, max_chars=40, help=NAME_HELP)
        if terms.sign_up is SignUp.INVITE:
            invite = st.text_input("Invite", help=INVITE_HELP)
        key = st.text_input(
            "Or the key of the owner that you are already",
            type="password",
            autocomplete="off",
            help="From then on you sign in as that owner without it.",
        ).strip()
        if not st.form_submit_button("Continue", type="primary"):
            return
    try:
        found = identities.signed_up(client, "" if key else name, invite, key)
    except OwnerCallError as error:
        st.error(str(error))
        return
    if not found.owner:
        st.error("Say under which name.")
        return
    owners.sign_in(found.owner, found.key)
    st.rerun()


def show_fresh_key() -> None:
    """The key of an owner who has signed up in this session."""
    key = owners.kept().get(FRESH_KEY)
    if key is not None:
        st.success(
            "This is your key. Copy it now: to load the page again ends this visit, and only who "
            "has the key can come back."
        )
        st.code(key, language=None)
        st.caption(
            "With it you sign in here again, or on your own machine with `arena login`. Whoever "
            "has it can register and retire your bots."
        )


def _sign_up(client: OwnerClient, *, by_invite: bool) -> None:
    with st.form("sign-up"):
        name = st.text_input("Your name", max_chars=40, help=NAME_HELP)
        invite = ""
        if by_invite:
            invite = st.text_input("Invite", help=INVITE_HELP)
        if not st.form_submit_button("Sign up", type="primary"):
            return
    try:
        owner, key = client.sign_up(name, invite)
    except OwnerCallError as error:
        st.error(str(error))
        return
    owners.sign_in(owner, key)
    owners.kept()[FRESH_KEY] = key
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
        owners.sign_in(client.owner(key), key)
    except OwnerCallError as error:
        st.error(str(error))
        return
    st.rerun()
