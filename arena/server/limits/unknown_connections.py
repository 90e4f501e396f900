"""`UnknownConnections`: connections without a known bot, oldest first, in all and by address."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class UnknownConnections(Generic[T]):
    """Every method takes the same time, however many there are."""

    def __init__(self) -> None:
        # As ordered sets; a plain dict finds its first key slowly once many were removed before it.
        self._all: OrderedDict[T, None] = OrderedDict()
        self._by_address: dict[str, OrderedDict[T, None]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def count(self, address: str) -> int:
        """How many an address has."""
        return len(self._by_address.get(address, ()))

    def oldest(self, address: str | None = None) -> T:
        """Return the oldest of an address, or of all."""
        return next(iter(self._all if address is None else self._by_address[address]))

    def add(self, address: str, connection: T) -> None:
        """Add the youngest."""
        self._all[connection] = None
        self._by_address.setdefault(address, OrderedDict())[connection] = None

    def discard(self, address: str, connection: T) -> None:
        """Remove one, if it is there."""
        if connection in self._all:
            del self._all[connection]
            own = self._by_address[address]
            del own[connection]
            if not own:
                del self._by_address[address]
