"""`Bridge`: the program or programs of a run, and their answers.

UserError
└── ProgramError    the program failed; ends the command with code 1
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from arena.bot import AnyAction, Match, NoAnswerError, Turn, Usage
from arena.bridge import lines
from arena.bridge.lines import AnswerLine, LineError
from arena.bridge.program import Program
from arena.codec import bot_side
from arena.errors import UserError
from arena.games.notation import NotationError
from arena.v1 import game_pb2
from arena.validation_errors import json_excerpt

_log = logging.getLogger("arena.bot")

LEAST_SECONDS = 0.5
"""The shortest time that the bridge waits for an answer, however little time is left.

The referee decides whether the answer is late.
"""
MOST_UNANSWERED = 3
"""The number of turns in a row without a line after which a program may count as hung.

It must also have been silent for SILENT_SECONDS.
"""
SILENT_SECONDS = 10.0
"""The silence, in seconds, after which a program may count as hung.

With short turns, three of them may pass while a machine is merely busy.
"""


class ProgramError(UserError):
    """The failure of a program that ended, hung or wrote an invalid answer.

    The message says which.
    """

    exit_code: ClassVar[int] = 1


class Bridge:
    """One program for all matches, or with `per_match` one for each match.

    Once a program has failed, the bridge asks none any more, and all turns go without an answer:
    the referee then plays default actions at once, and the other bots need not wait.
    """

    def __init__(
        self,
        command: Sequence[str],
        hello: str,
        failed: Callable[[], None],
        *,
        per_match: bool = False,
        silent_seconds: float = SILENT_SECONDS,
    ) -> None:
        """Prepare the bridge without starting a program.

        `failed` is called once, in any thread, when `failure` has been set. A program that is asked
        and silent for `silent_seconds` may count as hung.
        """
        self._command = command
        self._hello = hello
        self._failed = failed
        self._failing = threading.Lock()
        self.failure: str | None = None
        """The first failure, as a sentence."""
        self._by_match: dict[str, Program] = {}
        self._launching = threading.Lock()
        """The lock under which programs are started one by one, and ended after the last start."""
        self._started: list[Program] = []
        self._silent_seconds = silent_seconds
        self._per_match = per_match
        self._shared: Program | None = None

    def open(self) -> None:
        """Start the program, unless each match has its own."""
        if not self._per_match:
            self._shared = self._launch()

    def _launch(self) -> Program:
        with self._launching:
            program = Program(self._command, self._ended)
            self._started = [one for one in self._started if one.process.poll() is None]
            self._started.append(program)
        program.tell(self._hello)
        return program

    def start(self, match: Match[Any]) -> None:
        """Tell a program that a match starts, or starts again.

        A match starts again if the referee lost its newest turns.
        """
        self.over(match.match_id)
        program = self._shared or self._launch()
        self._by_match[match.match_id] = program
        program.tell(lines.start(match))

    def tell(self, match_id: str, line: str) -> None:
        """Send a line to the program of a match that has started."""
        self._by_match[match_id].tell(line)

    def over(self, match_id: str) -> None:
        """Record that a match is over, and end its program if it is the match's own."""
        program = self._by_match.pop(match_id, None)
        if program is not None and program is not self._shared:
            program.close()

    def close(self) -> None:
        """End all programs, and wait until they have ended."""
        with self._launching:
            for program in self._started:
                program.close()
            for program in self._started:
                program.wait()

    def ask(self, turn: Turn[Any, Any, Any, Any], note: Callable[[Any, Any], None]) -> AnyAction:
        """Return the program's action, and pass its note and usage to `note`.

        Raises NoAnswerError if the program gives no valid answer in time.
        """
        # The lock: the bot must ask to leave before any turn goes without an answer.
        with self._failing:
            if self.failure is not None:
                raise NoAnswerError(self.failure)
        asked = turn.match_id, turn.number
        program = self._by_match[turn.match_id]
        unanswered = program.unanswered
        program.tell(lines.turn(turn))
        unanswered.asked(asked, time.monotonic())
        allowed = (turn.turn_ms + turn.bank_ms) / 1000
        deadline = time.monotonic() + max(allowed, LEAST_SECONDS)
        while True:
            try:
                line = program.hear(deadline - time.monotonic())
            except TimeoutError:
                raise self._not_answered(program) from None
            if line is None:
                raise self._failure(program.how_it_ended())
            answer = self._read(line)
            given = answer.match_id, answer.turn_number
            if not unanswered.answered(given):
                raise self._failure(
                    f"answered turn {answer.turn_number} of match "
                    f"{json_excerpt(answer.match_id)}, for which it was not asked"
                )
            if given == asked:
                if answer.note is not None or answer.usage is not None:
                    note("" if answer.note is None else answer.note, _usage(answer.usage))
                return _action(turn, answer.action)

    def _read(self, line: bytes) -> AnswerLine:
        try:
            return lines.read_answer(line)
        except LineError as error:
            shown = json_excerpt(line.decode("utf-8", "replace").rstrip("\n"))
            raise self._failure(f"wrote a line that is no answer, {shown}: {error}") from error

    def _failure(self, how: str) -> NoAnswerError:
        return NoAnswerError(self._fail(how))

    def _not_answered(self, program: Program) -> NoAnswerError:
        turns = program.unanswered.turns_in_silence
        silent = time.monotonic() - program.unanswered.silent_since
        if turns >= MOST_UNANSWERED and silent >= self._silent_seconds:
            return self._failure(
                f"hangs: asked in {turns} turns, it wrote nothing for {silent:.0f} s; it must "
                "flush its stdout after each line"
            )
        return NoAnswerError("The program did not answer in time.")

    def _ended(self, program: Program) -> None:
        self._fail(program.how_it_ended())

    def _fail(self, how: str) -> str:
        """Record the first failure of a program and ask to leave; return that failure."""
        with self._failing:
            if self.failure is None:
                self.failure = f"The program {how}."
                _log.error("%s Leaving.", self.failure)
                self._failed()
            return self.failure


def _usage(value: Any) -> Any:
    """Return the usage in a JSON value; return any other value for the SDK to refuse."""
    known = isinstance(value, dict) and value.keys() <= set(Usage._fields)
    return Usage(**value) if known else value


def _action(turn: Turn[Any, Any, Any, Any], value: object) -> AnyAction:
    """Return the action of a JSON value.

    Raises NoAnswerError for a value that is no action of the game.
    """
    game = turn.game
    try:
        action = game.view_notation.answer_from_json(value, ("action",))
        bot_side.write_action(game.name, action, game_pb2.Action())
    except (NotationError, TypeError, ValueError) as error:
        raise NoAnswerError(f"No action of {game.title}: {error}.") from error
    return action
