"""The stored form of a running match: the message of its transcript so far.

The head of a match is an `arena.v1.Transcript` with its setup, commitment, secret and entropies;
its replies are the `steps` of a second one, without the dealer's steps. A reply with an action is a
step with that action, legal or not. A fault without an action is a step with a `fault` and no
action; its reason is not stored, and reads back as the default of its kind. The bytes of a step are
those that the final transcript needs, so they are made only once.
"""

from collections.abc import Iterable, Iterator

from arena.codec.game_codec import CODECS
from arena.codec.malformed import MalformedError
from arena.codec.transcript import FAULT_KINDS, FAULTS, read_setup, seat_step, write_setup
from arena.match.faults import REASONS, Fault
from arena.match.flow import Reply, TimedAction
from arena.match.transcript import Opening, Setup
from arena.randomness import commitment
from arena.v1 import transcript_pb2

SeatReply = tuple[int, Reply]


def head_bytes(setup: Setup, opening: Opening) -> bytes:
    """Return the bytes of a match's head: its setup and opening."""
    message = transcript_pb2.Transcript(
        commitment=commitment(opening.secret), secret=opening.secret, entropies=opening.entropies
    )
    write_setup(setup, message.setup)
    return message.SerializeToString()


def read_head(data: bytes) -> tuple[Setup, Opening]:
    """Return the setup and opening of bytes from `head_bytes`.

    Raises MalformedError or protobuf's DecodeError.
    """
    message = transcript_pb2.Transcript.FromString(data)
    return read_setup(message.setup), Opening(message.secret, tuple(message.entropies))


def reply_bytes(game: str, replies: Iterable[SeatReply]) -> bytes:
    """Return the bytes of replies in the order of arrival; later replies may simply be appended."""
    return b"".join(
        [
            seat_step(game, seat, reply.action, reply.milliseconds, None, False)
            if isinstance(reply, TimedAction)
            else _fault(seat, reply)
            for seat, reply in replies
        ]
    )


def read_replies(game: str, data: bytes) -> Iterator[SeatReply]:
    """Yield the replies of bytes from `reply_bytes`.

    Raises MalformedError or protobuf's DecodeError.
    """
    for step in transcript_pb2.Transcript.FromString(data).steps:
        if step.WhichOneof("act") == "action":
            action = CODECS[game].read_action(getattr(step.action, game))
            yield step.seat, TimedAction(action, step.milliseconds)
        elif step.fault in FAULTS:
            kind = FAULTS[step.fault]
            yield step.seat, Fault(kind, step.milliseconds, REASONS[kind])
        else:
            raise MalformedError("a kept reply is neither an action nor a fault")


def _fault(seat: int, fault: Fault) -> bytes:
    message = transcript_pb2.Transcript()
    message.steps.add(seat=seat, milliseconds=fault.milliseconds, fault=FAULT_KINDS[fault.kind])
    return message.SerializeToString()
