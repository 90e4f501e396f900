"""The scenes of all games: what a seat has is a number."""

import pytest

from arena.games import GAMES, make_game
from arena.games.game import DEALER
from arena.randomness import KeyedRandomness, match_key
from arena.showing.scenes import SCENES


@pytest.mark.parametrize("name", GAMES)
def test_what_each_seat_has_is_a_number(name: str) -> None:
    game = make_game(name)
    state = game.start(3)
    randomness = KeyedRandomness(match_key(bytes(32), "", [bytes(16)] * 3))
    while game.to_act(state) is DEALER:
        state = game.apply(state, DEALER, game.draw(state, randomness))
    found = SCENES[name].standing(game.view(state, None))
    assert len(found) == 3 and len(set(found)) == 1
