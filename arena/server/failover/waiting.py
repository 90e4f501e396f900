"""A queue whose front may be kept elsewhere as well."""

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Waiting(Generic[T]):
    """Waiting items, in order. Positions count from the first that ever waited."""

    def __init__(self) -> None:
        self._items: list[T] = []
        self._first = 0
        self._kept_until = 0

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    @property
    def end(self) -> int:
        """The position after the last item."""
        return self._first + len(self._items)

    @property
    def kept(self) -> int:
        """The number of waiting items that are kept."""
        return max(0, self._kept_until - self._first)

    def append(self, item: T) -> None:
        """Add an item."""
        self._items.append(item)

    def drop(self, count: int) -> None:
        """Remove the first items."""
        del self._items[:count]
        self._first += count

    def not_kept(self) -> list[T]:
        """Return the items that are not kept."""
        return self._items[self.kept :]

    def keep(self, end: int) -> None:
        """Note that all items before this position are kept."""
        self._kept_until = max(self._kept_until, end)
