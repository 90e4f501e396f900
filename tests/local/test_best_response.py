"""A best response learned by playing, and `arena exploit`."""

import json
import time
from random import Random

import pytest
import typer
from typer.testing import CliRunner

from arena.commands.home.exploit import exploit
from arena.games.bluff import Bet, BluffChoice, Doubt, Face
from arena.games.game import DEALER
from arena.local.best_response import ResponseTable, actions_of
from arena.match.replay import replay
from tests.games.contract import Case
from tests.match.matches import some_match

app = typer.Typer()
app.command()(exploit)


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.output


def test_it_tries_all_actions_and_comes_back_to_the_best() -> None:
    table, random = ResponseTable(), Random(1)
    actions: list[BluffChoice] = [Doubt(), Bet(1, Face.ONE)]
    taken = []
    for _ in range(200):
        action = table.explore("here", actions, random)
        taken.append(action)
        table.learn("here", action, 0.8 if action == Doubt() else 0.2)
    assert set(taken[:2]) == set(actions)
    assert taken.count(Doubt()) > 120
    assert table.best("here") == Doubt()
    assert table.value("here") == pytest.approx(0.8)
    assert table.best("elsewhere") is None


def test_its_actions_are_the_legal_ones() -> None:
    transcript = some_match(Case("bluff", (("dice_per_player", 2),), 2), 5)
    game, before = transcript.setup.make_game(), None
    for frame in replay(transcript):
        if frame.step is not None and frame.step.actor is not DEALER:
            view = game.view(before, frame.step.actor)
            assert actions_of(view) == list(game.choices(view))
        before = frame.state


@pytest.mark.slow
def test_a_best_response_beats_a_predictable_bot_and_repeats_by_its_seed() -> None:
    words = ("timid", "--train", 1500, "--matches", 400, "--json")
    code, text = run(*words)
    assert code == 0
    found = json.loads(text)
    assert found["matches"] == 400
    assert found["low"] > 0.6
    assert run(*words) == (code, text)


def test_where_nothing_was_found_it_says_so_and_what_to_do() -> None:
    words = ("cfr", "--train", 200, "--matches", 100)
    code, text = run(*words)
    assert code == 0
    assert "nothing was found that surely wins more than half against cfr" in text
    assert "Train longer, such as with --train 2000." in text
    assert "a best response" not in text
    code, text = run(*words, "--json")
    assert code == 0
    assert json.loads(text)["exploits"] is False


def test_it_learns_for_as_long_as_is_said_or_until_it_has_played_enough() -> None:
    began = time.monotonic()
    code, text = run("timid", "--seconds", 0.5, "--matches", 2, "--json")
    assert code == 0
    assert time.monotonic() - began >= 0.5
    assert json.loads(text)["trained"] > 10
    code, text = run("timid", "--seconds", 600, "--train", 20, "--matches", 2, "--json")
    assert code == 0
    assert json.loads(text)["trained"] == 20


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("nobody", "There is no bot 'nobody' in Python"),
        ("node", "There is no bot 'node' in Python"),
        ("python mine.py", "'python mine.py' is a command, and the bot is asked in this process"),
        ("mine.py", "There is no file mine.py"),
        ("bloeff_honest", "bloeff_honest does not play Bluff"),
    ],
)
def test_who_names_none_that_it_takes_is_told_those_of_the_game(word: str, why: str) -> None:
    code, said = run(word)
    assert code == 2
    known = "bayes, cfr, crowd, exploiter, honest, random, search, timid"
    assert said == f"arena: {why}: name a sample bot of Bluff ({known}), or a .py file.\n"


def test_a_local_response_by_the_tables_exploits_play_that_knows_the_last_bet_only() -> None:
    code, text = run("cfr", "--dice", 4, "--matches", 150, "--json")
    assert code == 0
    found = json.loads(text)
    assert (found["response"], found["trained"], found["situations"]) == ("local", None, None)
    assert found["low"] > 0.5
    assert found["exploits"] is True


def test_a_local_response_that_loses_says_so() -> None:
    code, text = run("honest", "--dice", 5, "--matches", 60)
    assert code == 0
    assert "With 5 dice each, a local best response by the solved tables does not surely" in text


def test_a_local_response_is_not_trained() -> None:
    code, text = run("honest", "--dice", 3, "--train", 10)
    assert code == 2
    assert "--train and --seconds are for up to 2 dice each" in text
