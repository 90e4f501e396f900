"""`Tokens`: finds who makes a call by the token or key that it carries."""

import grpc

from arena.database.keys import KEY_PREFIX, SHIFT_PREFIX
from arena.records import Owner, Registered
from arena.server.app.store import Store
from arena.server.requests.errors import ProtocolError


class Tokens:
    """Looks up the tokens of bots and the keys of owners.

    Every method raises ProtocolError for a token that is unknown or not meant for the call, and
    StorageError.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def authenticate(self, token: str) -> Registered:
        """Return the version that has this token; a shift's token is refused."""
        if token.startswith(SHIFT_PREFIX):
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                "this token belongs to a hosted bot's shift and can only be used to play",
            )
        return await self.player(token)

    async def player(self, token: str) -> Registered:
        """Return the version that plays with this token: its own, or its running shift's."""
        registered = await self._store.authenticate(token)
        if registered is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "this is an owner's key: a bot plays with the token that `arena bot new` prints"
                if token.startswith(KEY_PREFIX)
                else "no bot has this token: see `arena bot new` and `arena bot rotate`",
            )
        return registered

    async def hosted_player(self, token: str) -> Registered:
        """Return the version whose running shift has this token.

        Used for the Unix socket, so that a program in the sandbox cannot play as another bot whose
        token it knows.
        """
        if not token.startswith(SHIFT_PREFIX):
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED, "a hosted bot plays with the token of its shift"
            )
        return await self.player(token)

    async def owner(self, key: str) -> Owner:
        """Return the owner who has this key."""
        owner = await self._store.owners.by_key(key)
        if owner is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "no owner has this key: sign up, or ask the operator for a new one"
                if key.startswith(KEY_PREFIX)
                else "this is not an owner's key: those begin with " + KEY_PREFIX,
            )
        return owner

    async def registrant(self, token: str) -> Registered | Owner:
        """Return the owner who has this key, or the version that has this token."""
        return await (
            self.owner(token) if token.startswith(KEY_PREFIX) else self.authenticate(token)
        )
