"""The choice of the next ladder table: fair to ladders and opponents, and within paces.

Matches among house bots only are limited to a pace, so that an arena without other bots does not
keep the machine busy. A table with any other bot is opened without delay, unless that bot has a
pace of its own and rests.

Bots whose block was the last to end do not sit down again at the same table while other blocks run
that may end soon: otherwise two bots with one place each might meet for ever.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.scheduling.bot_paces import BotPaces
from arena.scheduling.first_opponents import FirstOpponents
from arena.scheduling.free_bots import FreeBots
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType
from arena.scheduling.pace import Pace
from arena.scheduling.shares import BlockTime, HeldTime, SharedPlaces
from arena.scheduling.strengths import Strengths
from arena.server.ladder.attendance import Attendance
from arena.server.ladder.connected_bots import ConnectedBot

REMATCH_SHARE: Final = 0.05
"""How long the same table is not opened again, as a part of the time that its block took."""


@dataclass(frozen=True, slots=True)
class LadderTable:
    """A table that can be opened now: its type and its bots, not yet in seat order."""

    table_type: TableType
    bots: tuple[Candidate, ...]


class LadderTables:
    """The ladders of a director and the places that their running blocks hold."""

    def __init__(
        self,
        table_types: Sequence[TableType],
        counts: MeetingCounts,
        strengths: Strengths,
        house_pace: float,
    ) -> None:
        self._table_types = table_types
        self._time = HeldTime()
        self._attendance = Attendance(table_types)
        self._shared = {
            table_type.key: SharedPlaces(self._time, self._attendance.places, table_type.seats)
            for table_type in table_types
        }
        self._free: dict[int, Candidate] = {}
        """The versions with a free place."""
        self._excluded: Set[int] = frozenset()
        """The versions that the ladder must not seat."""
        self._free_by_type = {
            table_type.key: FreeBots(table_type, counts, strengths) for table_type in table_types
        }
        self._first = {
            table_type.key: FirstOpponents(table_type, counts) for table_type in table_types
        }
        self._last: dict[Any, tuple[frozenset[int], float]] = {}
        """The bots of the last block of each type, and until when they wait for others."""
        # One pace for each type, so that every type can start by itself.
        share = house_pace / max(1, len(table_types))
        self._paces = {table_type.key: Pace(share) for table_type in table_types}
        self._bot_paces = BotPaces()
        self._paced_copies: dict[int, tuple[ConnectedBot, ...]] = {}
        """The copies of each version with a pace."""
        self._quota = 0.0

    def came(self, bot: ConnectedBot) -> None:
        """Count a bot that has connected, or connected again, or has another pace or other places.

        Its places are shared among the ladders and among its opponents.
        """
        registered = bot.participant.registered
        version, pace = registered.version_id, registered.pace
        others = self._other_copies(bot)
        self._paced_copies.pop(version, None)
        if pace is not None:
            self._paced_copies[version] = (*others, bot)
        self._bot_paces.came(version, registered.entrant.bot, pace)
        self._count(bot)
        self._offer(version)

    def left(self, bot: ConnectedBot) -> None:
        """Stop counting a bot that has disconnected or begins no further block."""
        version, others = bot.candidate.bot, self._other_copies(bot)
        rested = version in self._bot_paces.resting and not others
        self._paced_copies.pop(version, None)
        if others:
            self._paced_copies[version] = others
        if self._uncount(bot) or rested:
            self._bot_paces.left(version)
            for free in self._free_by_type.values():
                free.forget(version)

    def _other_copies(self, bot: ConnectedBot) -> tuple[ConnectedBot, ...]:
        copies = self._paced_copies.get(bot.candidate.bot, ())
        return tuple(copy for copy in copies if copy is not bot)

    def _count(self, bot: ConnectedBot) -> None:
        """Count a bot, unless it rests: then the places of others are shared without it."""
        if bot.candidate.bot in self._bot_paces.resting:
            self._uncount(bot)
        elif self._attendance.came(bot):
            self._time.came(bot.candidate)
        self._quota = self._attendance.quota

    def _uncount(self, bot: ConnectedBot) -> bool:
        """Stop counting a bot; return whether it was the last counted copy of its version."""
        last = self._attendance.left(bot)
        if last:
            self._time.left(bot.candidate)
        self._quota = self._attendance.quota
        return last

    def _rest_changed(self, version: int) -> None:
        """Handle that a version rests from now on, or has rested enough."""
        for bot in self._paced_copies.get(version, ()):
            self._count(bot)
        self._offer(version)

    def note(self, version: int, free: Candidate | None) -> None:
        """Record as which candidate a version has a free place, or None if it has none."""
        if free is None:
            self._free.pop(version, None)
        else:
            self._free[version] = free
        if version not in self._excluded:
            self._offer(version)

    def exclude(self, versions: Set[int]) -> None:
        """Exclude exactly these versions from the ladder from now on."""
        if versions != self._excluded:
            changed = versions ^ self._excluded
            self._excluded = frozenset(versions)
            for version in changed:
                self._offer(version)

    def look_again(self) -> None:
        """Allow pairs to be tried again after blocks have ended; call this before `next`."""
        for table_type in self._table_types:
            free = self._free_by_type[table_type.key]
            if self._attendance.seats(table_type):
                free.look_again()
            else:
                free.look_again(None)

    def next(self, now: float) -> LadderTable | float | None:
        """Return the table to open now, or the time at which one can be opened, or None."""
        for version in self._bot_paces.woken(now):
            self._rest_changed(version)
        later: list[float] = []
        if self._bot_paces.next_end is not None:
            later.append(self._bot_paces.next_end)
        for table_type in sorted(self._table_types, key=self._attendance.seats):
            if self._attendance.seats(table_type) >= self._quota:
                continue
            free = self._free_by_type[table_type.key]
            not_these, until = self._not_again(table_type, now)
            choose = partial(
                free.choose, partial(self._may_sit, table_type, now=now), not_these=not_these
            )
            chosen = choose()
            ready_at = self._paces[table_type.key].ready_at(table_type.seats)
            if chosen is not None and ready_at > now and _only_house(chosen.bots):
                later.append(ready_at)
                chosen = choose(with_visitor=True)
            if chosen is not None:
                free.opened(chosen)
                return LadderTable(table_type, chosen.bots)
            if not_these and all(bot in free for bot in not_these):
                later.append(until)
            patient_until = self._first[table_type.key].next_end(now)
            if patient_until is not None:
                later.append(patient_until)
        return min(later, default=None)

    def opened(self, table_type: TableType, bots: Sequence[Candidate], now: float) -> None:
        """Record that a block begins at a table, which uses up paces."""
        if _only_house(bots):
            self._paces[table_type.key].spend(now, table_type.seats)
        for candidate in bots:
            for version in self._bot_paces.spend(candidate.bot, table_type.seats, now):
                self._rest_changed(version)

    def occupied(self, table_type: TableType, bots: Sequence[ConnectedBot]) -> None:
        """Record that a block, just begun or adopted, takes its seats at a table."""
        self._attendance.sat_down(table_type, bots)
        self._share(table_type, bots, 1)
        if table_type.key in self._first:
            self._first[table_type.key].sat_down(bot.candidate.bot for bot in bots)

    def closed(
        self, table_type: TableType, bots: Sequence[ConnectedBot], seconds: float, now: float
    ) -> None:
        """Record that a block at a table has ended after `seconds`."""
        self._attendance.got_up(table_type, bots)
        self._share(table_type, bots, -1)
        versions = frozenset(bot.candidate.bot for bot in bots)
        self._last[table_type.key] = versions, now + REMATCH_SHARE * seconds
        if table_type.key in self._first:  # an earlier referee may have had other ladders
            others = self._others(table_type)
            self._first[table_type.key].got_up(versions, seconds, others, now)

    def charge(self, guest: Candidate, hosts: Sequence[Candidate], by: int) -> None:
        """Charge `guest` for the places of `hosts` that its challenge takes, one of each.

        `by` is 1 when it takes the places and -1 when it gives them back.
        """
        for shared in self._shared.values():
            shared.charge(guest, hosts, by)

    def note_time(self, table_type: TableType, block: BlockTime, now: float) -> float | None:
        """Record the time that a finished block took.

        Returns when to look for tables again if some bots must rest from each other, otherwise
        None.
        """
        # A bot that takes half a minute of a one-minute turn is not slow: time is scaled to the
        # default turn.
        scale = DEFAULT_TIME_CONTROL.turn_ms / table_type.time_control.turn_ms
        if scale < 1:
            block = block.scaled(scale)
        return self._time.held(block, self._attendance.places, now)

    def _offer(self, version: int) -> None:
        barred = version in self._excluded or version in self._bot_paces.resting
        candidate = None if barred else self._free.get(version)
        for free in self._free_by_type.values():
            if candidate is None:
                free.drop(version)
            else:
                free.put(candidate)

    def _may_sit(self, table_type: TableType, one: Candidate, other: Candidate, now: float) -> bool:
        """Return whether two bots may share one more table now."""
        first, shared = self._first[table_type.key], self._shared[table_type.key]
        return first.allow(one.bot, other.bot, self._others(table_type), now) and shared.allow(
            one, other, now
        )

    def _others(self, table_type: TableType) -> int:
        """Return how many other versions a bot may meet, estimated by one number for all bots."""
        return max(1, self._attendance.most_at_a_table(table_type.game) - 1)

    def _not_again(self, table_type: TableType, now: float) -> tuple[frozenset[int], float]:
        """Return the bots that may not form the same table now, and until when.

        Returns an empty set if no table is barred.
        """
        bots, until = self._last.get(table_type.key, (frozenset(), now))
        alone = self._attendance.most_at_a_table(table_type.game) <= table_type.seats
        if until <= now or alone or not self._attendance.seats(table_type):
            return frozenset(), now
        return bots, until

    def _share(self, table_type: TableType, bots: Sequence[ConnectedBot], by: int) -> None:
        if table_type.key in self._shared:  # an earlier referee may have had other ladders
            self._shared[table_type.key].change([bot.candidate for bot in bots], by)


def _only_house(bots: Iterable[Candidate]) -> bool:
    return all(candidate.house for candidate in bots)
