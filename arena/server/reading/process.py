"""A process or thread that answers the reading calls, so that they do not block the event loop.

`ReadingProcess` runs this module as a program and talks to it over pipes.

The process starts with the first call, has a lower priority than the referee (niceness), and ends
with it. Frames are those of multiprocessing.connection. The first frame holds the database's
address, which is secret. A request frame is the call's name, a line feed and the request. A reply
frame is the name of a status (empty for success), a line feed, and the response or an error
message.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import IO, Final, Protocol

import grpc
import structlog

from arena.database.errors import DatabaseUnreachableError, RecordRefusedError
from arena.database.reading import open_reader
from arena.errors import INTERNAL_ERROR
from arena.processes import PIPE, Process, module_command, spawn, stop
from arena.server.reading.calls import ReadingAnswer, ReadingCalls

NICENESS: Final = 5
MOST_SECONDS: Final = 70.0
"""The process is killed if an answer takes longer; a database statement takes at most 60 s."""

log = structlog.get_logger()


class ReadingWorker(Protocol):
    """Answers reading calls outside the event loop."""

    async def __call__(self, call: str, request: bytes) -> ReadingAnswer:
        """Return the answer; its status is UNAVAILABLE while the database does not answer."""
        ...

    def close(self) -> None:
        """Stop answering."""
        ...


class ReadingThread:
    """Answers in a thread: for tests and for local arenas."""

    def __init__(self, answers: ReadingCalls) -> None:
        self._answers = answers
        self._thread = ThreadPoolExecutor(1, "answers")

    async def __call__(self, call: str, request: bytes) -> ReadingAnswer:
        loop = asyncio.get_running_loop()
        answered = loop.run_in_executor(self._thread, _answer, self._answers, call, request)
        return _public(call, await answered)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


class ReadingProcess:
    """Answers in a separate process, which is started again if it has ended."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._thread = ThreadPoolExecutor(1, "answers")
        self.process: Process | None = None
        self._pipes: tuple[Connection, Connection] | None = None
        """The pipes for requests and for replies."""

    async def __call__(self, call: str, request: bytes) -> ReadingAnswer:
        if self.process is None or self.process.poll() is not None:
            self.process = spawn(
                module_command("arena.server.reading.process"),
                stdin=PIPE,
                stdout=PIPE,
                niceness=NICENESS,
            )
            self._pipes = _connection(self.process.stdin), _connection(self.process.stdout)
            self._pipes[0].send_bytes(self._url.encode())
        loop = asyncio.get_running_loop()
        overdue = loop.call_later(MOST_SECONDS, self.process.kill)
        try:
            answer = await loop.run_in_executor(self._thread, self._ask, call, request)
        except (EOFError, OSError, ValueError):
            log.error("the reading process ended; the next call starts it again", call=call)
            return ReadingAnswer(b"try again", grpc.StatusCode.UNAVAILABLE.name)
        finally:
            overdue.cancel()
        return _public(call, answer)

    def close(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            stop(process, patience=1.0)
        pipes, self._pipes = self._pipes, None
        for pipe in pipes or ():
            pipe.close()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _ask(self, call: str, request: bytes) -> ReadingAnswer:
        if self._pipes is None:
            raise EOFError
        requests, replies = self._pipes
        requests.send_bytes(f"{call}\n".encode() + request)
        status, _, content = replies.recv_bytes().partition(b"\n")
        return ReadingAnswer(content, status.decode())


def _answer(
    answers: Callable[[str, bytes], ReadingAnswer], call: str, request: bytes
) -> ReadingAnswer:
    try:
        return answers(call, request)
    except DatabaseUnreachableError as error:
        return ReadingAnswer(str(error).encode(), grpc.StatusCode.UNAVAILABLE.name)
    except RecordRefusedError as error:  # values that no column holds, such as a number too large
        return ReadingAnswer(str(error).encode(), grpc.StatusCode.INVALID_ARGUMENT.name)
    except Exception as error:
        return ReadingAnswer(repr(error).encode(), grpc.StatusCode.INTERNAL.name)


def _public(call: str, answer: ReadingAnswer) -> ReadingAnswer:
    """Return the answer to send; internal errors are logged instead of sent."""
    if answer.status == grpc.StatusCode.UNAVAILABLE.name:
        log.error("database unreachable", why=answer.content.decode())
        return ReadingAnswer(
            b"the arena's database does not answer; try again later", answer.status
        )
    if answer.status == grpc.StatusCode.INTERNAL.name:
        log.error("call failed", call=call, why=answer.content.decode())
        return ReadingAnswer(INTERNAL_ERROR.encode(), answer.status)
    return answer


def _connection(pipe: IO[bytes] | None) -> Connection:
    assert pipe is not None
    with pipe:
        return Connection(os.dup(pipe.fileno()))


def main() -> None:
    """Answer requests until the pipe is closed."""
    requests, replies = Connection(os.dup(0)), Connection(os.dup(1))
    os.dup2(2, 1)  # printed text must not get among the answers
    with open_reader(requests.recv_bytes().decode()) as read:
        answers = ReadingCalls(read)
        while True:
            try:
                call, _, request = requests.recv_bytes().partition(b"\n")
            except EOFError:
                return
            answer = _answer(answers, call.decode(), request)
            replies.send_bytes(f"{answer.status}\n".encode() + answer.content)


if __name__ == "__main__":
    main()
