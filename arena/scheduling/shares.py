"""Fair shares of a bot's places: by owner, and by the time for which they are held.

A bot's places are shared equally among the owners of its opponents, however many bots an owner has.
An owner whose bots keep others waiting pays with its own share, so that slow bots are allowed:

- An owner is *prompt* while its bots' last blocks took about as long as their opponents are used
  to. While any other owner is prompt, an owner that is not holds at most one place of each bot at a
  time. The same applies, with three or more owners, to one that has played no block yet. An owner
  that is not prompt never holds more than half of a bot's places, so that newcomers find room.
- Time beyond that is repaid by the owners whose bots used it: the bot and such an owner rest from
  each other until the owner's part of the excess equals a tenth of the bot's places times the
  elapsed time. A bot rests from an owner only while it has others to meet.

A bot's use of time is the time it takes to join and to decide, and the whole wait if it then
declines or does not join. Slowness is measured against what the same opponent is used to at such
tables, so an arena of slow bots slows none of them. Nothing here grows with the number of matches.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from math import ceil

from arena.scheduling.ladder import Candidate

EXCESS_SHARE = 0.1
"""The part of a bot's places, over time, that one owner may hold beyond what the bot is used to."""
TOLERANCE = 4.0
"""A block is slow if it takes more than this multiple of the time that the bot is used to."""
LEAST_SECONDS = 0.25
"""The least time for one match that a bot gets used to."""
FIRST_SECONDS = 5.0
"""The time for one match that a new bot is assumed to be used to: long, because a busy machine is
not its opponents' fault. A few blocks correct it."""
_ADAPTATION = 1.5
"""The time that a bot is used to is a running median: each block moves it by this factor."""


@dataclass(frozen=True, slots=True)
class BlockTime:
    """How long a block held its bots' places, and which bots used the time."""

    table_type: Hashable
    """The key of its table type."""
    bots: Sequence[Candidate]
    seconds: float
    played: int
    """Matches played in that time."""
    unplayed: int
    """Matches that were offered and did not begin: a bot declined or did not join."""
    used: Mapping[int, float]
    """Seconds that each bot took to join, or not to, and to decide."""

    def scaled(self, by: float) -> "BlockTime":
        """Return the same block with all its times multiplied by `by`."""
        used = {bot: by * seconds for bot, seconds in self.used.items()}
        return replace(self, seconds=by * self.seconds, used=used)

    def slow(self) -> dict[int, float]:
        """Return the bots that used more than an equal part of the time, with their parts.

        The result is empty if no bot did, such as when the machine was busy.
        """
        least = max(self.seconds, sum(self.used.values())) / len(self.bots)
        slow = {bot: used for bot, used in self.used.items() if used > least}
        total = sum(slow.values())
        return {bot: used / total for bot, used in slow.items()}


class HeldTime:
    """How long owners hold the places of bots: which are prompt, and which bots rest from them."""

    def __init__(self) -> None:
        self._used_to: dict[int, dict[Hashable, float]] = {}
        """The seconds for one match that each connected bot is used to, by table type."""
        self._prompt: dict[str, bool] = {}
        """Whether each connected account is prompt; without those that have played no block."""
        self.rests: dict[int, dict[str, float]] = {}
        """The times at which rests end, by bot and the account that it rests from."""
        self._ends: list[tuple[float, int, str]] = []
        """A heap of the ends of rests."""
        self._present: dict[str, int] = {}
        """The number of connected bots by account."""
        self._prompt_present = 0

    def came(self, bot: Candidate) -> None:
        """Note that a bot has connected."""
        self._used_to[bot.bot] = {}
        self._present[bot.account] = self._present.get(bot.account, 0) + 1

    def left(self, bot: Candidate) -> None:
        """Note that a bot has left, and forget all about it except rests."""
        del self._used_to[bot.bot]
        self._present[bot.account] -= 1
        if not self._present[bot.account]:
            del self._present[bot.account]
            self._prompt_present -= self._prompt.pop(bot.account, False)

    def sharing(self, bot: Candidate, guest: Candidate) -> int:
        """Return the number of parts of a bot's places, of which the guest's owner may hold one.

        There is a part for each other prompt account, or for each other account if none is prompt;
        at least two unless the guest's account is prompt.
        """
        prompt = self._prompt_present - self._prompt.get(bot.account, False)
        least = 1 if self._prompt.get(guest.account) else 2
        return max(least, prompt or len(self._present) - 1)

    def one_at_a_time(self, bot: Candidate, guest: Candidate) -> bool:
        """Return whether the guest's owner may hold at most one place of the bot."""
        prompt = self._prompt.get(guest.account)
        if prompt is None:
            return len(self._present) > 2
        return not prompt and self._prompt_present > self._prompt.get(bot.account, False)

    def resting(self, bot: Candidate, guest: Candidate, now: float) -> bool:
        """Return whether the bot rests from the guest's owner and has others to meet."""
        rests = self.rests.get(bot.bot)
        if rests is None or rests.get(guest.account, now) <= now:
            return False
        others = len(self._present) - 1
        # The rests are scanned only if the bot may rest from all others.
        return len(rests) < others or others > sum(
            until > now and account in self._present for account, until in rests.items()
        )

    def held(self, block: BlockTime, places: Mapping[int, int], now: float) -> float | None:
        """Note that a block ended; `places` holds each bot's number of places.

        Returns when the last of the rests that it caused ends; None if it caused none.
        """
        slow = block.slow()
        excessive: set[str] = set()
        latest: float | None = None
        for bot in block.bots:
            known = self._used_to.get(bot.bot, {})
            used_to = known.get(block.table_type, FIRST_SECONDS)
            matches = block.played + block.unplayed
            excess = block.seconds - TOLERANCE * used_to * matches
            # A bot that is slow itself does not blame others.
            if excess > 0 and bot.bot not in slow:
                tenth = EXCESS_SHARE * max(1, places.get(bot.bot, 1))
                for guest in block.bots:
                    if guest.bot in slow:
                        excessive.add(guest.account)
                        rest = excess * slow[guest.bot] / tenth
                        until = self._rest(bot.bot, guest.account, rest, now)
                        latest = max(until, latest or until)
            if block.played:
                longer = block.seconds > used_to * matches
                adapted = used_to * _ADAPTATION if longer else used_to / _ADAPTATION
                known[block.table_type] = max(LEAST_SECONDS, adapted)
        for account in excessive:
            self._note(account, False)
        if block.played:
            slowest = max(block.bots, key=lambda bot: block.used.get(bot.bot, 0.0))
            for bot in block.bots:
                if bot.account not in excessive and (
                    bot is slowest or bot.account not in self._prompt
                ):
                    self._note(bot.account, True)
        return latest

    def _rest(self, bot: int, account: str, seconds: float, now: float) -> float:
        rests = self.rests.setdefault(bot, {})
        until = max(now, rests.get(account, now)) + seconds
        rests[account] = until
        heappush(self._ends, (until, bot, account))
        while self._ends[0][0] <= now:
            self._end_rest(*heappop(self._ends))
        return until

    def _end_rest(self, end: float, bot: int, account: str) -> None:
        """Forget a rest, unless it has become longer."""
        rests = self.rests.get(bot, {})
        if rests.get(account) == end:
            del rests[account]
            if not rests:
                del self.rests[bot]

    def _note(self, account: str, prompt: bool) -> None:
        if account in self._present:
            self._prompt_present += prompt - self._prompt.get(account, False)
            self._prompt[account] = prompt


class SharedPlaces:
    """The places of each bot that running tables of one type hold, by the opponent's owner."""

    def __init__(self, time: HeldTime, places: Mapping[int, int], seats: int) -> None:
        """`places` is a live mapping of each bot's number of places; `seats` is the table size."""
        self._time = time
        self._held: dict[tuple[int, str], int] = defaultdict(int)
        self._charged: dict[tuple[int, str], int] = defaultdict(int)
        """Places that are held at other table types."""
        self._places = places
        self._opponents = seats - 1

    def change(self, bots: Sequence[Candidate], by: int) -> None:
        """Count a table that opens (1) or ends (-1)."""
        for one in bots:
            for other in bots:
                if one.bot != other.bot:
                    _add(self._held, one, other, by)

    def charge(self, guest: Candidate, hosts: Sequence[Candidate], by: int) -> None:
        """Count a place of each of `hosts` that their guest holds at another table type.

        The guest's owner may still hold one place here, so that no bot avoids an opponent this way.
        """
        for host in hosts:
            _add(self._charged, host, guest, by)

    def allow(self, one: Candidate, other: Candidate, now: float) -> bool:
        """Return whether the two may share one more table."""
        held, time = self._held, self._time
        mine, theirs = (one.bot, other.account), (other.bot, one.account)
        # This runs for every candidate, so the look-up that settles most cases comes first: most
        # pairs share no table.
        return (
            (mine not in held or self._room(one, other, held[mine]))
            and (theirs not in held or self._room(other, one, held[theirs]))
            and not (time.rests and time.resting(one, other, now))
            and not (time.rests and time.resting(other, one, now))
        )

    def _room(self, bot: Candidate, guest: Candidate, held: int) -> bool:
        if self._time.one_at_a_time(bot, guest):
            return False
        places = self._places.get(bot.bot, 1) * self._opponents
        charged = self._charged.get((bot.bot, guest.account), 0)
        return held + charged < ceil(places / self._time.sharing(bot, guest))


def _add(counts: dict[tuple[int, str], int], host: Candidate, guest: Candidate, by: int) -> None:
    key = host.bot, guest.account
    counts[key] += by
    if not counts[key]:
        del counts[key]
