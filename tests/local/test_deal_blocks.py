"""Deal blocks: what the matches of a block share, and that no bot can profit from it."""

import json
from pathlib import Path
from statistics import NormalDist, fmean, stdev

import pytest

from arena.games import make_game
from arena.local.deal_blocks import (
    BlockBrokenError,
    Lineup,
    NamedBot,
    PlayedBlock,
    Series,
    every_rotation,
)
from arena.local.in_process import Contender, Seed, UnreadyBotError, play_match
from arena.local.loading import bot_file, load_bot
from arena.local.playing import Where, playing
from arena.match.transcript_json import from_json
from arena.match.verify import verify
from tests.local.cheats import remembering

pytestmark = pytest.mark.slow

BLUFF = make_game("bluff")
Z_99_9 = NormalDist().inv_cdf(0.999)

STOPS = """
import os
from arena.bot import Bot

class Stops(Bot):
    def act(self, turn):
        os._exit(7)
"""
UNREADY = """
from arena.bot import Bot

class Unready(Bot):
    def match_started(self, match):
        raise OSError("no tables")

    def act(self, turn):
        raise NotImplementedError
"""


def _entries(*bots: object) -> list[NamedBot]:
    return [
        NamedBot(f"{Path(str(bot)).stem} {number}", str(bot_file(str(bot))))
        for number, bot in enumerate(bots)
    ]


def _blocks(
    lineups: tuple[Lineup, ...], blocks: int, seed: str = "deals", *, transcripts: bool = False
) -> list[PlayedBlock]:
    entries = lineups[0].entries
    with playing(BLUFF, entries, len(lineups), Where()) as play:
        return list(play([Series(lineups, seed, blocks, transcripts=transcripts)]))


def _wins_of_first(block: PlayedBlock) -> float:
    """The share of a block's matches at two seats that the first entry won; there are no ties."""
    return fmean(match.result.placing[match.contenders.index(0)] == 1 for match in block)


def test_the_matches_of_a_block_are_one_deal_and_everybody_sits_everywhere() -> None:
    for block in _blocks(
        every_rotation(_entries("random", "honest", "timid")), 3, transcripts=True
    ):
        assert sorted(match.contenders for match in block) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
        transcripts = [from_json(json.loads(match.written or "")) for match in block]
        for transcript in transcripts:
            verify(transcript)
        assert len({transcript.setup.match_id for transcript in transcripts}) == 1
        # Who starts, and the first dice of every seat, whoever sits there.
        assert len({transcript.steps[:2] for transcript in transcripts}) == 1


def test_the_same_seed_gives_the_same_blocks_and_another_seed_others() -> None:
    lineups = every_rotation(_entries("random", "honest"))
    once, again, other = (
        _blocks(lineups, 4, seed, transcripts=True) for seed in ("one", "one", "other")
    )
    assert once == again
    assert once != other


@pytest.mark.parametrize("bot", ["random", "honest"])
def test_a_bot_against_itself_ends_every_block_in_a_draw(bot: str) -> None:
    # Also one that throws dice of its own: who sits in a seat is given the same `random`.
    assert {_wins_of_first(block) for block in _blocks(every_rotation(_entries(bot, bot)), 30)} == {
        0.5
    }


def test_a_bot_that_remembers_deals_gains_if_it_is_let(tmp_path: Path) -> None:
    cheat, honest = (
        Contender(name, load_bot(str(bot)))
        for name, bot in (("cheat", remembering(tmp_path)), ("honest", "honest"))
    )
    seed, shares = Seed("deals"), []
    for block in range(80):
        # What must not be: both matches of a block in one process.
        first, _ = play_match(BLUFF, [cheat, honest], seed, block)
        second, _ = play_match(BLUFF, [honest, cheat], seed, block)
        shares.append(fmean([first.result.placing[0] == 1, second.result.placing[1] == 1]))
    low = fmean(shares) - Z_99_9 * stdev(shares) / len(shares) ** 0.5
    assert low > 0.55


def test_a_bot_that_remembers_deals_gains_nothing_as_blocks_are_played(tmp_path: Path) -> None:
    # It is the sample Honest until it knows a deal; so if it never does, nothing differs at all.
    entries = _entries(remembering(tmp_path), "honest")
    assert {_wins_of_first(block) for block in _blocks(every_rotation(entries), 80)} == {0.5}


def test_a_lineup_may_move_on_from_block_to_block() -> None:
    entries = tuple(_entries("random", "random", "random"))
    lineup = Lineup(entries, moves_on=True)
    played = [block[0].contenders for block in _blocks((lineup,), 4)]
    assert played == [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 1, 2)]


def test_a_bot_that_ends_its_process_breaks_the_block(tmp_path: Path) -> None:
    file = tmp_path / "stops.py"
    file.write_text(STOPS)
    with pytest.raises(BlockBrokenError, match="exit code 7"):
        _blocks(every_rotation(_entries("random", file)), 2)


def test_a_bot_that_cannot_begin_is_named(tmp_path: Path) -> None:
    file = tmp_path / "unready.py"
    file.write_text(UNREADY)
    with pytest.raises(UnreadyBotError, match="unready 1 cannot begin a match: OSError: no tables"):
        _blocks(every_rotation(_entries("random", file)), 2)


def test_two_versions_have_each_the_modules_of_their_own_folder(tmp_path: Path) -> None:
    for version in ("v1", "v2"):
        (tmp_path / version / "lists").mkdir(parents=True)
        (tmp_path / version / "lists" / "__init__.py").touch()
        (tmp_path / version / "lists" / "names.py").write_text(f"OWN = '{version}'")
        (tmp_path / version / "tables.py").write_text(f"OWN = '{version}'")
        (tmp_path / version / "mine.py").write_text(
            "import tables\nfrom lists.names import OWN\nfrom arena.bot import Bot\n\n"
            "class Mine(Bot):\n    own = (tables.OWN, OWN)\n    def act(self, turn): ...\n"
        )
    loaded = [vars(load_bot(str(tmp_path / version / "mine.py"))) for version in ("v1", "v2")]
    assert [bot["own"] for bot in loaded] == [("v1", "v1"), ("v2", "v2")]
