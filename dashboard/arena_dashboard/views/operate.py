"""The page "Operate", for owners with the role of an operator: owners, and actions on them.

`?owner=…` shows one owner with everything that can be done; otherwise there is the list, filtered
by `?q=`, `?kind=` and `?invite=`.
"""

from functools import partial

import streamlit as st

from arena.clients.operator_client import OperatorClient, OwnerSeen
from arena.clients.referee_client import OwnerCallError
from arena.database.names import folded
from arena_dashboard.operating import operate_tables
from arena_dashboard.owners import owners, sign_in
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import in_markdown, tag, turning
from arena_dashboard.parts.url_choice import to_url, url_choice

KINDS = {
    "all": "All",
    "frozen": "Banned or frozen",
    "refused": "Newest upload refused",
    "identical": "Same build as others",
    "faults": "With faults",
}
LONGEST_MESSAGE = 2_000


def show_list(client: OperatorClient, me: SignedIn) -> None:
    """Show owners by name, filtered."""
    search, invite = st.query_params.get("q", ""), st.query_params.get("invite", "")
    st.session_state["q"] = search
    kind = url_choice("kind", list(KINDS), "all") or "all"
    with st.container(horizontal=True):
        st.text_input(
            "Find",
            key="q",
            placeholder="the beginning of an owner's name",
            on_change=to_url("q", "page"),
            width=300,
        )
        st.selectbox(
            "Show",
            list(KINDS),
            format_func=KINDS.__getitem__,
            key="kind",
            on_change=to_url("kind", "page"),
            width=240,
        )
    number = int(invite) if invite.isdecimal() and len(invite) < 9 else 0
    if number:
        st.caption(f"Owners who signed up by invite {number}.")
    page = st.query_params.get("page", "")
    found, following = client.owners(me.key, prefix=search, kind=kind, invite=number, page=page)
    if not found:
        st.info("No owner found.")
    else:
        st.html(operate_tables.owners(found))
    asked = {key: value for key, value in st.query_params.items() if key != "page"}
    links = []
    if page or number:
        links.append(tag("a", "All owners", href=operate_tables.link()))
    if following:
        more = operate_tables.link(**asked, page=following)
        links.append(tag("a", "More", href=more, rel="next"))
    if links:
        st.html(turning(*links, about="Pages"))
    with st.expander("Void a block"):
        void(client, me)
    folded_away = st.expander("What was changed", key="audit", on_change="rerun")
    if folded_away.open:
        with folded_away:
            st.html(operate_tables.audit(client.audit(me.key)))
    st.caption(
        "To find similar programs in an event, run `arena event similar` on the arena's machine."
    )


def show_owner(client: OperatorClient, me: SignedIn, name: str) -> None:
    """Show one owner, with everything that can be done."""
    st.html(turning(tag("a", "All owners", href=operate_tables.link())))
    found, _ = client.owners(me.key, prefix=name)
    one = next((one for one in found if folded(one.name) == folded(name)), None)
    if one is None:
        st.info("There is no owner of that name.")
        return
    st.html(operate_tables.owners([one]))
    message(client, me, one)
    for bot in one.bots:
        with st.form(f"freeze {bot.name}"):
            named = in_markdown(bot.name)
            if bot.frozen:
                st.caption(f"{named} is frozen: it cannot connect and plays nothing.")
            else:
                st.caption(f"While {named} is frozen it plays nothing; its results stay.")
            if st.form_submit_button(f"{'Unfreeze' if bot.frozen else 'Freeze'} {named}"):
                owners.change(partial(client.freeze, me.key, bot.name, frozen=not bot.frozen))
    ban(client, me, one)


def message(client: OperatorClient, me: SignedIn, one: OwnerSeen) -> None:
    """Send the owner a message."""
    with st.form("message", clear_on_submit=True):
        text = st.text_area(f"Message to {in_markdown(one.name)}", max_chars=LONGEST_MESSAGE)
        if not st.form_submit_button("Send"):
            return
    try:
        client.message(me.key, one.name, text)
    except OwnerCallError as error:
        owners.refused(error)
    else:
        st.success("Sent. It is on the owner's page My bots.")


def ban(client: OperatorClient, me: SignedIn, one: OwnerSeen) -> None:
    """Ban the owner, or let it in again."""
    name = in_markdown(one.name)
    with st.form("ban"):
        if one.banned:
            st.caption(f"{name} is banned.")
            if st.form_submit_button(f"Let {name} in again"):
                owners.change(partial(client.ban, me.key, one.name, banned=False))
            return
        sure = st.checkbox(f"Lock out {name} and all its bots at once; results stay", key="sure")
        if not st.form_submit_button(f"Ban {name}"):
            return
    if sure:
        owners.change(partial(client.ban, me.key, one.name))
    else:
        st.warning("Tick the box above first: its bots forfeit all their running matches.")


def void(client: OperatorClient, me: SignedIn) -> None:
    """Void a block."""
    with st.form("void"):
        named = st.text_input("Match or block", help="The id in the address of a replay.")
        reason = st.text_input("Why", help="For the audit.")
        sure = st.checkbox("For good: its matches no longer count for ratings", key="sure-void")
        if not st.form_submit_button("Void"):
            return
    if not sure:
        st.warning("Tick “For good”: a voided block never counts again.")
        return
    try:
        client.void(me.key, named, reason)
    except OwnerCallError as error:
        owners.refused(error)
    else:
        st.success("Its matches no longer count for ratings.")


def show(client: OperatorClient, me: SignedIn) -> None:
    """Show the page to an operator, and to others that they lack the role."""
    if not client.is_operator(me.key):
        st.info(
            f"You are signed in as {in_markdown(me.name)}, who is not an operator. On the arena's "
            "machine, `arena owner operator NAME` gives an owner the role."
        )
        return
    name = st.query_params.get("owner")
    if name:
        show_owner(client, me, name)
    else:
        show_list(client, me)


def page(client: OperatorClient, me: SignedIn) -> None:
    """Show the page, or why the referee refuses."""
    try:
        show(client, me)
    except OwnerCallError as error:
        owners.refused(error)


st.title("Operate")
sign_in.signed_in_page(page)
