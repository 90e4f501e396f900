"""Pure functions that render an owner's bots as HTML."""

from collections.abc import Mapping, Sequence

from arena.clients.owner_client import BotSeen, VersionSeen
from arena.rating.ladder_id import LadderId
from arena.server.boards.board import BoardLine
from arena_dashboard.bots.bot_tables import faults_link, halted
from arena_dashboard.ladders.ladder_choice import in_words
from arena_dashboard.parts.markup import Html, badge, table_of, tag
from arena_dashboard.parts.rows import cell, heads, number, row_of
from arena_dashboard.parts.tables import to_bot

Ladders = Sequence[tuple[LadderId, Sequence[BoardLine]]]


def versions(bots: Sequence[BotSeen], ratings: Mapping[str, Ladders]) -> Html:
    """Return a table of versions: whether they are connected, their ratings, matches and faults."""
    head = heads("Bot", "Now", "Ratings", ("Matches", "ba-number"), ("Faults", "ba-number"))
    lines = (_line(bot, one, ratings.get(bot.name, ())) for bot in bots for one in bot.versions)
    return table_of("My bots and their versions", head, lines)


def _line(bot: BotSeen, one: VersionSeen, ladders: Ladders) -> Html:
    faults = f"{one.faults:,}"
    return row_of(
        cell(
            to_bot(bot.name, class_="ba-name"),
            tag("small", f"v{one.label}"),
            halted(frozen=bot.frozen, paused=bot.paused),
        ),
        _now(one),
        cell(*_ratings(one.label, ladders)),
        number(f"{one.matches:,}"),
        number(tag("a", faults, href=faults_link(bot.name, one.label)) if one.faults else faults),
    )


def _now(one: VersionSeen) -> Html:
    if one.retired:
        return badge("retired", "warn")
    if not one.connected:
        refused = badge("refused", "bad", "The check of its upload refused it.")
        return refused if one.refused else badge("away")
    return badge(f"plays {one.playing}" if one.playing else "connected", "good")


def _ratings(label: str, ladders: Ladders) -> list[Html]:
    return [
        tag(
            "div",
            f"{line.elo:.0f}",
            tag("small", f"{in_words(ladder)}{', provisional' if line.provisional else ''}"),
        )
        for ladder, lines in ladders
        for line in lines
        if line.version == label
    ]
