"""The effects of legal actions in Skull: the next state and the public events."""

from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from arena.games.skull.options import SkullOptions
from arena.games.skull.state import SkullState
from arena.games.skull.values import (
    Bid,
    BidMade,
    ChallengeBegun,
    Disc,
    DiscAdded,
    DiscLost,
    DiscTurned,
    DrawnLoss,
    FirstSeat,
    Lose,
    OpenerDrawn,
    Pass,
    Place,
    PointWon,
    SeatPassed,
    SkullAction,
    SkullEvent,
    SkullPhase,
    SkullRoundStarted,
    TurnOver,
)

_Step: TypeAlias = tuple[SkullState, tuple[SkullEvent, ...]]
"""The state after an action, and the action's events."""

T = TypeVar("T")


def step(state: SkullState, actor: Any, action: SkullAction, options: SkullOptions) -> _Step:
    """Return the state and the events that a legal action of an actor leads to."""
    match action:
        case FirstSeat(seat):
            drawn = replace(state, phase=SkullPhase.PLACE, opener=seat, on_turn=seat)
            return drawn, (OpenerDrawn(seat),)
        case Place(disc):
            return _placed(state, actor, disc)
        case Bid(count):
            raised = replace(state, phase=SkullPhase.RAISE, bid=count, bidder=actor)
            return _bidding(raised, actor, BidMade(actor, count), options)
        case Pass():
            left = replace(state, passed=changed(state.passed, actor, True))
            return _bidding(left, actor, SeatPassed(actor), options)
        case TurnOver(owner):
            return _met(*_turned(state, owner), options)
        case Lose(disc) | DrawnLoss(disc):
            return _lost(state, disc)


def _placed(state: SkullState, seat: int, disc: Disc) -> _Step:
    """Lay a disc: begin the round after the last first disc, or pass the turn (SK-4, SK-5)."""
    mat = (*state.mats[seat], disc)
    laid = replace(state, mats=changed(state.mats, seat, mat))
    if state.phase is SkullPhase.TURN:
        following = next(laid.clockwise(seat))
        return replace(laid, on_turn=following), (DiscAdded(seat, len(mat)),)
    if any(laid.plays(other) and not laid.mats[other] for other in laid.seats):
        return laid, ()  # the others' answers follow
    opened = replace(laid, phase=SkullPhase.TURN)
    return opened, (SkullRoundStarted(state.round, state.opener),)


def _bidding(state: SkullState, seat: int, event: SkullEvent, options: SkullOptions) -> _Step:
    """Continue after a bid or a pass: with the next bidder, or the challenge (SK-7 to SK-9)."""
    others = [other for other in state.clockwise(seat) if not state.passed[other]]
    if state.bid < state.on_mats and others != [state.bidder] and others:
        return replace(state, on_turn=others[0]), (event,)
    assert state.bidder is not None
    challenger = state.bidder
    state = replace(state, phase=SkullPhase.CHALLENGE, on_turn=challenger)
    events: tuple[SkullEvent, ...] = (event, ChallengeBegun(challenger, state.bid))
    while not _ended(state) and state.face_down(challenger):
        state, turned = _turned(state, challenger)
        events += turned
    return _met(state, events, options)


def _turned(state: SkullState, owner: int) -> _Step:
    """Turn over the top face-down disc of a mat."""
    disc = state.mats[owner][-1 - state.turned[owner]]
    after = replace(
        state,
        turned=changed(state.turned, owner, state.turned[owner] + 1),
        skull_of=owner if disc is Disc.SKULL else None,
    )
    return after, (DiscTurned(owner, disc),)


def _ended(state: SkullState) -> bool:
    """Return whether a skull, or as many discs as the bid, are turned over."""
    return state.skull_of is not None or sum(state.turned) == state.bid


def _met(state: SkullState, events: tuple[SkullEvent, ...], options: SkullOptions) -> _Step:
    """End the challenge if a skull or enough flowers are turned over (SK-11, SK-12)."""
    challenger = state.on_turn
    if not _ended(state):
        return state, events
    if state.skull_of is not None:
        own = state.skull_of == challenger
        phase = SkullPhase.LOSE if own else SkullPhase.LOSS
        return replace(state.cleared(), phase=phase), events
    points = state.points[challenger] + 1
    state = replace(state, points=changed(state.points, challenger, points))
    events += (PointWon(challenger, points),)
    if points == options.points_to_win:
        return replace(state.cleared(), phase=SkullPhase.OVER), events
    return state.new_round(challenger), events


def _lost(state: SkullState, disc: Disc) -> _Step:
    """Take a disc from the challenger for good (SK-12, SK-14, SK-15)."""
    challenger = state.on_turn
    left = state.owned[challenger].without(disc)
    opener = challenger
    state = replace(state, owned=changed(state.owned, challenger, left))
    if not left.count:
        state = replace(state, out_in=changed(state.out_in, challenger, state.round))
        owner = state.skull_of
        if owner is None or owner == challenger:
            owner = next(state.clockwise(challenger))
        opener = owner
    events = (DiscLost(challenger, left.count),)
    if sum(map(state.plays, state.seats)) == 1:
        return replace(state, phase=SkullPhase.OVER), events
    return state.new_round(opener), events


def changed(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """Return values by seat with that of one seat replaced."""
    return (*values[:seat], value, *values[seat + 1 :])
