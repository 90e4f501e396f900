"""`UnknownConnections`: connections without a known bot, oldest first, in all and by address."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class UnknownConnections(Generic[T]):
    """Connections without a known bot. Every method takes constant time."""

    def __init__(self) -> None:
        # Used as ordered sets. A plain dict would scan past removed keys to find its first key.
        self._all: OrderedDict[T, None] = OrderedDict()
        self._by_address: dict[str, OrderedDict[T, None]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def count(self, address: str) -> int:
        """Return how many connections an address has."""
        return len(self._by_address.get(address, ()))

    def oldest(self, address: str | None = None) -> T:
        """Return the oldest connection of an address, or of all addresses."""
        return next(iter(self._all if address is None else self._by_address[address]))

    def add(self, address: str, connection: T) -> None:
        """Add a connection as the youngest."""
        self._all[connection] = None
        self._by_address.setdefault(address, OrderedDict())[connection] = None

    def discard(self, address: str, connection: T) -> None:
        """Remove a connection, if it is there."""
        if connection in self._all:
            del self._all[connection]
            own = self._by_address[address]
            del own[connection]
            if not own:
                del self._by_address[address]
