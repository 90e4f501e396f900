"""`arena test`: verdicts in both directions, exit codes, and safety where nothing ever differs."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from arena.commands.sequential_test.command import ExitCode
from arena.commands.sequential_test.report import by_score
from tests.commands.running import arena

pytestmark = pytest.mark.slow

FAULTY = """
from arena.bot import Bot

class Faulty(Bot):
    def act(self, turn):
        raise RuntimeError("no idea")
"""


def _test(*words: object) -> Result:
    return arena("test", *words, "--seed", "s")


def _json(*words: object) -> tuple[int, Any]:
    result = _test(*words, "--json")
    return result.exit_code, json.loads(result.stdout)


def test_a_better_version_is_accepted_and_a_worse_one_is_not() -> None:
    code, better = _json("bayes", "honest", "--bounds", "0,80")
    assert (code, better["state"]) == (ExitCode.BETTER, "accept")
    assert better["llr"] >= better["upper"]
    assert better["verdict"].startswith("bayes is better than honest: 80 rather than 0 normalised")
    assert better["elo_interval"][0] < better["elo"] < better["raw_elo"]
    code, worse = _json("honest", "bayes", "--bounds", "0,80")
    assert (code, worse["state"]) == (ExitCode.NOT_BETTER, "reject")
    assert worse["verdict"].startswith("honest is not better than bayes")
    code, lost = _json("honest", "bayes", "--bounds", "-80,0")
    assert code == ExitCode.NOT_BETTER
    assert lost["verdict"].startswith("honest is worse than bayes: -80 rather than 0")


def test_a_version_against_itself_draws_every_block_and_still_ends() -> None:
    code, same = _json("random", "random", "--model", "logistic", "--bounds", "0,30")
    assert (code, same["state"], same["all_ties"]) == (ExitCode.NOT_BETTER, "reject", True)
    assert (same["new"], same["old"], same["blocks"]) == ("random", "random", "deal")
    assert "Every block was a tie" in _test("random", "random", "--model", "logistic").stdout


def test_the_same_seed_gives_the_same_test() -> None:
    words = ("bayes", "honest", "--bounds", "0,80")
    assert _json(*words, "--jobs", 1) == _json(*words, "--jobs", 5)


def test_a_test_may_end_undecided() -> None:
    code, open_ = _json("random", "honest", "--bounds", "0,1", "--max-blocks", "5")
    assert (code, open_["state"], open_["matches"]) == (ExitCode.UNDECIDED, "continue", 10)
    assert open_["verdict"].startswith("Undecided after 10 matches: random may be better")
    assert open_["matches_to_go"] > 0
    low, high = open_["mean_score_sequence"]
    assert 0 <= low <= open_["mean_score"] <= high <= 1
    assert open_["one_score"]  # random lost every block
    assert (open_["elo_interval"], open_["nelo"], open_["los"]) == (None, None, None)


def test_at_larger_tables_both_versions_meet_the_same_deals_and_opponents() -> None:
    words = ("--opponents", "honest,timid", "--bounds", "0,80")
    code, worse = _json("random", "honest", *words)
    assert (code, worse["opponents"]) == (ExitCode.NOT_BETTER, ["honest", "timid"])
    code, same = _json("honest", "honest", *words, "--max-blocks", "20")
    assert (same["all_ties"], same["matches"]) == (True, 40)
    assert "gain " in _test("random", "honest", *words).stdout


def test_many_different_scores_are_printed_in_tenths_around_a_draw() -> None:
    # Eighths and twelfths, mirrored: so are the counts.
    scores = [(0.0, 1), (1 / 8, 2), (0.25, 0), (1 / 3, 3), (5 / 12, 4), (0.5, 5)]
    scores += [(1 - score, times) for score, times in reversed(scores[:-1])]
    assert by_score(scores) == (
        "about 0.0: 1  about 0.1: 2  about 0.3: 3  about 0.4: 4  about 0.5: 5  "
        "about 0.6: 4  about 0.7: 3  about 0.9: 2  about 1.0: 1"
    )
    assert by_score(scores[:2]) == "0: 1  0.125: 2"


def test_opponents_make_a_table_of_two_as_well() -> None:
    code, better = _json("honest", "random", "--opponents", "timid", "--bounds", "0,150")
    assert code == ExitCode.BETTER
    assert better["opponents"] == ["timid"]


def test_faults_are_told_with_the_verdict(tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY)
    code, summary = _json(file, "random", "--bounds", "0,150")
    assert code == ExitCode.NOT_BETTER
    (fault,) = summary["faults"]
    assert (fault["bot"], fault["reason"]) == (
        "faulty",
        "RuntimeError: no idea (faulty.py, line 6)",
    )
    assert fault["times"] >= summary["matches"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("honest", "genius"), "There is no bot 'genius'"),
        (("honest", "timid", "--opponents", "node x.js 1,2"), "--opponents is split at commas"),
        (("honest", "timid", "--bounds", "5"), "--bounds takes two numbers such as 0,10, not '5'"),
        (("honest", "timid", "--bounds", "5,0"), "two rising numbers"),
        (("honest", "timid", "--bounds", "0,1e6"), "between -100,000 and 100,000 Elo"),
        (("honest", "timid", "--bounds", "0,1e-14"), "at least 0.000001 Elo apart"),
        (("honest", "timid", "--alpha", "0.97"), "alpha and beta"),
        (("honest", "timid", "--option", "players_min=3"), "name the other bots at the table"),
        (("honest", "timid", "--opponents", "random," * 6), "2 to 6 seats under these options; 7"),
        (("honest", "timid", "--game", "chess"), "there is no game 'chess'"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    result = _test(*words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)
