"""Claims, bluffs and doubts, from transcripts of every game."""

from random import Random

import pytest

from arena.games import make_game
from arena.games.bluff import Bet, Doubt, Face
from arena.games.game import AnyGame
from arena.match.faults import FaultKind
from arena.match.flow import OpenTurn, Reply, TimedAction
from arena.match.transcript import Entrant, Transcript
from arena.records import Registered, VersionId
from arena.server.results import bluffing as bluffing_module
from arena.server.results.bluffing import bluffing_of
from tests.dashboard.played import Guest, Policy, anyhow, play_match, silent

ID = "00000000-0000-4000-8000-000000000001"


def guest(number: int, policy: Policy) -> Guest:
    entrant = Entrant(f"bot{number}", "1", f"owner{number}")
    return Guest(Registered(VersionId(number), entrant, house=False), policy)


def played(game: str, *policies: Policy, seed: int = 1) -> Transcript:
    guests = [guest(number, policy) for number, policy in enumerate(policies)]
    return play_match(make_game(game), guests, ID, Random(seed))


def bets_everything(game: AnyGame, turn: OpenTurn, random: Random) -> Reply:
    """Opens with as many stars as may be bet: a bluff unless all dice are stars."""
    if turn.view.bets:
        return TimedAction(Doubt(), 40)
    return TimedAction(Bet(turn.view.highest, Face.STAR), 20)


def test_a_bet_for_which_dice_are_missing_is_a_bluff_and_its_doubt_is_right() -> None:
    bluffing = bluffing_of(played("bluff", bets_everything, bets_everything))
    assert bluffing.claims and all(one.off > 0 and one.doubted for one in bluffing.claims)
    assert bluffing.doubts and all(one.right for one in bluffing.doubts)
    assert len(bluffing.doubts) == len(bluffing.claims)
    assert bluffing.boldest is None  # every one was doubted
    its = bluffing.of("bot0")
    claims, doubts = sum(one.claimed for one in its), sum(one.right is not None for one in its)
    assert claims + doubts == len(its)
    assert bluffing.time_of("bot0") == (20 * claims + 40 * doubts, len(its))


@pytest.mark.parametrize("game", ["bluff", "bluff_you", "bloeff"])
@pytest.mark.parametrize("seed", range(5))
def test_what_the_game_shows_at_a_showdown_agrees(game: str, seed: int) -> None:
    transcript = played(game, anyhow, anyhow, anyhow, seed=seed)
    bluffing = bluffing_of(transcript)
    assert bluffing.claims
    # A doubt was right exactly where the claim before it was false.
    doubted = [one for one in bluffing.claims if one.doubted]
    assert any(one.right for one in bluffing.doubts) == any(one.off for one in doubted)
    steps = [one.step for one in bluffing.claims]
    assert steps == sorted(set(steps))
    for claim in bluffing.claims:
        assert transcript.steps[claim.step - 1].actor == claim.seat
    boldest = bluffing.boldest
    away = [one.off for one in bluffing.claims if not one.doubted]
    assert (boldest.off if boldest else 0) == max(away, default=0)


def test_default_actions_are_no_decisions_and_faults_are_told_with_what_was_played() -> None:
    bluffing = bluffing_of(played("bluff_you", anyhow, silent))
    assert [one.kind for one in bluffing.faults] == [FaultKind.LATE] * 3
    assert {one.seat for one in bluffing.faults} == {1}
    assert all(one.played for one in bluffing.faults)
    assert bluffing.of("bot1") == []
    assert bluffing.time_of("bot1") == (0, 0)


def test_of_a_long_match_the_claims_of_its_first_steps_are_known_and_all_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    transcript = played("bluff", anyhow, anyhow, anyhow)
    whole = bluffing_of(transcript)
    monkeypatch.setattr(bluffing_module, "MOST_STEPS", 5)
    first = bluffing_of(transcript)
    assert len(whole.decisions) > 5
    assert [one.step for one in first.decisions] == [one.step for one in whole.decisions[:5]]
    assert (first.answers, first.milliseconds) == (whole.answers, whole.milliseconds)
