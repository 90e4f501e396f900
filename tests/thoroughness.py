"""How much tests of random input try: the quick run tries less of the same."""

_quick_run = False


def only_quick(quick: bool) -> None:
    """Say which run this is, before tests are imported."""
    global _quick_run
    _quick_run = quick


def tries(full: int, *, quick: int) -> int:
    """How many examples to try in this run."""
    return quick if _quick_run else full
