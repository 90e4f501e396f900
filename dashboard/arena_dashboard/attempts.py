"""Wrong keys and invites by visitor's address.

To the referee all visitors of the pages come from one address: without this, one who guesses would
use up what it allows to all of them.
"""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from threading import Lock
from typing import Final

MOST: Final = 8
"""Wrong ones from an address within SECONDS."""
SECONDS: Final = 120.0
MOST_ADDRESSES: Final = 10_000
"""Addresses that are remembered; of more, those that were wrong last."""


def network_of(address: str) -> str:
    """What counts as one visitor: an address, of IPv6 its network of 64 bits, which one visitor
    usually has to itself. Other text is returned as it is."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))


class Attempts:
    """Who was wrong how often lately. Threads may share it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def wait(self, address: str) -> int:
        """The seconds until an address may try again; 0 for now."""
        with self._lock:
            times = self._wrong.get(address)
            if times is None or len(times) < MOST:
                return 0
            return max(0, math.ceil(times[0] + SECONDS - self._clock()))

    def wrong(self, address: str) -> None:
        """Count a wrong key or invite."""
        with self._lock:
            self._wrong.setdefault(address, deque(maxlen=MOST)).append(self._clock())
            self._wrong.move_to_end(address)
            if len(self._wrong) > MOST_ADDRESSES:
                self._wrong.popitem(last=False)
