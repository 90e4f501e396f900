"""How much tests try: the quick run tries less of the same, and `make test` leaves out the cases of
a test that take many seconds of a core each."""

from typing import Any

import pytest

_quick_run = False


def only_quick(quick: bool) -> None:
    """Say which run this is, before tests are imported."""
    global _quick_run
    _quick_run = quick


def tries(full: int, *, quick: int) -> int:
    """How many examples to try in this run."""
    return quick if _quick_run else full


def thorough(*values: Any) -> Any:
    """Return the values of a parametrised test that only `make test-all` runs with them."""
    return pytest.param(*values, marks=[pytest.mark.slow, pytest.mark.system])
