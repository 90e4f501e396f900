"""Declared play: what is none is refused, and told with the bot and the match."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from arena.bot import Bot, Turn
from arena.games import make_game
from arena.games.bluff import STAR, Bet, BluffView, Doubt
from arena.games.game import DEALER
from arena.lab.analysis.aivat import Aivat, DeclaredPlayError
from arena.local.declared_play import declared_play
from arena.local.in_process import Contender, Seed, play_match
from arena.local.loading import load_bot
from arena.match.faults import FaultKind
from tests.lab.analysis.one_die import aivat, values


@pytest.mark.system  # computes for long
@pytest.mark.slow
def test_a_fault_of_the_known_seat_is_not_taken_for_its_play() -> None:
    game = make_game("bluff")
    contenders = [Contender(name, load_bot(name)) for name in ("honest", "cfr")]
    transcript, _ = play_match(game, contenders, Seed("fault"), 0)
    at, step = next((at, one) for at, one in enumerate(transcript.steps) if one.actor == 0)
    other = Bet(2, STAR) if step.action != Bet(2, STAR) else Bet(3, STAR)
    changed = (*transcript.steps[:at], step._replace(action=other))
    with pytest.raises(
        DeclaredPlayError,
        match=r"^honest 1 in match [-0-9a-f]+: it played .*, to which .* gives no chance\.$",
    ):
        aivat("honest", game).estimates(replace(transcript, steps=changed), 0)
    late = (*changed[:-1], changed[-1]._replace(fault=FaultKind.LATE))
    aivat("honest", game).estimates(replace(transcript, steps=late), 0)


@pytest.mark.parametrize(
    ("shares", "why"),
    [
        ({Bet(1, STAR): 0.7, Bet(2, STAR): 0.2}, "sum to 0.9, not to 1"),
        (
            {Bet(1, STAR): 1.2, Bet(2, STAR): -0.2},
            "the probability -0.2 for .*, which is no probability",
        ),
        ({Bet(1, STAR): float("nan"), Bet(2, STAR): 1.0}, "the probability nan for"),
        ({Bet(1, STAR): "all"}, "the probability all for .*, which is no probability"),
        ({Bet(1, STAR): 0.5, Doubt(): 0.5}, "the probability 0.5 for .*, which is not legal"),
        ({Bet(9, STAR): 1.0}, "which is not legal"),
    ],
)
def test_what_is_no_play_is_refused(shares: Mapping[Any, float], why: str) -> None:
    class Declaring(Bot[BluffView, Bet | Doubt]):
        def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
            return next(iter(turn.choices()))

        def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> Mapping[Any, float]:
            return shares

    game = make_game("bluff", {"dice_per_player": 1})
    play = declared_play(Declaring, game, 2)
    assert play is not None
    estimator = Aivat(values().of(), values().most_dice, play)
    contenders = [Contender(name, load_bot("honest")) for name in ("first", "second")]
    transcript, _ = play_match(game, contenders, Seed("no play"), 0)
    opener = next(step.actor for step in transcript.steps if step.actor is not DEALER)
    assert isinstance(opener, int)
    bot = transcript.setup.entrants[opener]
    with pytest.raises(DeclaredPlayError, match=f"^{bot} in match .*: .* declared play .*{why}"):
        estimator.estimates(transcript, opener)


def test_the_play_of_a_turn_in_which_the_seat_was_at_fault_must_be_one_too() -> None:
    game = make_game("bluff", {"dice_per_player": 1})
    contenders = [Contender(name, load_bot("honest")) for name in ("first", "second")]
    transcript, _ = play_match(game, contenders, Seed("at fault"), 0)
    at, step = next((at, one) for at, one in enumerate(transcript.steps) if one.actor == 0)
    faulty = step._replace(fault=FaultKind.MALFORMED)
    match = replace(transcript, steps=(*transcript.steps[:at], faulty, *transcript.steps[at + 1 :]))
    estimator = Aivat(values().of(), values().most_dice, lambda _view: {})
    with pytest.raises(DeclaredPlayError, match="sum to 0, not to 1"):
        estimator.estimates(match, 0)


@pytest.mark.parametrize(
    ("returned", "why"),
    [
        (
            "None",
            "Declaring.probabilities returned NoneType, not a dict of probabilities by action",
        ),
        ("1 / 0", "Declaring.probabilities failed: ZeroDivisionError: "),
    ],
)
def test_a_declaration_that_fails_is_told(returned: str, why: str) -> None:
    class Declaring(Bot[BluffView, Bet | Doubt]):
        def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
            raise AssertionError

        def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> Any:
            return eval(returned)

    game = make_game("bluff", {"dice_per_player": 1})
    play = declared_play(Declaring, game, 2)
    assert play is not None
    with pytest.raises(DeclaredPlayError, match=why):
        play(game.view(game.start(2), 0))
