"""The wire form of Bluff You!'s actions, draws and views; the rest is derived."""

from collections.abc import Sequence
from typing import Final

from arena.codec.malformed import MalformedError
from arena.codec.plain_codec import PlainCodec, flag
from arena.codec.wire_numbers import enum_numbers, enum_values, read_seat
from arena.games.bluff_you.game import BluffYou
from arena.games.bluff_you.kit.codec_values import (
    read_announcement,
    read_chip,
    read_chips,
    read_dice,
    write_announcement,
    write_numbered,
)
from arena.games.bluff_you.values import (
    Answer,
    BluffYouAction,
    BluffYouPhase,
    BluffYouView,
    Give,
    Roll,
    Steal,
    Stop,
    Swap,
    Take,
    Win,
)
from arena.v1 import bluff_you_pb2 as pb

_PHASES = enum_numbers(BluffYouPhase, pb.BluffYouPhase.DESCRIPTOR)
"""The wire numbers of phases; seats get views only of phases in which a seat is asked."""
_PHASE_NUMBERS = enum_values(BluffYouPhase, pb.BluffYouPhase.DESCRIPTOR)


class BluffYouCodec(PlainCodec):
    """The codec of Bluff You!; actions and draws share a type in the rules, not on the wire."""

    def write_action(self, action: BluffYouAction, message: pb.BluffYouAction) -> None:
        """Write a seat's action into the message.

        Raises TypeError for a draw.
        """
        if isinstance(action, Answer):
            message.answer.believe = action.believe
        elif isinstance(action, Win):
            write_numbered(action, message.win)
        elif isinstance(action, Steal):
            write_numbered(action, message.steal)
        elif isinstance(action, Swap):
            message.swap.give.extend(action.give)
            message.swap.take = action.take
        elif isinstance(action, Give):
            message.give.number = action.number
        elif isinstance(action, Take):
            message.take.number = action.number
        elif isinstance(action, Stop):
            message.stop.SetInParent()
        else:
            raise TypeError(f"{action!r} is not an action of a seat")

    def read_action(self, message: pb.BluffYouAction) -> BluffYouAction:
        """Return the action of a message.

        Raises MalformedError.
        """
        match message.WhichOneof("action"):
            case "answer":
                return Answer(message.answer.believe)
            case "win":
                return Win(read_seat(message.win.seer), read_chip(message.win.number))
            case "steal":
                return Steal(read_seat(message.steal.seer), read_chip(message.steal.number))
            case "swap":
                return Swap(read_chips(message.swap.give), read_chip(message.swap.take))
            case "give":
                return Give(read_chip(message.give.number))
            case "take":
                return Take(read_chip(message.take.number))
            case "stop":
                return Stop()
            case _:
                raise MalformedError(
                    "the action is none of win, steal, swap, answer, give, take and stop"
                )

    def draw_bytes(self, draw: BluffYouAction) -> bytes:
        """Return a draw as a serialized message.

        Raises TypeError for a seat's action.
        """
        if not isinstance(draw, Roll):
            raise TypeError(f"{draw!r} is not a draw")
        message = pb.BluffYouDraw()
        message.roll.dice.extend(draw.dice)
        return message.SerializeToString()

    def read_draw(self, message: pb.BluffYouDraw) -> BluffYouAction:
        """Return the draw of a message.

        Raises MalformedError.
        """
        if message.WhichOneof("draw") != "roll":
            raise MalformedError("the draw is empty")
        dice = read_dice(message.roll.dice)
        if not dice:
            raise MalformedError("a roll has no dice")
        return Roll(dice)

    def view_bytes(self, view: BluffYouView) -> bytes:
        """Return a view as a serialized message."""
        message = pb.BluffYouView()
        message.phase = _PHASES[view.phase]
        message.turn = view.turn
        message.bluffer = view.bluffer
        message.dice.extend(view.dice)
        if view.announced is not None:
            write_announcement(view.announced, message.announced)
        if view.believed is not None:
            message.believed = view.believed
        message.centre.extend(view.centre)
        add = message.chips.add
        for own in view.chips:
            add().numbers.extend(own)
        message.points.extend(view.points)
        message.no_win_turns = view.no_win_turns
        message.no_win_limit = view.no_win_limit
        message.win_numbers.extend(view.win_numbers)
        message.can_steal = view.can_steal
        message.swap_targets.extend(view.swap_targets)
        return message.SerializeToString()

    def read_view(self, message: pb.BluffYouView, seat: int) -> BluffYouView:
        """Return the view of a seat that is asked.

        Raises MalformedError.
        """
        if message.phase in (pb.BLUFF_YOU_PHASE_ROLL, pb.BLUFF_YOU_PHASE_OVER):
            raise MalformedError(f"{message.phase} is not a phase in which a seat is asked")
        return self._read_view(message, seat, seat)

    def read_public_view(self, message: pb.BluffYouView, to_act: Sequence[int]) -> BluffYouView:
        """Return the spectator's view of a message.

        Raises MalformedError.
        """
        return self._read_view(message, None, next(iter(to_act), None))

    def _read_view(
        self, message: pb.BluffYouView, seat: int | None, to_act: int | None
    ) -> BluffYouView:
        phase = _PHASE_NUMBERS.get(message.phase)
        if phase is None:
            raise MalformedError(f"{message.phase} is not a phase in which a seat is asked")
        announced = message.HasField("announced")
        return BluffYouView(
            seat=seat,
            phase=phase,
            turn=message.turn,
            bluffer=message.bluffer,
            to_act=to_act,
            dice=read_dice(message.dice),
            announced=read_announcement(message.announced) if announced else None,
            believed=message.believed if message.HasField("believed") else None,
            centre=read_chips(message.centre),
            chips=tuple([read_chips(own.numbers) for own in message.chips]),
            points=tuple(message.points),
            no_win_turns=message.no_win_turns,
            no_win_limit=message.no_win_limit,
            win_numbers=read_chips(message.win_numbers),
            can_steal=message.can_steal,
            swap_targets=read_chips(message.swap_targets),
        )


CODEC: Final = BluffYouCodec(
    BluffYou,
    options={
        "announce_missing_chip": flag("missing_chip_allowed", yes="no_effect", no="illegal"),
        "steal_takes": flag("steal_any_chip", yes="any_chip", no="named_chip"),
    },
)
