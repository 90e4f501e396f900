"""The public events of a person's match while it is played, between the turns of the person.

A turn reports what happened since the last one. With slow opponents a person would see nothing
until then, so the session watches its match as any spectator may: it learns no more than its seat.
"""

from collections.abc import Callable
from threading import RLock
from typing import Any

import grpc

from arena.codec.malformed import MalformedError
from arena.codec.spectating import read_moment
from arena.person.seat import PersonSeat
from arena.v1 import spectator_pb2
from arena.v1.spectator_pb2_grpc import SpectatorServiceStub


def watch(channel: Any, seat: PersonSeat, lock: RLock, changed: Callable[[], None]) -> None:
    """Pass the public moments of a match to `seat`, until the match or the `channel` ends.

    A referee that refuses is not asked again: turns report everything later.
    """
    call = SpectatorServiceStub(channel).Watch(spectator_pb2.WatchRequest(match_id=seat.match_id))
    seen = 0
    try:
        for message in call:
            new = False
            for told in message.moments:
                moment = read_moment(seat.offered.setup.game, told)
                with lock:
                    new |= seat.see(moment, seen)
                seen += len(moment.events)
            if new:
                changed()
    except (grpc.RpcError, MalformedError, ValueError):
        # ValueError: the channel was closed before the call began.
        pass
    finally:
        call.cancel()
