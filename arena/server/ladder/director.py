"""The director: runs the rated ladder by seating connected bots in blocks, until stopped.

Blocks of the agenda, if there is one, are played before blocks of the ladder.

A block is opened when its bots have a free place. Its rotations are played one after the other, and
it holds the places until it ends. A bot that does not join, or forfeits because of its faults, gets
no offers for a while, so that it costs the others little. A copy that ignored an offer may be
frozen; it gets no offers until it sends a message or half a minute has passed. Declining does not
count against a bot: the copy that declined gets no offers for a moment, not even the next match of
its block, so that it can disconnect cleanly. When a block ends because a bot, which knows its
opponents by then, declines or is not connected for the next match, no copy of the version begins
another block for the same time.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial

from arena.identifiers import new_id
from arena.match.transcript import Transcript
from arena.randomness import KeyedRandomness, shuffled
from arena.records import Block, BlockKind, VersionId
from arena.scheduling.ladder import MeetingCounts, TableType
from arena.scheduling.strengths import Strengths
from arena.server.failover.result_writer import ResultWriter
from arena.server.ladder.agenda import Agenda, Engagement, EngagementEnd
from arena.server.ladder.block_run import BlockContext, BlockRun
from arena.server.ladder.challenge_book import ChallengeBook
from arena.server.ladder.challenges import ChallengeRun
from arena.server.ladder.connected_bots import ConnectedBot, one_per_version
from arena.server.ladder.ladder_tables import LadderTable, LadderTables
from arena.server.ladder.owed_seats import OwedSeats
from arena.server.ladder.pairing_schedule import PairingSchedule
from arena.server.ladder.pauses import Pauses
from arena.server.ladder.roster import Roster
from arena.server.ladder.running_blocks import RunningBlocks
from arena.server.play.compiled import IN_PYTHON, CompiledRules
from arena.server.play.kept_blocks import KeptBlock, RunningBlock
from arena.server.play.ports import Audience, Participant, ShowableMatch, Timer
from arena.server.play.terms import Terms


class Director:
    """Runs all blocks among the connected bots, mainly those of the rated ladder."""

    def __init__(
        self,
        table_types: Sequence[TableType],
        counts: MeetingCounts,
        writer: ResultWriter,
        timer: Timer,
        new_secret: Callable[[], bytes],
        write_down: Callable[[Transcript], bytes],
        terms: Terms = Terms(),
        wall_clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        strengths: Strengths | None = None,
        compiled: CompiledRules = IN_PYTHON,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        strengths = strengths or Strengths()
        self._tables = LadderTables(table_types, counts, strengths, terms.house_pace)
        self._writer = writer
        self._timer = timer
        self._new_secret = new_secret
        self._new_id = new_id
        self._terms = terms
        self._roster = Roster()
        self._schedule = PairingSchedule(timer, self._open_tables)
        self._owed = OwedSeats()
        self._blocks = RunningBlocks(self._roster, self._tables, counts, timer)
        self.challenges = ChallengeBook(self._roster, timer, self._by_chance, self.schedule)
        pauses = Pauses(
            *(self._roster, timer, self._schedule),
            lambda bot: self.on_failing(VersionId(bot.candidate.bot)),
            decline_seconds=terms.patience.decline_seconds,
        )
        context = BlockContext(
            writer=writer,
            timer=timer,
            wall_clock=wall_clock,
            new_secret=new_secret,
            new_id=new_id,
            write_down=write_down,
            terms=terms,
            pauses=pauses,
            owed=self._owed,
            learn=strengths.learn,
            show=self._show,
            compiled=compiled,
        )
        self._block = partial(BlockRun, context, self._release)
        self._kept: Collection[int] | None = None
        """The versions that the agenda keeps from the ladder during one look for tables.

        None while the agenda may still have a block to begin. Cached, because both queries scan all
        engagements that wait.
        """
        self._winding_down = self._held = False
        self.on_idle: Callable[[], None] = lambda: None
        """Called when the last running block ends after `wind_down`."""
        self.on_failing: Callable[[VersionId], None] = lambda _version: None
        """Called with a version that keeps missing or forfeiting its matches."""
        self.agenda: Agenda | None = None
        self.audience: Audience | None = None
        self._writer_full = False
        """Whether the search for tables paused because too many results wait to be recorded."""
        writer.listeners.append(self._room_again)
        writer.watchers.append(self._room_again)  # while storage fails, more may wait

    @property
    def running(self) -> int:
        """The number of running blocks, each of which offers or plays a match."""
        return len(self._blocks)

    def showable_matches(self) -> Iterator[tuple[ShowableMatch, str]]:
        """Return the matches that are being played, each with the name of its tournament or ""."""
        return self._blocks.showable()

    def arrive(self, participant: Participant) -> None:
        """Admit a bot that has connected, perhaps again, and is ready for offers."""
        bot = self._roster.arrive(participant)
        self._count(bot)
        self.schedule()
        self._blocks.returned(bot)

    def depart(self, participant: Participant) -> None:
        """Handle a disconnect; the running matches wait for the bot by themselves."""
        self._gone(self._roster.depart(participant))

    def places_changed(self, participant: Participant) -> None:
        """Handle a change of how many matches a bot plays at once."""
        bot = self._roster.places_changed(participant)
        if bot is not None:
            self._count(bot)
        self.schedule()

    def _count(self, bot: ConnectedBot) -> None:
        """Add a bot to the ladder's counts, or remove it; a bot without places is not counted."""
        stays = bot.present and not bot.draining
        if stays and bot.on_ladder and bot.participant.max_matches:
            self._tables.came(bot)
        else:
            self._tables.left(bot)

    def knows(self, participant: Participant) -> bool:
        """Return whether a bot is connected, or blocks hold places of it."""
        return self._roster.knows(participant)

    def playing(self, game: str, versions: Iterable[int]) -> set[int]:
        """Return the given versions with a connected copy that plays rated matches of a game."""
        return self._roster.playing(game, versions)

    def drain(self, participant: Participant) -> None:
        """Let a bot begin no further block; it is notified when its blocks are over."""
        self._gone(self._roster.drain(participant))

    def _gone(self, bot: ConnectedBot | None) -> None:
        if bot is not None:
            self._tables.left(bot)
            self.schedule()

    def wind_down(self) -> None:
        """Begin no further block, but play running blocks to their end."""
        self._winding_down = True
        if not self._blocks:
            self.on_idle()

    @property
    def winding_down(self) -> bool:
        """Whether the director permanently begins no further block."""
        return self._winding_down

    def suspend(self) -> None:
        """Suspend all matches; they are kept as they are, and another referee continues them."""
        self._winding_down = True
        for running in self._blocks:
            running.suspend()

    def adopt(self, kept: KeptBlock, participants: Sequence[Participant]) -> None:
        """Continue a block that another referee left."""
        given, block = kept.running, kept.running.block
        engagement = None
        if given.engaged and self.agenda is not None:
            engagement = self.agenda.taken_up(block.id)
        bots = [self._roster.expect(participant) for participant in participants]
        patience = self._terms.patience.at(given.time_control)
        taken = kept.recorded | {match.begun.position for match in kept.matches}
        running = self._block(
            TableType(given.game, given.options, len(bots), given.time_control),
            bots,
            block,
            [position for position in range(block.size) if position not in taken],
            engagement=engagement,
            engaged=given.engaged,
            awaited_until=self._timer.now() + patience.grace_seconds,
        )
        self._writer.snapshots.adopt(given)
        self._blocks.adopt(running)
        if running.casual:
            self.challenges.adopt(block, [VersionId(bot.candidate.bot) for bot in bots])
        running.resume(kept.matches)

    def remember(self, running: RunningBlock) -> None:
        """Note a kept block that has no running match and that the agenda will continue."""
        self._writer.snapshots.adopt(running)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold back new blocks during the context, while another referee's state is being read."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self.schedule()

    def schedule(self) -> None:
        """Schedule a look for tables to open, unless the director winds down."""
        if not self._winding_down:
            self._schedule.soon()

    def _room_again(self) -> None:
        if self._writer_full and not self._writer.full:
            self.schedule()

    def _open_tables(self) -> None:
        self._kept = None
        self._tables.look_again()
        while not (self._winding_down or self._held or self._writer.full) and self._open_one():
            pass
        self._writer_full = self._writer.full

    def _open_one(self) -> bool:
        now = self._timer.now()
        challenge = self.challenges.ready(now)
        if challenge is not None:
            wanted, block = challenge.wanted, challenge.block
            seated = self._by_chance(challenge.bots)
            self._begin(wanted.table_type, seated, block, range(block.size), challenge=challenge)
            return True
        for version, candidate in self._roster.changes(now):
            self._tables.note(version, candidate)
        held = self.challenges.held(now)
        kept = {bot.candidate.bot for bot in held}
        kept = {one for one in kept if self._roster.idlest(one, now, held, ladder=True) is None}
        if self._kept is None and self._engage_one(now, held):
            return True
        self._tables.exclude(kept.union(self._kept or ()))
        match self._tables.next(now):
            case LadderTable(table_type, candidates):
                block = Block(self._new_id(), BlockKind.SEAT, table_type.seats)
                # In random order: the bot that has played least is chosen first, and must not
                # always begin.
                chance = shuffled(KeyedRandomness(self._new_secret()), "seat", candidates)
                order = self._owed.arrange(table_type.key, chance)
                chosen = [candidate.bot for candidate in order]
                bots = self._copies(chosen, now, held, ladder=True)
                self._begin(table_type, bots, block, range(block.size))
                return True
            case float(ready_at):
                self._schedule.until(ready_at)  # only the pace delays the next table
        return False

    def _engage_one(self, now: float, held: Counter[ConnectedBot]) -> bool:
        """Begin a block of the agenda if one can begin, and return whether one did."""
        self._kept = ()
        if self.agenda is None or not (wanted := self.agenda.wanted):
            return False
        free = self._roster.free(wanted, now)
        free = [bot for bot in free if bot.free_places(now) > held[bot]]
        engagement = self.agenda.next_engagement(one_per_version(free))
        if engagement is None:
            self._kept = self.agenda.held(one_per_version(self._roster.eligible(wanted, now)))
            return False
        bots = self._copies(engagement.bots, now, held, ladder=False)
        block, left = engagement.block, engagement.left
        self._begin(engagement.table_type, bots, block, left, engagement=engagement)
        self._kept = None
        return True

    def _copies(
        self, versions: Iterable[int], now: float, held: Counter[ConnectedBot], *, ladder: bool
    ) -> list[ConnectedBot]:
        """Return a free copy of each version, as `Roster.idlest`; each must have one."""
        found = []
        for version in versions:
            bot = self._roster.idlest(version, now, held, ladder=ladder)
            assert bot is not None, f"version {version} was chosen and has no free copy"
            found.append(bot)
        return found

    def _by_chance(self, bots: Sequence[ConnectedBot]) -> tuple[ConnectedBot, ...]:
        return shuffled(KeyedRandomness(self._new_secret()), "seat", bots)

    def _show(self, match: ShowableMatch, tournament: str) -> None:
        if self.audience is not None:
            self.audience.begins(match, tournament)

    def _begin(
        self,
        table_type: TableType,
        bots: Sequence[ConnectedBot],
        block: Block,
        left: Sequence[int],
        *,
        engagement: Engagement | None = None,
        challenge: ChallengeRun | None = None,
    ) -> None:
        running = self._block(
            table_type,
            bots,
            block,
            left,
            engagement=engagement,
            challenge=challenge,
            engaged=engagement is not None,
        )
        self._blocks.begin(running)
        running.play_on()

    def _release(self, running: BlockRun, ending: EngagementEnd) -> None:
        rest = self._blocks.end(running)
        if rest is not None:
            self._schedule.at(rest)
        if running.challenge is not None:
            self.challenges.over(running.challenge, running.time.played, ending)
        elif running.casual:
            self.challenges.adopted_over(running.block.id)
        if running.engagement is not None and self.agenda is not None:
            running.engagement.left = running.left
            self.agenda.ended(running.engagement, ending)
        if self._winding_down and not self._blocks:
            self.on_idle()
        self._schedule.block_ended(running.time.seconds, len(self._blocks))
