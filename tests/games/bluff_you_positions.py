"""Positions of Bluff You! for tests, and turns played from them in one call."""

from collections.abc import Iterable
from typing import Any

from arena.games.bluff_you import (
    CHIPS,
    Answer,
    BluffYou,
    BluffYouEvent,
    BluffYouOptions,
    BluffYouPhase,
    BluffYouState,
    Roll,
    Swap,
)
from arena.games.game import DEALER, IllegalActionError

GAME = BluffYou(BluffYouOptions())
A, B, C = 0, 1, 2


def game(**options: Any) -> BluffYou:
    return BluffYou(BluffYouOptions(**options))


def position(
    *chips: Iterable[int],
    dice: tuple[int, ...] = (),
    bluffer: int = A,
    centre: Iterable[int] | None = None,
    no_win_turns: int = 0,
) -> BluffYouState:
    """A bluffer who has rolled `dice`, or a turn before its roll.

    Chips that no seat is given are in the centre; where the centre is given, the last seat owns
    the rest.
    """
    owned = [set(own) for own in chips]
    rest = set(CHIPS).difference(*owned)
    if centre is not None:
        owned[-1] |= rest - set(centre)
        rest &= set(centre)
    return BluffYouState(
        turn=1,
        bluffer=bluffer,
        phase=BluffYouPhase.ANNOUNCE if dice else BluffYouPhase.ROLL,
        dice=dice,
        announced=None,
        believed=None,
        swaps=0,
        no_win_turns=no_win_turns,
        centre=tuple(sorted(rest)),
        chips=tuple(tuple(sorted(own)) for own in owned),
    )


def finished(*chips: Iterable[int]) -> BluffYouState:
    """The end of a match in which the seats own all chips."""
    return BluffYouState(
        9,
        A,
        BluffYouPhase.OVER,
        (),
        None,
        None,
        0,
        0,
        (),
        tuple(tuple(sorted(own)) for own in chips),
    )


def play(state: BluffYouState, *actions: Any, rules: BluffYou = GAME) -> BluffYouState:
    """The state after actions of whoever acts at the moment; three dice stand for their roll."""
    return told(state, *actions, rules=rules)[0]


def told(
    state: BluffYouState, *actions: Any, rules: BluffYou = GAME
) -> tuple[BluffYouState, list[BluffYouEvent]]:
    """The state after actions, and all events on the way."""
    events: list[BluffYouEvent] = []
    for action in actions:
        asked = rules.to_act(state)
        actor = DEALER if asked is DEALER else asked[0]
        step = Roll(action) if isinstance(action, tuple) else action
        after = rules.apply(state, actor, step)
        events += rules.events(state, actor, step, after)
        state = after
    return state, events


def is_legal(state: BluffYouState, action: Any, rules: BluffYou = GAME) -> bool:
    """Whether the seat on turn may do this; the list of all legal actions must agree."""
    asked = rules.to_act(state)
    assert asked is not DEALER
    listed = action in list(rules.legal_actions(state, asked[0]))
    try:
        rules.apply(state, asked[0], action)
    except IllegalActionError:
        assert not listed, action
        return False
    assert listed, action
    return True


def swaps_of(state: BluffYouState, rules: BluffYou = GAME) -> list[Swap]:
    """The legal swaps of the bluffer."""
    return [a for a in rules.legal_actions(state, state.bluffer) if isinstance(a, Swap)]


OK = Answer(True)
BLUFF = Answer(False)
