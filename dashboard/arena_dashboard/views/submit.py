"""The page "Submit a bot": how to write, register and run a bot."""

from importlib.resources import files

import streamlit as st

from arena.settings import read_settings

FIRST_BOT = files("arena_sample_bots") / "starters" / "first_bot.py"

settings = read_settings()
# The address, on its own machine, of a referee that listens on all interfaces.
host = "localhost" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104 - asks, does not bind
scheme = "https://" if settings.tls_cert else ""

st.title("Submit a bot")
st.markdown("Five minutes, on this machine or any other that reaches the referee.")
st.markdown("**1. Write it.** One file, one method: a turn comes in, an action goes out.")
st.code(FIRST_BOT.read_text(), language="python")
st.markdown(
    "**2. Try it**, without any server; whatever it does wrong is listed. Install the package from "
    "its wheel, or run `make setup && . .venv/bin/activate` in a checkout of the project."
)
st.code(
    'pip install "PATH-OF-THE-WHEEL[play]"\narena play mine.py honest timid --matches 200',
    language="bash",
)
st.markdown("**3. Register it**, where the arena runs. This prints the bot's token, once.")
st.code("arena bot register mine --owner your-name", language="bash")
st.markdown(
    "**4. Run it.** It plays rated matches until Ctrl-C. From another machine, put the address at "
    "which that machine reaches the referee."
)
st.code(
    f"ARENA_ADDRESS={scheme}{host}:{settings.port} ARENA_TOKEN=the-token python mine.py",
    language="bash",
)
st.markdown(
    "It appears on the leaderboard with its first complete block of matches. Every release is a "
    "version of its own, with a rating of its own: register the next one with `--version 2`. "
    "A bot in any other language speaks the same gRPC: its files are in `proto/` of the project, "
    "and in `arena/proto/` of the installed package; `docs/write-a-bot.md` says how to use them."
)
st.markdown(
    "What a bot sees and answers is written down per game in `docs/games/`. Hidden dice and cards "
    "never reach it; this page's replays show what each seat knew."
)
