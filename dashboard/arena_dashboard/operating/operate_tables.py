"""Pure functions that render what operators see as HTML."""

from collections.abc import Sequence
from urllib.parse import urlencode

from arena.clients.operator_client import AuditSeen, BotOfOwner, OwnerSeen
from arena_dashboard.bots.bot_tables import halted
from arena_dashboard.parts.markup import Html, badge, scrolling, table_of, tag, unfolding
from arena_dashboard.parts.rows import Cell, cell, heads, number, row_of
from arena_dashboard.parts.tables import time_of, to_bot

_STATES = {"accepted": "good", "refused": "bad"}
_BANNED = "Neither the owner nor its bots have access."


def link(**asked: str) -> str:
    """Return the address of the page with these parameters."""
    return "operate" + (f"?{urlencode(asked)}" if asked else "")


def owners(found: Sequence[OwnerSeen]) -> Html:
    """Return a table of owners, a row for each of their bots."""
    head = heads(
        "Owner",
        "Bot",
        ("Last version", "", "When it was uploaded or registered, and the state of an upload"),
        ("Same build", "", "Other owners who uploaded the same, byte for byte"),
        ("Matches", "ba-number"),
        ("Faults", "ba-number"),
    )
    rows = [row for one in found for row in _rows(one)]
    return scrolling("Owners and their bots", table_of("Owners and their bots", head, rows))


def _rows(one: OwnerSeen) -> list[Html]:
    if not one.bots:
        return [row_of(_owner(one), cell("no bot", colspan=5))]
    return [
        row_of(_owner(one) if first else cell(), *_bot(bot))
        for first, bot in zip([True, *[False] * len(one.bots)], one.bots, strict=False)
    ]


def _owner(one: OwnerSeen) -> Cell:
    return cell(
        tag("a", one.name, href=link(owner=one.name), class_="ba-name"),
        " ",
        badge("banned", "bad", _BANNED) if one.banned else "",
        badge("operator") if one.operator else "",
        tag(
            "div",
            "since ",
            time_of(one.since),
            *((", ", _invite(one.invite)) if one.invite else ()),
            class_="ba-faint",
        ),
        class_="ba-roomy",
    )


def _invite(number: int) -> Html:
    return tag("a", f"invite {number}", href=link(invite=str(number)))


def _bot(one: BotOfOwner) -> list[Cell]:
    faults = f"{one.faults:,}"
    state: Html | str = ""
    if one.state == "refused" and one.reason:
        state = unfolding(one.state, one.reason, "bad")
    elif one.state:
        state = badge(one.state, _STATES.get(one.state, "plain"), one.reason or None)
    same: list[Html | str] = []
    if one.identical_to:
        names = [tag("a", name, href=link(owner=name)) for name in one.identical_to]
        for name in names:
            same += [", ", name]
        same = [*same[1:], tag("div", tag("code", one.sha256[:16]), class_="ba-faint")]
    return [
        cell(to_bot(one.name), " ", halted(frozen=one.frozen, paused=one.paused)),
        cell(f"v{one.version} ", time_of(one.registered), " ", state, class_="ba-roomy"),
        cell(*same, class_="ba-roomy"),
        number(f"{one.matches:,}"),
        number(
            tag("a", faults, href="matches?" + urlencode({"bot": one.name, "faults": "1"}))
            if one.faults
            else faults
        ),
    ]


def audit(found: Sequence[AuditSeen]) -> Html:
    """Return the newest changes as a table."""
    rows = [
        row_of(
            time_of(one.at),
            one.actor,
            one.action,
            one.subject,
            ", ".join(f"{key}: {value}" for key, value in one.details.items()),
        )
        for one in found
    ]
    caption = "Changes of owners and operators"
    return scrolling(caption, table_of(caption, heads("At", "Who", "What", "Whom", "More"), rows))
