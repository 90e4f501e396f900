"""`KnownReferees`, the addresses at which a worker and its programs reach the arena's referees.

A worker starts with one address, and receives the addresses of all referees when a shift begins. It
calls the oldest one that it can reach: that one conducts the tournaments, and continues the matches
of referees that stop.

NoRefereeError    no referee can be reached
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
"""The time after which the next referee is tried."""

log = structlog.get_logger()


class NoRefereeError(UserError):
    """None of the referees can be reached."""


class KnownReferees:
    """The currently known referees."""

    def __init__(self, given: Address) -> None:
        self._given = given
        self._told: list[Address] = []

    @property
    def several(self) -> bool:
        """Whether programs may have to change from one referee to another."""
        return len(self._told) > 1

    @property
    def in_turn(self) -> list[Address]:
        """The addresses in the order in which they are tried."""
        return [*self._told, *([] if self._given in self._told else [self._given])]

    def told(self, addresses: Iterable[str]) -> None:
        """Replace the known addresses with these."""
        self._told = []
        for text in addresses:
            try:
                self._told.append(Address.parse(text, os.environ))
            except AddressError as error:
                log.warning("a referee is not reached", why=str(error))

    @asynccontextmanager
    async def reached(self) -> AsyncIterator[grpc.aio.Channel]:
        """Yield a channel to the first referee that can be reached. Raises NoRefereeError."""
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
