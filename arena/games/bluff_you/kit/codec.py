"""The wire form of Bluff You!: derived by PlainCodec, with extra checks."""

from functools import lru_cache
from typing import Final

from arena.codec.malformed import MalformedError
from arena.codec.plain_codec import PlainCodec, flag
from arena.games.bluff_you.game import BluffYou
from arena.games.bluff_you.rolls import ROLLS
from arena.games.bluff_you.values import CHIPS, BluffYouAction, BluffYouView
from arena.v1 import bluff_you_pb2 as pb


class BluffYouCodec(PlainCodec):
    """The codec of Bluff You!."""

    def read_action(self, message: pb.BluffYouAction) -> BluffYouAction:
        """Return the action of a message. Raises MalformedError."""
        # Swap sorts the chips it gives before the rules check them, so bound their number first.
        if message.HasField("swap") and len(message.swap.give) > len(CHIPS):
            raise MalformedError(f"there are {len(CHIPS)} chips, not {len(message.swap.give)}")
        action: BluffYouAction = self._action.read(message)
        return action

    def draw_bytes(self, draw: BluffYouAction) -> bytes:
        """Return a draw as a serialized message. Raises TypeError for a seat's action."""
        return _roll(draw)

    def read_view(self, message: pb.BluffYouView, seat: int) -> BluffYouView:
        """Return the view of a seat that is asked. Raises MalformedError."""
        if message.phase in (pb.BLUFF_YOU_PHASE_ROLL, pb.BLUFF_YOU_PHASE_OVER):
            raise MalformedError(f"{message.phase} is not a phase in which a seat is asked")
        view: BluffYouView = super().read_view(message, seat)
        return view


@lru_cache(maxsize=len(ROLLS))
def _roll(draw: BluffYouAction) -> bytes:
    return PlainCodec.draw_bytes(CODEC, draw)


CODEC: Final = BluffYouCodec(
    BluffYou,
    options={
        "announce_missing_chip": flag("missing_chip_allowed", yes="no_effect", no="illegal"),
        "steal_takes": flag("steal_any_chip", yes="any_chip", no="named_chip"),
    },
)
