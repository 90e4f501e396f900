"""The page "Bots": all bots by name, or the profile of the one in the URL."""

from urllib.parse import urlencode

import streamlit as st

from arena.rating.ladder_id import LadderId
from arena.server.boards.board import BoardLine
from arena_dashboard.bots import bot_data, bot_tables
from arena_dashboard.bots.biggest_leak import plays_an_analysed_game, show_how_to_analyse
from arena_dashboard.bots.bot_chart import ratings_chart
from arena_dashboard.bots.bot_data import Profile
from arena_dashboard.bots.deception_section import show_deception
from arena_dashboard.ladders import comparison_data, comparison_tables
from arena_dashboard.ladders.ladder_choice import in_words, link
from arena_dashboard.matches import match_notes
from arena_dashboard.parts import tables
from arena_dashboard.parts.markup import in_markdown, tag, turning
from arena_dashboard.parts.url_choice import shortened, to_url
from arena_dashboard.reading import data
from arena_dashboard.serving.feeds import bot_feed_address

LAST_MATCHES = 10


def show_index() -> None:
    """Show all bots, by name."""
    search = st.query_params.get("q", "")
    st.session_state["q"] = search
    st.text_input(
        "Find",
        key="q",
        placeholder="a bot or its owner, then Enter",
        help="The beginning of a bot's name, or the whole name of an owner; case does not matter.",
        on_change=to_url("q", "after", "before", "bot"),
        width=300,
    )
    after, before = st.query_params.get("after"), st.query_params.get("before")
    page = bot_data.index(search, after, before)
    if not page.rows:
        if after is not None or before is not None:
            st.info("There are no more bots.")
        else:
            st.info("No bot has been registered yet." if not search else "No bot found.")
        return
    checks = data.checks([row.newest_id for row in page.rows])
    st.html(bot_tables.index(page.rows, checks))
    found = {"q": search} if search else {}
    links = []
    if page.before is not None:
        back = "bot?" + urlencode(found | {"before": page.before})
        links.append(tag("a", "Back", href=back, rel="prev"))
    if page.after is not None:
        more = "bot?" + urlencode(found | {"after": page.after})
        links.append(tag("a", "More", href=more, rel="next"))
    st.html(turning(*links, about="Pages"))


def show_profile(bot: Profile) -> None:
    """Show everything about one bot."""
    st.html(bot_tables.facts(bot))
    said = bot_tables.said(bot)
    if said is not None:
        st.html(said)
    show_checks(bot)
    ladders = bot_data.ladders_of(bot.name)
    if not ladders:
        st.info("No match of this bot counts yet: a block of matches counts once it is complete.")
    else:
        show_ratings(bot, ladders)
    show_play(bot)
    for ladder, _ in ladders:
        show_opponents(ladder, bot.name)
    feed = tag("a", "Its new versions as a feed (Atom)", href=bot_feed_address(bot.name))
    st.html(tag("p", feed, class_="ba-link"))


def show_faults(bot: Profile, version: str) -> None:
    """Show the latest faults of one version, each with a link to its turn."""
    faults = bot_data.faults(bot.name, version)
    st.subheader(f"Latest faults of version {shortened(version)}")
    if faults:
        st.html(bot_tables.faults(faults))
    elif version not in {row.version for row in bot.versions}:
        st.warning(f"This bot has no version “{shortened(version)}”.")
    else:
        st.info("No fault of this version is recorded in finished matches.")
    st.html(
        turning(
            tag("a", "All about the bot", href=tables.bot_link(bot.name)),
            tag("a", "Its matches with faults", href=bot_tables.matches_link(bot.name, faults="1")),
        )
    )


def show_checks(bot: Profile) -> None:
    """Show what checks of its versions against the protocol found."""
    if bot.checks:
        st.subheader("Checks")
        st.caption(
            "`arena check` acts as a referee that behaves badly, and tells whether a bot follows "
            "the protocol. The arena runs it for uploads; for other bots, the author ran it and "
            "reported the outcome."
        )
        st.html(bot_tables.checks(bot))


def show_ratings(bot: Profile, ladders: list[tuple[LadderId, list[BoardLine]]]) -> None:
    """Show the ratings of all versions on all ladders, on one chart."""
    st.subheader("Ratings")
    ratings_chart(bot, ladders).show()
    st.html(comparison_tables.standing(ladders))


def show_play(bot: Profile) -> None:
    """Show how it played in its latest matches, and those matches."""
    recent = bot_data.recent(bot.name)
    if not recent.matches:
        return
    show_deception(recent.deception)
    show_decisions(bot)
    faults = bot_data.faults(bot.name)
    if faults:
        st.subheader("Latest faults")
        st.html(bot_tables.faults(faults))
    show_usage(bot, recent)
    st.subheader("Last matches")
    st.html(bot_tables.time_and_luck(recent.time, recent.luck))
    st.html(tables.matches(recent.matches[:LAST_MATCHES]))
    st.html(
        turning(
            tag("a", "All its matches", href=bot_tables.matches_link(bot.name)),
            tag("a", "Its boldest bluffs", href=bot_tables.matches_link(bot.name, sort="boldest")),
            tag("a", "With faults", href=bot_tables.matches_link(bot.name, faults="1")),
        )
    )


def show_usage(bot: Profile, recent: bot_data.Recent) -> None:
    """Show the usage of a language model in its latest matches, if the bot reported it."""
    found = bot_data.usage(bot.name, recent)
    if not found:
        return
    st.subheader("Language model")
    st.caption(
        f"Usage of its answers in {len(found)} of its latest {len(recent.matches)} matches, as the "
        "bot reports it: tokens, US dollars, and seconds of the model, summed over each match."
    )
    st.html(match_notes.usage_table(found[:LAST_MATCHES], [one for _, one in found]))


def show_decisions(bot: Profile) -> None:
    """Show what its decisions cost; if no analysis is kept, show how to make one."""
    found = bot_data.decisions(bot.name)
    if found is None:
        if plays_an_analysed_game(bot.name):
            st.subheader("Decisions")
            show_how_to_analyse(bot.name)
        return
    st.subheader("Decisions")
    st.caption(
        f"From its latest {found.sums.matches} analysed matches. The loss of a decision is the "
        "chance to win that it cost. Accuracy is the share of decisions that were best or fine; "
        "the chart shows its 95 % interval."
    )
    st.html(bot_tables.decisions(found.sums))
    if found.accuracy is not None:
        found.accuracy.show()


def show_opponents(ladder: LadderId, bot: str) -> None:
    """Show its opponents on a ladder; they are read when the section is unfolded."""
    folded = st.expander(
        f"Opponents: {in_words(ladder)}", key=f"opponents {ladder}", on_change="rerun"
    )
    with folded:
        if not folded.open:
            return
        facts = comparison_data.ladder_details(ladder)
        assert facts.comparisons is not None  # the bot is on this ladder
        for line in facts.board.lines:
            if line.bot == bot:
                st.html(
                    comparison_tables.opponents(
                        facts.board.lines, facts.comparisons, line.version_id, ladder
                    )
                )
        st.html(
            turning(
                comparison_data.history_link(facts, bot),
                tag("a", "Matrix of the ladder", href=link("head-to-head", ladder)),
            )
        )


asked = st.query_params.get("bot")
profile = bot_data.profile(asked) if asked else None
if profile is None:
    st.title("Bots")
    if asked:
        st.warning(f"There is no bot “{shortened(asked)}”. These are all:")
    show_index()
else:
    st.set_page_config(f"{profile.name} · Bluff Arena")
    st.title(in_markdown(profile.name))
    if "faults" in st.query_params:
        show_faults(profile, st.query_params["faults"])
    else:
        show_profile(profile)
