"""The page "Submit a bot": sign up, register a bot, start it, and watch its first steps."""

import shlex
from functools import partial
from importlib.resources import files

import streamlit as st

from arena.clients.owner_client import OwnerClient
from arena.clients.upload_client import UploadClient
from arena.database.names import ALLOWED_LABEL
from arena.errors import UserError
from arena.games import GAMES
from arena.local.starters import LANGUAGES, require_sdk
from arena.local.wheel import NoWheelError
from arena_dashboard import browser
from arena_dashboard.owners import owners, sign_in
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import in_markdown, tag
from arena_dashboard.parts.rules import show_rules
from arena_dashboard.serving import sdk
from arena_dashboard.uploads import submitting, uploads
from arena_dashboard.uploads.submitting import MADE, NAMES, FirstSteps, Made

FIRST_BOT = files("arena_sample_bots") / "starters" / "first_bot.py"
# The seconds between two looks at the bot's first steps.
SOON_SECONDS = 1.0


def register(client: OwnerClient, owner: SignedIn) -> None:
    """Let the owner register a bot."""
    allowed = owners.terms().allowance
    with st.form("register"):
        name = st.text_input(
            "The bot's name",
            max_chars=40,
            help=sign_in.NAME_HELP,
        )
        left, right = st.columns(2)
        language = left.selectbox("Language", list(LANGUAGES), format_func=NAMES.__getitem__)
        version = right.text_input(
            "Version",
            "1",
            max_chars=40,
            help=f"Each version has a rating of its own. {ALLOWED_LABEL}.",
        )
        st.caption(
            f"Limits: {allowed.bots} bots in all. In 24 hours, {allowed.owner_versions_a_day} new "
            f"versions, at most {allowed.bot_versions_a_day} of one bot. Uploads count separately."
        )
        if not st.form_submit_button("Register", type="primary"):
            return
    session = owners.kept()

    def make() -> None:
        bot, token = client.register(owner.key, name, version.strip())
        session[MADE] = Made(bot, version.strip() or "1", language, token)
        _say_language(client, owner, bot, NAMES[language])

    owners.change(make)


def _say_language(client: OwnerClient, owner: SignedIn, bot: str, language: str) -> None:
    """Let the bot's page name the language, unless its owner has said another."""
    if not client.bot(owner.key, bot).language:
        client.describe(owner.key, bot, language=language)


def start(made: Made) -> None:
    """Show what to do with a bot that was just registered."""
    st.subheader(f"Start {in_markdown(made.bot)}")
    st.markdown(
        "**Its token.** Copy it now: it is gone when the page is reloaded, and then **My bots** "
        "makes a new one. Anyone who has it can play as your bot."
    )
    st.code(made.token, language=None)
    address = owners.public_address()
    offer_starter(made, address)
    st.markdown("**Or any bot you have**, started like this:")
    st.code(submitting.commands(made, address), language="bash")
    st.markdown(
        "**Does it conform to the protocol?** This tries what is rare in a match (lost "
        "connections, refusals, restarts), and reports the outcome here; it affects no rating. "
        "`arena` comes with the package, see below."
    )
    st.code(submitting.check_command(made, address), language="bash")


def offer_starter(made: Made, address: str) -> None:
    """Let the owner download a bot in the language, or say why not."""
    language = NAMES[made.language]
    try:
        require_sdk(made.language)
    except NoWheelError as error:
        st.warning(f"There is no {language} starter to download. {error}")
        return
    st.markdown(
        f"**A complete bot in {language}**, with address and token filled in: unpack it, read its "
        "README.md, and run `sh run.sh`, which builds it first."
    )
    st.download_button(
        f"Download the {language} starter",
        partial(submitting.starter, made, address),
        file_name=submitting.file_name(made),
        mime="application/zip",
        type="primary",
    )


@st.fragment
def show_progress(owner: SignedIn, progress: FirstSteps) -> None:
    """Show the first steps of the bot, as they happen."""
    st.subheader("Now")
    found = progress.look()
    if found.why_old:
        st.warning(in_markdown(found.why_old))
    st.html(submitting.steps_in_html(found.steps))
    if not found.final:
        seconds = None if submitting.complete(found) else SOON_SECONDS
        topic = ("first steps", owner, progress.bot, progress.version)
        browser.keep_current(topic, found, progress.look, seconds)


def connect(client: UploadClient) -> None:
    """Show the steps from signing up to a bot that plays."""
    owner = owners.signed_in(client)
    if owner is None:
        st.subheader("1. Who are you?")
        sign_in.show(client, owners.terms())
        return
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        mine = tag("a", "My bots", href="my-bots")
        who = tag("div", "You are ", tag("b", owner.name), ". ", mine, class_="ba-said")
        st.html(who, width="content")
        st.button("Sign out", on_click=owners.sign_out)
    sign_in.show_fresh_key(owner)
    upload, run = st.tabs(["Upload: the arena runs it", "Connect: you run it"])
    with upload:
        uploads.show_upload(client, owner)
    with run:
        show_connecting(client, owner)


def show_connecting(client: UploadClient, owner: SignedIn) -> None:
    """Show how to register a bot, and how to start it."""
    made = owners.kept().get(MADE)
    if made is None:
        st.subheader("2. Register a bot")
        register(client, owner)
        return
    start(made)
    show_progress(owner, submitting.first_steps(client, owner, made.bot, made.version))
    st.button("Register another bot", on_click=owners.kept().pop, args=(MADE, None))


st.title("Submit a bot")
st.markdown("It takes two minutes, on this machine or any other that can reach the referee.")
try:
    client = owners.referee()
    if client is None:
        st.info(sign_in.NO_REFEREE)
    else:
        connect(client)
except UserError as error:
    st.warning(in_markdown(str(error)))
    owners.offer_sign_out()
    browser.beat("again", browser.PULSE_SECONDS)

st.subheader("What a bot looks like")
st.markdown("One file, one method: a turn comes in, an action goes out.")
st.code(FIRST_BOT.read_text(), language="python")
st.markdown(
    "Try it without any server; its mistakes are listed. The package comes from this arena and "
    "needs Python 3.11 or newer."
)
try:
    st.code(
        "python3 -m venv .venv && . .venv/bin/activate\n"
        f"{sdk.install_command('play', st.context.url)}\n"
        "arena play mine.py honest timid --matches 200",
        language="bash",
    )
except NoWheelError as error:
    st.warning(str(error))
st.markdown("All of the above from a terminal:")
st.code(
    f"export ARENA_ADDRESS={shlex.quote(owners.public_address())}\n"
    "arena signup 'Your Name'  # --invite CODE, where one is needed\n"
    "arena submit mine.py      # the arena runs it; or run it yourself:\n"
    "arena bot new mine2       # prints the token, once\n"
    "ARENA_TOKEN=the-token python mine.py",
    language="bash",
)
st.markdown(
    "A bot appears on the leaderboard after its first complete block of matches. It is never sent "
    "hidden dice or cards.\n\n"
    "**In any language** a bot speaks gRPC. With the package, `arena new-bot go my-bot` writes a "
    "complete bot in Go; Python, JavaScript, TypeScript, Rust, Java and C++ are available, too. "
    "The comments in its folder `proto`, or in the Python package, describe all that a bot sees "
    "and may answer."
)
for game in GAMES:
    show_rules(game)
