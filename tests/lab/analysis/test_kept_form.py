"""An analysis that is kept says the same as a fresh one, but for values that nobody asks again."""

import pytest

from arena.games import GAMES, make_game
from arena.lab.analysis import analyse, analyse_bot, by_seat, kept_form
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from tests.dashboard.test_scenes import match


@pytest.mark.parametrize("game", ["bluff", "bluff_you", "bloeff"])
def test_a_kept_decision_is_the_one_that_was_found(game: str) -> None:
    found = analyse(match(game, 3, seats=2)).decisions
    notation = GAMES[game].notation
    kept = kept_form.from_json(kept_form.to_json(found, notation), notation)
    assert len(kept) == len(found) > 0
    for one, fresh in zip(kept, found, strict=True):
        assert (one.step, one.seat, one.action, one.forced, one.source) == (
            *(fresh.step, fresh.seat, fresh.action, fresh.forced, fresh.source),
        )
        for name in ("unread", "read", "win", "loss"):
            assert getattr(one, name) == pytest.approx(getattr(fresh, name), abs=1.1e-6)
        if fresh.loss:
            assert one.best == fresh.best
        assert (one.solved is None) == (fresh.solved is None)
        if one.solved is not None and fresh.solved is not None:
            assert one.solved[:4] == fresh.solved[:4]
            assert one.solved[4:] == pytest.approx(fresh.solved[4:], abs=1.1e-6)
        assert one.view is None


def test_a_bot_is_summed_up_from_kept_analyses_as_from_fresh_ones() -> None:
    bots = [Contender(name, load_bot(name)) for name in ("honest", "timid")]
    played = [one.transcript for one in play_series(make_game("bluff"), bots, 6, "kept")]
    notation = GAMES["bluff"].notation
    fresh = [analyse(one).seats[0] for one in played]
    kept = [
        by_seat(
            kept_form.from_json(kept_form.to_json(analyse(one).decisions, notation), notation), 2
        )
        for one in played
    ]
    expected, found = analyse_bot(fresh), analyse_bot(seats[0] for seats in kept)
    assert expected is not None and found is not None
    assert (found.matches, found.decisions) == (expected.matches, expected.decisions)
    assert found.leak is not None and expected.leak is not None
    assert found.leak.in_words == expected.leak.in_words
    assert found.loss == pytest.approx(expected.loss, abs=1e-5)
    assert len(found.frequencies) == len(expected.frequencies) > 0
    for one, other in zip(found.frequencies, expected.frequencies, strict=True):
        assert (one.what, one.situation) == (other.what, other.situation)
        assert one.difference == pytest.approx(other.difference, abs=1e-5)


def test_an_edition_names_the_tables() -> None:
    assert kept_form.edition() == kept_form.edition()
    assert len(kept_form.edition().partition("-")[2]) == 16
