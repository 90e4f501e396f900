"""The sample bots of the games beside Bluff: each stronger than the one before, never at fault."""

from collections.abc import Mapping
from random import Random

import pytest

from arena.games import make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.local.win_rates import WinRates
from tests.games.contract import HOOKS
from tests.thoroughness import thorough, tries

BOTS = {
    "bluff_you": ("random", "bluff_you_honest", "bluff_you_equilibrium", "bluff_you_planner"),
    "bloeff": ("random", "bloeff_honest", "bloeff_counter"),
    "skull": ("random", "skull_honest"),
}


def share(game: str, bots: list[str], matches: int) -> float:
    """The share of the matches that the first of the bots wins."""
    contenders = [Contender(f"{name} {seat}", load_bot(name)) for seat, name in enumerate(bots)]
    standings = WinRates([contender.name for contender in contenders])
    for played in play_series(make_game(game), contenders, matches, "the rungs"):
        standings.add(played)
    return {each.name: each.share for each in standings.table()}[contenders[0].name]


# The bounds lie more than three standard errors of these few matches below the shares in
# sample_bots/README.md, so that a test fails because a bot got worse and not by chance.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "better", "worse", "seats", "matches", "at_least"),
    [
        ("bluff_you", "bluff_you_honest", "random", 2, 100, 0.95),
        thorough("bluff_you", "bluff_you_equilibrium", "bluff_you_honest", 2, 100, 0.73),
        ("bluff_you", "bluff_you_equilibrium", "bluff_you_honest", 4, 150, 0.5),
        ("bluff_you", "bluff_you_equilibrium", "random", 2, 100, 0.93),
        thorough("bluff_you", "bluff_you_planner", "bluff_you_equilibrium", 2, 200, 0.58),
        ("bloeff", "bloeff_honest", "random", 2, 100, 0.93),
        ("bloeff", "bloeff_counter", "bloeff_honest", 2, 300, 0.57),
        ("bloeff", "bloeff_counter", "bloeff_honest", 4, 200, 0.33),
        ("bloeff", "bloeff_counter", "random", 2, 100, 0.95),
        thorough("bloeff", "bloeff_search", "bloeff_honest", 2, 40, 0.47),
        thorough("bloeff", "bloeff_search", "bloeff_counter", 2, 60, 0.44),
        ("skull", "skull_honest", "random", 2, 300, 0.67),
    ],
)
def test_each_rung_beats_the_one_below(
    game: str, better: str, worse: str, seats: int, matches: int, at_least: float
) -> None:
    assert share(game, [better, *[worse] * (seats - 1)], matches) >= at_least


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options"),
    [(game, options) for game in BOTS for options in HOOKS[game].variants],
    ids=str,
)
def test_no_bot_is_ever_at_fault(game: str, options: Mapping[str, object]) -> None:
    rules, random = make_game(game, options), Random(game)
    for name in BOTS[game]:
        for seats in rules.seat_counts:
            table = [name, *random.choices(BOTS[game], k=seats - 1)]
            contenders = [Contender(str(seat), load_bot(bot)) for seat, bot in enumerate(table)]
            for played in play_series(rules, contenders, tries(3, quick=1), f"{name} {seats}"):
                assert played.refused == ()


# It thinks hundreds of times as long as the others.
@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, *HOOKS["bloeff"].variants], ids=str)
def test_bloeff_search_is_never_at_fault(options: Mapping[str, object]) -> None:
    rules, random = make_game("bloeff", options), Random("bloeff")
    for seats in rules.seat_counts:
        table = ["bloeff_search", *random.choices(BOTS["bloeff"], k=seats - 1)]
        contenders = [Contender(str(seat), load_bot(bot)) for seat, bot in enumerate(table)]
        for played in play_series(rules, contenders, 1, f"search {seats}"):
            assert played.refused == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "bots"),
    [("bluff_you", BOTS["bluff_you"][1:]), ("bloeff", ("bloeff_counter", "bloeff_search"))],
)
def test_the_same_seed_gives_the_same_match(game: str, bots: tuple[str, ...]) -> None:
    contenders = [Contender(name, load_bot(name)) for name in bots]
    first, again = (list(play_series(make_game(game), contenders, 2, "again")) for _ in range(2))
    assert [played.transcript for played in first] == [played.transcript for played in again]


@pytest.mark.parametrize(
    ("game", "name"),
    [*((game, bot) for game in BOTS for bot in BOTS[game]), ("bloeff", "bloeff_search")],
)
def test_every_bot_says_that_it_plays_its_game(game: str, name: str) -> None:
    assert game in load_bot(name).games
