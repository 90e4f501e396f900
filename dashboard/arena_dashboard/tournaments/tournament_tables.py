"""Tournaments as HTML: the list, the standings, and the pairings by round; pure functions."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from urllib.parse import urlencode

from arena.games import GAMES
from arena.match.score_rule import ScoreRule
from arena.server.tournaments.summary import (
    PairingLine,
    Standing,
    blocks_expected,
    mean_column,
    plan_in_words,
    points_text,
    ranking_terms,
)
from arena.server.tournaments.tournament import Tournament, TournamentRecord, TournamentState
from arena_dashboard.parts.markup import Html, badge, faint, table_of, tag, together
from arena_dashboard.parts.rows import cell, heads, number, row_of
from arena_dashboard.parts.tables import options, time_in_words, time_of, to_bot
from arena_dashboard.tournaments.tournament_data import Listed

_STATES = {
    TournamentState.RUNNING: "good",
    TournamentState.PAUSED: "warn",
    TournamentState.CANCELLED: "bad",
}

_SCORES = {
    ScoreRule.PLACEMENT: "all places count",
    ScoreRule.WINNER: "only first place counts",
}


def state(tournament: Tournament) -> Html:
    """Return the tournament's state, as a badge."""
    return badge(tournament.state.value, _STATES.get(tournament.state, "plain"))


def in_words(tournament: Tournament) -> str:
    """Return the tournament's rules in one line."""
    rules = tournament.rules
    game = GAMES[rules.game].title if rules.game in GAMES else rules.game
    parts = [
        rules.format.value,
        game,
        options(rules.options.items()),
        f"{rules.seats} seats",
        time_in_words(rules.time_control.name),
        plan_in_words(tournament),
        "" if rules.seats == 2 else _SCORES[rules.score],
        "" if rules.rated else "unrated",
        f"lots drawn with the seed {rules.seed}",
    ]
    return " · ".join(part for part in parts if part)


def tournament_list(found: Sequence[Listed]) -> Html:
    """Return a page of the list of tournaments."""
    head = heads(
        *("Tournament", "Winner", ("Game", "ba-wide"), ("Bots", "ba-number")),
        *(("Blocks", "ba-number ba-wide"), "Dates"),
    )
    return table_of("Tournaments, newest first", head, map(_listed, found))


def tournament_link(name: str) -> str:
    """Return the address of a tournament's page."""
    return "tournaments?" + urlencode({"name": name})


def pairing_link(name: str, number: int, table: int) -> str:
    """Return the address of the matches of a pairing."""
    return "matches?" + urlencode({"tournament": name, "pairing": f"{number}.{table}"})


def _listed(one: Listed) -> Html:
    tournament, rules = one.tournament, one.tournament.rules
    ended = tournament.ended_at
    began = tournament.started_at or tournament.created_at
    winner = "–" if tournament.state.over else ""
    return row_of(
        cell(
            tag("a", tournament.name, href=tournament_link(tournament.name), class_="ba-name"),
            " ",
            state(tournament),
            tag("div", rules.format.value, class_="ba-faint"),
        ),
        to_bot(one.winner.bot) if one.winner else winner,
        cell(
            GAMES[rules.game].title if rules.game in GAMES else rules.game,
            tag("div", f"{rules.seats}\N{NO-BREAK SPACE}seats", class_="ba-faint"),
            class_="ba-wide",
        ),
        number(str(len(tournament.entries))),
        cell(
            f"{one.blocks:,} of {blocks_expected(tournament, one.blocks):,}",
            class_="ba-number ba-wide",
        ),
        cell(
            "ended " if ended else "started " if tournament.started_at else "created ",
            time_of(ended or began),
            class_="ba-faint",
        ),
    )


def standing_table(record: TournamentRecord, lines: Iterable[Standing]) -> Html:
    """Return the standings, best first."""
    tournament = record.tournament
    ranked_by = ranking_terms(tournament)
    more = (
        (name[0].upper() + name[1:], "ba-number ba-wide", ranked_by[name])
        for name in [*mean_column(tournament), *tournament.plan.tie_breaks]
    )
    head = heads(
        *(("Rank", "ba-number"), "Bot", ("Owner", "ba-wide")),
        ("Points", "ba-number", ranked_by["points"]),
        *more,
        ("Blocks", "ba-number"),
    )
    return table_of("Standings", head, _standing_rows(record, lines))


def _standing_rows(record: TournamentRecord, lines: Iterable[Standing]) -> Iterable[Html]:
    tournament = record.tournament
    with_mean = len(mean_column(tournament))
    for line in lines:
        entry = tournament.entries[line.entry - 1]
        entrant = entry.registered.entrant
        yield row_of(
            cell(str(line.rank), class_="ba-number ba-rank"),
            cell(
                to_bot(entrant.bot, class_="ba-name"),
                " ",
                faint(f"v{entrant.version}"),
                *([" ", badge("withdrawn", "warn")] if entry.withdrawn else []),
                tag("div", entrant.owner, class_="ba-faint ba-narrow"),
            ),
            cell(entrant.owner, class_="ba-wide"),
            number(tag("b", points_text(line.points))),
            *(
                cell(points_text(one), class_="ba-number ba-wide")
                for one in [*[line.mean] * with_mean, *line.tie_breaks]
            ),
            number(f"{line.blocks:,}"),
        )


def pairings(found: Sequence[PairingLine], name: str) -> Html:
    """Return the pairings, with the points of the blocks that count; `name` is the tournament's."""
    head = heads(("Table", "ba-number"), "Bots and points", ("Blocks", "ba-number"))
    return together(
        *(
            together(
                tag("h4", f"Round {number}"),
                table_of(f"Round {number}", head, (_pairing(one, name) for one in of_round)),
            )
            for number, of_round in groupby(found, key=lambda one: one.round)
        )
    )


def _pairing(line: PairingLine, name: str) -> Html:
    bots = (
        tag(
            "li",
            to_bot(entrant.bot),
            " ",
            faint(f"v{entrant.version}"),
            *([] if line.is_bye else [" ", tag("b", points)]),
        )
        for entrant, points in line.bots
    )
    said = line.remark
    badges = [tag("li", badge(said))] if said in ("bye", "walkover") else []
    counted: str = f"{line.counted} of {line.wanted}"
    if line.is_bye:
        counted = ""
    elif line.counted:
        counted = tag("a", counted, href=pairing_link(name, line.round, line.table))
    return row_of(
        cell(str(line.table), class_="ba-number ba-rank ba-faint"),
        cell(
            tag("ol", *bots, *badges, class_="ba-placings"),
            tag("div", said, class_="ba-faint") if said and not badges else "",
        ),
        number(counted),
    )
