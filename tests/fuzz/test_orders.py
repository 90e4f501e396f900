"""Orders of messages, and of streams that open and end, chosen by Hypothesis."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from random import Random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.fuzz.table import WHIMS, Table
from tests.thoroughness import tries

SEEDS = st.integers(0, 2**32 - 1)
"""Drawn for each case, so that one can be left out without another draw in the next."""

_loop = asyncio.new_event_loop()


class Orders(RuleBasedStateMachine):
    """A rule for each whim; well-played messages have several, so that matches come to an end."""

    @initialize(seed=SEEDS)
    def open(self, seed: int) -> None:
        self.stack = ExitStack()
        self.table = self.stack.enter_context(Table(Random(seed), _loop).watched())

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            self.stack.close()


def _rule(whim: Callable[[Table], None]) -> Any:
    def act(self: Orders, seed: int) -> None:
        self.table.random.seed(seed)
        whim(self.table)

    act.__name__ = whim.__name__
    return rule(seed=SEEDS)(act)


for whim, weight in WHIMS:
    for number in range(min(weight, 8)):
        setattr(Orders, f"{whim.__name__}_{number}", _rule(whim))

Orders.TestCase.settings = settings(
    max_examples=tries(40, quick=10),
    stateful_step_count=60,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
test_no_order_of_messages_breaks_anything = Orders.TestCase
