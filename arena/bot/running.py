"""`run`: runs a bot class as a program, with arguments, environment, log and exit code."""

import argparse
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from arena.addresses import DEFAULT_ADDRESS
from arena.bot.bot import AnyBot
from arena.bot.log import set_up_log

_LAST_THREADS_S = 1.0
"""The time that the program waits for threads of its streams at the end, in seconds."""

_log = logging.getLogger("arena.bot")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run, from the arguments and the environment."""

    address: str
    token: str
    instance: str
    strict: bool
    verbose: bool
    challenges: bool = False
    """Whether the bot also accepts challenges: unrated matches."""


def run(bot: type[AnyBot], arguments: Sequence[str] | None = None) -> None:
    """Play rated matches with `bot` until Ctrl-C; call this in the last line of the bot's file.

    After the first Ctrl-C (or SIGTERM) running blocks are played to their end; the second leaves at
    once and forfeits them. While there is no connection the first leaves at once.

    Args:
        bot: The class of the bot.
        arguments: The command-line arguments (default: `sys.argv[1:]`); [] for a program that has
            its own.

    Raises:
        SystemExit: Code 2, with a message, if there is no token or the referee refuses it; code 1
            if a check fails and --strict was given.
    """
    settings = read_settings(bot, sys.argv[1:] if arguments is None else arguments, os.environ)
    BotRun(bot, settings).play()


class BotRun:
    """A run of a bot. It sets up the log and, in the main thread, the handling of Ctrl-C.

    It ends the program like `run` if the token is missing or malformed.
    """

    def __init__(self, bot: type[AnyBot], settings: RunSettings) -> None:
        if not settings.token:
            _leave("Set ARENA_TOKEN to the bot's token (`arena bot new` prints it).", 2)
        foreign = sorted({one for one in settings.token if not "!" <= one <= "~"})
        if foreign:
            _leave(
                f"ARENA_TOKEN contains {', '.join(map(repr, foreign))}, which no token does: set "
                "it to the one that `arena bot new` printed.",
                2,
            )
        set_up_log(verbose=settings.verbose)
        # gRPC reads this on import. Its own log is off: the bot's log reports what matters.
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")
        # Imported here, so that `arena play` can run the same file without loading gRPC.
        from arena.bot.conversation import Conversation
        from arena.bot.referees import Referees

        self._settings = settings
        self._conversation = Conversation(
            bot,
            instance=settings.instance,
            strict=settings.strict,
            challenges=settings.challenges,
        )
        self._referees = Referees(self._conversation)
        self._left = threading.Event()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._stop)

    def play(self) -> None:
        """Play until the bot has left; end the program as `run` does."""
        from arena.bot.address import Address, AddressError
        from arena.bot.connection import RefusedError, TakenOverError, keep_playing
        from arena.bot.conversation import CheckFailedError

        tally, settings = self._conversation.tally, self._settings
        others = set(threading.enumerate())
        try:
            with suppress(KeyboardInterrupt):
                address = Address.parse(settings.address, os.environ)
                keep_playing(self._referees, address, settings.token, self._pause)
            _log.info("Stopped. %s", tally)
        except TakenOverError as end:
            _log.info("%s %s", end, tally)
        except (AddressError, RefusedError) as error:
            _leave(str(error), 2)
        except CheckFailedError as error:
            _leave(str(error), 1)
        finally:
            _let_threads_end(others)

    def leave(self) -> None:
        """Begin to leave, as the first Ctrl-C does; any thread may call this."""
        referees = self._referees
        if referees.leaving:
            return
        referees.leave()
        if referees.up and referees.gone:  # no answer will come, so leave the stream at once
            os.kill(os.getpid(), signal.SIGTERM)
        self._left.set()

    def _stop(self, _number: int, _frame: object) -> None:
        referees = self._referees
        if referees.leaving or not referees.up:
            raise KeyboardInterrupt
        referees.leave()
        if referees.gone:
            raise KeyboardInterrupt
        self._left.set()
        _log.info(
            "Leaving when the running blocks are over; %d matches run or wait for their result. "
            "Ctrl-C again leaves at once: matches still running are then forfeited unless the bot "
            "is soon back.",
            referees.running,
        )

    def _pause(self, seconds: float) -> None:
        """Wait before the next attempt; if the bot begins to leave meanwhile, return early."""
        if self._left.is_set():
            time.sleep(seconds)
        else:
            self._left.wait(seconds)


def read_settings(
    bot: type[AnyBot], arguments: Sequence[str], environment: Mapping[str, str]
) -> RunSettings:
    """Return the settings; arguments override the environment.

    The token has no argument, because process lists show arguments. Ends the program with code 2
    and argparse's message for unknown arguments.
    """
    parser = argparse.ArgumentParser(
        description=(bot.__doc__ or "").split("\n")[0],
        epilog="The bot's token is read from the environment variable ARENA_TOKEN.",
    )
    parser.add_argument(
        "--address",
        default=environment.get("ARENA_ADDRESS") or DEFAULT_ADDRESS,
        help="host:port of the referee, or https://host:port (ARENA_ADDRESS; now %(default)s)",
    )
    parser.add_argument(
        "--instance",
        default=environment.get("ARENA_INSTANCE", ""),
        help="a name for this copy, when several of the same bot run at once (ARENA_INSTANCE)",
    )
    parser.add_argument(
        "--strict", action="store_true", help="stop when the verification of a match fails"
    )
    parser.add_argument(
        "--challenges",
        action="store_true",
        default=environment.get("ARENA_CHALLENGES", "").strip() not in ("", "0"),
        help="also play unrated matches that others ask for (ARENA_CHALLENGES=1)",
    )
    parser.add_argument("--verbose", action="store_true", help="log every match")
    chosen = parser.parse_args(arguments)
    token = environment.get("ARENA_TOKEN", "").strip()
    return RunSettings(
        chosen.address, token, chosen.instance, chosen.strict, chosen.verbose, chosen.challenges
    )


def _let_threads_end(others: set[threading.Thread]) -> None:
    """Wait for the threads that have started since `others` were listed; they are gRPC's.

    If the interpreter's shutdown cuts off a thread that holds a lock, the shutdown may wait for the
    lock, and the program would never end.
    """
    until = time.monotonic() + _LAST_THREADS_S
    with suppress(KeyboardInterrupt):
        for thread in set(threading.enumerate()) - others:
            thread.join(max(0.0, until - time.monotonic()))


def _leave(sentence: str, code: int) -> None:
    print(sentence, file=sys.stderr)
    sys.exit(code)
