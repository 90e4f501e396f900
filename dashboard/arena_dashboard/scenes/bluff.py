"""Bluff's table: the track with the standing bet, cups, dice laid out, showdowns."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from arena.games.bluff import (
    STAR,
    Bet,
    BetPlaced,
    BluffEvent,
    BluffRoundStarted,
    BluffView,
    Dice,
    Face,
    PlacedBet,
    Showdown,
    StartingRolled,
)
from arena.match.transcript import Step
from arena_dashboard.markup import Html, picture, tag
from arena_dashboard.scenes.pieces import (
    counted,
    die,
    facts,
    group,
    hidden_dice,
    labelled,
    listed,
    seat_card,
    table,
)
from arena_dashboard.watching import Moment

QUIET = "The dealer rolls again, in secret."


def render(moment: Moment, names: Sequence[str]) -> Html:
    """The table."""
    view: BluffView = moment.views[0]
    showdown = next((e for e in moment.events if isinstance(e, Showdown)), None)
    starting = next((e for e in moment.events if isinstance(e, StartingRolled)), None)
    standing = view.bets[-1] if view.bets else None
    if showdown is not None:
        standing = PlacedBet(showdown.bettor, showdown.bet)
        seats = _opened(view, showdown, names)
    elif starting is not None:
        seats = _rolled(starting, names)
    else:
        seats = _playing(moment.views, names)
    # The dice lost in a showdown are no longer counted, but still lie on the table.
    losses = sum(showdown.losses if showdown else ())
    in_play = sum(view.dice_counts) + losses
    ended = f"on the table: {showdown.actual}" if showdown else ""
    header = facts(
        f"Round {_round_of(view, showdown)}" if view.round else "Who opens?",
        f"{in_play} dice in play",
        f"{view.graveyard - losses} in the graveyard",
    )
    middle = (
        _bet(standing, names, ended),
        _track(in_play, standing, [placed.bet for placed in view.bets]),
    )
    return table(header, middle, seats)


def _round_of(view: BluffView, showdown: Showdown | None) -> int:
    """The round shown: after a showdown the view is already in the next, unless the match ended."""
    ends_match = sum(count > 0 for count in view.dice_counts) == 1
    return view.round - (showdown is not None and not ends_match)


def _bet(standing: PlacedBet | None, names: Sequence[str], remark: str) -> Html:
    if standing is None:
        return tag("div", "No bet stands.", class_="ba-bet ba-faint")
    bet = standing.bet
    return tag(
        "div",
        picture(
            f"Standing bet: {_bet_in_words(bet)}",
            tag("b", f"{bet.quantity} ×"),
            die(bet.face, star=True, kind="ba-big"),
            class_="ba-group",
        ),
        tag("span", f"bet by {names[standing.seat]}", class_="ba-faint"),
        tag("b", remark) if remark else "",
        class_="ba-bet",
    )


def _track(in_play: int, standing: PlacedBet | None, bets: Sequence[Bet]) -> Html:
    """The fields in order, star n between the numbers 2n - 1 and 2n, as far as play may go."""
    now = standing.bet if standing else None
    past = {(bet.quantity, bet.face is STAR) for bet in bets}
    last = max(2 * in_play, *map(_field, bets), _field(now) if now else 0)
    return picture(
        "The track; " + (f"the bet stands on {_bet_in_words(now)}" if now else "no bet stands"),
        *(
            tag(
                "span",
                f"★{quantity}" if star else str(quantity),
                class_="ba-field"
                + (" ba-starfield" if star else "")
                + (" ba-past" if (quantity, star) in past else "")
                + (
                    " ba-now"
                    if now and (quantity, star) == (now.quantity, now.face is STAR)
                    else ""
                ),
            )
            for quantity, star in _fields(last)
        ),
        class_="ba-track",
    )


def _fields(last: int) -> Iterator[tuple[int, bool]]:
    """(quantity, star?) in order, up to the key `last`."""
    keys = {2 * n: (n, False) for n in range(1, last // 2 + 1)}
    keys |= {4 * n - 1: (n, True) for n in range(1, (last + 1) // 4 + 1)}
    return (keys[key] for key in sorted(keys))


def _field(bet: Bet) -> int:
    """The position of a bet on the track (BL-13)."""
    return 4 * bet.quantity - 1 if bet.face is STAR else 2 * bet.quantity


def _playing(views: Sequence[BluffView], names: Sequence[str]) -> Iterator[Html]:
    view = views[0]
    known = {own.seat: own.hidden_dice for own in views if own.seat is not None}
    for seat, count in enumerate(view.dice_counts):
        up = view.face_up[seat]
        under = count - len(up)
        own = known.get(seat, ())
        cup = (
            group(f"under the cup: {_faces(own)}", *_dice(own), kind="ba-cup")
            if own
            else group(
                f"under the cup: {counted(under, 'die', 'dice')}", hidden_dice(under), kind="ba-cup"
            )
        )
        laid = labelled("face up", group(f"face up: {_faces(up)}", *_dice(up))) if up else ""
        yield seat_card(
            seat,
            names[seat],
            *((cup, laid) if count else ()),
            acting=view.to_act == seat,
            out=not count,
            note=counted(count, "die", "dice") if count else "out",
        )


def _opened(view: BluffView, end: Showdown, names: Sequence[str]) -> Iterator[Html]:
    for seat, dice in enumerate(end.dice):
        loss = end.losses[seat]
        role = {end.bettor: "bet", end.doubter: "doubted"}.get(seat, "")
        shown = group(
            f"shows {_faces(dice)}",
            *(
                die(face, star=True, kind="ba-hit" if _counts(face, end.bet.face) else "ba-miss")
                for face in dice
            ),
        )
        lost = tag("span", f"−{counted(loss, 'die', 'dice')}", class_="ba-loss") if loss else ""
        left = view.dice_counts[seat]
        note = "out" if not left else counted(left, "die", "dice")
        yield seat_card(
            seat,
            names[seat],
            tag("div", shown, lost, class_="ba-row") if dice else "",
            tag("span", role, class_="ba-label") if role else "",
            out=not dice,
            note=note,
        )


def _rolled(starting: StartingRolled, names: Sequence[str]) -> Iterator[Html]:
    for seat, dice in enumerate(starting.dice):
        body = group(f"rolls {_faces(dice)}", *_dice(dice)) if dice else ""
        yield seat_card(seat, names[seat], body, note="opens" if starting.opener == seat else "")


def _dice(dice: Dice) -> Iterator[Html]:
    return (die(face, star=True) for face in dice)


def _counts(face: Face, bet_on: Face) -> bool:
    """Whether a die counts for a bet (BL-11, BL-12)."""
    return face in (bet_on, STAR)


def _faces(dice: Dice) -> str:
    return " ".join("star" if face is STAR else str(face) for face in dice)


def _written(face: Face) -> str:
    return "★" if face is STAR else str(face)


def _bet_in_words(bet: Bet) -> str:
    return f"{bet.quantity} × {_written(bet.face)}"


def tell(event: BluffEvent, names: Sequence[str]) -> str:
    """An event in words."""
    match event:
        case StartingRolled(_, opener):
            ends = "tied, so they roll again" if opener is None else f"{names[opener]} opens"
            return f"An open roll for the right to open: {ends}."
        case BluffRoundStarted(number, opener, counts):
            return (
                f"Round {number}: everybody rolls in secret. "
                f"{names[opener]} opens, {sum(counts)} dice in play."
            )
        case BetPlaced(seat, bet):
            laid = " ".join(map(_written, bet.show))
            shown = f", lays out {laid} and rolls the rest again" if laid else ""
            return f"{names[seat]} bets {_bet_in_words(bet)}{shown}."
        case Showdown():
            return _showdown_in_words(event, names)
        case _:
            assert_never(event)


def _showdown_in_words(end: Showdown, names: Sequence[str]) -> str:
    surplus = end.actual - end.bet.quantity
    judged = "exactly right" if not surplus else "true" if surplus > 0 else "too high"
    losers = [
        f"{names[seat]} {counted(loss, 'die', 'dice')}"
        for seat, loss in enumerate(end.losses)
        if loss
    ]
    return (
        f"{names[end.doubter]} doubts {names[end.bettor]}'s {_bet_in_words(end.bet)}. There "
        f"{'is' if end.actual == 1 else 'are'} {end.actual}: the bet was {judged}. "
        f"Lost: {listed(losers)}."
    )


def reveal(step: Step, names: Sequence[str]) -> str | None:  # noqa: ARG001 - all is in the dice
    """Nothing: what bets and rolls hold is on the table."""
    return None
