"""`Line`: a handle to the current stream to one referee, to send requests and to end the stream."""

from queue import SimpleQueue
from typing import Any, TypeAlias

from arena.v1 import referee_pb2

Outgoing: TypeAlias = "SimpleQueue[referee_pb2.PlayRequest | None]"


class Line:
    """A handle to a stream whose methods any thread, and a signal handler, may call."""

    def __init__(self) -> None:
        self._outgoing: Outgoing | None = None
        self._call: Any = None
        self._cut = False

    @property
    def up(self) -> bool:
        """Whether there is a stream that the referee has welcomed."""
        return self._outgoing is not None

    def opening(self, call: Any) -> None:
        """Record the call of a stream that is being opened."""
        self._call = call
        if self._cut:
            call.cancel()

    def opened(self, outgoing: Outgoing) -> None:
        """Record that the referee has welcomed the stream."""
        self._outgoing = outgoing

    def lost(self) -> None:
        """Record that the stream has ended."""
        self._outgoing = self._call = None

    def send(self, request: referee_pb2.PlayRequest | None) -> None:
        """Send a request if there is a stream."""
        outgoing = self._outgoing
        if outgoing is not None and request is not None:
            outgoing.put(request)

    def cut(self) -> None:
        """End the stream, and any that is opened later."""
        self._cut = True
        call = self._call
        if call is not None:
            call.cancel()
