"""Messages that the codec of Bluff You! refuses before the rules see them."""

import pytest

from arena.codec.game_codec import CODECS
from arena.codec.malformed import MalformedError
from arena.games.bluff_you import BluffYouPhase
from arena.v1 import bluff_you_pb2 as pb

CODEC = CODECS["bluff_you"]


def test_a_swap_gives_no_more_chips_than_there_are() -> None:
    swap = pb.BluffYouSwap(give=[3] * 16, take=18)
    assert CODEC.read_action(pb.BluffYouAction(swap=swap)).give == (3,) * 16
    swap.give.append(3)
    with pytest.raises(MalformedError, match="16 chips, not 17"):
        CODEC.read_action(pb.BluffYouAction(swap=swap))


@pytest.mark.parametrize("phase", [pb.BLUFF_YOU_PHASE_ROLL, pb.BLUFF_YOU_PHASE_OVER])
def test_no_seat_gets_a_view_of_a_phase_in_which_none_is_asked(
    phase: pb.BluffYouPhase.ValueType,
) -> None:
    view = pb.BluffYouView(phase=phase)
    with pytest.raises(MalformedError, match="not a phase in which a seat is asked"):
        CODEC.read_view(view, 0)
    assert isinstance(CODEC.read_public_view(view, ()).phase, BluffYouPhase)
