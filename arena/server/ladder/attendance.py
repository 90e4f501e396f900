"""`Attendance`: the connected versions, their places and seats, and the table types they can fill.

The counts change when a bot connects, leaves or takes a seat, at a cost that does not grow with the
number of bots.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

from arena.scheduling.ladder import Candidate, TableType
from arena.server.ladder.connected_bots import ConnectedBot


class Attendance:
    """The places, copies and seats of all bots that are connected and not draining."""

    def __init__(self, table_types: Sequence[TableType]) -> None:
        self._table_types = table_types
        self._counted: dict[ConnectedBot, tuple[Candidate, int]] = {}
        self._places: Counter[int] = Counter()
        self._all_places = 0
        self._copies: Counter[int] = Counter()
        self._games: defaultdict[str, _Company] = defaultdict(_Company)
        self._held: dict[ConnectedBot, dict[Hashable, int]] = {}
        """The number of seats that each bot holds at each table type, connected or not."""
        self._seats: Counter[Hashable] = Counter()

    @property
    def places(self) -> Mapping[int, int]:
        """The total places of all copies of each version; a view that changes with them."""
        return self._places

    @property
    def quota(self) -> float:
        """How many places each table type may take, so that small tables do not starve large ones.

        It is an equal part of all places for each table type that can be filled.
        """
        possible = sum(
            self._games[table_type.game].most_at_a_table >= table_type.seats
            for table_type in self._table_types
        )
        return self._all_places / max(1, possible)

    def seats(self, table_type: TableType) -> int:
        """Return how many seats running blocks hold at a table type.

        Seats of disconnected bots do not count, as their places do not count in the quota:
        otherwise a crowd that crashed would keep the others from playing until its matches are
        over.
        """
        return self._seats[table_type.key]

    def most_at_a_table(self, game: str) -> int:
        """Return how many versions that play a game may sit at one table."""
        return self._games[game].most_at_a_table

    def sat_down(self, table_type: TableType, bots: Iterable[ConnectedBot]) -> None:
        """Record that each of these bots takes a seat."""
        self._seat(table_type.key, bots, 1)

    def got_up(self, table_type: TableType, bots: Iterable[ConnectedBot]) -> None:
        """Record that each of these bots gives a seat back."""
        self._seat(table_type.key, bots, -1)

    def _seat(self, key: Hashable, bots: Iterable[ConnectedBot], by: int) -> None:
        for bot in bots:
            held = self._held.get(bot)
            if held is None:
                held = self._held[bot] = {}
            held[key] = held.get(key, 0) + by
            if not held[key]:
                del held[key]
                if not held:
                    del self._held[bot]
            if bot in self._counted:
                self._seats[key] += by

    def came(self, bot: ConnectedBot) -> bool:
        """Count a bot that has connected, or connected again.

        Returns whether it is the first copy of its version.
        """
        before = self._counted.get(bot)
        counted = self._counted[bot] = bot.candidate, bot.participant.max_matches
        self._count(*counted, 1)
        if before is not None:
            self._count(*before, -1)
        else:
            self._seats.update(self._held.get(bot, {}))
        return self._copies[bot.candidate.bot] == 1 and before is None

    def left(self, bot: ConnectedBot) -> bool:
        """Stop counting a bot; return whether it was the last copy of its version.

        Does nothing, and returns False, if the bot was not counted.
        """
        before = self._counted.pop(bot, None)
        if before is None:
            return False
        self._count(*before, -1)
        self._seats.subtract(self._held.get(bot, {}))
        return bot.candidate.bot not in self._copies

    def _count(self, candidate: Candidate, places: int, by: int) -> None:
        self._all_places += by * places
        for counter, amount in ((self._places, places), (self._copies, 1)):
            counter[candidate.bot] += by * amount
            if not counter[candidate.bot]:
                del counter[candidate.bot]
        for game in candidate.games:
            self._games[game].count(candidate, by)


class _Company:
    """The connected copies that play a game, and how many of their versions may share a table."""

    def __init__(self) -> None:
        self.most_at_a_table = 0
        self._copies: Counter[int] = Counter()
        self._versions: Counter[tuple[str, bool]] = Counter()
        """The number of versions by owner and by whether they are house bots."""

    def count(self, candidate: Candidate, by: int) -> None:
        before = self._copies[candidate.bot]
        self._copies[candidate.bot] += by
        if not self._copies[candidate.bot]:
            del self._copies[candidate.bot]
        if bool(before) != bool(before + by):
            self.most_at_a_table -= self._of_owner(candidate.owner)
            kind = candidate.owner, candidate.house
            self._versions[kind] += by
            if not self._versions[kind]:
                del self._versions[kind]
            self.most_at_a_table += self._of_owner(candidate.owner)

    def _of_owner(self, owner: str) -> int:
        """Return how many versions of one owner may sit at one table.

        Versions of one owner meet only if all of them are house bots.
        """
        return max(self._versions[owner, True], min(1, self._versions[owner, False]))
