"""The team of the owner who is signed in; its captain adds and removes members."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import streamlit as st

from arena.clients.owner_client import OwnerClient
from arena.clients.referee_client import OwnerCallError
from arena.database.names import ALLOWED
from arena_dashboard.owners import owners
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import Html, faint, in_markdown, table_of
from arena_dashboard.parts.rows import cell, heads, row_of
from arena_dashboard.parts.tables import time_of

_ADDED: Final = "team-member"
"""The session's entry with the name and the key of the member who was added last."""


def show(client: OwnerClient, owner: SignedIn) -> None:
    """Show who is in the owner's team, and what the visitor may change in it."""
    try:
        me, found = client.member(owner.key), client.members(owner.key)
    except OwnerCallError as error:
        st.warning(in_markdown(str(error)))
        return
    added: tuple[str, str] | None = owners.kept().get(_ADDED)
    if added is not None:
        _show_key(*added)
    st.html(table(owner.name, me, found))
    if me:
        _leave(client, owner, me)
        return
    _add(client, owner)
    if found:
        _remove(client, owner, [name for name, _ in found])


def table(captain: str, me: str, found: Sequence[tuple[str, datetime]]) -> Html:
    """Return a team as HTML: its captain, and its members with the times when they were added.

    `me` is the member who views it, "" for the captain.
    """
    lines = [_line(captain, "captain", "", mine=not me)]
    lines += [_line(name, "member", time_of(at), mine=name == me) for name, at in found]
    return table_of("Team", heads("Name", "Role", "Added"), lines)


def _line(name: str, role: str, added: Html | str, *, mine: bool) -> Html:
    return row_of(cell(name, faint(" (you)") if mine else ""), role, cell(added, class_="ba-faint"))


def _show_key(name: str, key: str) -> None:
    st.success(
        f"{in_markdown(name)} is in your team. This is the member's key: give it to nobody else. "
        "It is not shown again:"
    )
    st.code(key, language=None)
    st.caption("With it the member signs in on this page, or by `arena login`.")
    st.button("I have passed it on", on_click=lambda: owners.kept().pop(_ADDED, None))


def _add(client: OwnerClient, owner: SignedIn) -> None:
    with st.form("add-member", clear_on_submit=True):
        st.caption(
            "A member has a key of their own and can do all that you can with the team's bots. "
            "Only you, the captain, add and remove members; the audit names who did what."
        )
        name = st.text_input("Name of the member", max_chars=40, help=f"{ALLOWED}.")
        if not st.form_submit_button("Add the member"):
            return
    session = owners.kept()

    def add() -> None:
        session[_ADDED] = name.strip(), client.add_member(owner.key, name.strip())

    owners.change(add)


def _remove(client: OwnerClient, owner: SignedIn, names: Sequence[str]) -> None:
    with st.form("remove-member"):
        chosen = st.selectbox("Member", names)
        sure = st.checkbox("The member's key and sign-ins end at once")
        if not st.form_submit_button("Remove the member"):
            return
    if not sure:
        st.warning("Tick “The member's key and sign-ins end at once”.")
        return

    def remove() -> None:
        client.remove_member(owner.key, chosen)
        added: tuple[str, str] | None = owners.kept().get(_ADDED)
        if added is not None and added[0] == chosen:
            owners.kept().pop(_ADDED)

    owners.change(remove)


def _leave(client: OwnerClient, owner: SignedIn, me: str) -> None:
    with st.form("leave-team"):
        sure = st.checkbox("My key ends at once, and only the captain can add me again")
        if not st.form_submit_button("Leave the team"):
            return
    if not sure:
        st.warning("Tick “My key ends at once, and only the captain can add me again”.")
        return

    def leave() -> None:
        client.remove_member(owner.key, me)
        owners.sign_out()

    owners.change(leave)
