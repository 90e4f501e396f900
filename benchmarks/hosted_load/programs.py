"""The programs that are hosted for the benchmark: a well-behaved bot, and nuisances."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

GOOD: Final = '''
"""Answers at once: it bets as little as it can, and doubts every fifth time."""

from arena.bot import Bot, run
from arena.games.bluff import Bet, Doubt, Face


class Good(Bot):
    count = 0

    def act(self, turn):
        view = turn.view
        self.count += 1
        if view.can_doubt and (self.count % 5 == 0 or min(view.lowest) > view.highest):
            return Doubt()
        face = min(Face, key=lambda face: view.lowest[face - 1])
        return Bet(view.lowest[face - 1], face)


if __name__ == "__main__":
    run(Good)
'''
_FOR_EVER = "import os, threading, time\n"
NUISANCES: Final = {
    "busy loops": """
for _ in range(4):
    os.fork()
while True:
    pass
""",
    "threads": """
def spin():
    while True:
        pass
while True:
    try:
        threading.Thread(target=spin).start()
    except RuntimeError:
        time.sleep(0.05)
""",
    "fork bomb": """
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
""",
    "memory": """
taken = []
while True:
    taken.append(bytearray(os.urandom(1)) * 4_000_000)
""",
    "full disk": """
while True:
    try:
        with open("/tmp/file", "wb") as file:
            while True:
                file.write(bytes(1 << 20))
    except OSError:
        pass
""",
    "small files": """
number = 0
while True:
    number += 1
    try:
        open(f"/tmp/{number}", "w").close()
    except OSError:
        pass
""",
    "open files": """
while True:
    try:
        os.open("/dev/null", os.O_RDONLY)
    except OSError:
        os.closerange(10, 256)
""",
    "output": """
while True:
    os.write(1, b"x" * 65536)
""",
    "connections": """
import socket
while True:
    lines = []
    try:
        for _ in range(200):
            line = socket.socket(socket.AF_UNIX)
            lines.append(line)
            line.connect("/run/referee.sock")
            line.send(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + os.urandom(200))
    except OSError:
        pass
    for line in lines:
        line.close()
""",
    "frames": """
import socket
preface = b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes(3) + b"\\4" + bytes(5)
more_window = b"\\0\\0\\4\\x08\\0" + bytes(4) + b"\\0\\0\\0\\1"
while True:
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect("/run/referee.sock")
            line.sendall(preface)
            while True:
                line.sendall(more_window * 5_000)
        except OSError:
            pass
""",
}
"""The programs of malicious uploads, by name; `nuisance` adds their imports."""


@contextmanager
def folder_with(text: str) -> Iterator[Path]:
    """Yield a folder that the sandbox can read, with a program as bot.py."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot.py").write_text(text)
        yield folder


def nuisance(name: str) -> str:
    """Return the text of a nuisance."""
    return _FOR_EVER + NUISANCES[name]
