"""Owners who upload builds: python -m benchmarks.referee_load.uploading PORT UPLOADS SECONDS < keys

The keys' owners take turns, and begin the uploads at equal intervals of time. It prints how many
were taken and refused, and the times that an upload took; what refusals say goes to stderr.
"""

import io
import json
import os
import statistics
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

from arena.bot.address import Address
from arena.clients.referee_client import OwnerCallError
from arena.clients.upload_client import UploadClient
from benchmarks.hosted_load.programs import GOOD
from benchmarks.options import words

THREADS = 16
TABLES_BYTES = (0, 100_000, 1_000_000)
"""The sizes of the data that builds hold beside their program, in turns."""


def build(number: int) -> tuple[str, bytes]:
    """A build's file name and bytes, all different."""
    size = TABLES_BYTES[number % len(TABLES_BYTES)]
    if not size:
        return "bot.py", f"# {number}\n{GOOD}".encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.toml", 'command = ["bot.py"]\n')
        archive.writestr("bot.py", GOOD)
        archive.writestr("table.bin", os.urandom(size))
    return "bot.zip", packed.getvalue()


def upload_all(port: int, uploads: int, seconds: float, keys: list[str]) -> None:
    """Upload, and print the figures."""
    client = UploadClient(Address(f"127.0.0.1:{port}"))
    began = time.monotonic()
    took: list[float] = []
    refused: list[str] = []

    def upload(number: int) -> None:
        name, data = build(number)
        time.sleep(max(0.0, began + number * seconds / uploads - time.monotonic()))
        begun = time.monotonic()
        try:
            client.upload(keys[number % len(keys)], f"uploaded {number}", name, data)
            took.append((time.monotonic() - begun) * 1000)
        except OwnerCallError as error:
            refused.append(str(error))

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(upload, range(uploads)))
    for sentence in sorted(set(refused)):
        print(f"refused: {sentence}", file=sys.stderr)
    figures = {
        "uploads taken": len(took),
        "refused": len(refused),
        "in s": time.monotonic() - began,
        "an upload, ms": statistics.median(took or [0]),
        "at most, ms": max(took, default=0),
    }
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    port, uploads, seconds = words()
    upload_all(port, uploads, seconds, sys.stdin.read().split())
