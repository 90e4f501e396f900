"""The messages to the owner who is signed in: the new ones, and all others folded away."""

from collections.abc import Sequence

import streamlit as st

from arena.clients.owner_client import MessageSeen, OwnerClient
from arena.clients.referee_client import OwnerCallError
from arena_dashboard.owners import owners
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import Html, tag
from arena_dashboard.parts.tables import time_of


def show(client: OwnerClient, owner: SignedIn) -> None:
    """Show the owner's messages; nothing if there are none."""
    try:
        found = client.messages(owner.key)
    except OwnerCallError as error:
        owners.refused(error)
        return
    new = [one for one in found if not one.read]
    if new:
        st.subheader("New messages")
        st.html(messages(new))
        st.button("Mark as read", on_click=_mark_read, args=(client, owner, new[0].id))
    read = [one for one in found if one.read]
    if read:
        with st.expander(f"Messages ({len(read)})"):
            st.html(messages(read))


def messages(found: Sequence[MessageSeen]) -> Html:
    """Return messages as HTML."""
    return tag("div", *map(_message, found), class_="ba-messages")


def _message(one: MessageSeen) -> Html:
    head = tag("p", tag("b", one.sender), " ", time_of(one.sent), class_="ba-faint")
    return tag("article", head, tag("p", one.text, class_="ba-said"))


def _mark_read(client: OwnerClient, owner: SignedIn, up_to_id: int) -> None:
    try:
        client.mark_messages_read(owner.key, up_to_id)
    except OwnerCallError as error:
        owners.refused(error)
