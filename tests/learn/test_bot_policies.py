"""Bots of Bluff as policies on observations with the history."""

import numpy as np
import pytest

from arena.games.encoding import Encoding
from arena.learn import EncodingError, bot_policy, encoding
from arena.learn.policies import probabilities
from arena.learn.seat_by_seat import SeatBySeat
from arena.learn.seeds import match_randomness
from arena.local.declared_play import declared_play
from arena.local.loading import load_bot


def views_of(encoded: Encoding, matches: int) -> list[object]:
    """Return the views of all decisions in random matches."""
    random, views = np.random.default_rng(1), []
    for number in range(matches):
        match = SeatBySeat(encoded.game, encoded.seats, match_randomness(1, number))
        while match.seat is not None:
            views.append(match.view(match.seat))
            legal = np.flatnonzero(encoded.mask(views[-1]))
            match.act(encoded.action(int(random.choice(legal))))
    return views


@pytest.mark.parametrize(("seats", "cap"), [(2, "dice_in_play"), (3, "table")])
def test_an_observation_with_history_gives_the_view_back(seats: int, cap: str) -> None:
    encoded = encoding("bluff", seats, history=True, dice_per_player=3, bet_cap=cap)
    for view in views_of(encoded, 6):
        found = encoded.view(encoded.observe(view))
        assert found.seat == 0
        assert found.round == view.round and found.graveyard == view.graveyard
        assert found.hidden_dice == view.hidden_dice
        assert [placed.bet for placed in found.bets] == [placed.bet for placed in view.bets]
        assert encoded.observe(found).tobytes() == encoded.observe(view).tobytes()
        assert encoded.mask(found).tobytes() == encoded.mask(view).tobytes()


def test_a_bot_plays_as_a_policy_what_it_declares() -> None:
    encoded = encoding("bluff", 2, history=True)
    kind = load_bot("honest")
    play = declared_play(kind, encoded.game, 2)
    assert play is not None
    views = views_of(encoded, 5)
    seen = np.stack([encoded.observe(view) for view in views])
    masks = np.stack([encoded.mask(view) for view in views])
    found = probabilities(bot_policy(encoded, kind), seen, masks)
    for row, view in zip(found, views, strict=True):
        for action, chance in play(view).items():
            assert row[encoded.id(action)] == pytest.approx(chance)


def test_a_bot_that_declares_nothing_is_asked_to_act() -> None:
    encoded = encoding("bluff", 2, history=True, dice_per_player=2)
    (view, *_) = views_of(encoded, 1)
    rows = np.stack([encoded.observe(view)] * 20), np.stack([encoded.mask(view)] * 20)
    found = probabilities(bot_policy(encoded, load_bot("search")), *rows)
    assert (found.max(axis=1) == 1).all()


def test_observations_that_leave_something_out_are_refused() -> None:
    for name, options in (("bluff", {}), ("bluff_you", {"history": True})):
        encoded = encoding(name, 2, **options)
        with pytest.raises(EncodingError, match=r"observations with history|all of a view"):
            encoded.view(np.zeros(encoded.size, np.float32))
