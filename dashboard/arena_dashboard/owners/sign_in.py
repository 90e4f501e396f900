"""Pages for the owner who is signed in, and the forms to sign up and to sign in on them."""

from collections.abc import Callable
from urllib.parse import urlsplit

import streamlit as st

from arena.clients.operator_client import OperatorClient
from arena.clients.owner_client import SignUpTerms
from arena.clients.referee_client import OwnerCallError
from arena.clients.upload_client import UploadClient
from arena.database.names import ALLOWED
from arena.errors import UserError
from arena.records import SignUp
from arena_dashboard import browser
from arena_dashboard.owners import identities, owners
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import in_markdown

NAME_HELP = f"Public: {ALLOWED}."
NAME_MISSING = f"“Your name” is missing: use {ALLOWED}."
NO_REFEREE = "This dashboard knows no referee: start it with `arena up`, or set ARENA_ADDRESS."
INVITE_HELP = "The code that the operator gave you."
INVITE_MISSING = "“Invite” is missing: enter the code that the operator gave you."


def signed_in_page(show_to: Callable[[OperatorClient, SignedIn], None], title: str = "") -> None:
    """Show a page to the owner who is signed in, or else how to sign in, below the title.

    If a call to the referee fails, show why, and run the page again every PULSE_SECONDS.
    """
    try:
        client = owners.referee()
        owner = None if client is None else owners.signed_in(client)
        if client is not None and owner is not None:
            show_to(client, owner)
            return
        if title:
            st.title(title)
        if client is not None:
            show(client, owners.terms())
        else:
            st.info(NO_REFEREE)
    except UserError as error:
        st.warning(in_markdown(str(error)))
        owners.offer_sign_out()
        browser.beat("again", browser.PULSE_SECONDS)


def show(client: UploadClient, terms: SignUpTerms) -> None:
    """Show the forms by which a visitor becomes an owner or signs in as one."""
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
        _sign_up(client, terms)
    with known:
        _sign_in(client)


def _show_identity(client: UploadClient, terms: SignUpTerms) -> None:
    """Show the ways to sign in at the identity provider, or with a key."""
    by_identity, by_key = st.tabs(["Sign in", "I have a key"])
    with by_key:
        _sign_in(client)
    with by_identity:
        at = urlsplit(terms.identity_issuer).hostname
        if not identities.here():
            st.button(f"Sign in at {at}", type="primary", on_click=st.login)
            return
        session = owners.kept()
        try:
            found = identities.signed_in(client)
        except OwnerCallError as error:
            st.error(in_markdown(str(error)))
            st.button(f"Sign in again at {at}", type="primary", on_click=st.login)
            return
        if found is not None and found.owner:
            owners.sign_in(session, found.owner, found.key)
            st.rerun()
        _become_owner(client, terms, "" if found is None else found.suggested_name)


def _become_owner(client: UploadClient, terms: SignUpTerms, suggested: str) -> None:
    """Show the form by which a visitor with a new identity becomes an owner named `suggested`."""
    st.markdown("You are signed in, but not an owner here yet.")
    name = invite = key = ""
    with st.form("become-owner"):
        if terms.sign_up is not SignUp.CLOSED:
            name = st.text_input("Your name", suggested, max_chars=40, help=NAME_HELP)
        if terms.sign_up is SignUp.INVITE:
            invite = st.text_input("Invite", help=INVITE_HELP)
        key = st.text_input(
            "Or your key, if you are an owner already",
            type="password",
            autocomplete="off",
            help="From then on you sign in as that owner without the key.",
        ).strip()
        if not st.form_submit_button("Continue", type="primary"):
            return
    if not key and not _complete(name, invite, terms):
        return
    session = owners.kept()
    try:
        found = identities.signed_up(client, "" if key else name, invite, key)
    except OwnerCallError as error:
        st.error(in_markdown(str(error)))
        return
    if not found.owner:
        st.error("“Or your key, if you are an owner already” is missing.")
        return
    owners.sign_in(session, found.owner, found.key)
    st.rerun()


def show_fresh_key(owner: SignedIn) -> None:
    """Show the key that the owner was just given, until the owner confirms storing it."""
    key = owners.fresh_keys().get(owner.key)
    if key is not None:
        st.success(
            "This is your key. Copy it to where you keep passwords: it is shown until you confirm "
            "that it is stored, for an hour at most, and never again."
        )
        st.code(key, language=None)
        st.button("I have stored it", on_click=owners.show_no_more, args=(owner.key,))
        st.caption(
            "With it you sign in from another browser, or on your own machine with `arena login`. "
            "Anyone who has it can register and retire your bots. This browser stays signed in "
            "until you sign out or stay away for 14 days. If you lose the key, make a new one "
            "under My bots."
        )


def _complete(name: str, invite: str, terms: SignUpTerms) -> bool:
    """Return whether a form has what a new owner needs; show what is missing."""
    missing = []
    if terms.sign_up is not SignUp.CLOSED and not name.strip():
        missing.append(NAME_MISSING)
    if terms.sign_up is SignUp.INVITE and not invite.strip():
        missing.append(INVITE_MISSING)
    for one in missing:
        st.error(one)
    return not missing


def _sign_up(client: UploadClient, terms: SignUpTerms) -> None:
    with st.form("sign-up"):
        name = st.text_input("Your name", max_chars=40, help=NAME_HELP)
        invite = ""
        if terms.sign_up is SignUp.INVITE:
            invite = st.text_input("Invite", help=INVITE_HELP)
        if not st.form_submit_button("Sign up", type="primary"):
            return
    if not _complete(name, invite, terms):
        return
    session = owners.kept()
    try:
        owner, key = client.sign_up(name, invite)
    except OwnerCallError as error:
        st.error(in_markdown(str(error)))
        return
    owners.begin(session, client, owner, key, fresh=True)
    st.rerun()


def _sign_in(client: UploadClient) -> None:
    with st.form("sign-in"):
        key = st.text_input(
            "Your key",
            type="password",
            autocomplete="current-password",
            help="It begins with arena_owner_. If you lost it, make a new one under My bots in a "
            "browser that is still signed in, or ask the operator for one.",
        ).strip()
        if not st.form_submit_button("Sign in", type="primary"):
            return
    if not key:
        st.error("“Your key” is missing: it begins with arena_owner_.")
        return
    try:
        owners.begin(owners.kept(), client, client.owner(key), key)
    except OwnerCallError as error:
        st.error(in_markdown(str(error)))
        return
    st.rerun()
