"""The analysis of matches: what decisions cost, grades, accounts, bots; and `arena analyse`."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from arena.bot import Bot, NoAnswerError, Turn
from arena.games import make_game
from arena.games.bluff import Bet, BluffView, Doubt, Face, PlacedBet
from arena.games.bluff.bets import lowest_raises
from arena.lab.analysis import (
    BOUNDS,
    BluffSearch,
    Grade,
    MatchAnalysis,
    accounts,
    analyse,
    analyse_bot,
    grade_of,
)
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.match.replay import TranscriptError
from arena.match.result import Termination
from arena.match.transcript import Transcript
from arena.match.transcript_json import to_json
from tests.commands.running import arena
from tests.games.contract import Case
from tests.match.matches import some_match


@cache
def played(*bots: str, game: str = "bluff") -> Transcript:
    rules = make_game(game, {"dice_per_player": 2} if game == "bluff" else {})
    contenders = [Contender(f"{name} {seat}", load_bot(name)) for seat, name in enumerate(bots)]
    return next(iter(play_series(rules, contenders, 1, "analysis"))).transcript


@cache
def analysed(*bots: str) -> MatchAnalysis:
    return analyse(played(*bots))


def test_every_decision_of_a_seat_is_there_with_what_it_knew() -> None:
    found = analysed("honest", "random")
    taken = [(step.actor, step.action) for step in found.transcript.steps]
    assert [(d.seat, d.action) for d in found.decisions] == [t for t in taken if t[0] in (0, 1)]
    for decision in found.decisions:
        assert isinstance(decision.view, BluffView)
        assert decision.view.seat == decision.seat
        assert (decision.unread is None) == (not decision.view.bets)


def test_an_action_costs_the_difference_to_the_best() -> None:
    for decision in analysed("honest", "random").decisions:
        assert decision.values is not None
        assert decision.loss is not None
        assert decision.values[decision.best] - decision.loss == pytest.approx(decision.win)
        assert decision.loss >= 0
        assert all(0 <= value <= 1 + 1e-9 for value in decision.values.values())


def test_a_doubt_that_cannot_fail_with_one_die_each_wins_the_match() -> None:
    bet = PlacedBet(0, Bet(2, Face.FIVE))
    lowest = lowest_raises(bet.bet.quantity, bet.bet.face)
    view = BluffView(1, 1, 0, 1, (Face.TWO,), ((), ()), (1, 1), 8, (bet,), lowest, 2, True)
    valued = BluffSearch().look(view, Doubt())
    assert valued is not None
    assert valued.standing == 0
    assert valued.values[Doubt()] == pytest.approx(1)
    assert max(valued.values, key=valued.values.__getitem__) == Doubt()


@pytest.mark.parametrize("counts", [(9, 1), (9, 1, 0), (9, 1, 1)], ids=str)
def test_no_action_wins_with_more_than_certainty(counts: tuple[int, ...]) -> None:
    """A bet that is not doubted is worth more than the dice say, but no more than the match."""
    dice, nothing = (Face.TWO,) * counts[0], ((),) * len(counts)
    view = BluffView(0, 1, 0, 0, dice, nothing, counts, 90, (), (1,) * 6, sum(counts), False)
    valued = BluffSearch().look(view, Bet(1, Face.TWO))
    assert valued is not None
    best = max(valued.values.values())
    assert best <= 1 + 1e-9
    assert best > 0.9


def test_reading_bets_changes_what_is_believed() -> None:
    found = analysed("honest", "honest").decisions
    differences = [abs(d.read - d.unread) for d in found if d.read is not None and d.unread]
    assert max(differences) > 0.05


def test_honest_play_costs_less_than_random_play() -> None:
    honest, random = analysed("honest", "random").seats
    assert honest.mean_loss is not None
    assert random.mean_loss is not None
    assert random.worst is not None
    assert honest.mean_loss < random.mean_loss
    assert random.worst.loss == max(random.losses)
    assert random.accuracy is not None
    assert 0 <= random.accuracy <= 1


@pytest.mark.parametrize(("loss", "grade"), [(0.0, Grade.BEST), (1.0, Grade.BLUNDER), *BOUNDS])
def test_a_loss_has_a_grade(loss: float, grade: Grade) -> None:
    assert grade_of(loss) is grade


@pytest.mark.parametrize(
    "case",
    [
        Case("bluff", (("show_and_reroll", True),), 2),
        Case("bluff_you", (), 2),
        Case("bloeff", (), 2),
    ],
    ids=str,
)
def test_without_values_there_are_claims_alone(case: Case) -> None:
    found = analyse(some_match(case, 3))
    assert any(decision.unread is not None for decision in found.decisions)
    assert all(decision.values is None for decision in found.decisions)


def test_a_bot_is_summed_up_with_intervals() -> None:
    seats = [analysed("honest", "random").seats[1], analysed("timid", "random").seats[1]]
    found = analyse_bot(seats)
    assert found is not None
    assert found.matches == 2
    assert found.decisions == sum(len(seat.losses) for seat in seats)
    assert found.loss.mean == pytest.approx(
        sum(sum(seat.losses) for seat in seats) / found.decisions
    )
    assert found.loss.error > 0
    assert found.grades.total() == found.decisions
    assert found.leak is not None and 0 < found.leak.share <= 1


def test_a_bot_without_values_has_no_sum() -> None:
    assert analyse_bot(analyse(some_match(Case("bloeff", (), 2), 1)).seats) is None


def test_more_seats_have_values() -> None:
    found = analysed("honest", "random", "timid")
    assert all(decision.values for decision in found.decisions)


def test_a_match_that_a_forfeit_ended_is_analysed() -> None:
    class Mute(Bot[BluffView, Bet | Doubt]):
        def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
            raise NoAnswerError

    bots = [Contender("honest", load_bot("honest")), Contender("mute", Mute)]
    transcript = next(iter(play_series(make_game("bluff"), bots, 1, "forfeit"))).transcript
    assert transcript.result.termination is Termination.FORFEIT
    found = analyse(transcript)
    assert len(found.decisions) > 2
    assert accounts(found) == ()


def test_a_transcript_that_ends_before_the_match_is_refused() -> None:
    whole = played("honest", "random")
    cut = replace(whole, steps=whole.steps[:-3])
    with pytest.raises(TranscriptError, match=rf"not over after step {len(cut.steps)}"):
        analyse(cut)


def test_a_bet_beyond_the_search_is_valued_when_it_was_placed() -> None:
    for decision in analysed("random", "random").decisions:
        assert decision.values is not None
        assert isinstance(decision.action, Bet | Doubt)
        assert decision.action in decision.values


def run(*words: object) -> tuple[int, str]:
    done = arena("analyse", *words)
    return done.exit_code, done.output


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "matches.jsonl"
    path.write_text(f"{json.dumps(to_json(played('honest', 'random')))}\n" * 2)
    return path


def test_the_command_prints_decisions_and_the_account(file: Path) -> None:
    code, text = run(file)
    assert code == 0
    assert "blunder" in text
    assert "at the start, dice" in text
    assert text.count("claim: how likely the claim before the action was true") == 1
    assert text.count("win: the seat's chance to win the match after the action") == 1
    grades = "best to 0.1%, fine to 3.5%, inaccurate to 10.0%, mistake to 20.0%, else blunder"
    assert grades in " ".join(text.split())


def test_what_no_decision_has_is_not_explained(tmp_path: Path) -> None:
    path = tmp_path / "bloeff.json"
    path.write_text(json.dumps(to_json(played("bloeff_honest", "bloeff_honest", game="bloeff"))))
    code, text = run(path)
    assert code == 0
    assert "claim: how likely" in text and "blunder" not in text


def test_the_command_writes_json_a_match_a_line(file: Path) -> None:
    code, text = run(file, "--json")
    first, second = map(json.loads, text.splitlines())
    assert code == 0
    assert first == second
    assert len(first["decisions"]) == len(analysed("honest", "random").decisions)
    assert first["accounts"][0]["result"] in (0, 1)


def test_the_command_sums_up_a_bot(file: Path) -> None:
    name = played("honest", "random").setup.entrants[1].bot
    code, text = run(file, "--bot", name, "--json")
    assert code == 0
    found = json.loads(text)
    assert found["matches"] == 2
    assert found["frequencies"][0]["what"] == "bluff"
    assert found["frequencies"][0]["situation"] == "everywhere"
    assert all(0 <= one["solved"] <= 1 for one in found["frequencies"])
    leak = found["leak"]["in_words"]
    assert leak.startswith("It ") and leak.endswith("of all that it loses.")
    code, text = run(file, "--bot", name.upper())
    assert code == 0
    assert "everywhere" in text and "solved play" in text
    assert leak in " ".join(text.split())
    code, text = run(file, "--bot", "nobody")
    assert code == 2
    assert "nobody plays in none of these matches" in " ".join(text.split())


def test_what_is_no_transcript_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    code, text = run(broken)
    assert code == 2
    assert "is no transcript" in " ".join(text.split())
    assert run(tmp_path / "missing.json")[0] == 2
