"""`Beginners`: the bots that can begin a table, by how long they wait and by their matches."""

from collections import OrderedDict
from collections.abc import Iterator

from sortedcontainers import SortedDict


class Beginners:
    """Bots that can begin a table, ordered both by waiting time and by number of matches."""

    def __init__(self, turns: Iterator[int]) -> None:
        """Begin without bots; `turns` may number the turns of several such queues."""
        self._turns = turns
        self._waiting: OrderedDict[int, int] = OrderedDict()
        """The number of the turn since which each bot waits, the longest waiting bot first."""
        # Not one sorted list, because many bots have the same number.
        self._by_matches: SortedDict[int, OrderedDict[int, None]] = SortedDict()
        """The bots by number of matches; in each group the longest waiting bot is first."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, bot: int, matches: int) -> None:
        """Add a bot with its number of matches; it waits from now on."""
        self._waiting[bot] = next(self._turns)
        alike = self._by_matches.get(matches)
        if alike is None:
            alike = self._by_matches[matches] = OrderedDict()
        alike[bot] = None

    def remove(self, bot: int, matches: int) -> None:
        """Remove a bot; `matches` is the number with which it was added."""
        del self._waiting[bot]
        alike = self._by_matches[matches]
        del alike[bot]
        if not alike:
            del self._by_matches[matches]

    def longest(self) -> tuple[int, int]:
        """Return the turn since which the longest waiting bot waits, and the bot."""
        bot, turn = next(iter(self._waiting.items()))
        return turn, bot

    def fewest(self) -> tuple[int, int]:
        """Return the number of matches of a bot with the fewest, and the bot."""
        matches, alike = self._by_matches.peekitem(0)
        return matches, next(iter(alike))
