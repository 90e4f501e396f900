"""Memory that a file of tests leaves behind, given back before the next file runs."""

import ctypes
import functools
import gc
import os
import platform
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

GROWN_BYTES: Final = 100 << 20
"""The growth from which memory is given back; less is not worth a walk over all objects."""


def resident_bytes() -> int:
    """Return the memory of this process; 0 on a system without Linux' /proc."""
    told = Path("/proc/self/statm")
    return int(told.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if told.exists() else 0


class LeftMemory:
    """Gives memory back after a file of tests if the process has grown."""

    def __init__(self, resident: Callable[[], int] = resident_bytes) -> None:
        """`resident` returns the bytes that the process has."""
        self._resident = resident
        self._had = resident()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Function, nextitem: pytest.Item | None
    ) -> object:
        """Give memory back after the last test of a file."""
        done = yield
        if nextitem is None or nextitem.path != item.path:
            self.give_back(item.module)
        return done

    def give_back(self, tests: ModuleType) -> None:
        """Empty the caches that a file of tests made, if the process has grown by much."""
        if self._resident() - self._had < GROWN_BYTES:
            return
        for made in vars(tests).values():
            if isinstance(made, functools._lru_cache_wrapper) and made.__module__ == tests.__name__:
                made.cache_clear()
        gc.collect()
        if platform.libc_ver()[0] == "glibc":
            ctypes.CDLL(None).malloc_trim(0)  # glibc keeps freed memory below memory in use
        self._had = self._resident()
