"""How do I get my own bot onto the ladder?"""

import streamlit as st

BOT = """\
from arena.bot import Bot, Turn, run
from arena.games.bluff import Bet, Doubt, Face


class Mine(Bot):
    def act(self, turn: Turn):
        view = turn.view
        if view.can_doubt and view.bets[-1].bet.quantity > sum(view.dice_counts) / 2:
            return Doubt()
        for face in Face:
            if view.lowest[face - 1] <= view.highest:
                return Bet(view.lowest[face - 1], face)
        return Doubt()


if __name__ == "__main__":
    run(Mine)
"""

st.title("Submit a bot")
st.markdown("Five minutes, on this machine or any other that reaches the referee.")
st.markdown("**1. Write it.** One file, one method: a turn comes in, an action goes out.")
st.code(BOT, language="python")
st.markdown("**2. Register it.** This prints the bot's token, once.")
st.code("arena bot register mine --owner your-name", language="bash")
st.markdown("**3. Run it.** It plays rated matches until Ctrl-C.")
st.code("ARENA_TOKEN=the-token python mine.py", language="bash")
st.markdown(
    "It appears on the leaderboard with its first complete block of matches. Every release is a "
    "version of its own, with a rating of its own: register the next one with `--version 2`. "
    "A bot in any other language speaks the same gRPC: see `proto/arena/v1/` and `sample_bots/`."
)
st.markdown(
    "What a bot sees and answers is written down per game in `docs/games/`. Hidden dice and cards "
    "never reach it; this page's replays show what each seat knew."
)
