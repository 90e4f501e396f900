"""Others' secrets make no difference to any byte for spectators: in pairs of matches that differ in
nothing but what one seat holds, and in random matches."""

from random import Random
from typing import Any

import pytest

from arena.codec.spectating import match_part, moment_part
from arena.games import bloeff, bluff, make_game
from arena.games.game import DEALER
from arena.match.flow import MatchFlow, OpenTurn, PublicMoment, TimedAction
from arena.match.replay import replay
from arena.match.transcript import Transcript
from arena.randomness import KeyedRandomness
from arena.v1 import spectator_pb2
from tests.dashboard.test_secrets import PAIRS, Pair, transcript
from tests.match.matches import conducted


def sent(played: Transcript) -> bytes:
    """All that spectators are sent of these steps."""
    game = played.setup.make_game()
    parts = [match_part(played.setup, "")]
    shown: Any = None
    for frame in replay(played):
        view = game.view(frame.state, None)
        if frame.events or view != shown:
            moment = PublicMoment(frame.index, view, frame.events)
            parts.append(moment_part(played.setup, moment))
        shown = view
    return b"".join(parts)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.game)
def test_others_secrets_make_no_difference_to_any_byte_for_spectators(pair: Pair) -> None:
    match_id = "0" * 8 + "-0000-4000-8000-" + "0" * 12
    one, other = (sent(transcript(pair, steps, match_id)) for steps in (pair.one, pair.other))
    assert one == other and len(one) > 100


def test_a_doubt_that_was_not_chosen_makes_no_difference_to_any_byte_for_spectators() -> None:
    """Only the chosen doubter is told to everybody (BO-F2), and by the draw of one (BO-F3) nobody
    may learn that there were several."""

    def shown(seed: int, doubts: tuple[bool, bool]) -> bytes:
        game = make_game("bloeff")
        flow = MatchFlow(game, 3, KeyedRandomness(bytes([seed]) * 32))
        parts: list[bytes] = []
        setup: Any = _Setup("bloeff")
        flow.onlooker = lambda moment: parts.append(moment_part(setup, moment))
        running = flow.conduct()
        (turn,) = next(running).turns
        laid = next(one for one in game.choices(turn.view) if isinstance(one, bloeff.Number))
        assert len(running.send([TimedAction(laid)]).turns) == 2
        running.send([TimedAction(bloeff.Ballot(doubt)) for doubt in doubts])
        parts.append(moment_part(setup, flow.public()))
        return b"".join(parts)

    for seed in range(10):
        both = shown(seed, (True, True))
        assert both in (shown(seed, (True, False)), shown(seed, (False, True)))


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("name", ["bluff", "bluff_you", "bloeff"])
def test_views_for_spectators_hold_no_hand_in_random_matches(name: str, seed: int) -> None:
    options = {"show_and_reroll": True} if name == "bluff" and seed % 2 else {}
    game, random = make_game(name, options), Random(seed)
    seats = random.choice([one for one in game.seat_counts if one >= 2][:3])
    flow = MatchFlow(game, seats, KeyedRandomness(random.randbytes(32)))
    seen: list[PublicMoment] = []
    flow.onlooker = seen.append

    def react(turn: OpenTurn) -> TimedAction:
        # Its own view differs from the spectator's by its secrets.
        assert turn.view.seat is not None
        return TimedAction(random.choice(list(game.choices(turn.view))[:200]))

    conducted(flow.conduct(), react)
    assert len(seen) > 3
    for moment in seen:
        message = spectator_pb2.WatchResponse.FromString(
            moment_part(_Setup(name), moment)  # type: ignore[arg-type]
        )
        (told,) = message.moments
        match name:
            case "bluff":
                assert not told.view.bluff.hidden_dice
            case "bluff_you":
                revealing = told.view.bluff_you.phase in _OPEN_PHASES
                assert revealing or not told.view.bluff_you.dice
                assert not told.view.bluff_you.win_numbers
            case _:
                assert not told.view.bloeff.hand and not told.view.bloeff.face_down


_OPEN_PHASES = (3, 4, 5)
"""GIVE, TAKE and SWAP_AGAIN: the dice were shown to everybody (BY-24)."""


class _Setup:
    """As much of a setup as a moment needs."""

    match_id = "a match"

    def __init__(self, game: str) -> None:
        self.game = game


def test_a_roll_is_no_event() -> None:
    game = make_game("bluff")
    flow = MatchFlow(game, 2, KeyedRandomness(b"k" * 32))
    seen: list[PublicMoment] = []
    flow.onlooker = seen.append
    next(flow.conduct())
    kinds = {type(event) for moment in seen for event in moment.events}
    assert kinds <= {bluff.StartingRolled, bluff.BluffRoundStarted}
    assert DEALER not in {moment.view.to_act for moment in seen}
