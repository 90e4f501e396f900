"""`Registration`: registers bots and versions, for their owner or by a bot's own token."""

import grpc

from arena.database.names import folded
from arena.match.transcript import Entrant
from arena.records import Allowance, Owner, Registered
from arena.server.accounts.owners import Owners
from arena.server.requests.errors import ProtocolError


class Registration:
    """Registers bots for their owner, and further versions of a bot by the bot's token."""

    def __init__(self, owners: Owners, allowance: Allowance) -> None:
        self._owners = owners
        self._allowance = allowance

    async def register(
        self, registrant: Registered | Owner, bot: str, owner: str, version: str
    ) -> tuple[Entrant, str]:
        """Register a version of the registrant's bot, or a new bot of an owner.

        `owner` may be empty; otherwise it must be the registrant's. Returns the version and its
        token. Raises ProtocolError, and what `Owners.register` raises.
        """
        if isinstance(registrant, Registered):
            known = registrant.entrant
            if folded(known.bot) != folded(bot) or owner not in ("", known.owner):
                raise ProtocolError(
                    grpc.StatusCode.PERMISSION_DENIED,
                    f"this token registers new versions of {known.bot} only; a new bot needs its "
                    "owner's key",
                )
            registrant = await self._owners.named(known.owner)
        elif owner and folded(owner) != folded(registrant.name):
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                f"this key belongs to {registrant.name} and cannot register bots of {owner}",
            )
        registered, token = await self._owners.register(registrant, bot, version, self._allowance)
        return registered.entrant, token
