"""Fair shares of a bot's places: by owner, and by the time that they are held.

A bot shares its places equally among the owners of its opponents, however many bots an owner has.
An owner whose bots let others wait pays with its own share, so that slow is allowed:

- An owner is *prompt* while its bots' last blocks took about as long as their opponents are used
  to. While any other owner is prompt, one that is not holds one place of each bot at a time. So
  does one of three or more that has played no block yet. And nobody who is not prompt holds more
  than half of a bot's places, so that there is room for whoever comes next.
- What a block with a slow owner takes beyond that is repaid: the bot and this owner rest from each
  other until the excess was a tenth of the bot's places times the time. A bot rests from an owner
  only while it has others to meet.

Slow is measured against what the same opponent is used to, so an arena of slow bots holds nobody
back. Nothing here grows with the number of matches.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from arena.scheduling.ladder import Candidate

EXCESS_SHARE = 0.1
"""The part of a bot's places, over time, that one owner may hold beyond what the bot is used to."""
TOLERANCE = 4.0
"""A block is slow when it takes so many times as long as the bot is used to."""
LEAST_SECONDS = 0.25
"""For one match; nothing quicker is expected of anybody."""
FIRST_SECONDS = 5.0
"""What a new bot is taken to be used to, for one match: much, because a busy machine is no fault of
its opponents. It knows better after a few blocks."""
_ADAPTATION = 1.5
"""What a bot is used to is a running median: up or down by this factor with every block."""


class HeldTime:
    """How long owners hold the places of bots: who is prompt, and who rests from whom."""

    def __init__(self) -> None:
        self._used_to: dict[int, float] = {}
        """Seconds for one match, by bot."""
        self._prompt: dict[str, bool] = {}
        """By account."""
        self.rests: dict[int, dict[str, float]] = {}
        """Until when bots rest from accounts."""
        self._present: dict[str, int] = {}
        """Connected bots by account."""
        self._prompt_present = 0

    def share_out(self, present: Iterable[Candidate]) -> None:
        """Note who is there. What is known of others is forgotten, but for what they still owe."""
        bots = {candidate.bot: candidate.account for candidate in present}
        self._present = defaultdict(int)
        for account in bots.values():
            self._present[account] += 1
        self._used_to = {bot: one for bot, one in self._used_to.items() if bot in bots}
        self._prompt = {name: one for name, one in self._prompt.items() if name in self._present}
        self._count_prompt()

    def sharing(self, bot: Candidate, guest: Candidate) -> int:
        """Into how many parts a bot's places are shared, of which the guest's owner may hold one:
        a part for each other account that is prompt, or for each if none is."""
        prompt = self._prompt_present - self._prompt.get(bot.account, False)
        least = 1 if self._prompt.get(guest.account) else 2
        return max(least, prompt or len(self._present) - 1)

    def one_at_a_time(self, bot: Candidate, guest: Candidate) -> bool:
        """Whether the guest's owner holds one place of the bot at most."""
        prompt = self._prompt.get(guest.account)
        if prompt is None:
            return len(self._present) > 2
        return not prompt and self._prompt_present > self._prompt.get(bot.account, False)

    def resting(self, bot: Candidate, guest: Candidate, now: float) -> bool:
        """Whether the bot rests from the guest's owner, having others to meet."""
        rests = self.rests.get(bot.bot)
        if rests is None or rests.get(guest.account, now) <= now:
            return False
        active = sum(until > now and account in self._present for account, until in rests.items())
        return active < len(self._present) - 1

    def held(
        self,
        bots: Sequence[Candidate],
        places: Mapping[int, int],
        seconds: float,
        matches: int,
        thought: Mapping[int, float],
        now: float,
    ) -> float | None:
        """A block is over. `places` and `thought` are by bot: how many it has, and the seconds that
        it took to join and to decide. Returns until when somebody rests from another, if so."""
        slowest = max(bots, key=lambda bot: thought.get(bot.bot, 0.0))
        # Else nobody's decisions took the time: bots came late, or the machine was busy.
        to_blame = thought.get(slowest.bot, 0.0) > seconds / 2
        latest: float | None = None
        prompt = True
        for bot in bots:
            used_to = self._used_to.get(bot.bot, FIRST_SECONDS)
            expected = TOLERANCE * used_to * matches
            if bot is not slowest and seconds > expected and to_blame:
                prompt = False
                rest = (seconds - expected) / (EXCESS_SHARE * max(1, places.get(bot.bot, 1)))
                until = self._rest(bot.bot, slowest.account, rest, now)
                latest = max(until, latest or until)
            longer = seconds > used_to * matches
            adapted = used_to * _ADAPTATION if longer else used_to / _ADAPTATION
            self._used_to[bot.bot] = max(LEAST_SECONDS, adapted)
        self._note(slowest.account, prompt)
        for bot in bots:
            if bot is not slowest and bot.account not in self._prompt:
                self._note(bot.account, True)
        return latest

    def _rest(self, bot: int, account: str, seconds: float, now: float) -> float:
        rests = self.rests.setdefault(bot, {})
        until = max(now, rests.get(account, now)) + seconds
        rests[account] = until
        for known, rests in list(self.rests.items()):
            self.rests[known] = {name: end for name, end in rests.items() if end > now}
            if not self.rests[known]:
                del self.rests[known]
        return until

    def _note(self, account: str, prompt: bool) -> None:
        if self._prompt.get(account) is not prompt:
            self._prompt[account] = prompt
            self._count_prompt()

    def _count_prompt(self) -> None:
        self._prompt_present = sum(self._prompt.get(name, False) for name in self._present)


class SharedPlaces:
    """The places that running tables of one type hold of each bot, by the owner of the other."""

    def __init__(self, time: HeldTime) -> None:
        self._time = time
        self._held: dict[tuple[int, str], int] = defaultdict(int)
        self._places: Mapping[int, int] = {}
        self._opponents = 1

    def share_out(self, places: Mapping[int, int], seats: int) -> None:
        """Set how many places each bot has, at tables of so many seats."""
        self._places, self._opponents = places, seats - 1

    def change(self, bots: Sequence[Candidate], by: int) -> None:
        """Count a table that opens (1) or ends (-1)."""
        for one in bots:
            for other in bots:
                if one.bot != other.bot:
                    key = one.bot, other.account
                    self._held[key] += by
                    if not self._held[key]:
                        del self._held[key]

    def allow(self, one: Candidate, other: Candidate, now: float) -> bool:
        """Whether the two may share one more table."""
        held, time = self._held, self._time
        mine, theirs = (one.bot, other.account), (other.bot, one.account)
        # Most share no table: looked up first, because this is asked of every candidate.
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
        return held < ceil(places / self._time.sharing(bot, guest))
