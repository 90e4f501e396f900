"""The account of a result: start, dice, hidden dice, decisions, and the error of the values."""

from dataclasses import astuple
from functools import cache
from typing import Any

import numpy as np
import pytest

from arena.games import make_game
from arena.games.bluff import Bet, Doubt
from arena.games.game import DEALER
from arena.lab.analysis import Account, accounts, analyse
from arena.lab.analysis.bluff.round_values import RoundValues
from arena.lab.analysis.bluff.solved_play import SolvedPlay, chosen
from arena.lab.analysis.bluff.table import hands_of
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.match.replay import replay
from arena.match.transcript import Transcript


@cache
def played(*bots: str, matches: int = 1, **options: Any) -> tuple[Transcript, ...]:
    contenders = [Contender(f"{name} {seat}", load_bot(name)) for seat, name in enumerate(bots)]
    series = play_series(make_game("bluff", options), contenders, matches, "account")
    return tuple(one.transcript for one in series)


def account(transcript: Transcript) -> Account:
    """Of seat 0."""
    return accounts(analyse(transcript))[0]


@pytest.mark.parametrize("bots", [("cfr", "honest"), ("random", "timid")], ids=str)
def test_it_adds_up_to_the_result_and_is_the_opposite_for_the_other_seat(
    bots: tuple[str, str],
) -> None:
    (transcript,) = played(*bots)
    first, second = accounts(analyse(transcript))
    for one, placing in zip((first, second), transcript.result.placing, strict=True):
        *parts, result = astuple(one)
        assert sum(parts) == pytest.approx(result)
        assert result == (placing == 1)
        assert one.own <= 0 <= one.other
    assert (first.luck, first.hidden) == pytest.approx((-second.luck, -second.hidden))
    assert first.own == pytest.approx(-second.other)


def test_hidden_dice_are_worth_what_each_action_gained_by_them() -> None:
    """Action by action: what it was worth with all dice in sight, less what it was worth by what
    the seat knew, both compared with solved play in the same place."""
    solved = chosen()
    assert solved is not None
    for transcript in played("cfr", "cfr", matches=2, dice_per_player=3):
        found, gained = analyse(transcript), [0.0, 0.0]
        of_steps = {decision.step: decision for decision in found.decisions}
        for frame in replay(transcript):
            step = frame.step
            if step is not None and step.actor is not DEALER:
                known = of_steps[frame.index]
                assert known.solved is not None and known.win is not None
                taken, on_average = in_sight(solved, frame.before, step.actor, step.action)
                gained[step.actor] += taken - known.win - (on_average - known.solved.win)
        # Exact play is not followed where it comes less than once in a thousand times.
        assert accounts(found)[0].hidden == pytest.approx(gained[0] - gained[1], abs=0.02)


def in_sight(solved: SolvedPlay, state: Any, seat: int, action: Bet | Doubt) -> tuple[float, float]:
    """A seat's chance to win with all dice in sight: after an action, and by solved play."""
    situation = solved.after(state.dice_counts, state.opener, state.bets)
    assert situation is not None
    play, role, history = situation.play, situation.role(seat), situation.history
    hands = hands_of(play.dice[1 - role]).dice
    certain = np.zeros(len(hands))
    certain[hands.index(state.hidden[1 - seat])] = 1
    dice = state.hidden[seat]
    values = RoundValues(solved, play, role, dice).values(history, certain)
    own = play.weights(role, history)[:, hands_of(play.dice[role]).dice.index(dice)]
    place = history[-1] if history else 0
    number = 0 if isinstance(action, Doubt) else play.bets.index(action) + 1 - place
    return float(values[number]), float(own @ values)


@pytest.mark.slow
def test_dice_and_hidden_dice_favour_nobody() -> None:
    found = [account(one) for one in played("honest", "timid", matches=40, dice_per_player=2)]
    for of_chance in ([one.luck for one in found], [one.hidden for one in found]):
        error = np.std(of_chance) / len(found) ** 0.5
        assert abs(np.mean(of_chance)) < 4 * error


def test_a_given_start_is_worth_something_from_the_beginning() -> None:
    rolled = played("honest", "cfr", dice_per_player=1)[0]
    given = played("honest", "cfr", dice_per_player=1, start_mode="seat")[0]
    assert account(rolled).start == 0.5
    assert account(given).start == pytest.approx(251 / 516, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "transcript",
    [
        lambda: played("honest", "random", "timid", dice_per_player=2)[0],
        lambda: played("honest", "timid", dice_per_player=7)[0],
        lambda: played("honest", "timid", dice_per_player=2, show_and_reroll=True)[0],
    ],
    ids=["three seats", "more dice than the tables know", "the extension"],
)
def test_there_is_none_without_values_by_tables(transcript: Any) -> None:
    assert accounts(analyse(transcript())) == ()
