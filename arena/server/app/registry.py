"""`StoredRegistry`: tokens, bots and owners for the gRPC services."""

from dataclasses import replace

import grpc

from arena.database.names import KEY_PREFIX, SHIFT_PREFIX, folded
from arena.match.transcript import Entrant
from arena.records import (
    Allowance,
    CheckOrigin,
    CheckOutcome,
    Identity,
    OwnBots,
    OwnedVersion,
    Owner,
    RecordedChallenge,
    Registered,
    SignUp,
)
from arena.server.accounts.identity_provider import IdentityProvider
from arena.server.app.store import Store
from arena.server.limits.gate import Authenticator
from arena.server.limits.limits import Limits
from arena.server.requests.errors import ProtocolError
from arena.server.uploads.check_words import check_in_words


class StoredRegistry:
    """The registry of tokens, bots and owners in a store.

    It is the Authenticator, Registry, OwnerRegistry and ChallengeRecords of arena.server. Methods
    raise ProtocolError for a request that they refuse, and the errors of the store.
    """

    def __init__(
        self,
        store: Store,
        signing_key: bytes,
        sign_up_by: SignUp,
        limits: Limits,
        provider: IdentityProvider | None = None,
    ) -> None:
        self._store = store
        self._provider = provider
        self.signing_key = signing_key
        self.sign_up_by = sign_up_by
        self.allowance = Allowance(
            limits.bots_per_owner, limits.versions_per_day, limits.owner_versions_per_day
        )

    # Bots

    @property
    def players(self) -> Authenticator:
        """The authenticator of players; it alone accepts the tokens of shifts."""
        return _Players(self)

    @property
    def hosted_players(self) -> Authenticator:
        """The authenticator of hosted bots on the Unix socket, by the tokens of their shifts."""
        return _HostedPlayers(self)

    async def authenticate(self, token: str) -> Registered:
        """Return the version that has this token.

        Raises ProtocolError for the token of a shift.
        """
        if token.startswith(SHIFT_PREFIX):
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                "this token is of a hosted bot's shift, and good for playing only",
            )
        return await self.player(token)

    async def player(self, token: str) -> Registered:
        """Return the version that plays with this token, its own or that of a shift."""
        registered = await self._store.authenticate(token)
        if registered is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "this is an owner's key: a bot plays with the token that `arena bot new` prints"
                if token.startswith(KEY_PREFIX)
                else "no bot has this token: see `arena bot new` and `arena bot rotate`",
            )
        return registered

    async def registrant(self, token: str) -> Registered | Owner:
        """Return the owner who has this key, or the bot version that has this token."""
        return await (
            self.owner(token) if token.startswith(KEY_PREFIX) else self.authenticate(token)
        )

    async def register(
        self, registrant: Registered | Owner, bot: str, owner: str, version: str
    ) -> tuple[Entrant, str]:
        """Register a version of the registrant's bot, or a new bot of an owner.

        Returns the version and its token.
        """
        if isinstance(registrant, Registered):
            known = registrant.entrant
            if folded(known.bot) != folded(bot) or owner not in ("", known.owner):
                raise ProtocolError(
                    grpc.StatusCode.PERMISSION_DENIED,
                    f"this token registers new versions of {known.bot} only; a new bot needs its "
                    "owner's key",
                )
            registrant = await self._store.owners.named(known.owner)
        elif owner and folded(owner) != folded(registrant.name):
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                f"this key is {registrant.name}'s, and registers no bots of {owner}",
            )
        registered, new_token = await self._store.owners.register(
            registrant, bot, version, self.allowance
        )
        return registered.entrant, new_token

    async def record_check(self, registered: Registered, outcome: CheckOutcome) -> None:
        """Record the result of an author's check of a version."""
        await self._store.checks.record(registered.version_id, CheckOrigin.AUTHOR, outcome)

    async def recorded_challenge(self, challenge_id: str) -> RecordedChallenge | None:
        """Return what is recorded of a challenge; None if it has no match."""
        return await self._store.challenge(challenge_id)

    # Owners

    @property
    def identity_issuer(self) -> str:
        """The issuer of the identity provider; "" without one."""
        return "" if self._provider is None else self._provider.issuer

    async def sign_up(self, name: str, invite: str) -> tuple[Owner, str]:
        """Sign up an owner; return the owner and its key.

        Refused if there is an identity provider.
        """
        self._require_open()
        if self._provider is not None:
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                "here owners sign up on the arena's pages, by their identity at "
                f'{self._provider.issuer}; "My bots" there makes a key for `arena login`',
            )
        return await self._store.owners.sign_up(name, self._code(invite))

    async def identity(self, id_token: str) -> Identity:
        """Return the identity that an ID token proves."""
        if self._provider is None:
            raise ProtocolError(
                grpc.StatusCode.UNIMPLEMENTED,
                "this arena has no identity provider: sign in with your key",
            )
        return await self._provider.identity(id_token)

    async def sign_in(self, identity: Identity) -> tuple[Owner, str] | None:
        """Sign in the owner with this identity; return the owner and a key for this sign-in.

        Returns None if no owner has the identity.
        """
        return await self._store.sign_ins.sign_in(identity)

    async def sign_up_as(self, identity: Identity, name: str, invite: str) -> tuple[Owner, str]:
        """Sign up an owner with this identity; return the owner and a key for this sign-in."""
        self._require_open()
        return await self._store.sign_ins.sign_up(identity, name, self._code(invite))

    async def bind(self, identity: Identity, key: str) -> tuple[Owner, str]:
        """Bind this identity to the owner who has the key.

        Returns the owner and a key for this sign-in.
        """
        return await self._store.sign_ins.bind(identity, key)

    async def stay_signed_in(self, owner: Owner) -> str:
        """Return a key for a new sign-in of an owner, which use prolongs."""
        return await self._store.sign_ins.stay(owner)

    async def sign_out(self, key: str) -> None:
        """End the sign-in that has this key."""
        await self._store.sign_ins.end(key)

    async def renew_key(self, owner: Owner) -> str:
        """Replace an owner's key and return the new one."""
        return await self._store.owners.renew_key(owner)

    def _require_open(self) -> None:
        """Raise ProtocolError if the arena lets nobody sign up."""
        if self.sign_up_by is SignUp.CLOSED:
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                "nobody can sign up here: ask the operator to register your bot",
            )

    def _code(self, invite: str) -> str | None:
        """Return the invite if signing up needs one; otherwise None."""
        return invite if self.sign_up_by is SignUp.INVITE else None

    async def owner(self, key: str) -> Owner:
        """Return the owner who has this key.

        Raises ProtocolError for an unknown key.
        """
        owner = await self._store.owners.by_key(key)
        if owner is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "no owner has this key: sign up, or ask the operator for a new one"
                if key.startswith(KEY_PREFIX)
                else "this is not an owner's key: those begin with " + KEY_PREFIX,
            )
        return owner

    async def own_bots(self, owner: Owner, wanted: OwnBots) -> list[OwnedVersion]:
        """Return the versions of an owner's bots, each with its last check in words."""
        found = await self._store.owners.bots(owner, wanted)
        checks = await self._store.checks.last([one.id for one in found])
        return [
            replace(one, check=check_in_words(checks[one.id])) if one.id in checks else one
            for one in found
        ]

    async def pause(self, owner: Owner, bot: str, *, paused: bool) -> None:
        """Pause or resume an owner's bot."""
        await self._store.owners.pause(owner, bot, paused=paused)

    async def describe(self, owner: Owner, bot: str, said: dict[str, str]) -> None:
        """Set what the owner says of a bot: `text`, `language` and `link`, as far as given."""
        await self._store.owners.describe(owner, bot, said)

    async def rotate(self, owner: Owner, bot: str, version: str) -> tuple[str, str]:
        """Replace the token of a version; return the new token and the version's label."""
        return await self._store.owners.rotate(owner, bot, version or None)

    async def retire(self, owner: Owner, bot: str, version: str) -> None:
        """Retire a version of an owner's bot; with an empty `version`, the whole bot."""
        await self._store.owners.retire(owner, bot, version or None)


class _Players:
    """The authenticator of the server on which bots play."""

    def __init__(self, registry: StoredRegistry) -> None:
        self._registry = registry

    async def authenticate(self, token: str) -> Registered:
        """Return the version that plays with this token."""
        return await self._registry.player(token)


class _HostedPlayers:
    """The authenticator of the server on which hosted bots play over the Unix socket.

    It accepts tokens of shifts only, so that a program in the sandbox that knows the token of
    another bot cannot play as that bot.
    """

    def __init__(self, registry: StoredRegistry) -> None:
        self._registry = registry

    async def authenticate(self, token: str) -> Registered:
        """Return the version that plays with this token of a shift."""
        if not token.startswith(SHIFT_PREFIX):
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED, "a hosted bot plays with the token of its shift"
            )
        return await self._registry.player(token)
