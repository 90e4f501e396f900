"""`BatchedLookup`, which combines the lookups of all concurrent callers into one query at a time.

Otherwise many bots that connect at once would each take a connection, until the pool has none left,
and writes would wait.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from typing import Final, Generic, TypeVar

MOST: Final = 1_000
"""The greatest number of keys in one query."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class BatchedLookup(Generic[Key, Value]):
    """Values by their keys, looked up in batches. For one event loop."""

    def __init__(
        self, look_up: Callable[[Sequence[Key]], Awaitable[Mapping[Key, Value]]], most: int = MOST
    ) -> None:
        """Store `look_up`, which returns the values of the keys that exist, and may raise."""
        self._look_up = look_up
        self._most = most
        self._waiting: dict[Key, asyncio.Future[Value | None]] = {}
        self._asking: asyncio.Task[None] | None = None

    async def get(self, key: Key) -> Value | None:
        """Return the value, read after this call began, or None if there is none.

        Raises what `look_up` raises.
        """
        found = self._waiting.get(key)
        if found is None:
            found = self._waiting[key] = asyncio.get_running_loop().create_future()
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        # Others may wait for the same future.
        return await asyncio.shield(found)

    async def _ask(self) -> None:
        try:
            while self._waiting:
                batch = dict(islice(self._waiting.items(), self._most))
                # A caller that asks for one of these keys from now on waits for the next query:
                # this one's answer may be older than the call.
                for key in batch:
                    del self._waiting[key]
                await self._answer(batch)
        finally:
            self._asking = None

    async def _answer(self, batch: Mapping[Key, asyncio.Future[Value | None]]) -> None:
        try:
            values = await self._look_up(list(batch))
        except Exception as error:
            for found in batch.values():
                found.set_exception(error)
                found.exception()  # or asyncio logs it as never retrieved if all callers have gone
        else:
            for key, found in batch.items():
                found.set_result(values.get(key))
