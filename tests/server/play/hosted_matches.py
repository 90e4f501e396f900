"""Fixtures of hosted matches: the match, its players, the timer."""

from collections.abc import Sequence
from typing import Any

from arena.codec.transcript import to_bytes
from arena.games import make_game
from arena.match.clock import TimeControl
from arena.match.flow import PublicMoment
from arena.match.result import Result
from arena.match.transcript import Entrant, Setup, Transcript
from arena.server.play.hosted_match import HostedMatch, Outcome
from tests.fakes import FakePlayer, HandTimer

MATCH_ID = "11111111-2222-4333-8444-555555555555"
SECRET = bytes(range(32))


class Watcher:
    """A follower of the match."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def see(self, moment: PublicMoment) -> None:
        self.seen.append(moment)

    def over(self, result: Result | None) -> None:
        self.seen.append(result)


class Scene:
    """Everything about one match. `bots` are by seat."""

    def __init__(
        self,
        game: str = "bluff",
        seats: int = 2,
        *,
        turn_ms: int = 2_000,
        bank_ms: int = 30_000,
        fault_limit: int = 3,
        setup_type: type[Setup] = Setup,
        **options: Any,
    ) -> None:
        if game == "bluff":
            options.setdefault("start_mode", "seat")
        self.timer = HandTimer()
        self.bots = [FakePlayer() for _ in range(seats)]
        self.outcomes: list[Outcome] = []
        setup = setup_type(
            match_id=MATCH_ID,
            game=game,
            options=make_game(game, options).options,
            entrants=tuple(Entrant(f"bot{seat}", "1", "us") for seat in range(seats)),
            time_control=TimeControl(turn_ms, bank_ms),
            fault_limit=fault_limit,
        )
        self.table = HostedMatch(setup, self.bots, SECRET, self.timer, self._done)

    def _done(self, table: HostedMatch, outcome: Outcome) -> None:
        assert table is self.table
        self.outcomes.append(outcome)

    @property
    def transcript(self) -> Transcript:
        assert self.table.transcript is not None
        return self.table.transcript

    @property
    def faults(self) -> list[tuple[int, str]]:
        """(seat, kind) of all faults of the finished match, in order."""
        return [
            (step.actor, step.fault.value)
            for step in self.transcript.steps
            if step.fault is not None and isinstance(step.actor, int)
        ]

    def begin(self) -> "Scene":
        """Offer the match and let everybody join."""
        self.table.open()
        for bot in self.bots:
            bot.join()
        return self

    def open_turns(self) -> list[int]:
        """The seats that could answer now."""
        return [seat for seat, bot in enumerate(self.bots) if self._is_open(bot)]

    def _is_open(self, bot: FakePlayer) -> bool:
        newest = max((b.turns[-1].number for b in self.bots if b.turns), default=0)
        # Questions of one moment have consecutive numbers; tests with ballots know better.
        return bool(bot.turns) and bot.turns[-1].number == newest

    def play_on(self, *, without: Sequence[int] = ()) -> None:
        """Let the bots answer until the match is over or one of `without` is asked."""
        for _ in range(10_000):
            if self.outcomes:
                return
            acted = [bot.act() for seat, bot in enumerate(self.bots) if self._acts(seat, without)]
            if not any(acted):
                return
        raise AssertionError("the match does not end")

    def _acts(self, seat: int, without: Sequence[int]) -> bool:
        return seat not in without and bool(self.bots[seat].turns) and not self.outcomes

    def announce(self) -> None:
        """What happens once the match is recorded."""
        self.table.announce(to_bytes(self.transcript))
