"""Bluff You! on the wire: options, actions, draws, views and events."""

from collections.abc import Iterable, Sequence

from arena.codec.malformed import MalformedError
from arena.codec.options_reading import validated
from arena.games.bluff_you.options import BluffYouOptions
from arena.games.bluff_you.values import (
    CHIPS,
    DICE,
    PIPS,
    Announced,
    Answer,
    BluffYouAction,
    BluffYouAnnouncement,
    BluffYouEvent,
    BluffYouPhase,
    BluffYouView,
    Chips,
    Gift,
    Give,
    Revealed,
    Roll,
    Steal,
    Stop,
    Swap,
    Swapped,
    Take,
    Taken,
    ThreeDice,
    TurnStarted,
    Win,
)
from arena.v1 import bluff_you_pb2 as pb

_PHASES = {
    BluffYouPhase.ANNOUNCE: pb.BLUFF_YOU_PHASE_ANNOUNCE,
    BluffYouPhase.ANSWER: pb.BLUFF_YOU_PHASE_ANSWER,
    BluffYouPhase.GIVE: pb.BLUFF_YOU_PHASE_GIVE,
    BluffYouPhase.TAKE: pb.BLUFF_YOU_PHASE_TAKE,
    BluffYouPhase.SWAP_AGAIN: pb.BLUFF_YOU_PHASE_SWAP_AGAIN,
    BluffYouPhase.ROLL: pb.BLUFF_YOU_PHASE_ROLL,
    BluffYouPhase.OVER: pb.BLUFF_YOU_PHASE_OVER,
}
"""Seats get views only of phases in which a seat is asked."""
_PHASE_NUMBERS = {number: phase for phase, number in _PHASES.items()}

_CHIPS = frozenset(CHIPS)
_PIPS = frozenset(range(1, PIPS + 1))


class BluffYouCodec:
    """See GameCodec. Actions and draws share a type in the rules, not on the wire."""

    def write_options(self, options: BluffYouOptions, message: pb.BluffYouOptions) -> None:
        message.players_min = options.players_min
        message.players_max = options.players_max
        message.chip_points.extend(options.chip_points)
        message.missing_chip_allowed = options.announce_missing_chip == "no_effect"
        message.steal_any_chip = options.steal_takes == "any_chip"
        message.swap_min_give = options.swap_min_give
        message.swap_max_per_turn = options.swap_max_per_turn
        message.no_win_limit = options.no_win_limit

    def read_options(self, message: pb.BluffYouOptions) -> BluffYouOptions:
        return validated(
            BluffYouOptions,
            {
                "players_min": message.players_min,
                "players_max": message.players_max,
                "chip_points": tuple(message.chip_points),
                "announce_missing_chip": "no_effect" if message.missing_chip_allowed else "illegal",
                "steal_takes": "any_chip" if message.steal_any_chip else "named_chip",
                "swap_min_give": message.swap_min_give,
                "swap_max_per_turn": message.swap_max_per_turn,
                "no_win_limit": message.no_win_limit,
            },
        )

    def write_action(self, action: BluffYouAction, message: pb.BluffYouAction) -> None:
        if isinstance(action, Answer):
            message.answer.believe = action.believe
        elif isinstance(action, Win):
            _write_numbered(action, message.win)
        elif isinstance(action, Steal):
            _write_numbered(action, message.steal)
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
        match message.WhichOneof("action"):
            case "answer":
                return Answer(message.answer.believe)
            case "win":
                return Win(_seat(message.win.seer), _chip(message.win.number))
            case "steal":
                return Steal(_seat(message.steal.seer), _chip(message.steal.number))
            case "swap":
                return Swap(_chips(message.swap.give), _chip(message.swap.take))
            case "give":
                return Give(_chip(message.give.number))
            case "take":
                return Take(_chip(message.take.number))
            case "stop":
                return Stop()
            case _:
                raise MalformedError(
                    "the action is none of win, steal, swap, answer, give, take and stop"
                )

    def write_draw(self, draw: BluffYouAction, message: pb.BluffYouDraw) -> None:
        if not isinstance(draw, Roll):
            raise TypeError(f"{draw!r} is not a draw")
        message.roll.dice.extend(draw.dice)

    def read_draw(self, message: pb.BluffYouDraw) -> BluffYouAction:
        if message.WhichOneof("draw") != "roll":
            raise MalformedError("the draw is empty")
        dice = _dice(message.roll.dice)
        if not dice:
            raise MalformedError("a roll has no dice")
        return Roll(dice)

    def view_bytes(self, view: BluffYouView) -> bytes:
        message = pb.BluffYouView()
        message.phase = _PHASES[view.phase]
        message.turn = view.turn
        message.bluffer = view.bluffer
        message.dice.extend(view.dice)
        if view.announced is not None:
            _write_announcement(view.announced, message.announced)
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
        if message.phase in (pb.BLUFF_YOU_PHASE_ROLL, pb.BLUFF_YOU_PHASE_OVER):
            raise MalformedError(f"{message.phase} is not a phase in which a seat is asked")
        return self._read_view(message, seat, seat)

    def read_public_view(self, message: pb.BluffYouView, to_act: Sequence[int]) -> BluffYouView:
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
            dice=_dice(message.dice),
            announced=_read_announcement(message.announced) if announced else None,
            believed=message.believed if message.HasField("believed") else None,
            centre=_chips(message.centre),
            chips=tuple([_chips(own.numbers) for own in message.chips]),
            points=tuple(message.points),
            no_win_turns=message.no_win_turns,
            no_win_limit=message.no_win_limit,
            win_numbers=_chips(message.win_numbers),
            can_steal=message.can_steal,
            swap_targets=_chips(message.swap_targets),
        )

    def event_bytes(self, event: BluffYouEvent) -> bytes:
        message = pb.BluffYouEvent()
        match event:
            case TurnStarted(turn, bluffer, no_win_turns):
                started = message.turn_started
                started.turn = turn
                started.bluffer = bluffer
                started.no_win_turns = no_win_turns
            case Announced(bluffer, announcement):
                message.announced.bluffer = bluffer
                _write_announcement(announcement, message.announced.announced)
            case Revealed():
                _write_revealed(event, message.revealed)
            case Gift(giver, receiver, number):
                gift = message.gift
                gift.giver = giver
                gift.receiver = receiver
                gift.number = number
            case Taken(thief, owner, number):
                taken = message.taken
                taken.thief = thief
                taken.owner = owner
                taken.number = number
            case Swapped(bluffer, dice, give, take):
                swapped = message.swapped
                swapped.bluffer = bluffer
                swapped.dice.extend(dice)
                swapped.give.extend(give)
                swapped.take = take
        return message.SerializeToString()

    def read_event(self, message: pb.BluffYouEvent) -> BluffYouEvent:
        match message.WhichOneof("event"):
            case "turn_started":
                started = message.turn_started
                return TurnStarted(started.turn, started.bluffer, started.no_win_turns)
            case "announced":
                announced = message.announced
                return Announced(announced.bluffer, _read_announcement(announced.announced))
            case "revealed":
                return _read_revealed(message.revealed)
            case "gift":
                gift = message.gift
                return Gift(gift.giver, gift.receiver, _chip(gift.number))
            case "taken":
                taken = message.taken
                return Taken(taken.thief, taken.owner, _chip(taken.number))
            case "swapped":
                swapped = message.swapped
                dice, give = _dice(swapped.dice), _chips(swapped.give)
                return Swapped(swapped.bluffer, dice, give, _chip(swapped.take))
            case _:
                raise MalformedError("the event is empty")


def _write_numbered(
    announced: BluffYouAnnouncement, message: pb.BluffYouWin | pb.BluffYouSteal
) -> None:
    message.seer = announced.seer
    message.number = announced.number


def _write_announcement(announced: BluffYouAnnouncement, message: pb.BluffYouAnnouncement) -> None:
    _write_numbered(announced, message.win if isinstance(announced, Win) else message.steal)


def _read_announcement(message: pb.BluffYouAnnouncement) -> BluffYouAnnouncement:
    match message.WhichOneof("announcement"):
        case "win":
            return Win(_seat(message.win.seer), _chip(message.win.number))
        case "steal":
            return Steal(_seat(message.steal.seer), _chip(message.steal.number))
        case _:
            raise MalformedError("the announcement is neither a win nor a steal attempt")


def _write_revealed(event: Revealed, message: pb.BluffYouRevealed) -> None:
    message.bluffer = event.bluffer
    _write_announcement(event.announced, message.announced)
    message.believed = event.believed
    message.dice.extend(event.dice)
    message.winner = event.winner
    if event.chip is not None:
        message.chip = event.chip


def _read_revealed(message: pb.BluffYouRevealed) -> Revealed:
    return Revealed(
        message.bluffer,
        _read_announcement(message.announced),
        message.believed,
        _dice(message.dice),
        message.winner,
        _chip(message.chip) if message.HasField("chip") else None,
    )


def _seat(number: int) -> int:
    if number < 0:
        raise MalformedError(f"{number} is not a seat; seats count from 0")
    return number


def _chip(number: int) -> int:
    if number not in _CHIPS:
        raise MalformedError(f"{number} is not a chip; chips are {CHIPS[0]} to {CHIPS[-1]}")
    return number


def _chips(numbers: Iterable[int]) -> Chips:
    chips = tuple(numbers)
    if not _CHIPS.issuperset(chips):
        raise MalformedError(f"chips are {CHIPS[0]} to {CHIPS[-1]}")
    if len(chips) > len(CHIPS):
        raise MalformedError(f"there are {len(CHIPS)} chips, not {len(chips)}")
    return chips


def _dice(pips: Iterable[int]) -> ThreeDice:
    """Three dice, or () where they are not known."""
    dice = tuple(pips)
    if dice and (len(dice) != DICE or not _PIPS.issuperset(dice)):
        raise MalformedError(f"a roll is {DICE} dice of 1 to {PIPS}")
    return dice
