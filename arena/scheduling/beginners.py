"""`Beginners`: the bots that can begin a table, by how long they wait and by their matches."""

from collections import OrderedDict
from collections.abc import Iterator

from sortedcontainers import SortedDict


class Beginners:
    """Bots in the order of their waiting and in that of their matches."""

    def __init__(self, turns: Iterator[int]) -> None:
        """Begin without bots; `turns` may number the turns of several such queues."""
        self._turns = turns
        self._waiting: OrderedDict[int, int] = OrderedDict()
        """When its turn came, by bot."""
        # Not a sorted list of all: many have the same number.
        self._by_matches: SortedDict[int, OrderedDict[int, None]] = SortedDict()
        """The bots with so many matches; the one that waits longest is in front."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, bot: int, matches: int) -> None:
        """Add a bot with so many matches, which waits from now on."""
        self._waiting[bot] = next(self._turns)
        alike = self._by_matches.get(matches)
        if alike is None:
            alike = self._by_matches[matches] = OrderedDict()
        alike[bot] = None

    def remove(self, bot: int, matches: int) -> None:
        """Remove a bot, which was added with so many matches."""
        del self._waiting[bot]
        alike = self._by_matches[matches]
        del alike[bot]
        if not alike:
            del self._by_matches[matches]

    def longest(self) -> tuple[int, int]:
        """Since when it waits, and the bot."""
        bot, turn = next(iter(self._waiting.items()))
        return turn, bot

    def fewest(self) -> tuple[int, int]:
        """How many matches it has, and the bot."""
        matches, alike = self._by_matches.peekitem(0)
        return matches, next(iter(alike))
