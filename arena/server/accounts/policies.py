"""`Policies`: the rules that the operator sets for all bots, one transaction per method."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.channels import RESULTS_CHANNEL
from arena.database.tables.policy import policy
from arena.database.transaction import transaction
from arena.server.accounts import bot_statements
from arena.server.accounts.auditing import record


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules for all bots; None means no rule."""

    bot_pace: int | None
    """The rated matches an hour that a bot without a limit of its own may begin."""
    ranked_versions: int | None
    """The number of each bot's newest versions that are ranked on a ladder."""
    ranked_days: int | None
    """The number of days within which a version must have played to be ranked."""
    transcript_days: int | None
    """The number of days for which transcripts of matches outside of tournaments are kept."""
    notice_days: int | None
    """The number of days for which notices and their deliveries are kept."""


class Policies:
    """The policy. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def now(self) -> Policy:
        """Return the policy."""
        async with transaction(self._engine) as connection:
            return await _now(connection)

    async def change(self, changes: Mapping[str, int | None], actor: str) -> Policy:
        """Change fields of the policy, effective at once; return the policy."""
        async with transaction(self._engine) as connection:
            before = asdict(await _now(connection))
            await connection.execute(update(policy).values(dict(changes)))
            if changes.get("bot_pace", before["bot_pace"]) != before["bot_pace"]:
                await connection.execute(bot_statements.tell_any_tokens())
            await connection.execute(text(f"NOTIFY {RESULTS_CHANNEL}"))
            told = {name: "none" if value is None else value for name, value in changes.items()}
            await record(connection, actor, "set policy", "all bots", told)
            return await _now(connection)


async def _now(connection: AsyncConnection) -> Policy:
    columns = [policy.c[name] for name in Policy.__dataclass_fields__]
    row = (await connection.execute(select(*columns))).mappings().one()
    return Policy(**row)
