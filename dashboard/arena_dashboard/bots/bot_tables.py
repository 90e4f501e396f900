"""Pure functions that render the index of bots and a profile as HTML and as a chart."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import altair as alt

from arena.lab.analysis import BotAnalysis, Grade
from arena.match.faults import FaultKind
from arena.records import VersionId
from arena.scheduling.bot_paces import pace_in_words
from arena.server.results.faults import SeenFault
from arena.server.uploads.checks import RecordedCheck, check_in_words, check_mark
from arena_dashboard.bots.bot_data import Profile
from arena_dashboard.bots.deception_tables import entry, estimate
from arena_dashboard.parts.markup import Html, badge, table_of, tag, together
from arena_dashboard.parts.rows import cell, heads, row_of
from arena_dashboard.parts.tables import replay_link, time_of, to_bot

MOST_CHECKS = 10
"""The most versions whose checks are listed, the newest."""

_REASONS = {
    FaultKind.LATE: "gave no answer within the turn's time and the bank",
    FaultKind.ILLEGAL: "answered with an action that the rules did not allow",
    FaultKind.MALFORMED: "answered with something that is not an action of this game",
    FaultKind.ABSENT: "stayed away longer than the grace period, and forfeited",
}


def index(rows: Sequence[Any], checks: Mapping[VersionId, RecordedCheck]) -> Html:
    """Return a page of the list of bots, with the `checks` of their newest versions."""
    # On a phone the owner is shown below the bot's name.
    head = heads("Bot", ("Owner", "ba-wide"), "Newest version", "Registered")
    lines = (_listed(row, checks.get(row.newest_id)) for row in rows)
    return table_of("Bots by name", head, lines)


def _listed(row: Any, check: RecordedCheck | None) -> Html:
    return row_of(
        cell(
            to_bot(row.name, class_="ba-name"),
            " ",
            badge("house") if row.house else "",
            badge("retired", "warn") if row.retired_at else "",
            halted_row(row),
            tag("div", row.owner, class_="ba-faint ba-narrow ba-said"),
        ),
        cell(row.owner, class_="ba-wide"),
        cell(
            f"v{row.newest}",
            tag("small", f"of {row.versions}") if row.versions > 1 else "",
            " ",
            check_badge(check) if check is not None else "",
        ),
        cell(time_of(row.created_at), class_="ba-faint"),
    )


def halted_row(row: Any) -> Html:
    """Return `halted` of a row with frozen_at, paused_at and banned_at."""
    marks = (getattr(row, f"{kind}_at") is not None for kind in ("frozen", "paused", "banned"))
    frozen, paused, banned = marks
    return halted(frozen=frozen, paused=paused, banned=banned)


def halted(*, frozen: bool, paused: bool, banned: bool = False) -> Html:
    """Return the badges of a bot that may not play for now; nothing for any other bot."""
    marks = []
    if banned:
        marks.append(badge("banned", "bad", "The operator has banned its owner."))
    if frozen:
        marks.append(badge("frozen", "warn", "The operator does not let it play for now."))
    if paused:
        marks.append(badge("paused", "warn", "Its owner does not let it play for now."))
    return together(*marks)


def facts(profile: Profile) -> Html:
    """Return the owner of the bot, its state, its language, and the dates of its versions."""
    newest = profile.versions[0]
    count = len(profile.versions)
    return tag(
        "div",
        tag("span", "by ", tag("b", profile.owner)),
        badge("house", hint="One of the arena's own sample bots.") if profile.house else "",
        badge("retired", "warn", "None of its versions plays any more.") if profile.retired else "",
        halted_row(newest),
        tag("span", pace_in_words(newest.pace)) if newest.pace is not None else "",
        tag("span", newest.language) if newest.language else "",
        tag("span", "since ", time_of(profile.since)),
        tag(
            "span", f"{count} versions, the newest {newest.version} of ", time_of(newest.created_at)
        )
        if count > 1
        else tag("span", f"version {newest.version}"),
        class_="ba-facts",
    )


def said(profile: Profile) -> Html | None:
    """Return the owner's description of the bot and its link; None if there is neither."""
    newest = profile.versions[0]
    parts = []
    if newest.text:
        parts.append(tag("p", newest.text))
    # The database enforces this, too: no other scheme ever becomes a link.
    if newest.link.startswith(("https://", "http://")):
        # Without a target: if there is one, Streamlit's sanitiser writes a `rel` of its own.
        link = tag("a", newest.link, href=newest.link, rel="nofollow noopener noreferrer")
        parts.append(tag("p", link))
    return tag("div", *parts, class_="ba-said") if parts else None


def check_badge(check: RecordedCheck) -> Html:
    """Return a badge with the mark of a version's last check; its hint has the whole result."""
    kind = "warn" if check.outcome.failed else "plain"
    return badge(check_mark(check), kind, check_in_words(check))


def checks(profile: Profile) -> Html:
    """Return the results of the checks of the bot's newest versions, newest first."""
    found = [
        (one.version, profile.checks[one.id])
        for one in profile.versions
        if one.id in profile.checks
    ]
    return tag(
        "ul",
        *(
            tag("li", tag("b", f"v{version}"), " ", check_badge(check), " ", check_in_words(check))
            for version, check in found[:MOST_CHECKS]
        ),
        class_="ba-faults",
    )


def time_and_luck(time: tuple[int, int], luck: tuple[float, int]) -> Html:
    """Return the time that a bot takes to answer, and its luck."""
    milliseconds, answers = time
    mean, measured = luck
    pace = f"{milliseconds / answers:,.0f} ms" if answers else "–"
    return tag(
        "dl",
        entry("Time", pace, f"per answer, the mean of {answers:,}"),
        entry(
            "Luck",
            f"{mean:+.2f}".replace("-", "−") if measured else "–",
            f"expected points per match, from the draws of {measured}",
        ),
        class_="ba-style",
    )


def decisions(found: BotAnalysis) -> Html:
    """Return the accuracy and the losses of a bot's decisions, and where it loses most."""
    good = found.grades[Grade.BEST] + found.grades[Grade.FINE]
    blunders = found.grades[Grade.BLUNDER]
    figures = tag(
        "dl",
        entry("Accuracy", f"{good / found.decisions:.0%}", f"of {found.decisions:,} decisions"),
        entry("Loss", estimate(found.loss), "of a win per decision"),
        entry("In a match", estimate(found.match_loss), "of a win, all decisions together"),
        entry("Blunders", f"{blunders / found.decisions:.1%}", "of its decisions"),
        class_="ba-style",
    )
    return together(figures, tag("p", biggest_leak(found)))


def biggest_leak(found: BotAnalysis) -> str:
    """Return a sentence that says where a bot loses most."""
    return found.leak.in_words if found.leak else "It loses nothing."


def faults(found: Sequence[SeenFault]) -> Html:
    """Return the list of faults, each with the bot's view, its answer and the legal actions."""
    return tag("ul", *map(_fault, found), class_="ba-faults")


def _fault(fault: SeenFault) -> Html:
    details = {
        "Reason": fault.reason,
        "Sent": "" if fault.sent is None else json.dumps(fault.sent),
        "Legal": fault.legal,
        "Played instead": json.dumps(fault.played),
        "Its view": json.dumps(fault.view),
    }
    return tag(
        "li",
        time_of(fault.match.finished_at),
        f", turn {fault.turn}: it {_REASONS[fault.kind]}. ",
        tag("a", "Watch", href=replay_link(fault.match.match_id, fault.step)),
        tag(
            "details",
            tag("summary", "Details"),
            tag(
                "dl",
                *(
                    together(tag("dt", name), tag("dd", text))
                    for name, text in details.items()
                    if text
                ),
            ),
        ),
    )


def faults_link(bot: str, version: str) -> str:
    """Return the address of the page with the latest faults of a version and their turns."""
    return "bot?" + urlencode({"bot": bot, "faults": version})


def matches_link(bot: str, **more: str) -> str:
    """Return the address of the list of a bot's matches; `more` are further query parameters."""
    return "matches?" + urlencode({"bot": bot} | more)


ROW_HEIGHT = 30
"""The height of a version's row, in pixels."""
_COLOURS = ["#c4751d", "#4f7fd0", "#3f9c6b", "#b05cc6", "#c9504a", "#8a8f98"]


@dataclass(frozen=True, slots=True)
class VersionRating:
    """The rating of a version on one ladder."""

    row: str
    """The label of its row, which is distinct."""
    ladder: str
    version: str
    elo: float
    low: float
    high: float
    matches: int


def versions_chart(ratings: Sequence[VersionRating]) -> alt.LayerChart:
    """Return a chart of Elo with 95 % interval by version and ladder, in the order of `ratings`."""
    ladders = list(dict.fromkeys(rating.ladder for rating in ratings))
    colour = alt.Color(
        "ladder:N",
        title=None,
        legend=None,
        scale=alt.Scale(domain=ladders, range=[_COLOURS[at % 6] for at in range(len(ladders))]),
    )
    base = alt.Chart().encode(
        y=alt.Y(
            "row:N",
            sort=[rating.row for rating in ratings],
            title=None,
            axis=alt.Axis(labelLimit=230),
        ),
        tooltip=[
            alt.Tooltip("row:N", title="Version"),
            alt.Tooltip("elo:Q", title="Elo", format=".0f"),
            alt.Tooltip("low:Q", title="95 % from", format=".0f"),
            alt.Tooltip("high:Q", title="95 % to", format=".0f"),
            alt.Tooltip("matches:Q", title="Matches", format=","),
        ],
    )
    x = alt.X(
        "low:Q",
        scale=alt.Scale(zero=False),
        title="Elo, with 95 % interval",
        axis=alt.Axis(format="d", tickCount=6),
    )
    bars = base.mark_rule(strokeWidth=3).encode(x=x, x2="high:Q", color=colour)
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(x="elo:Q", color=colour)
    return alt.LayerChart(layer=[bars, dots]).properties(height=ROW_HEIGHT * len(ratings) + 60)


def chart_in_words(ratings: Sequence[VersionRating]) -> str:
    """Return the text alternative of the chart."""
    return "Elo with 95 % intervals: " + "; ".join(
        f"{one.ladder}, version {one.version}: {one.elo:.0f} ({one.low:.0f} to {one.high:.0f})"
        for one in ratings
    )
