"""The webhooks that receive the notices of an owner's bots: shown, added and removed."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from arena.clients.event_client import EventClient, WebhookSeen
from arena.clients.referee_client import OwnerCallError
from arena_dashboard.owners import owners
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import Html, in_markdown, table_of, tag
from arena_dashboard.parts.rows import cell, heads, number, row_of

ALL: Final = "All my bots"
_SECRET: Final = "webhook-secret"  # noqa: S105  a key of the session
"""The session's entry with the secret of the webhook that was added last."""


def show(client: EventClient, owner: SignedIn, bots: Sequence[str]) -> None:
    """Show an owner's webhooks, and add and remove some."""
    try:
        found = client.webhooks(owner.key)
    except OwnerCallError as error:
        st.warning(in_markdown(str(error)))
        return
    secret = owners.kept().pop(_SECRET, None)
    if secret is not None:
        st.success("The secret that signs its notices, shown only now:")
        st.code(secret, language=None)
    if found:
        st.html(table(found))
        _remove(client, owner, found)
    _add(client, owner, bots)


def table(found: Sequence[WebhookSeen]) -> Html:
    """Return webhooks as HTML."""
    head = heads("Address", ("Delivered", "ba-number"), ("Waiting", "ba-number"))
    return table_of("Webhooks", head, map(_line, found))


def _line(one: WebhookSeen) -> Html:
    return row_of(
        cell(
            tag("code", one.url, class_="ba-wrap"),
            tag("div", one.bot or ALL, class_="ba-faint"),
            tag("div", f"Last failure: {one.failure}", class_="ba-said") if one.failure else "",
        ),
        number(f"{one.delivered:,}"),
        number(f"{one.waiting:,}"),
    )


def _add(client: EventClient, owner: SignedIn, bots: Sequence[str]) -> None:
    with st.form("add-webhook", clear_on_submit=True):
        st.caption(
            "Notices (a build is accepted or refused, a bot keeps failing) are posted to an "
            "address of yours, or of Discord or Slack."
        )
        url = st.text_input("Address", max_chars=1000, placeholder="https://example.org/hook")
        bot = st.selectbox("For which bot", [ALL, *bots])
        if not st.form_submit_button("Add the webhook"):
            return
    session, of = owners.kept(), "" if bot == ALL else str(bot)

    def add() -> None:
        session[_SECRET] = client.add_webhook(owner.key, url.strip(), of)

    owners.change(add)


def _remove(client: EventClient, owner: SignedIn, found: Sequence[WebhookSeen]) -> None:
    with st.form("remove-webhook"):
        chosen = st.selectbox(
            "Webhook", found, format_func=lambda one: f"{one.bot or ALL}: {one.url}"
        )
        if not st.form_submit_button("Remove"):
            return
    owners.change(lambda: client.remove_webhook(owner.key, chosen.url, chosen.bot))
