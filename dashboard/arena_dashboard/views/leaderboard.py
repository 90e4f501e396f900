"""The page "Leaderboard": the bots of a ladder, best first."""

from collections.abc import Sequence

import streamlit as st

from arena.lab.analysis import ANALYSED_GAMES
from arena.rating.ladder_id import LadderId
from arena.server.boards.board import BoardLine
from arena.server.boards.live_board import Leaderboard
from arena.server.boards.ranking_rule import RankingRule
from arena.server.boards.trend import TREND_EVENTS
from arena_dashboard import browser
from arena_dashboard.ladders import ladder_data, ladder_table
from arena_dashboard.ladders.ladder_choice import choose_ladder, ladder_tabs, size_in_words
from arena_dashboard.ladders.ladder_page import choose_lines, turn_pages
from arena_dashboard.parts.markup import in_markdown
from arena_dashboard.parts.url_choice import to_url, url_switch
from arena_dashboard.reading import data

MEAN_LOSS = (
    "- **Mean loss**: what a decision costs on average, in percent of a win, for bots with two or "
    "more analysed matches. `arena analyse --missing --follow`, which the operator runs beside the "
    "arena, analyses all matches.\n"
)


BENCHMARK = (
    "- **Benchmark**: the share of matches that a bot wins against the house bot cfr at tables of "
    "two, with most luck removed, in percent, as last measured by `arena benchmark BOT --rated`, "
    "which the operator runs.\n"
)


def show(ladder: LadderId) -> None:
    """Show the ladder, kept up to date while the page is visible."""
    # Only the first visit waits: later ones use the same board.
    with st.spinner("Reading the results…"):
        board = data.leaderboard(ladder)
    if board.lines:
        anchor = board.anchor
        measured = (
            f"measured from {anchor.bot} {anchor.version} = {anchor.elo:.0f}"
            if anchor
            else "the mean of all bots is 1500"
        )
        st.caption(
            f"{board.matches:,} rated matches at {size_in_words(ladder.seats)} · "
            f"{len(board.ranked):,} bots · {in_markdown(measured)}"
        )
        old = choose_old(board)
        lines = board.old if old else board.ranked
        most = ladder_table.MOST_ROWS
        shown = choose_lines(lines, most)
        sought = st.session_state.get("bot") if len(shown) < len(lines) else None
        table = ladder_data.table(ladder, board, shown, old=old)
        browser.ladder({**table, "sought": sought}, key="ladder")
        turn_pages("leaderboard", ladder, shown, len(lines), most)
        explain(lines, ladder.game)
    else:
        st.info(
            "No match of this ladder counts yet: a block of matches counts once it is complete."
        )
    browser.keep_current(
        ladder,
        (board.sequence, board.rule, data.away()),
        lambda: _seen(ladder),
    )


def choose_old(board: Leaderboard) -> bool:
    """Return whether to show the old versions instead of the ranking."""
    if not board.old:
        return False
    old = url_switch("old")
    st.toggle(
        f"Old versions ({len(board.old):,})",
        key="old",
        help="By the operator's rule they are no longer ranked. Their ratings stay, and the ranks "
        "shown are those that they would have.",
        on_change=to_url("old", "page", "bot"),
    )
    return old


def explain(lines: Sequence[BoardLine], game: str) -> None:
    """Explain what the columns mean."""
    with st.expander("What do these numbers mean?"):
        st.markdown(
            "- **Elo** is computed from every pair of bots in every match. A bot rated 200 higher "
            "is expected to take 76 % of the points between the two. It is fitted to all results "
            "at once, so a bot's Elo also moves a little while others play, mostly when new bots "
            "join.\n"
            "- **95 % interval**: the range of Elo that the results support; a block of matches "
            "counts as one. The small ranks are those that the intervals allow.\n"
            "- **Provisional**: fewer than 20 blocks link the bot to the established ones. It is "
            "listed below them, and so few blocks make its interval wide.\n"
            "- **Lines between rows** separate bands: every bot below a line is significantly "
            "weaker than the best bot of the band above it, or is provisional. Within a band the "
            "order may be luck.\n"
            "- **Trend**: the Elo that a bot gained or lost in the latest tenth of the ladder's "
            "matches, its own and those of others, if chance does not explain it (95 %); in a "
            f"long log, only the last {TREND_EVENTS:,} matches of all ladders are examined.\n"
            f"{MEAN_LOSS + BENCHMARK if game in ANALYSED_GAMES else ''}"
            "- **Win share**: first places per match. **Mean place**: 1 is best.\n"
            "- **checked**: it passed all scenarios tried by `arena check`, which its author ran, "
            "or the arena if it hosts the bot; otherwise the mark says how many it failed. It "
            "affects no rating."
        )
        note = ladder_table.luck_note(lines, game)
        if note is not None:
            st.caption(note)


def _seen(ladder: LadderId) -> tuple[int, RankingRule, bool]:
    board = data.leaderboard(ladder)
    return board.sequence, board.rule, data.away()


st.title("Leaderboard")
chosen = choose_ladder()
if chosen is None:
    st.info("No match has been played yet. Ratings appear here some seconds after the first one.")
    st.page_link("views/submit.py", label="Write a bot in five minutes")
else:
    ladder_tabs("leaderboard", chosen)
    show(chosen)
