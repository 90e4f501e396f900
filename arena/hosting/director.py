"""The director: runs the rated ladder by seating connected bots in blocks, until stopped.

Blocks of the agenda, if there is one, are played before blocks of the ladder.

A block is opened when its bots have a free place. Its rotations are played one after the other,
and it holds the places until it ends. A bot that does not join, or forfeits by its faults, gets no
offers for a while, so that it costs the others little. Declining does not count against a bot: the
copy that declined gets no offers for a moment, not even the next match of its block, so that it
can disconnect cleanly. When a block ends because a bot, which knows its opponents by then, declines
or is not there for the next match, no copy of the version begins another for the same moment.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from arena.hosting.agenda import Agenda, Engagement, EngagementEnd
from arena.hosting.block_run import BlockRun
from arena.hosting.block_services import BlockServices
from arena.hosting.challenge_book import ChallengeBook
from arena.hosting.challenges import ChallengeRun
from arena.hosting.connected_bots import ConnectedBot, one_per_version
from arena.hosting.gathering import Gathering
from arena.hosting.journal import Journal
from arena.hosting.ladder_tables import LadderTable, LadderTables
from arena.hosting.owed_seats import OwedSeats
from arena.hosting.ports import Audience, Cancellable, Participant, ShowableMatch, Timer
from arena.hosting.roster import Roster, leave_out
from arena.hosting.running_blocks import RunningBlocks
from arena.hosting.terms import Terms
from arena.identifiers import new_id
from arena.match.transcript import Transcript
from arena.randomness import KeyedRandomness, shuffled
from arena.records import Block, BlockKind, KeptBlock, RunningBlock, VersionId
from arena.scheduling.ladder import MeetingCounts, TableType
from arena.scheduling.strengths import Strengths


class Director:
    """Runs the ladder among the connected bots, until stopped."""

    def __init__(
        self,
        table_types: Sequence[TableType],
        counts: MeetingCounts,
        journal: Journal,
        timer: Timer,
        new_secret: Callable[[], bytes],
        write_down: Callable[[Transcript], bytes],
        terms: Terms = Terms(),
        wall_clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        strengths: Strengths | None = None,
    ) -> None:
        strengths = strengths or Strengths()
        self._tables = LadderTables(table_types, counts, strengths, terms.house_pace)
        self._journal = journal
        self._timer = timer
        self._new_secret = new_secret
        self._terms = terms
        self._roster = Roster()
        self._owed = OwedSeats()
        self._blocks = RunningBlocks(self._roster, self._tables, counts, timer)
        self.challenges = ChallengeBook(self._roster, timer, self._by_chance, self.schedule)
        self._services = BlockServices(
            journal,
            timer,
            new_secret,
            write_down,
            terms,
            wall_clock,
            missed=self._leave_out,
            declined=self._offer_nothing_for_a_moment,
            left=self._begin_no_block_for_a_moment,
            proved=self._end_probation,
            over=self._release,
            owed=self._owed,
            showable=self._show,
            learn=strengths.learn,
        )
        self._gathering = Gathering()
        self._gathered: Cancellable | None = None
        """Set while tables are looked for later, so that more blocks end before."""
        self._pass_due = False
        self._alarm: Cancellable | None = None
        """Set while only the pace delays the next table."""
        self._winding_down = self._held = False
        self.on_idle: Callable[[], None] = lambda: None
        """Called when the last running block ends after `wind_down`."""
        self.agenda: Agenda | None = None
        self.audience: Audience | None = None
        self._journal_full = False
        """Whether tables were not looked for because results wait to be recorded."""
        journal.listeners.append(self._recorded)

    @property
    def running(self) -> int:
        """Matches being played or offered."""
        return len(self._blocks)

    def showable_matches(self) -> Iterator[tuple[ShowableMatch, str]]:
        """The matches that are being played, each with the name of its tournament or ""."""
        for block in self._blocks:
            for match in block.matches:
                if match.running:
                    yield match, block.tournament

    def arrive(self, participant: Participant) -> None:
        """A bot is connected, perhaps again, and ready for offers."""
        bot = self._roster.arrive(participant)
        self._count(bot)
        self.schedule()
        self._blocks.returned(bot)

    def depart(self, participant: Participant) -> None:
        """Handle a disconnect; the running matches wait for the bot by themselves."""
        self._gone(self._roster.depart(participant))

    def places_changed(self, participant: Participant) -> None:
        """A bot plays more or fewer matches at once than before."""
        bot = self._roster.places_changed(participant)
        if bot is not None:
            self._count(bot)
        self.schedule()

    def _count(self, bot: ConnectedBot) -> None:
        """Let the ladder count on a bot, or no more: nobody keeps places for one that has none."""
        stays = bot.present and not bot.draining
        if stays and bot.rated and bot.participant.max_matches:
            self._tables.came(bot)
        else:
            self._tables.left(bot)

    def knows(self, participant: Participant) -> bool:
        """Whether a bot is connected, or blocks hold places of it."""
        return self._roster.knows(participant)

    def drain(self, participant: Participant) -> None:
        """A bot asks to leave: it begins no further block and is told when its blocks are over."""
        self._gone(self._roster.drain(participant))

    def _gone(self, bot: ConnectedBot | None) -> None:
        if bot is not None:
            self._tables.left(bot)
            self.schedule()

    def wind_down(self) -> None:
        """Begin no further block; running blocks are played to their end."""
        self._winding_down = True
        if not self._blocks:
            self.on_idle()

    @property
    def winding_down(self) -> bool:
        """Whether no further block begins, for good."""
        return self._winding_down

    def suspend(self) -> None:
        """Stop all matches as they are: they are kept, and another referee continues them."""
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
        running = BlockRun(
            self._services,
            TableType(given.game, given.options, len(bots), given.time_control),
            bots,
            block,
            [position for position in range(block.size) if position not in taken],
            engagement=engagement,
            engaged=given.engaged,
            awaited_until=self._timer.now() + patience.grace_seconds,
        )
        self._journal.keeping.adopt(given)
        self._blocks.adopt(running)
        if running.casual:
            self.challenges.adopt(block, [VersionId(bot.candidate.bot) for bot in bots])
        running.resume(kept.matches)

    def remember(self, running: RunningBlock) -> None:
        """Note that a block is kept of which no match runs, and which the agenda will continue."""
        self._journal.keeping.adopt(running)

    @contextmanager
    def held(self) -> Iterator[None]:
        """A context in which no block begins: what another referee left is being read."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self.schedule()

    def schedule(self) -> None:
        """Look for tables to open, soon; several calls until then cause one look."""
        if not self._pass_due and not self._winding_down:
            self._pass_due = True
            self._timer.call_at(self._timer.now(), self._open_tables)

    def _recorded(self) -> None:
        if self._journal_full and not self._journal.full:
            self.schedule()

    def _open_tables(self) -> None:
        self._pass_due = False
        for alarm in (self._alarm, self._gathered):
            if alarm is not None:
                alarm.cancel()
        self._alarm = self._gathered = None
        self._gathering.looked()
        self._tables.look_again()
        while not (self._winding_down or self._held or self._journal.full) and self._open_one():
            pass
        self._journal_full = self._journal.full

    def _open_one(self) -> bool:
        now = self._timer.now()
        challenge = self.challenges.ready(now)
        if challenge is not None:
            self._play(challenge)
            return True
        for version, candidate in self._roster.changes(now):
            self._tables.note(version, candidate)
        held = self.challenges.held(now)
        kept = {bot.candidate.bot for bot in held}
        kept = {one for one in kept if self._roster.idlest(one, now, held) is None}
        if self.agenda is not None and (wanted := self.agenda.wanted):
            free = self._roster.free(wanted, now)
            free = [bot for bot in free if bot.free_places(now) > held[bot]]
            engagement = self.agenda.next_engagement(one_per_version(free))
            if engagement is not None:
                self._engage(engagement, now, held)
                return True
            kept.update(self.agenda.held(one_per_version(self._roster.eligible(wanted, now))))
        self._tables.exclude(kept)
        match self._tables.next(now):
            case LadderTable(table_type, candidates):
                block = Block(new_id(), BlockKind.SEAT, table_type.seats)
                # By chance: whoever plays least is chosen first, and must not always begin.
                chance = shuffled(KeyedRandomness(self._new_secret()), "seat", candidates)
                order = self._owed.arrange(table_type.key, chance)
                bots = self._copies([candidate.bot for candidate in order], now, held)
                self._begin(BlockRun(self._services, table_type, bots, block, range(block.size)))
                return True
            case float(ready_at):
                self._alarm = self._timer.call_at(ready_at, self.schedule)
        return False

    def _copies(
        self, versions: Iterable[int], now: float, held: Counter[ConnectedBot]
    ) -> list[ConnectedBot]:
        """A free copy of each version; each must have one."""
        found = []
        for version in versions:
            bot = self._roster.idlest(version, now, held)
            assert bot is not None, f"version {version} was chosen and has no free copy"
            found.append(bot)
        return found

    def _play(self, challenge: ChallengeRun) -> None:
        wanted = challenge.wanted
        self._begin(
            BlockRun(
                self._services,
                wanted.table_type,
                self._by_chance(challenge.bots),
                challenge.block,
                range(challenge.block.size),
                challenge=challenge,
            )
        )

    def _by_chance(self, bots: Sequence[ConnectedBot]) -> tuple[ConnectedBot, ...]:
        return shuffled(KeyedRandomness(self._new_secret()), "seat", bots)

    def _engage(self, engagement: Engagement, now: float, held: Counter[ConnectedBot]) -> None:
        bots = self._copies(engagement.bots, now, held)
        self._begin(
            BlockRun(
                self._services,
                engagement.table_type,
                bots,
                engagement.block,
                engagement.left,
                engagement=engagement,
                engaged=True,
            )
        )

    def _show(self, match: ShowableMatch, tournament: str) -> None:
        if self.audience is not None:
            self.audience.begins(match, tournament)

    def _begin(self, running: BlockRun) -> None:
        self._blocks.begin(running)
        running.play_on()

    def _release(self, running: BlockRun, ending: EngagementEnd) -> None:
        rest = self._blocks.end(running)
        if rest is not None:
            self._timer.call_at(rest, self.schedule)
        if running.challenge is not None:
            self.challenges.over(running.challenge, running.time.played, ending)
        elif running.casual:
            self.challenges.adopted_over(running.block.id)
        if running.engagement is not None and self.agenda is not None:
            running.engagement.left = running.left
            self.agenda.ended(running.engagement, ending)
        if self._winding_down and not self._blocks:
            self.on_idle()
        self._gather(running)

    def _gather(self, ended: BlockRun) -> None:
        wait = self._gathering.ended(ended.time.seconds, len(self._blocks))
        if not wait:
            self.schedule()
        elif self._gathered is None:
            self._gathered = self._timer.call_at(self._timer.now() + wait, self.schedule)

    def _offer_nothing_for_a_moment(self, bot: ConnectedBot) -> None:
        seconds = self._terms.patience.decline_seconds
        now = self._timer.now()
        until = bot.reliability.declined(bot.participant.instance, now, seconds)
        self._roster.reliability_changed(bot)
        self._timer.call_at(until, self.schedule)

    def _begin_no_block_for_a_moment(self, bot: ConnectedBot) -> None:
        seconds = self._terms.patience.decline_seconds
        until = bot.reliability.left_block(self._timer.now(), seconds)
        self._roster.reliability_changed(bot)
        self._timer.call_at(until, self.schedule)

    def _end_probation(self, bot: ConnectedBot) -> None:
        bot.on_probation = False
        self._roster.reliability_changed(bot)
        self.schedule()

    def _leave_out(self, bot: ConnectedBot) -> None:
        until = leave_out(bot, self._timer.now())
        self._roster.reliability_changed(bot)
        if until is not None:
            self._timer.call_at(until, self.schedule)
