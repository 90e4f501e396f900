"""An attempt at a rung: the agent's bot, as a program of its own, plays matches against it."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.builds.build import Build, unpack
from arena.commands.terminal import json_text
from arena.lab.analysis import BotAnalysis, MatchAnalysis, analyse, analyse_bot
from arena.local.benchmark import VALUED_MATCHES, Rung, RungShare, RungTally, seen_blocks
from arena.local.deal_blocks import NamedBot
from arena.local.match_luck import solved_values
from arena.local.playing import Where
from arena.local.programs.program import BotProgramError
from arena.match.clock import TimeControl
from arena.match.flow import Refused
from arena.match.transcript_json import to_json
from arena.worker.confine import confined_command
from arena.worker.program import command_of

BOT: Final = "bot"
"""The name of the agent's bot in its matches."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of an attempt."""

    rung: str
    seed: str
    share: RungShare | None
    """The share that the bot won, with its interval; None if it could not play to the end."""
    faults: tuple[Refused, ...]
    analysed: tuple[tuple[int, MatchAnalysis], ...]
    """The analyses of the first matches, each with the bot's seat."""
    why_not: str = ""
    """Why it could not play."""

    @property
    def analysis(self) -> BotAnalysis | None:
        """The analysis of its decisions in the analysed matches; None if none has a value."""
        return analyse_bot(match.seats[seat] for seat, match in self.analysed)

    @property
    def beaten(self) -> bool:
        """Whether the bot is shown to be stronger than the rung."""
        return self.share is not None and self.share.ahead


@contextmanager
def _program(build: Build, *, confined: bool) -> Iterator[tuple[NamedBot, str]]:
    """Provide the bot of a build, and the address where programs connect.

    Raises BuildRefusedError.
    """
    with tempfile.TemporaryDirectory(prefix="arena-climb-") as scratch:
        folder, socket = Path(scratch, "files"), Path(scratch, "play.sock")
        # The sandbox's user must see the files and reach the socket.
        Path(scratch).chmod(0o755)
        folder.mkdir(mode=0o755)
        unpack(build, folder)
        program = command_of(build)
        if confined:
            command = confined_command(folder, socket, program)
            yield NamedBot(BOT, "", tuple(command)), f"unix:{socket}"
        else:
            # A program's words are relative to its folder.
            words = ("sh", "-c", 'cd "$0" && exec "$@"', str(folder), *program)
            yield NamedBot(BOT, "", words), "127.0.0.1:0"


def attempt(
    build: Build,
    rung: Rung,
    seed: str,
    place: Path,
    control: TimeControl,
    *,
    confined: bool,
    z: float,
    advance: Callable[[], None] = lambda: None,
) -> Attempt:
    """Play an attempt.

    Args:
        build: The agent's bot.
        rung: The opponent, and the number of blocks of two matches.
        seed: The seed of the deals.
        place: The folder of the round.
        control: The time control.
        confined: Whether the bot plays in the sandbox.
        z: The half width of the interval, in standard errors.
        advance: Called when a match was played, and again when its luck is known.

    Raises:
        BuildRefusedError: This machine lacks what the bot needs.
        SandboxError: Nothing can be confined here.
    """
    logs = place / rung.bot
    logs.mkdir(exist_ok=True)
    tally = RungTally(rung.bot, solved_values())
    analysed = list[tuple[int, MatchAnalysis]]()
    with (
        _program(build, confined=confined) as (bot, address),
        (place / f"{rung.bot}.jsonl").open("w", encoding="utf-8") as file,
    ):
        where = Where(logs=logs, address=address)
        try:
            with closing(seen_blocks(bot, rung, seed, where, control)) as blocks:
                for block in blocks:
                    tally.add(block)
                    for seen in block:
                        file.write(json_text(to_json(seen.transcript), compact=True) + "\n")
                        if len(analysed) < VALUED_MATCHES:
                            analysed.append((seen.seat, analyse(seen.transcript)))
                        advance()
        except BotProgramError as error:
            return Attempt(rung.bot, seed, None, tuple(tally.faults), tuple(analysed), str(error))
    share = tally.share(z, advance)
    return Attempt(rung.bot, seed, share, tuple(tally.faults), tuple(analysed))
