"""The scene of Bluff: cups, bets and showdowns as data and in words."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, assert_never

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
from arena.games.bluff.bets import count_matching
from arena.games.bluff.chances import claim_chance
from arena.games.game import Options
from arena.match.transcript import Step
from arena.showing.claims import ClaimOutcome, Mark, ShownClaim, chances
from arena.showing.moments import Moment
from arena.showing.seats import by_seat
from arena.wording import listed, number_of

QUIET: Final = "The dealer rolls again, in secret."
UNIT: Final = "dice"
SCORE: Final = "dice left"
ROUND: Final = "Round"

LAST_BETS: Final = 8
"""The number of a round's last bets for which a table has room."""


def table(moment: Moment, before: Moment | None) -> dict[str, Any]:  # noqa: ARG001
    """Return the dice of each seat and the last bets of the round."""
    view: BluffView = moment.views[0]
    end = next((event for event in moment.events if isinstance(event, Showdown)), None)
    rolled = next((event for event in moment.events if isinstance(event, StartingRolled)), None)
    # The dice lost in a showdown are no longer counted, but still lie on the table.
    losses = sum(end.losses if end else ())
    bets = (PlacedBet(end.bettor, end.bet),) if end else view.bets
    return {
        "facts": [
            f"{sum(view.dice_counts) + losses} dice in play",
            f"{view.graveyard - losses} in the graveyard",
        ],
        "face": int(bets[-1].bet.face) if bets else 0,
        "bets": [[seat, bet.quantity, int(bet.face)] for seat, bet in bets[-LAST_BETS:]],
        "seats": by_seat(
            _shown(view, end) if end else _rolled(rolled) if rolled else _held(moment.views)
        ),
    }


def _held(views: Sequence[BluffView]) -> Iterator[dict[str, Any]]:
    """Yield the seats during a round, with the dice that the viewpoint knows."""
    view = views[0]
    known = {own.seat: own.hidden_dice for own in views}
    for seat, count in enumerate(view.dice_counts):
        up = view.face_up[seat]
        yield _seat(
            number_of(count, "die", "dice") if count else "out",
            known.get(seat, ()),
            hidden=0 if seat in known else count - len(up),
            up=up,
            out=not count,
            act=view.to_act == seat,
            cup=True,
        )


def _shown(view: BluffView, end: Showdown) -> Iterator[dict[str, Any]]:
    """Yield the seats at a showdown, with all dice."""
    for seat, dice in enumerate(end.dice):
        left = number_of(view.dice_counts[seat], "die", "dice") + " left"
        role = {end.bettor: "bet", end.doubter: "doubted"}.get(seat, "")
        note = left if dice else "out"
        yield _seat(note, dice, out=not dice, role=role, lost=end.losses[seat])


def _rolled(rolled: StartingRolled) -> Iterator[dict[str, Any]]:
    for seat, dice in enumerate(rolled.dice):
        yield _seat("opens" if rolled.opener == seat else "", dice)


def _seat(
    note: str,
    dice: Dice,
    *,
    hidden: int = 0,
    up: Dice = (),
    out: bool = False,
    act: bool = False,
    cup: bool = False,
    role: str = "",
    lost: int = 0,
) -> dict[str, Any]:
    return {
        "note": note,
        "out": out,
        "act": act,
        "role": role,
        "lost": lost,
        "cup": cup,
        "dice": list(map(int, dice)),
        "hidden": hidden,
        "up": list(map(int, up)),
    }


def standing(view: BluffView) -> Sequence[int]:
    """Return the number of dice left, by seat."""
    return view.dice_counts


def round_started(event: BluffEvent) -> int | None:
    """Return the number of the round that an event starts; None for other events."""
    return event.round if isinstance(event, BluffRoundStarted) else None


def claimed(
    moment: Moment,
    before: Moment | None,  # noqa: ARG001
    after: Moment | None,
    rules: Options,  # noqa: ARG001
) -> ShownClaim | None:
    """Return the bet of the moment; dice re-rolled with it count by their new faces."""
    placed = next((event for event in moment.events if isinstance(event, BetPlaced)), None)
    if placed is None:
        return None
    bet = placed.bet
    decided = after if bet.show else moment
    actual = None if decided is None else _actual(decided.views, bet.face)
    return ShownClaim(
        placed.seat,
        _bet_in_words(bet),
        chances(claim_chance(view) for view in moment.views),
        None if actual is None else str(actual),
        None if actual is None else _verdict(actual - bet.quantity),
    )


def _actual(views: Sequence[BluffView], face: Face) -> int | None:
    """Return the number of dice that count; None unless the views show all of them."""
    if len(views) < len(views[0].dice_counts):
        return None
    return count_matching(face, [view.hidden_dice for view in views] + list(views[0].face_up))


def _verdict(surplus: int) -> Mark:
    return Mark.TRUE if surplus > 0 else Mark.BLUFF if surplus else Mark.EXACT


def outcome(moment: Moment, before: Moment | None) -> ClaimOutcome | None:  # noqa: ARG001
    """Return the showdown of the moment: the matching dice, the verdict and the doubt's success."""
    end = next((event for event in moment.events if isinstance(event, Showdown)), None)
    if end is None:
        return None
    surplus = end.actual - end.bet.quantity
    judged = Mark.RIGHT if surplus < 0 else Mark.WRONG
    marks = (Mark.SHOWDOWN, Mark.DOUBT, judged)
    return ClaimOutcome(marks, str(end.actual), _verdict(surplus))


def _written(face: Face) -> str:
    return "★" if face is STAR else str(face)


def _bet_in_words(bet: Bet) -> str:
    return f"{bet.quantity} × {_written(bet.face)}"


def tell(event: BluffEvent, names: Sequence[str]) -> str:
    """Return an event in words."""
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
        f"{names[seat]} {number_of(loss, 'die', 'dice')}"
        for seat, loss in enumerate(end.losses)
        if loss
    ]
    return (
        f"{names[end.doubter]} doubts the {_bet_in_words(end.bet)} of {names[end.bettor]}. There "
        f"{'is' if end.actual == 1 else 'are'} {end.actual}: the bet was {judged}. "
        f"Lost: {listed(losers)}."
    )


def reveal(step: Step, names: Sequence[str]) -> str | None:  # noqa: ARG001 - all is in the dice
    """Return None: the table shows everything that bets and rolls hold."""
    return None
