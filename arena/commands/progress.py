"""A bar for whatever takes longer than a second, on a terminal only."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress

_SHOW_AFTER_S = 1.0

T = TypeVar("T")


def with_progress(items: Iterable[T], total: int, doing: str) -> Iterator[T]:
    """The items, and from the second second on a bar on stderr."""
    with progress(total, doing) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def progress(total: int, doing: str) -> Iterator[Callable[[], None]]:
    """What to call after each of so many steps; from the second second on a bar on stderr."""
    console = Console(stderr=True)
    begun, count, bar, task = time.perf_counter(), 0, None, None
    with ExitStack() as stack:

        def advance() -> None:
            nonlocal count, bar, task
            count += 1
            if bar is not None and task is not None:
                bar.update(task, completed=count)
            elif console.is_terminal and time.perf_counter() - begun > _SHOW_AFTER_S:
                bar = stack.enter_context(Progress(console=console, transient=True))
                task = bar.add_task(doing, total=total)

        yield advance
