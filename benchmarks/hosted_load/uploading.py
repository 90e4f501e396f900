"""Owners who upload builds: python -m benchmarks.hosted_load.uploading PORT UPLOADS SECONDS < keys

The keys' owners take turns, and begin the uploads at equal distances of time. It prints how many
were taken, the refusals, and the times that an upload took, in milliseconds.
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

THREADS = 16
TABLES_BYTES = (0, 100_000, 1_000_000)
"""What the builds hold beside their program, in turns."""


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


def main(port: int, uploads: int, seconds: float, keys: list[str]) -> None:
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
    figures = {
        "taken": len(took),
        "refused": refused,
        "seconds": time.monotonic() - began,
        "median_ms": statistics.median(took or [0]),
        "longest_ms": max(took, default=0),
    }
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.stdin.read().split())
