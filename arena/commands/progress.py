"""A progress bar for work that takes longer than a second, on a terminal only."""

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import Progress

_SHOW_AFTER_S = 1.0

T = TypeVar("T")


class Advance(Protocol):
    """A function that advances a progress bar."""

    def __call__(self, steps: int = 1) -> None:
        """Advance the bar by a number of steps."""
        ...


def with_progress(items: Iterable[T], total: int, doing: str) -> Iterator[T]:
    """Yield the items, with a progress bar on stderr after the first second."""
    with progress(total, doing) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def progress(total: int | None, doing: str) -> Iterator[Advance]:
    """Show a progress bar of `total` steps on stderr after one second; the result advances it.

    A `total` of None is an unknown number of steps.
    """
    console = Console(stderr=True)
    begun, count, bar, task = time.perf_counter(), 0, None, None
    with ExitStack() as stack:

        def advance(steps: int = 1) -> None:
            nonlocal count, bar, task
            count += steps
            if bar is not None and task is not None:
                bar.update(task, completed=count)
            elif console.is_terminal and time.perf_counter() - begun > _SHOW_AFTER_S:
                bar = stack.enter_context(Progress(console=console, transient=True))
                task = bar.add_task(doing, total=total)

        yield advance
