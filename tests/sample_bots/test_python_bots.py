"""The sample bots: each stronger than the one before, never at fault, repeatable by a seed."""

from random import Random

import pytest

from arena.games import GAMES, make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot, sample_names
from arena.local.win_rates import WinRates
from tests.thoroughness import thorough, tries

BLUFF = make_game("bluff")
VARIANTS: tuple[dict[str, object], ...] = (
    {},
    {"bet_cap": "table"},
    {"show_and_reroll": True},
    {"dice_per_player": 1, "start_mode": "seat"},
    {"dice_per_player": 9, "show_and_reroll": True, "bet_cap": "table"},
)
BLUFF_BOTS = [name for name in sample_names() if "bluff" in load_bot(name).games]


def _share(bots: list[str], matches: int) -> float:
    """The share of the matches that the first of the bots wins."""
    contenders = [Contender(f"{name} {seat}", load_bot(name)) for seat, name in enumerate(bots)]
    standings = WinRates([contender.name for contender in contenders])
    for played in play_series(BLUFF, contenders, matches, "the sample bots' test"):
        standings.add(played)
    return {standing.name: standing.share for standing in standings.table()}[contenders[0].name]


# The bounds lie so far below the shares measured with many matches (see the README of the bots)
# that chance alone would break one less than once in a million runs.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "matches", "at_least"),
    [
        (["timid", "random"], 1000, 0.57),
        (["honest", "timid"], 1000, 0.97),
        (["bayes", "honest"], 700, 0.69),
        thorough(["search", "bayes"], 60, 0.80),
        thorough(["search", "honest"], 60, 0.60),
        thorough(["exploiter", "honest"], 60, 0.66),
        (["exploiter", "cfr"], 100, 0.26),
        (["bayes", *["honest"] * 5], 300, 0.167),
        (["cfr", "honest"], 600, 0.52),
        thorough(["cfr", "bayes"], 2000, 0.50),
        thorough(["search", *["bayes"] * 5], 20, 0.30),
        thorough(["crowd", *["bayes"] * 5], 120, 0.11),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_each_rung_beats_the_one_below(bots: list[str], matches: int, at_least: float) -> None:
    assert _share(bots, matches) >= at_least


@pytest.mark.slow
def test_against_cfr_the_exploiter_nearly_always_plays_as_cfr_would() -> None:
    """So it wins half of these matches, without luck, but for the few in which it is mistaken."""
    series = [
        [
            played.transcript.steps
            for played in play_series(
                BLUFF,
                [Contender("a", load_bot(name)), Contender("b", load_bot("cfr"))],
                40,
                "alike",
            )
        ]
        for name in ("exploiter", "cfr")
    ]
    alike = sum(one == other for one, other in zip(*series, strict=True))
    assert alike >= 36


@pytest.mark.parametrize(
    ("name", "options"),
    [
        # Nine dice have 2,002 hands, over all of which bots sum. `search` and `exploiter` play on
        # from each bet, and with nine dice `exploiter` does as `search`.
        pytest.param(
            name,
            options,
            marks=[pytest.mark.slow] * (many or (searches and bool(options)))
            + [pytest.mark.system] * many,
        )
        for name in BLUFF_BOTS
        for options in VARIANTS
        for many in [options.get("dice_per_player") == 9]
        for searches in [name in ("search", "exploiter")]
        if not (name == "exploiter" and many)
    ],
    ids=str,
)
def test_no_bot_is_ever_at_fault(name: str, options: dict[str, object]) -> None:
    game, random = make_game("bluff", options), Random(name)
    matches = 1 if options.get("dice_per_player") == 9 else tries(2, quick=1)
    for seats in (2, 3, 6):
        others = [Contender(other, load_bot(other)) for other in random.choices(BLUFF_BOTS, k=5)]
        contenders = [Contender("tested", load_bot(name)), *others[: seats - 1]]
        for played in play_series(game, contenders, matches, f"{name} {seats}"):
            assert played.refused == ()


@pytest.mark.parametrize("game", GAMES)
def test_the_random_bot_plays_every_game(game: str) -> None:
    rules = make_game(game)
    for seats in rules.seat_counts:
        contenders = [Contender(str(seat), load_bot("random")) for seat in range(seats)]
        for played in play_series(rules, contenders, 2, "every game"):
            assert played.refused == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", BLUFF_BOTS)
def test_the_same_seed_gives_the_same_match(name: str) -> None:
    contenders = [Contender("a", load_bot(name)), Contender("b", load_bot(name))]
    matches = tries(3, quick=1)
    first, again = (list(play_series(BLUFF, contenders, matches, "again")) for _ in range(2))
    assert [played.transcript for played in first] == [played.transcript for played in again]
