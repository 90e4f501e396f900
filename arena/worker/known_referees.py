"""`KnownReferees`: where a worker, and the programs that it runs, reach the arena's referees.

A worker is given one address, and is told those of all when a shift begins. The oldest that is
reached is asked: it conducts the tournaments, and goes on with the matches of those that stop.

NoRefereeError    none is reached
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Final

import grpc
import grpc.aio
import structlog

from arena.bot.address import Address, AddressError
from arena.errors import UserError

CONNECT_SECONDS: Final = 3.0
"""After which the next one is tried."""

log = structlog.get_logger()


class NoRefereeError(UserError):
    """None of the referees is reached."""


class KnownReferees:
    """All that are known at present."""

    def __init__(self, given: Address) -> None:
        self._given = given
        self._told: list[Address] = []

    @property
    def several(self) -> bool:
        """Whether programs may have to go from one to another."""
        return len(self._told) > 1

    @property
    def in_turn(self) -> list[Address]:
        """In the order in which they are tried."""
        return [*self._told, *([] if self._given in self._told else [self._given])]

    def told(self, addresses: Iterable[str]) -> None:
        """Take in where they are."""
        self._told = []
        for text in addresses:
            try:
                self._told.append(Address.parse(text, os.environ))
            except AddressError as error:
                log.warning("a referee is not reached", why=str(error))

    @asynccontextmanager
    async def reached(self) -> AsyncIterator[grpc.aio.Channel]:
        """Yield a channel to the first that is reached.

        Raises NoRefereeError.
        """
        for address in self.in_turn:
            async with address.aio_channel() as channel:
                if await _connects(channel):
                    yield channel
                    return
        raise NoRefereeError("no referee is reached")


async def _connects(channel: grpc.aio.Channel) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(CONNECT_SECONDS):
            state = channel.get_state(try_to_connect=True)
            while state is not grpc.ChannelConnectivity.READY:
                if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
                    return False
                await channel.wait_for_state_change(state)
                state = channel.get_state(try_to_connect=True)
            return True
    return False
