"""The page "Play": a person plays an unrated match in the browser, as a bot among bots.

`?game=…` chooses the game. The session is this browser's alone: its key is in a cookie and not in
the page's address, so that a page that is loaded again comes back to its match.
"""

import streamlit as st

from arena.addresses import network_of
from arena.errors import UserError
from arena.games import GAMES, make_game
from arena_dashboard.parts.markup import in_markdown, tag
from arena_dashboard.parts.rules import show_rules
from arena_dashboard.parts.url_choice import to_url, url_choice, warn_of_unknown
from arena_dashboard.player.component import registered
from arena_dashboard.playing.game_options import choose_options
from arena_dashboard.playing.people import BANK_SECONDS, COOKIE, People, Person, people, wanted
from arena_dashboard.playing.picture import replay_of

# The name under which the session's state holds the key of the person.
PERSON = "playing"
# The key of the component that draws the person's table.
TABLE = "person"
TURN_SECONDS = (20, 60, 120)


def choose(everybody: People) -> None:
    """Let a visitor choose a game and opponents, and sit down."""
    warn_of_unknown("game", list(GAMES), "game")
    game = url_choice("game", list(GAMES), "bluff") or "bluff"
    seats = make_game(game).seat_counts
    # First the bots that play fewest games: `random` plays every game.
    found = sorted(
        (one for one in everybody.rivals() if game in one.games), key=lambda one: len(one.games)
    )
    st.segmented_control(
        "Game",
        list(GAMES),
        key="game",
        format_func=lambda name: GAMES[name].title,
        on_change=to_url("game"),
        required=True,
    )
    show_rules(game)
    names = [f"{one.entrant.bot}:{one.entrant.version}" for one in found]
    bots = [one.entrant.bot for one in found]
    labels = {
        name: one.entrant.bot if bots.count(one.entrant.bot) == 1 else str(one.entrant)
        for name, one in zip(names, found, strict=True)
    }
    if len(set(bots)) < seats[0] - 1:
        st.info(
            f"No bot that plays {GAMES[game].title} accepts challenges now. Start the arena with a "
            f"table for it: `arena up --table {game}:{max(2, seats[0])}`."
        )
        return
    chosen = st.multiselect(
        "Opponents",
        names,
        names[:1],
        key=f"opponents-{game}",
        max_selections=seats[-1] - 1,
        format_func=lambda name: labels[name],
        help="Connected bots that accept challenges. Without any, the referee chooses one.",
    )
    seconds = st.radio(
        "Seconds for a turn",
        TURN_SECONDS,
        1,
        horizontal=True,
        help=f"Plus {BANK_SECONDS} in all for turns that take longer.",
    )
    options = choose_options(make_game(game))
    if st.button("Sit down", type="primary"):
        try:
            make_game(game, options)
            with st.spinner("Asking the referee…"):
                asked_for = wanted(game, chosen, seconds, options)
                person = everybody.sit_down(asked_for, network_of(st.context.ip_address or ""))
        except UserError as error:
            st.error(in_markdown(str(error)))
        else:
            st.session_state[PERSON] = person.key
            st.rerun()
    st.caption(
        "The match is unrated. You see what a bot in your seat would see, and every draw can be "
        "checked afterwards in the replay."
    )


def asked() -> None:
    """React to the person, who wants to play again, or to leave."""
    person = seated()
    if person is None:
        return
    if st.session_state[TABLE]["asked"] == "again":
        try:
            person.play()
        except UserError as error:
            st.session_state["refused"] = str(error)
    else:
        person.go()
        st.session_state.pop(PERSON, None)


def key() -> str:
    """Return the key of the person who plays on this page, or did before it was loaded again."""
    return str(st.session_state.get(PERSON) or st.context.cookies.get(COOKIE) or "")


def seated() -> Person | None:
    """Return the person who plays on this page; None if there is none."""
    everybody = people()
    return None if everybody is None else everybody.person(key())


everybody = people()
if everybody is None:
    st.title("Play")
    st.info(
        "This dashboard cannot let people play: start it with `arena up`, or set "
        "ARENA_PERSON_TOKEN."
    )
    st.stop()
person = seated()
if person is not None:
    refused = st.session_state.pop("refused", None)
    if refused is not None:
        st.error(in_markdown(refused))
    registered(TABLE)(key=TABLE, data={"key": person.key}, on_asked_change=asked)
    show_rules(person.wanted.game)
else:
    st.title("Play")
    missed = everybody.missed(key())
    if missed is not None:
        st.info("You lost your last match because you were away.")
        watch = tag("a", "Watch its replay", href=replay_of(missed))
        st.html(tag("p", watch, class_="ba-link"))
    try:
        choose(everybody)
    except UserError as error:
        st.warning(in_markdown(str(error)))
