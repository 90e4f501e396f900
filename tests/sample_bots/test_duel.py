"""The bots that exploit an opponent between two: evidence first, and never more risk than gains."""

from collections import defaultdict
from random import Random
from typing import Any

import numpy as np
import pytest

from arena.bot import Bot, Turn
from arena.games import make_game
from arena.games.bluff import Bet, BluffView, Doubt, Face
from arena.lab.analysis.bluff.pair_values import ValueSets
from arena.lab.analysis.bluff.round_values import RoundValues
from arena.lab.analysis.bluff.solved_play import chosen
from arena.local.declared_play import declared_play
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.local.match_luck import aivat_of
from arena.match.replay import replay
from arena.rating.luck import luck_adjusted
from arena_sample_bots._duel import PRIOR, RISK, Duel, _own_play
from arena_sample_bots.exploiter import Exploiter


class Watched(Duel):
    """A duel that records what it paid and was given."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.paid = self.given = 0.0

    def _affordable(self, *arguments: Any) -> Any:
        before = self.allowance
        found = super()._affordable(*arguments)
        self.paid += before - self.allowance
        return found

    def learn(self, *arguments: Any, **named: Any) -> None:
        before = self.allowance
        super().learn(*arguments, **named)
        self.given += self.allowance - before


def watched(opponent: type[Bot[Any, Any]] | str, matches: int) -> list[Watched]:
    """The duels of the exploiter against a bot."""
    duels: list[Watched] = []

    class Exploits(Exploiter):
        def match_started(self, match: Any) -> None:
            super().match_started(match)
            self.duel = Watched(self.solved, self.certain)
            duels.append(self.duel)

    kind = load_bot(opponent) if isinstance(opponent, str) else opponent
    contenders = [Contender("exploiter", Exploits), Contender("other", kind)]
    for played in play_series(make_game("bluff"), contenders, matches, "duel"):
        assert not any(played.result.faults)
    return duels


@pytest.mark.parametrize("opponent", ["honest", "cfr"])
def test_it_never_risks_more_than_the_opponent_gave_away_and_a_little(opponent: str) -> None:
    duels = watched(opponent, 6)
    assert all(duel.paid <= RISK + duel.given + 1e-9 for duel in duels)
    assert all(duel.allowance >= -1e-9 for duel in duels)
    if opponent == "honest":
        assert sum(duel.paid for duel in duels) > 6 * RISK  # it lives on what honest gives


def test_it_tells_the_kinds_it_knows_from_near_equilibrium_play() -> None:
    kinds = [duel.beliefs[2:].sum() for duel in watched("honest", 5)]
    assert np.median(kinds) > 0.9
    tables = [duel.beliefs[2:].sum() for duel in watched("cfr", 5)]
    assert np.median(tables) < 0.2


def test_a_player_of_no_known_kind_is_taken_for_a_stranger() -> None:
    class Odd(Bot[BluffView, Any]):
        """Opens with what no known kind would bet, and doubts every answer."""

        def act(self, turn: Turn[BluffView, Any]) -> Any:
            if turn.view.can_doubt:
                return Doubt()
            dice = turn.view.hidden_dice
            face = next((one for one in Face if one not in dice), Face.ONE)
            return Bet(max(1, sum(turn.view.dice_counts) // 3), face)

    duels = watched(Odd, 12)
    assert np.mean([duel.beliefs[1] for duel in duels]) > PRIOR[1] + 0.1
    assert np.mean([duel.beliefs[2:].sum() < Exploiter.certain for duel in duels]) > 0.6


def test_before_any_evidence_it_plays_by_the_tables() -> None:
    solved = chosen()
    assert solved is not None
    game, drawn = make_game("bluff"), defaultdict(int)
    contenders = [Contender("a", load_bot("cfr")), Contender("b", load_bot("cfr"))]
    (played,) = play_series(game, contenders, 1, "first")
    view = next(
        game.view(frame.state, frame.state.turn)
        for frame in replay(played.transcript)
        if frame.state.turn is not None
    )
    situation = solved.situation(view)
    assert situation is not None
    for number in range(200):
        drawn[Duel(solved, 0.6).answer(view, situation, Random(number))] += 1
    cfr = declared_play(load_bot("cfr"), game, 2)
    assert cfr is not None
    assert set(drawn) <= {action for action, share in cfr(view).items() if share > 0}


def test_what_an_opponent_gives_away_is_what_its_actions_lose_by_the_tables() -> None:
    """A doubt of a bet that is surely true loses all that the tables' own play is worth there."""
    solved = chosen()
    assert solved is not None
    play = solved.rounds[1, 1]
    duel, face = Duel(solved, 0.6), play.bets[0].face
    hand = (face,)
    given = duel._given(play, 1, [1], hand, doubted=True)
    found = RoundValues(solved, play, 1, hand)
    values = found.values([1], found.belief([1]))
    assert given == pytest.approx(max(0.0, _own_play(play, 1, [1], hand) @ values - values[0]))
    assert given > 0.1


@pytest.mark.system  # computes for long
@pytest.mark.slow
def test_against_the_tables_it_loses_nothing_that_could_be_told() -> None:
    solved, game = chosen(), make_game("bluff")
    assert solved is not None
    aivat, rows = aivat_of("cfr", ValueSets(solved), game), []
    contenders = [Contender("it", Exploiter), Contender("cfr", load_bot("cfr"))]
    for played in play_series(game, contenders, 100, "safe"):
        seat = played.contenders.index(0)
        result = float(played.result.placing[seat] == 1)
        rows.append((result, result - 1 + aivat.estimates(played.transcript, 1 - seat)[0]))
    results, luck = np.array(rows).T
    found = luck_adjusted(results, luck)
    assert found.adjusted + 2 * found.adjusted_se > 0.495
    assert found.adjusted_se < 0.012
