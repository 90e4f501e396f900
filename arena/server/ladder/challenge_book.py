"""`ChallengeBook`: accepts challenges and decides which of them can begin.

A challenge waits until all of its bots have a free place, and the ladder leaves one place of each
free for it meanwhile. It is played as one unrated block, whose places are charged to the
challenger: while it holds a place of an opponent, the ladder gives it one place less of that
opponent, but at least one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from arena.database.names import folded
from arena.identifiers import new_id
from arena.records import Block, BlockKind, Registered, VersionId
from arena.server.ladder.agenda import EngagementEnd
from arena.server.ladder.challenges import (
    BROKEN_OFF,
    Challenge,
    ChallengeFollower,
    ChallengeRefusal,
    ChallengeRefusedError,
    ChallengeRun,
)
from arena.server.ladder.connected_bots import ConnectedBot
from arena.server.ladder.roster import Roster
from arena.server.play.ports import ChallengePolicy, Participant, Timer

SHARE_OF_PLACES: Final = 4
"""A bot's places divided by this are for challenges of others, but at least one place."""
MOST_OF_ONE: Final = 8
"""The most challenges of one owner at once; each house bot counts as an owner of its own."""
MOST_IN_ALL: Final = 64
"""The most challenges at once, so that a crowd of them leaves the referee time for the ladder."""
MOST_WAITING_SECONDS: Final = 60.0
"""How long a challenge waits for free places of its bots.

While it waits, it keeps one place of each bot from the ladder.
"""


class ChallengeBook:
    """All waiting and running challenges of a director."""

    def __init__(
        self,
        roster: Roster,
        timer: Timer,
        choose: Callable[[Sequence[ConnectedBot]], Sequence[ConnectedBot]],
        look: Callable[[], None],
    ) -> None:
        """Create an empty book.

        `choose` puts bots into random order; `look` makes the director call `ready` soon.
        """
        self._roster = roster
        self._timer = timer
        self._choose = choose
        self._look = look
        self._waiting: dict[ChallengeRun, float] = {}
        """Challenges that have not begun, oldest first, each with the time until which it waits."""
        self._running: set[ChallengeRun] = set()
        self._against: Counter[ConnectedBot] = Counter()
        """How many waiting and running challenges have each bot as an opponent."""
        self._adopted: dict[str, tuple[frozenset[VersionId], int]] = {}
        """The players and number of matches of each challenge of an earlier referee, by id."""

    def take(self, wanted: Challenge, follower: ChallengeFollower) -> ChallengeRun:
        """Accept a challenge, whose matches begin once its bots have free places.

        Raises ChallengeRefusedError if it cannot be played.
        """
        now = self._timer.now()
        challenger = _challenger(wanted, self._roster.copies(wanted.challenger))
        account = challenger.candidate.account
        everything = [*self._waiting, *self._running]
        own = sum(run.challenger.candidate.account == account for run in everything)
        if own >= MOST_OF_ONE:
            raise _too_many(f"you have {own} challenges already, the most at once")
        if len(everything) >= MOST_IN_ALL:
            raise _too_many(f"the referee plays {len(everything)} challenges, the most at once")
        opponents = self._opponents(wanted, challenger, now)
        block = Block(new_id(), BlockKind.SEAT, wanted.matches, rated=False)
        run = ChallengeRun(wanted, challenger, opponents, block, follower)
        self._waiting[run] = now + MOST_WAITING_SECONDS
        self._against.update(opponents)
        self._timer.call_at(self._waiting[run], self._look)
        self._look()
        return run

    def adopt(self, block: Block, players: Iterable[VersionId]) -> None:
        """Record that a challenge of an earlier referee continues."""
        self._adopted[block.id] = frozenset(players), block.size

    def adopted_over(self, challenge_id: str) -> None:
        """Record that the block of an adopted challenge has ended."""
        del self._adopted[challenge_id]

    def going_on(self, challenge_id: str) -> tuple[frozenset[VersionId], int] | None:
        """Return the players and the number of matches of a challenge that is not over.

        Returns None if there is none with that id.
        """
        for run in (*self._waiting, *self._running):
            if run.block.id == challenge_id:
                return frozenset(VersionId(bot.candidate.bot) for bot in run.bots), run.block.size
        return self._adopted.get(challenge_id)

    def accepting(self) -> list[tuple[Participant, int]]:
        """Return the bots that accept challenges, each with how many further ones it takes now."""
        return [
            (bot.participant, self.free(bot))
            for bot in self._roster.present
            if _takes_challenges(bot)
        ]

    def connected(self, owner: str, name: str) -> Registered | None:
        """Return the newest connected version of an owner's bot with this name, or None."""
        found = [
            bot.participant.registered
            for bot in self._roster.present
            if bot.participant.registered.entrant.owner == owner and _bears(bot, name)
        ]
        return max(found, key=lambda one: one.version_id, default=None)

    def free(self, bot: ConnectedBot) -> int:
        """Return how many further challenges of others a bot takes."""
        if bot.participant.challenges is not ChallengePolicy.ACCEPT:
            return 0
        most = max(1, bot.participant.max_matches // SHARE_OF_PLACES)
        return most - self._against[bot]

    def ready(self, now: float) -> ChallengeRun | None:
        """Begin and return the oldest waiting challenge whose bots all have a free place, or None.

        Ends the challenges that can no longer begin.
        """
        for run, until in list(self._waiting.items()):
            gone = [bot for bot in run.bots if not bot.present or bot.draining]
            if gone:
                self._drop(run, f"{gone[0].name} has left.")
            elif all(bot.free(now) for bot in run.bots):
                del self._waiting[run]
                self._running.add(run)
                return run
            elif now >= until:
                busy = next(bot for bot in run.bots if not bot.free(now))
                self._drop(run, f"{busy.name} had no free place in time.")
        return None

    def held(self, now: float) -> Counter[ConnectedBot]:
        """Return how many places of each bot the waiting challenges need.

        A challenger with no place left for its own challenge keeps no places of other bots free for
        it.
        """
        held: Counter[ConnectedBot] = Counter()
        left: dict[ConnectedBot, int] = {}
        for run in self._waiting:
            own = left.setdefault(run.challenger, run.challenger.free_places(now))
            held.update(run.bots if own > 0 else (run.challenger,))
            left[run.challenger] -= 1
        return held

    def over(self, run: ChallengeRun, played: int, ending: EngagementEnd) -> None:
        """Record that the block of a challenge has ended after `played` matches."""
        self._running.discard(run)
        self._let_go(run)
        reasons = {
            EngagementEnd.COMPLETE: "",
            EngagementEnd.INTERRUPTED: "A bot has left.",
            EngagementEnd.BROKEN: BROKEN_OFF,
        }
        run.ended(played, reasons[ending])

    def _drop(self, run: ChallengeRun, reason: str) -> None:
        del self._waiting[run]
        self._let_go(run)
        run.ended(0, reason)

    def _let_go(self, run: ChallengeRun) -> None:
        self._against -= Counter(run.opponents)  # this also drops counts of zero

    def _opponents(
        self, wanted: Challenge, challenger: ConnectedBot, now: float
    ) -> tuple[ConnectedBot, ...]:
        game = wanted.table_type.game
        others = [
            bot
            for bot in self._roster.present
            if _takes_challenges(bot)
            and bot.candidate.bot != wanted.challenger
            and game in bot.candidate.games
            and bot.eligible(now)
        ]
        for name in wanted.opponents:
            if _bears(challenger, name) and not any(_bears(bot, name) for bot in others):
                raise _impossible("a bot cannot challenge itself: name another bot or version")
        found = [self._named(name, others, game) for name in wanted.opponents]
        versions = {bot.candidate.bot for bot in found}
        if len(versions) < len(found):
            raise _impossible("a bot has one seat of a match at most: name each opponent once")
        bots = {bot.name for bot in found}
        for bot in self._choose(others):
            if len(found) == wanted.table_type.seats - 1:
                break
            if bot.name not in bots and self.free(bot) > 0:
                found.append(bot)
                bots.add(bot.name)
        missing = wanted.table_type.seats - 1 - len(found)
        if missing:
            raise _not_now(
                f"{missing} more opponents are needed: too few bots accept challenges of {game} "
                f"now. {_who(others)}"
            )
        return tuple(found)

    def _named(self, name: str, others: Sequence[ConnectedBot], game: str) -> ConnectedBot:
        fitting = [one for one in others if _bears(one, name)]
        if not fitting:
            raise _not_now(
                f"{name[:90]} is not connected, does not accept challenges or does not play "
                f"{game}. {_who(others)}"
            )
        newest = max(one.candidate.bot for one in fitting)
        copies = [one for one in fitting if one.candidate.bot == newest]
        chosen = max(copies, key=self.free)
        if self.free(chosen) <= 0:
            raise _too_many(f"{chosen.name} has reached its limit of challenges at once")
        return chosen


def _challenger(wanted: Challenge, present: Sequence[ConnectedBot]) -> ConnectedBot:
    copies = [bot for bot in present if wanted.instance in ("", bot.participant.instance)]
    if not copies:
        raise _not_now(
            "your bot is not connected: start it, with this token, and challenge again"
            if not wanted.instance
            else f"no copy of your bot is connected as instance {wanted.instance[:40]!r}"
        )
    able = [bot for bot in copies if wanted.table_type.game in bot.candidate.games]
    if not able:
        raise _not_now(f"your bot does not play {wanted.table_type.game}: see `games` of its hello")
    if not any(bot.participant.max_matches for bot in able):
        raise _not_now(
            "your bot has no places at this referee: if it has some at another of this arena, "
            "challenge at that one's address"
        )
    return max(able, key=lambda bot: bot.participant.max_matches - bot.taken)


def _bears(bot: ConnectedBot, name: str) -> bool:
    """Return whether `name`, BOT or BOT:VERSION, names this bot."""
    entrant = bot.participant.registered.entrant
    named, _, version = name.partition(":")
    return folded(entrant.bot) == folded(named) and version in ("", entrant.version)


def _takes_challenges(bot: ConnectedBot) -> bool:
    """Return whether a bot accepts challenges of other bots.

    A bot that plays only at another referee is connected here without places.
    """
    participant = bot.participant
    return participant.challenges is ChallengePolicy.ACCEPT and participant.max_matches > 0


def _who(others: Sequence[ConnectedBot]) -> str:
    names = sorted({bot.name for bot in others})
    if not names:
        return "No other bot accepts them now."
    more = ", …" if len(names) > _NAMED else ""
    return f"Those that do: {', '.join(names[:_NAMED])}{more}."


_NAMED: Final = 10
"""The most bots that a refusal names."""


def _impossible(sentence: str) -> ChallengeRefusedError:
    return ChallengeRefusedError(ChallengeRefusal.IMPOSSIBLE, sentence)


def _not_now(sentence: str) -> ChallengeRefusedError:
    return ChallengeRefusedError(ChallengeRefusal.NOT_NOW, sentence)


def _too_many(sentence: str) -> ChallengeRefusedError:
    return ChallengeRefusedError(ChallengeRefusal.TOO_MANY, sentence)
