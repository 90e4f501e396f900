"""What the contract test must know about Skull: its secrets, and what nearly is legal."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from arena.games.game import Actor, AnyGame
from arena.games.skull import (
    Bid,
    Disc,
    Discs,
    DrawnLoss,
    FirstSeat,
    Lose,
    Pass,
    Place,
    SkullPhase,
    SkullState,
    TurnOver,
)

VARIANTS: tuple[Mapping[str, object], ...] = (
    {},
    {"first": "seat", "points_to_win": 3},
    {"flowers": 1, "points_to_win": 1},
    {"flowers": 5, "players_min": 3, "players_max": 4},
)
SMALL: tuple[Mapping[str, object], ...] = ({"flowers": 1, "points_to_win": 1},)


def vary_secrets(game: AnyGame, state: SkullState, seat: int | None, random: Random) -> SkullState:
    """Other discs of the other seats, but for those that are turned over."""
    return _varied(game, state, {seat}, random)


def vary_step(
    game: AnyGame, before: SkullState, actor: Actor, action: Any, random: Random
) -> tuple[SkullState, Any]:
    """Whoever is or may become the challenger keeps its discs, and so does who shows one."""
    if isinstance(action, DrawnLoss | Lose):
        kinds = before.owned[before.on_turn].kinds()
        return before, type(action)(random.choice(kinds))
    if isinstance(action, Place) and isinstance(actor, int):
        varied = _varied(game, before, (), random)
        return varied, Place(random.choice(varied.hand(actor).kinds()))
    kept = {before.bidder, actor, action.seat if isinstance(action, TurnOver) else actor}
    return _varied(game, before, kept, random), action


def _varied(game: AnyGame, state: SkullState, kept: Collection[Any], random: Random) -> SkullState:
    if state.phase in (SkullPhase.LOSE, SkullPhase.LOSS):
        kept = {*kept, state.on_turn}
    owned, mats = list(state.owned), list(state.mats)
    for seat in state.seats:
        if seat in kept or not state.plays(seat):
            continue
        height, turned = len(mats[seat]), state.turned[seat]
        shown = mats[seat][height - turned :]
        discs = [Disc.FLOWER] * game.options.flowers + [Disc.SKULL]
        for disc in shown:
            discs.remove(disc)
        drawn = random.sample(discs, owned[seat].count - turned)
        mats[seat] = (*drawn[: height - turned], *shown)
        all_discs = [*drawn, *shown]
        skulls = all_discs.count(Disc.SKULL)
        owned[seat] = Discs(len(all_discs) - skulls, skulls)
    return replace(state, owned=tuple(owned), mats=tuple(mats))


def near_misses(game: AnyGame, state: SkullState, seat: int) -> Iterator[Any]:
    """Every bid and mat and a few more, every disc in every way, draws, and odd types."""
    for number in range(-1, state.on_mats + 3):
        yield Bid(number)
    for other in range(-1, len(state.owned) + 1):
        yield TurnOver(other)
        yield FirstSeat(other)
    for disc in Disc:
        yield Place(disc)
        yield Lose(disc)
        yield DrawnLoss(disc)
    yield Pass()
    yield Bid(10**5000)
    yield TurnOver(10**5000)
    yield Place("flower")  # type: ignore[arg-type]
