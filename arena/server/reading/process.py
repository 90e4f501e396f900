"""A process or thread that answers the reading calls, so that they do not block the event loop.

`ReadingProcess` starts arena.server.reading.process as a program and exchanges frames with it over
its pipes.

The process starts with the first call, has a lower priority than the referee (niceness), and ends
with it. A frame is a length of four bytes and as many bytes of content. The first frame holds the
database's address, which is secret. A request frame is the call's name, a line feed and the
request; a reply frame is the name of a status (empty for success), a line feed, and the response or
an error message.
"""

import asyncio
import os
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
"""The process is killed if an answer takes longer; its statements take at most 60."""
_LENGTH: Final = struct.Struct(">I")

log = structlog.get_logger()


class ReadingWorker(Protocol):
    """An interface for answering reading calls outside the event loop."""

    async def __call__(self, call: str, request: bytes) -> ReadingAnswer:
        """Answer a call; the status is UNAVAILABLE while the database does not answer."""
        ...

    def close(self) -> None:
        """Stop answering."""
        ...


class ReadingThread:
    """A worker that answers in a thread: for tests and for arenas of this machine."""

    def __init__(self, answers: ReadingCalls) -> None:
        self._answers = answers
        self._thread = ThreadPoolExecutor(1, "answers")

    async def __call__(self, call: str, request: bytes) -> ReadingAnswer:
        """Answer a call in the thread."""
        loop = asyncio.get_running_loop()
        answered = loop.run_in_executor(self._thread, _answer, self._answers, call, request)
        return _public(call, await answered)

    def close(self) -> None:
        """Stop answering, and drop the requests that wait."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class ReadingProcess:
    """A worker that answers in a process of its own, restarted by the next call after it ended."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._thread = ThreadPoolExecutor(1, "answers")
        self.process: Process | None = None

    async def __call__(self, call: str, request: bytes) -> ReadingAnswer:
        """Answer a call in the process, which is started if it does not run.

        The status is UNAVAILABLE if the process ends before it has replied.
        """
        if self.process is None or self.process.poll() is not None:
            self.process = spawn(
                module_command("arena.server.reading.process"),
                stdin=PIPE,
                stdout=PIPE,
                niceness=NICENESS,
            )
            _write(self.process.stdin, self._url.encode())
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
        """Stop the process, and drop the requests that wait."""
        process, self.process = self.process, None
        if process is not None:
            stop(process, patience=1.0)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _ask(self, call: str, request: bytes) -> ReadingAnswer:
        """Send a request to the process and return its reply.

        Raises EOFError if it has ended.
        """
        process = self.process
        if process is None:
            raise EOFError
        _write(process.stdin, f"{call}\n".encode() + request)
        status, _, content = _read(process.stdout).partition(b"\n")
        return ReadingAnswer(content, status.decode())


def _answer(
    answers: Callable[[str, bytes], ReadingAnswer], call: str, request: bytes
) -> ReadingAnswer:
    """Return the answer, or the error of the call as an answer with a status."""
    try:
        return answers(call, request)
    except DatabaseUnreachableError as error:
        return ReadingAnswer(str(error).encode(), grpc.StatusCode.UNAVAILABLE.name)
    except RecordRefusedError as error:  # values outside a column's range, such as a large number
        return ReadingAnswer(str(error).encode(), grpc.StatusCode.INVALID_ARGUMENT.name)
    except Exception as error:
        return ReadingAnswer(repr(error).encode(), grpc.StatusCode.INTERNAL.name)


def _public(call: str, answer: ReadingAnswer) -> ReadingAnswer:
    """Return the answer without internal details, which are logged for the operator."""
    if answer.status == grpc.StatusCode.UNAVAILABLE.name:
        log.error("database unreachable", why=answer.content.decode())
        return ReadingAnswer(
            b"the arena's database does not answer; try again later", answer.status
        )
    if answer.status == grpc.StatusCode.INTERNAL.name:
        log.error("call failed", call=call, why=answer.content.decode())
        return ReadingAnswer(INTERNAL_ERROR.encode(), answer.status)
    return answer


def _write(pipe: IO[bytes] | None, content: bytes) -> None:
    """Write a frame."""
    assert pipe is not None
    pipe.write(_LENGTH.pack(len(content)) + content)
    pipe.flush()


def _read(pipe: IO[bytes] | None) -> bytes:
    """Return the content of the next frame.

    Raises EOFError at the end of the pipe.
    """
    assert pipe is not None
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = pipe.read(length)
    if len(content) < length:
        raise EOFError
    return content


def main() -> None:
    """Answer requests until the pipe is closed."""
    questions = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed output must not get between the replies
    with open_reader(_read(questions).decode()) as read:
        answers = ReadingCalls(read)
        while True:
            try:
                call, _, request = _read(questions).partition(b"\n")
            except EOFError:
                return
            answer = _answer(answers, call.decode(), request)
            _write(replies, f"{answer.status}\n".encode() + answer.content)


if __name__ == "__main__":
    main()
