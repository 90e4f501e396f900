"""The benchmark: rungs, intervals with most luck removed, and the same figures for everybody."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.games import make_game
from arena.local.benchmark import (
    Benchmarked,
    RecordedMatchError,
    Rung,
    RungShare,
    benchmark,
    benchmark_of_recorded,
    seen_blocks,
)
from arena.local.deal_blocks import NamedBot
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.local.match_luck import NoPlayError
from arena.local.playing import Where
from arena.match.transcript import Entrant, Transcript

pytestmark = pytest.mark.slow

BROKEN = """
from arena.bot import Bot

class Broken(Bot):
    def act(self, turn):
        raise RuntimeError("no idea")
"""

BY_SETTING = """
import os
from arena.bot import Bot

class Certain(Bot):
    which = int(os.environ.get("WHICH", "-1"))  # the highest bet, or a doubt

    def act(self, turn):
        (action,) = self.probabilities(turn)
        return action

    def probabilities(self, turn):
        return {[*turn.choices()][self.which]: 1.0}
"""


def share(rung: str, high: float) -> RungShare:
    return RungShare(rung, 100, high - 0.1, high - 0.1, high - 0.2, high, 1.0)


def test_it_gives_the_same_figures_every_time() -> None:
    rungs = (Rung("honest", 10), Rung("bayes", 10))
    found = benchmark(NamedBot("timid", "timid"), rungs=rungs)
    assert found == benchmark(NamedBot("timid", "timid"), rungs=rungs)
    assert [one.rung for one in found.shares] == ["honest", "bayes"]
    assert [one.matches for one in found.shares] == [20, 20]


@pytest.mark.system  # a minute or more on a slow machine
def test_luck_is_removed_against_the_certified_rung() -> None:
    found = benchmark(NamedBot("honest", "honest"), rungs=(Rung("cfr", 60),))
    (against,) = found.shares
    # 36.6 % in 20,000 matches; within four standard errors, whatever the deals.
    assert abs(against.share - 0.366) < against.high - against.low
    assert against.variance_factor < 0.35
    assert against.high - against.low < 0.12  # of 120 matches alone it would be 0.17
    assert found.loss is not None
    assert 0.02 < found.loss.mean < 0.045


@pytest.mark.system  # a minute or more on a slow machine
def test_less_varies_where_the_bot_declares_its_play_as_well() -> None:
    alone, both = (
        benchmark(NamedBot("cfr", "cfr"), rungs=(Rung("bayes", 20),), declared=declared).shares[0]
        for declared in (False, True)
    )
    assert both.raw == alone.raw
    assert both.variance_factor < 0.5 * alone.variance_factor
    # 53.1 % in 4,000 matches; within four standard errors, whatever the deals.
    assert abs(both.share - 0.531) < both.high - both.low


def test_a_bot_that_declares_no_play_cannot_be_measured_by_it() -> None:
    with pytest.raises(NoPlayError, match="does not declare its play: its class needs"):
        benchmark(NamedBot("search", "search"), rungs=(Rung("bayes", 1),), declared=True)


def test_a_bot_that_acts_otherwise_than_it_inherits_declares_no_play_with_settings_either(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from arena_sample_bots.honest import Honest\n"
        "class Mine(Honest):\n"
        "    def act(self, turn): return next(turn.choices())\n"
    )
    for settings in ((), (("WHICH", "0"),)):
        with pytest.raises(NoPlayError):
            benchmark(NamedBot("mine", str(file), settings=settings), rungs=(), declared=True)


def test_it_is_asked_for_the_play_that_it_has_with_its_settings(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(BY_SETTING)
    bot = NamedBot("mine", str(file), settings=(("WHICH", "0"),))
    benchmark(bot, rungs=(Rung("random", 2),), declared=True)


def test_results_that_never_vary_get_an_interval_that_is_no_point() -> None:
    (itself,) = benchmark(NamedBot("honest", "honest"), rungs=(Rung("honest", 20),)).shares
    assert (itself.raw, itself.share) == (0.5, 0.5)  # each deal is won once
    assert itself.low < 0.4 < 0.6 < itself.high


def test_a_result_or_two_that_differ_are_not_explained_by_luck() -> None:
    (against,) = benchmark(NamedBot("bayes", "bayes"), rungs=(Rung("timid", 50),)).shares
    assert 0.95 < against.raw < 1
    assert against.share == against.raw
    assert against.variance_factor == 1
    assert against.low < 0.96


def test_it_tells_when_a_match_was_played_and_when_its_luck_is_known() -> None:
    rungs, told = (Rung("timid", 10), Rung("honest", 20)), []
    benchmark(NamedBot("honest", "honest"), rungs=rungs, advance=lambda: told.append(1))
    assert len(told) == 2 * sum(2 * rung.blocks for rung in rungs)


@pytest.mark.parametrize(
    ("highs", "reached"),
    [
        ((0.9, 0.9, 0.6), "cfr"),
        ((0.9, 0.51, 0.4), "bayes"),
        ((0.9, 0.4, 0.6), "honest"),
        ((0.4, 0.9, 0.9), None),
    ],
)
def test_the_rung_reached_is_the_last_before_one_that_it_is_behind(
    highs: tuple[float, ...], reached: str | None
) -> None:
    rungs = ("honest", "bayes", "cfr")
    shares = tuple(share(rung, high) for rung, high in zip(rungs, highs, strict=True))
    assert Benchmarked(shares, None, ()).reached == reached


def test_faults_are_told_with_the_rung(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text(BROKEN)
    found = benchmark(NamedBot("broken", str(file)), rungs=(Rung("honest", 3),))
    assert {rung for rung, _ in found.faults} == {"honest"}
    assert {fault.reason.partition(" (")[0] for _, fault in found.faults} == {
        "RuntimeError: no idea"
    }
    assert found.shares[0].raw < 0.5


def test_a_program_meets_no_deal_twice(tmp_path: Path) -> None:
    bot, where = NamedBot("honest", "honest"), Where(logs=tmp_path)
    ids = [
        match.transcript.setup.match_id
        for block in seen_blocks(bot, Rung("random", 3), "seed", where)
        for match in block
    ]
    assert len({*ids}) == len(ids) == 6


def recorded(bot: str, rung: str, matches: int, *, house: str = "house") -> list[Transcript]:
    """Matches of `mine`, played by a sample bot, as an arena records them."""
    contenders = [Contender(bot, load_bot(bot)), Contender(rung, load_bot(rung))]
    found = []
    for played in play_series(make_game("bluff"), contenders, matches, f"recorded {rung}"):
        entrants = (Entrant("mine", "1", "me"), Entrant(rung, "1", house))
        seated = tuple(entrants[at] for at in played.contenders)
        setup = replace(played.transcript.setup, entrants=seated)
        found.append(replace(played.transcript, setup=setup))
    return found


@pytest.mark.system  # computes for long
def test_recorded_matches_against_the_house_are_measured() -> None:
    matches = recorded("honest", "cfr", 40) + recorded("honest", "timid", 5)
    strangers = recorded("honest", "honest", 5, house="somebody")
    found = benchmark_of_recorded("mine", matches + strangers)
    assert [(one.rung, one.matches) for one in found.shares] == [("timid", 5), ("cfr", 40)]
    against = found.shares[-1]
    assert against.low < 0.365 < against.high
    assert against.variance_factor < 0.4
    assert found.loss is not None


@pytest.mark.system  # a minute or more on a slow machine
def test_recorded_matches_count_once_and_in_any_order() -> None:
    matches = recorded("honest", "cfr", 12)
    assert benchmark_of_recorded("mine", matches + matches[::-1]) == benchmark_of_recorded(
        "mine", matches
    )


def test_a_bot_of_the_house_that_plays_otherwise_than_here_is_refused() -> None:
    (match,) = recorded("honest", "random", 1)
    entrants = tuple(
        replace(entrant, bot="honest") if entrant.owner == "house" else entrant
        for entrant in match.setup.entrants
    )
    other = replace(match, setup=replace(match.setup, entrants=entrants))
    with pytest.raises(
        RecordedMatchError, match=r"did not play as it does here.* honest 1 in match"
    ):
        benchmark_of_recorded("mine", [other])


def test_without_a_match_that_counts_it_says_which_would() -> None:
    matches = recorded("honest", "cfr", 1, house="somebody")
    with pytest.raises(RecordedMatchError, match="between mine and a house bot"):
        benchmark_of_recorded("mine", matches)
