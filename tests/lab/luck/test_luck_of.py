"""The luck of whole matches: a matter of the draws alone, and nothing on average."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest

from arena.games.bluff import Bet, CupRoll, StartingRoll
from arena.games.bluff.kit.luck import luck_of_roll, luck_table
from arena.games.game import DEALER
from arena.lab.luck import checked_luck_of, luck_of, table_of
from arena.match.replay import TranscriptError, replay
from arena.match.transcript import Entrant, Step
from arena.rating.luck import luck_adjusted
from arena.records import Registered, VersionId
from arena.server.boards.board import Board
from arena.server.boards.luck_adjusted import luck_source
from tests.board_rows import Row, columns
from tests.lab.luck.matches import careless, renamed, sample, series


def test_luck_comes_from_a_named_table_and_sums_to_zero() -> None:
    for seats in (2, 3, 6):
        for played in series(careless(seats), 10):
            luck = luck_of(played.transcript)
            assert luck.table == table_of("bluff")
            assert len(luck.seats) == seats
            assert sum(luck.seats) == pytest.approx(0, abs=1e-12)
            for draw in luck.draws:
                assert sum(draw.seats) == 0
                assert played.transcript.steps[draw.step - 1].actor is DEALER
            assert luck.seats == pytest.approx(
                [sum(draw.seats[seat] for draw in luck.draws) for seat in range(seats)]
            )


def test_at_a_table_of_two_every_draw_has_a_value() -> None:
    for played in series(careless(2), 10):
        steps = played.transcript.steps
        draws = [index for index, step in enumerate(steps, start=1) if step.actor is DEALER]
        assert [draw.step for draw in luck_of(played.transcript).draws] == draws


def test_at_a_larger_table_only_the_last_two_can_be_lucky() -> None:
    seen = 0
    for played in series(careless(4), 20):
        valued = {draw.step: draw for draw in luck_of(played.transcript).draws}
        for frame in replay(played.transcript):
            if frame.step is not None and frame.step.actor is DEALER:
                before = frame.before
                live = [seat for seat, count in enumerate(before.dice_counts) if count]
                if isinstance(frame.step.action, CupRoll) and len(live) == 2:
                    opener = before.opener
                    dice = before.dice_counts[opener], before.dice_counts[sum(live) - opener]
                    assert (frame.index in valued) == (dice in luck_table().duels)
                else:
                    assert frame.index not in valued
                if frame.index in valued:
                    lucks = valued[frame.index].seats
                    assert all(luck == 0 for seat, luck in enumerate(lucks) if seat not in live)
                    seen += 1
    assert seen


@pytest.mark.parametrize("seats", [2, 3])
def test_what_is_read_off_the_record_is_what_the_rules_say(seats: int) -> None:
    for played in series(careless(seats), 20):
        valued = {draw.step: draw.seats for draw in luck_of(played.transcript).draws}
        seen = 0
        for frame in replay(played.transcript):
            if frame.step is not None and isinstance(frame.step.action, CupRoll):
                state, dice = frame.state, frame.step.action.dice
                live = [seat for seat, count in enumerate(state.dice_counts) if count]
                if len(live) == 2:
                    opener = state.opener
                    expected = luck_of_roll(luck_table(), dice[opener], dice[sum(live) - opener])
                    told = valued.get(frame.index)
                    assert (told is None) == (expected is None)
                    if told is not None and expected is not None:
                        assert told[opener] == pytest.approx(expected / (seats - 1), abs=1e-15)
                        seen += 1
        assert seen


def test_who_plays_does_not_matter() -> None:
    random = Random(1)
    for played in series(sample("honest", "bayes"), 10):
        assert luck_of(renamed(played.transcript, random)) == luck_of(played.transcript)


def test_what_is_bet_does_not_matter_where_it_leads_to_the_same_draws() -> None:
    (played, *_) = series(careless(2), 1, start_mode="seat", dice_per_player=2)
    transcript = played.transcript
    first_bet = next(
        index for index, step in enumerate(transcript.steps) if isinstance(step.action, Bet)
    )
    steps = list(transcript.steps[: first_bet + 1])
    one = luck_of(replace(transcript, steps=tuple(steps)))
    bet = steps[-1].action
    steps[-1] = Step(steps[-1].actor, Bet(bet.quantity + 1, bet.face))
    assert luck_of(replace(transcript, steps=tuple(steps))) == one


def test_more_dice_than_the_table_knows_have_no_luck_until_they_are_few() -> None:
    dice = [
        len(cup)
        for played in series(careless(2), 20, dice_per_player=6)
        for draw in luck_of(played.transcript).draws
        if not isinstance(draw.draw, StartingRoll)
        for cup in draw.draw.dice
    ]
    assert dice
    assert max(dice) <= 5


def test_a_game_without_a_table_says_so() -> None:
    (played, *_) = series(careless(2), 1)
    setup = replace(played.transcript.setup, game="chess")
    luck = luck_of(replace(played.transcript, setup=setup))
    assert luck.table is None
    assert luck.draws == ()
    assert luck.seats == (0.0, 0.0)
    assert table_of("chess") is None


def test_a_transcript_against_the_rules_is_refused() -> None:
    (played, *_) = series(careless(2), 1)
    steps = played.transcript.steps
    with pytest.raises(TranscriptError):
        checked_luck_of(replace(played.transcript, steps=steps[1:]))


@pytest.mark.slow
def test_a_board_of_sample_bots_is_surer_with_luck_taken_out() -> None:
    names = ("honest", "bayes", "timid")
    board, versions, rows = Board("bluff"), {}, []
    for number, name in enumerate(names):
        entrant = Entrant(name, "1", f"owner{number}")
        versions[VersionId(number)] = Registered(VersionId(number), entrant, house=number == 0)
    for first, second in combinations(range(3), 2):
        for played in series(sample(names[first], names[second]), 300):
            seated = [VersionId((first, second)[contender]) for contender in played.contenders]
            number = len(rows) + 1
            placing, luck = list(played.result.placing), list(luck_of(played.transcript).seats)
            rows.append(Row(number, f"m{number}", f"b{number}", seated, placing, luck))
    board.extend(columns(rows))
    lines = board.lines(versions)
    told = luck_source("bluff", [line.luck_adjusted for line in lines])
    assert told is not None
    assert 0.5 < told.mean_variance_factor < 0.95
    for line in lines:
        assert line.luck_adjusted is not None
        low, high = line.luck_adjusted.interval
        if line.anchor:
            assert (line.luck_adjusted.elo, low, high) == (line.elo, line.elo, line.elo)
            assert line.luck_adjusted.variance_factor is None
        else:
            assert high - low < line.interval[1] - line.interval[0]
            assert line.luck_adjusted.elo == pytest.approx(line.elo, abs=high - low)
    assert sum(line.anchor for line in lines) == 1


@pytest.mark.slow
def test_the_luck_of_honest_play_explains_results_and_moves_no_estimate() -> None:
    played = series(sample("honest", "honest"), 800)
    lucks, wins = [], []
    for one in played:
        seat = one.contenders.index(0)
        lucks.append(luck_of(one.transcript).seats[seat])
        wins.append(float(one.result.placing[seat] == 1))
    luck, won = np.array(lucks), np.array(wins)
    # Fixed seeds: nothing here can fail by chance.
    assert abs(luck.mean()) < 3 * luck.std() / len(luck) ** 0.5
    adjusted = luck_adjusted(won, luck)
    assert adjusted.variance_factor < 0.85
    assert adjusted.adjusted == pytest.approx(0.5, abs=3 * adjusted.adjusted_se)
    # The table's values are wins: one point of luck is about one point of the result.
    assert 0.5 < adjusted.coefficients[0] < 2
