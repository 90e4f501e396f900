"""The page "My bots": the bots of the owner who is signed in, and what can be done with them."""

from urllib.parse import urlencode

import streamlit as st

from arena.clients.operator_client import OperatorClient
from arena.clients.owner_client import BotPage, BotSeen, OwnerClient
from arena.clients.referee_client import OwnerCallError
from arena.clients.upload_client import UploadClient
from arena.database.errors import StorageError
from arena.scheduling.bot_paces import FASTEST_AN_HOUR, SLOWEST_AN_HOUR, pace_in_words
from arena_dashboard import browser
from arena_dashboard.bots import bot_data, own_tables
from arena_dashboard.bots.biggest_leak import show_biggest_leak
from arena_dashboard.owners import inbox, owners, sign_in, team, webhooks
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import in_markdown, tag, turning
from arena_dashboard.reading.data import why_nothing_is_read
from arena_dashboard.uploads import uploads

LATER_SECONDS = 5.0
PAGE = 20
"""Versions on a page."""
ASKED = "page"
"""The URL's parameter with the token of a page that is not the first."""


def describe(client: OwnerClient, owner: SignedIn, bot: BotSeen) -> None:
    """Show a form to change the bot's description."""
    with st.form(f"describe {bot.name}"):
        text = st.text_area("Text", bot.text, max_chars=1000)
        language = st.text_input("Language", bot.language, max_chars=40)
        link = st.text_input("Link", bot.link, max_chars=200, placeholder="https://…, or empty")
        if not st.form_submit_button("Save"):
            return
    owners.change(
        lambda: client.describe(owner.key, bot.name, text=text, language=language, link=link)
    )


def rotate(client: OwnerClient, owner: SignedIn, bot: BotSeen) -> None:
    """Offer a new token for a version."""
    labels = [one.label for one in bot.versions if not one.retired]
    with st.form(f"rotate {bot.name}"):
        label = st.selectbox("Version", labels, key=f"rotate-version {bot.name}")
        st.caption("The old token stops working, and the bot that uses it is disconnected.")
        if not st.form_submit_button("New token"):
            return
    try:
        version, token = client.rotate(owner.key, bot.name, label)
    except OwnerCallError as error:
        owners.refused(error)
    else:
        name = in_markdown(f"{bot.name} {version}")
        st.success(f"The new token of {name}, shown only now:")
        st.code(token, language=None)


def pause(client: OwnerClient, owner: SignedIn, bot: BotSeen) -> None:
    """Offer to pause a bot, or to resume it."""
    with st.form(f"pause {bot.name}"):
        if bot.paused:
            st.caption(
                "It is paused. After “Resume”, start it again if the arena does not host it."
            )
        else:
            st.caption("While paused, it plays nothing and cannot connect; its results stay.")
        if not st.form_submit_button("Resume" if bot.paused else "Pause"):
            return
    owners.change(lambda: client.pause(owner.key, bot.name, paused=not bot.paused))


def pace(client: OwnerClient, owner: SignedIn, bot: BotSeen) -> None:
    """Offer to limit how many rated matches an hour a bot begins."""
    with st.form(f"pace {bot.name}"):
        wished = st.number_input(
            "Rated matches an hour",
            min_value=SLOWEST_AN_HOUR,
            max_value=FASTEST_AN_HOUR,
            value=bot.wished_pace,
            placeholder="as many as it can",
        )
        if bot.pace != bot.wished_pace:
            st.caption(f"By the operator's rule it {pace_in_words(bot.pace)}.")
        if not st.form_submit_button("Set the pace"):
            return
    owners.change(lambda: client.pace(owner.key, bot.name, wished))


def decisions(client: OwnerClient, owner: SignedIn, bot: BotSeen) -> None:
    """Offer to share the decisions of a bot in data sets, or to keep them out."""
    with st.form(f"decisions {bot.name}"):
        if bot.shares_decisions:
            st.caption("Its decisions are in the data sets that the operator exports.")
        else:
            st.caption("Its decisions are in no data set; its matches can still be watched.")
        kept = "Keep its decisions out of data sets"
        if not st.form_submit_button(kept if bot.shares_decisions else "Share its decisions"):
            return
    owners.change(
        lambda: client.share_decisions(owner.key, bot.name, shared=not bot.shares_decisions)
    )


def notes(client: OwnerClient, owner: SignedIn, bot: BotSeen) -> None:
    """Offer to let everybody read the notes of a bot, or its owner alone."""
    with st.form(f"notes {bot.name}"):
        if bot.shares_notes:
            st.caption("Everybody can read its notes in the replays of its matches.")
        else:
            st.caption("Only you can read its notes in the replays of its matches.")
        if not st.form_submit_button(
            "Keep its notes to yourself" if bot.shares_notes else "Share its notes"
        ):
            return
    owners.change(lambda: client.share_notes(owner.key, bot.name, shared=not bot.shares_notes))


def retire(client: OwnerClient, owner: SignedIn, bot: BotSeen) -> None:
    """Offer to take a version, or the whole bot, out of service."""
    labels = [one.label for one in bot.versions if not one.retired]
    whole = "the whole bot"
    with st.form(f"retire {bot.name}"):
        chosen = st.selectbox("Retire", [whole, *labels], key=f"retire-version {bot.name}")
        sure = st.checkbox("For good; its results stay", key=f"sure {bot.name}")
        if not st.form_submit_button("Retire"):
            return
    if not sure:
        st.warning("Tick “For good; its results stay”: a retired bot or version never plays again.")
        return
    owners.change(lambda: client.retire(owner.key, bot.name, "" if chosen == whole else chosen))


def renew_key(client: UploadClient, owner: SignedIn) -> None:
    """Offer a new key for the command line, which replaces the old one."""
    with st.form("renew-key"):
        st.caption(
            "For `arena login` on your own machine. Your old key stops working, and everybody "
            "signed in as you elsewhere is signed out. Your bots' tokens stay valid."
        )
        if not st.form_submit_button("New key"):
            return
    session = owners.kept()

    def renew() -> None:
        owners.begin(session, client, owner.name, client.renew_key(owner.key), fresh=True)

    owners.change(renew)


def page_of_bots(client: OwnerClient, owner: SignedIn) -> BotPage:
    """Return the bots that the page shows. Raises OwnerCallError."""
    return client.bots(owner.key, versions=PAGE, page=st.query_params.get(ASKED, ""))


def turn_pages(page: BotPage) -> None:
    """Show links to the other pages of the owner's bots, if there are any."""
    links = []
    if ASKED in st.query_params:
        links.append(tag("a", "First", href="my-bots", rel="first"))
    if page.next_page:
        more = "my-bots?" + urlencode({ASKED: page.next_page})
        links.append(tag("a", "More", href=more, rel="next"))
    if links:
        st.html(turning(*links, about="Pages"))


@st.fragment
def show_versions(client: OwnerClient, owner: SignedIn) -> None:
    """Show the bots with their versions, kept up to date."""
    try:
        bots = page_of_bots(client, owner).bots
        ratings = {bot.name: bot_data.ladders_of(bot.name) for bot in bots}
        st.html(own_tables.versions(bots, ratings))
    except OwnerCallError as error:
        st.warning(in_markdown(str(error)))
    except StorageError as error:
        st.warning(why_nothing_is_read(error))
    browser.beat("own", LATER_SECONDS)


def show_leak(bot: BotSeen) -> None:
    """Show where a bot loses most; it is read when the section is unfolded."""
    name = in_markdown(bot.name)
    folded = st.expander(f"Where {name} loses most", key=f"leak {bot.name}", on_change="rerun")
    if folded.open:
        with folded:
            show_biggest_leak(bot.name)


def show(client: OperatorClient, owner: SignedIn) -> None:
    """Show everything of an owner."""
    sign_in.show_fresh_key(owner)
    inbox.show(client, owner)
    try:
        page = page_of_bots(client, owner)
    except OwnerCallError as error:
        owners.refused(error)
        return
    if page.bots:
        show_versions(client, owner)
        turn_pages(page)
    elif ASKED in st.query_params:
        st.info("There are no more bots.")
        turn_pages(page)
    else:
        st.info("You have no bot yet.")
    st.page_link("views/submit.py", label="Submit a bot")
    if client.is_operator(owner.key):
        st.page_link("views/operate.py", label="Operate the arena")
    for bot in page.bots:
        show_leak(bot)
        with st.expander(f"Builds, logs and settings of {in_markdown(bot.name)}"):
            uploads.show_builds(client, owner, bot.name)
            describe(client, owner, bot)
            if not bot.retired:
                pause(client, owner, bot)
                pace(client, owner, bot)
            decisions(client, owner, bot)
            notes(client, owner, bot)
            if not bot.retired:
                rotate(client, owner, bot)
                retire(client, owner, bot)
    with st.expander("Team"):
        team.show(client, owner)
    with st.expander("Webhooks"):
        webhooks.show(client, owner, [bot.name for bot in page.bots])
    with st.expander("A new key"):
        renew_key(client, owner)


def page(client: OperatorClient, owner: SignedIn) -> None:
    """Show everything of an owner, and how to sign out."""
    show(client, owner)
    st.button("Sign out", on_click=owners.sign_out)


st.title("My bots")
sign_in.signed_in_page(page)
