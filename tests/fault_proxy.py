"""A TCP proxy that can delay, hold, swallow or cut what passes through it."""

import socket
import threading
import time
from contextlib import suppress
from typing import Self


class FaultProxy:
    """Forwards connections to a target until told otherwise; threads, so that any test can use it.

    Data is passed on after `delay` seconds. While `swallow` is set, data is dropped on old and new
    connections, and a connection that lost data passes on nothing more. While `held` is set, data
    waits. `cut` ends all connections. A changed `target` applies to new connections.
    """

    def __init__(self, target: tuple[str, int] | str, source: str = "") -> None:
        """`source` is the local address of connections to a port as the target; "" is any."""
        self.delay = 0.0
        self.swallow = False
        self.held = False
        self.target = target
        self._source = source
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def cut(self) -> None:
        """End all connections."""
        while self._open:
            with suppress(OSError, IndexError):  # a thread may have removed the last one
                self._open.pop().shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Accept no more connections, and end all."""
        self.held = False
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near = self._listener.accept()[0]
                if isinstance(self.target, str):
                    far = socket.socket(socket.AF_UNIX)
                else:
                    far = socket.socket()
                try:
                    if self._source:
                        far.bind((self._source, 0))
                    far.connect(self.target)
                except OSError:
                    near.close()
                    continue
                self._open += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        lost = False
        with suppress(OSError):
            while data := source.recv(65_536):
                time.sleep(self.delay)
                while self.held:
                    time.sleep(0.005)
                lost = lost or self.swallow
                if not lost:
                    sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
        with suppress(ValueError):  # `cut` may have removed it
            self._open.remove(source)
