"""AIVAT for matches with one die each, every course of which can be enumerated."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, TypeAlias

from arena.games import make_game
from arena.games.bluff import BluffView, Doubt
from arena.games.bluff.bets import track
from arena.games.game import DEALER, AnyGame
from arena.lab.analysis.aivat import Aivat
from arena.lab.analysis.bluff.fitted_play import decisions
from arena.lab.analysis.bluff.pair_values import MatchValues, ValueSets
from arena.lab.analysis.bluff.solved_play import chosen
from arena.local.declared_play import declared_play
from arena.local.in_process import Seed, opened
from arena.local.loading import load_bot
from arena.local.match_luck import aivat_of
from arena.match.result import Result, Termination
from arena.match.transcript import Opening, Step, Transcript

Policy: TypeAlias = Callable[[BluffView], Mapping[Any, float]]


@cache
def values() -> ValueSets:
    found = chosen()
    assert found is not None
    return ValueSets(found)


def aivat(bot: str, game: AnyGame) -> Aivat:
    return aivat_of(bot, values(), game)


def stranger(view: BluffView) -> Mapping[Any, float]:
    """Bluff the more, the lower the own die; never near equilibrium."""
    bets = track(sum(view.dice_counts))
    place = bets.index(view.bets[-1].bet) + 1 if view.bets else 0
    if place == len(bets):
        return {Doubt(): 1.0}
    bold = 0.2 + 0.1 * view.hidden_dice[0]
    raised = {bets[place]: bold, bets[min(place + 3, len(bets) - 1)]: 0.9 - bold}
    if len(raised) == 1:
        raised = {bets[place]: 0.9}
    if not view.bets:
        return {bet: share / 0.9 for bet, share in raised.items()}
    return {Doubt(): 0.1, **raised}


def declared(bot: str, game: AnyGame) -> Policy:
    play = declared_play(load_bot(bot), game, 2)
    assert play is not None
    return play


def every_match(
    game: AnyGame, policies: tuple[Policy, Policy], least: float = 0.0
) -> Iterator[tuple[float, Transcript]]:
    """Yield all courses of a match with their probabilities, those below `least` left out."""
    setup, secret = opened(game, ["first", "second"], Seed("all"), "match 0")

    def below(state: Any, steps: tuple[Step, ...], chance: float) -> Iterator[Any]:
        to_act = game.to_act(state)
        if to_act == ():
            placing = tuple(game.placing(state))
            result = Result(placing, None, Termination.FINISHED, (0, 0), (False, False))
            opening = Opening(secret, (b"", b""))
            yield chance, Transcript(setup, b"", steps, result, opening)
            return
        actor = DEALER if to_act is DEALER else to_act[0]
        outcomes = (
            game.chance_outcomes(state)
            if to_act is DEALER
            else policies[to_act[0]](game.view(state, to_act[0]))
        )
        assert isinstance(outcomes, Mapping)
        for action, share in outcomes.items():
            if share and chance * share > least:
                yield from below(
                    game.apply(state, actor, action),
                    (*steps, Step(actor, action)),
                    chance * float(share),
                )

    yield from below(game.start(2), (), 1.0)


@cache
def fitted(bot: str, other: str) -> tuple[MatchValues, MatchValues]:
    """Values by how both decided in some matches with one die each."""
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    policies = declared(bot, game), stranger if other == "stranger" else declared(other, game)
    seen = [match for _, match in islice(every_match(game, policies), 0, None, 40)]
    return values().fitted(
        *([each for match in seen for each in decisions(match, seat)] for seat in (0, 1))
    )
