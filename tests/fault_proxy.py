"""A TCP proxy that can delay, swallow or cut what passes through it."""

import socket
import threading
import time
from contextlib import suppress


class FaultProxy:
    """Forwards connections to a target until told otherwise; threads, so that any test can use it.

    `delay` seconds are waited before anything is passed on; while `swallow` is set bytes are taken
    and never passed on, on old connections and new ones, and nothing that follows them afterwards;
    `cut` ends what is connected. A changed `target` is that of new connections.
    """

    def __init__(self, target: tuple[str, int] | str) -> None:
        self.delay = 0.0
        self.swallow = False
        self.target = target
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections."""
        while self._open:
            with suppress(OSError):
                self._open.pop().shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Accept no more connections, and end all."""
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
                lost = lost or self.swallow
                if not lost:
                    sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
        with suppress(ValueError):  # `cut` may have had it
            self._open.remove(source)
