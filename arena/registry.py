"""What the services need to know of storage and ratings, in the words of the wire's errors."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from hmac import compare_digest

import grpc
import structlog

from arena.games import OptionsError, UnknownGameError, make_game
from arena.match.transcript import Entrant, Transcript
from arena.referee.errors import ProtocolError
from arena.referee.registry_service import ListedBot, ListedMatch, ListedRating
from arena.storage.errors import (
    DatabaseUnreachableError,
    NameRefusedError,
    RetiredError,
    VersionExistsError,
)
from arena.storage.store import Store
from arena.tournament.ports import Registered

log = structlog.get_logger()


class Registry:
    """Tokens, bots and results. The Authenticator and the Registry of arena.referee."""

    def __init__(self, store: Store, registration_key: str) -> None:
        self._store = store
        self._registration_key = registration_key

    async def authenticate(self, token: str) -> Registered:
        async with _as_statuses():
            registered = await self._store.authenticate(token)
        if registered is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "this token is nobody's: see `arena bot register` and `arena bot rotate-token`",
            )
        return registered

    async def register(self, token: str, bot: str, owner: str, version: str) -> tuple[Entrant, str]:
        if not compare_digest(token.encode(), self._registration_key.encode()):
            known = await self.authenticate(token)
            if known.entrant.bot != bot or owner not in ("", known.entrant.owner):
                raise ProtocolError(
                    grpc.StatusCode.PERMISSION_DENIED,
                    f"this token registers new versions of {known.entrant.bot} only; "
                    "a new bot needs the arena's registration key",
                )
            owner = known.entrant.owner
        elif await self._exists(bot):
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                f"the bot {bot} exists: register a new version of it with a token of its own",
            )
        async with _as_statuses():
            registered, new_token = await self._store.register(bot, owner, version)
        return registered.entrant, new_token

    async def _exists(self, bot: str) -> bool:
        async with _as_statuses():
            # Names ignore case.
            return any(known.bot.lower() == bot.lower() for known in await self._store.bots())

    async def bots(self) -> Sequence[ListedBot]:
        async with _as_statuses():
            return [
                ListedBot(
                    Entrant(bot.bot, bot.version, bot.owner),
                    bot.house,
                    bot.retired_at is not None,
                    bot.matches,
                )
                for bot in await self._store.bots()
            ]

    async def leaderboard(
        self, game: str, seats: int, options: Mapping[str, object]
    ) -> tuple[int, Sequence[ListedRating]]:
        try:
            changed = make_game(game, options).options.changed()
        except (UnknownGameError, OptionsError) as error:
            raise ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from error
        # Here, because numpy's weight is only carried by a referee that is asked for ratings.
        from arena.leaderboard import leaderboard

        async with _as_statuses():
            table, standings = await leaderboard(self._store, game, changed, seats or None)
        return table, [
            ListedRating(
                Entrant(line.bot, line.version, line.owner),
                line.house,
                line.elo,
                line.matches,
                line.mean_placing,
                line.win_share,
            )
            for line in standings
        ]

    async def matches(self, bot: str, game: str, limit: int) -> Sequence[ListedMatch]:
        async with _as_statuses():
            found = await self._store.matches(bot=bot or None, game=game or None, limit=limit)
        return [
            ListedMatch(
                match.match_id,
                match.game,
                tuple(Entrant(seat.bot, seat.version, seat.owner) for seat in match.seats),
                tuple(seat.placing for seat in match.seats),
                match.finished_at,
            )
            for match in found
        ]

    async def transcript(self, match_id: str) -> Transcript:
        async with _as_statuses():
            transcript = await self._store.transcript(match_id)
        if transcript is None:
            raise ProtocolError(grpc.StatusCode.NOT_FOUND, f"there is no match {match_id}")
        return transcript


@asynccontextmanager
async def _as_statuses() -> AsyncIterator[None]:
    """Storage's errors as the wire knows them: what the caller did wrong, and none of our wiring.

    Errors that are neither are bugs and pass through.
    """
    try:
        yield
    except DatabaseUnreachableError as error:
        log.error("database unreachable", why=str(error))
        raise ProtocolError(
            grpc.StatusCode.UNAVAILABLE, "the arena's database does not answer; try again later"
        ) from error
    except VersionExistsError as error:
        raise ProtocolError(grpc.StatusCode.ALREADY_EXISTS, str(error)) from error
    except NameRefusedError as error:
        raise ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from error
    except RetiredError as error:
        raise ProtocolError(grpc.StatusCode.PERMISSION_DENIED, str(error)) from error
