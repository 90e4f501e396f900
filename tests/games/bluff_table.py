"""Sets a table of Bluff in the middle of a match, in the notation of the rules."""

from collections.abc import Sequence
from typing import Any

from arena.games import make_game
from arena.games.bluff import Bet, Bluff, BluffAction, CupRoll, Dice, Doubt, Face, Showdown
from arena.games.bluff.state import BluffPhase, BluffState
from arena.games.game import DEALER, IllegalActionError


def bluff(**options: object) -> Bluff:
    game = make_game("bluff", options)
    assert isinstance(game, Bluff)
    return game


def dice(text: str) -> Dice:
    """Dice in the notation of the rules, as in "4 4 *"."""
    return tuple(sorted(face(word) for word in text.split()))


def face(text: str) -> Face:
    return Face.STAR if text == "*" else Face(int(text))


def bet(text: str, show: str = "") -> Bet:
    """A bet in the notation of the rules without brackets, as in "9,2" or "5,*"."""
    quantity, on = text.split(",")
    return Bet(int(quantity), face(on), dice(show))


def rolled(game: Bluff, cups: Sequence[str], opener: int = 0) -> BluffState:
    """A round at its first bet; a cup by seat, "" is out."""
    roll = tuple(map(dice, cups))
    empty = bluff(start_mode="seat").start(len(cups))
    before = empty._replace(
        phase=BluffPhase.ROLL,
        round=1,
        opener=opener,
        dice_counts=tuple(map(len, roll)),
    )
    return game.apply(before, DEALER, CupRoll(roll))


def cups_of(*counts: int, showing: str = "1") -> list[str]:
    """Cups of so many dice that all show one face."""
    return [" ".join([showing] * count) for count in counts]


def after(game: Bluff, state: BluffState, *actions: BluffAction | str) -> BluffState:
    """The state after bets and doubts, each by the seat on turn; dealer's draws are not made."""
    for action in actions:
        assert state.turn is not None
        state = game.apply(state, state.turn, bet(action) if isinstance(action, str) else action)
    return state


def showdown(game: Bluff, state: BluffState) -> tuple[Showdown, BluffState]:
    """What everybody sees when the seat on turn doubts, and the state behind it."""
    assert state.turn is not None
    end = game.apply(state, state.turn, Doubt())
    (event,) = game.events(state, state.turn, Doubt(), end)
    assert isinstance(event, Showdown)
    return event, end


def is_legal(game: Bluff, state: BluffState, action: Any) -> bool:
    """Whether the seat on turn may act so; asks both `apply` and `legal_actions`."""
    assert state.turn is not None
    listed = action in set(game.legal_actions(state, state.turn))
    try:
        game.apply(state, state.turn, action)
    except IllegalActionError:
        assert not listed
        return False
    assert listed
    return True


def bets_in(game: Bluff, state: BluffState) -> list[str]:
    """The legal bets without lay-outs, in the notation of the rules and in the order given."""
    assert state.turn is not None
    legal = game.legal_actions(state, state.turn)
    return [f"{a.quantity},{a.face}" for a in legal if isinstance(a, Bet) and not a.show]
