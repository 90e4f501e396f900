"""`StoredRegistry`: bots, results and ratings for the gRPC services, with errors as statuses."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from hmac import compare_digest
from typing import TYPE_CHECKING

import grpc
import structlog

from arena.games import OptionsError, UnknownGameError, make_game
from arena.games.wording import span
from arena.match.transcript import Entrant, Transcript
from arena.records import Registered
from arena.referee.errors import ProtocolError
from arena.referee.registry_service import ListedBot, ListedMatch, ListedRating
from arena.storage.errors import (
    DatabaseUnreachableError,
    NameRefusedError,
    RecordRefusedError,
    RetiredError,
    VersionExistsError,
)
from arena.storage.reading import Read
from arena.storage.store import Store

if TYPE_CHECKING:
    from arena.boards.board import BoardLine
    from arena.boards.live_board import LiveBoards

log = structlog.get_logger()


class StoredRegistry:
    """Tokens, bots and results. The Authenticator and the Registry of arena.referee."""

    def __init__(self, store: Store, read: Read, registration_key: str, signing_key: bytes) -> None:
        self._store = store
        self._read = read
        self.signing_key = signing_key
        self._registration_key = registration_key
        self._boards: LiveBoards | None = None

    async def authenticate(self, token: str) -> Registered:
        async with _as_statuses():
            registered = await self._store.authenticate(token)
        if registered is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "no bot has this token: see `arena bot register` and `arena bot rotate-token`",
            )
        return registered

    async def register(self, token: str, bot: str, owner: str, version: str) -> tuple[Entrant, str]:
        if not compare_digest(token.encode(), self._registration_key.encode()):
            known = await self.authenticate(token)
            if known.entrant.bot.lower() != bot.lower() or owner not in ("", known.entrant.owner):
                raise ProtocolError(
                    grpc.StatusCode.PERMISSION_DENIED,
                    f"this token registers new versions of {known.entrant.bot} only; "
                    "a new bot needs the arena's registration key",
                )
            owner = known.entrant.owner
        else:
            await self._require_new(bot, owner)
        async with _as_statuses():
            registered, new_token = await self._store.register(bot, owner, version)
        return registered.entrant, new_token

    async def _require_new(self, bot: str, owner: str) -> None:
        """The registration key is for new bots and owners: refuse existing ones."""
        async with _as_statuses():
            known = await self._store.bots()
        # Names ignore case.
        if any(one.bot.lower() == bot.lower() for one in known):
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                f"the bot {bot} exists: register a new version of it with a token of its own",
            )
        if any(one.owner.lower() == owner.lower() for one in known):
            raise ProtocolError(
                grpc.StatusCode.PERMISSION_DENIED,
                f"the owner {owner} already has bots: the arena's operator registers further ones",
            )

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
            rules = make_game(game, options)
        except (UnknownGameError, OptionsError) as error:
            raise ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from error
        if seats and seats not in rules.seat_counts:
            allowed = span(rules.seat_counts[0], rules.seat_counts[-1])
            raise ProtocolError(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"{rules.title} is played by {allowed} seats, not {seats}",
            )
        changed = rules.options.changed()
        # Imported here, so that only a referee that is asked for ratings loads numpy.
        from arena.boards.live_board import LiveBoards, ladder_of_table

        if self._boards is None:
            self._boards = LiveBoards(self._read)
        boards = self._boards

        def look() -> "tuple[int, Sequence[BoardLine]]":
            table, ladder = ladder_of_table(self._read, game, changed, seats or None)
            return table, boards.board(ladder).now().lines

        async with _as_statuses():
            # In a thread, so that requests do not slow matches down.
            table, lines = await asyncio.to_thread(look)
        return table, [
            ListedRating(
                Entrant(line.bot, line.version, line.owner),
                line.house,
                line.elo,
                line.matches,
                line.mean_placing,
                line.win_share,
                line.interval,
                line.luck_adjusted,
            )
            for line in lines
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
    """Converts storage's errors to statuses that name the caller's mistake, and no internals.

    Other errors are bugs and pass through.
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
    except (NameRefusedError, RecordRefusedError) as error:
        raise ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from error
    except RetiredError as error:
        raise ProtocolError(grpc.StatusCode.PERMISSION_DENIED, str(error)) from error
