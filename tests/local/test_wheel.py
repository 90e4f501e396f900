"""`wheel`: made once for all who ask."""

import subprocess
import sys

ASKED_BY_EIGHT_AT_ONCE = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from arena.local.wheel import wheel

begun = Barrier(8)

def ask(_):
    begun.wait()
    return wheel()

with ThreadPoolExecutor(8) as pool:
    packed = list(pool.map(ask, range(8)))
print(len({id(one) for one in packed}))
"""


def test_those_who_ask_at_once_share_one_wheel() -> None:
    # In a process of its own, where nobody has asked yet.
    done = subprocess.run(
        [sys.executable, "-c", ASKED_BY_EIGHT_AT_ONCE], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
