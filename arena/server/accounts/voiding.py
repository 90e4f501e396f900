"""The voiding of a block by the operator, even if its matches count for the ratings already."""

from sqlalchemy import exists, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database.channels import RESULTS_CHANNEL
from arena.database.errors import NotFoundError, WrongStateError
from arena.database.tables.matches import blocks, voidings
from arena.database.tables.tournaments import tournament_blocks
from arena.match.match_id import is_match_id


async def void_block(connection: AsyncConnection, block_id: str) -> bool:
    """Exclude the matches of a block from all ratings.

    Returns False and changes nothing if it is void already. Raises NotFoundError, and
    WrongStateError for a block of a tournament.
    """
    found = None
    if is_match_id(block_id.lower()):  # a block's id has the same form
        of_one = exists().where(tournament_blocks.c.block_id == blocks.c.id)
        statement = (
            select(blocks.c.rated, blocks.c.closed_at, blocks.c.voided_at)
            .add_columns(of_one.label("tournament"))
            .where(blocks.c.id == block_id)
            .with_for_update()
        )
        found = (await connection.execute(statement)).one_or_none()
    if found is None:
        raise NotFoundError(
            f"There is no block {block_id}: `arena matches --json` names each match's block_id."
        )
    if found.tournament:
        raise WrongStateError(
            f"The block {block_id} is of a tournament, whose standings follow from it."
        )
    if found.voided_at is not None:
        return False
    void = {"closed_at": None, "voided_at": func.now()}
    await connection.execute(update(blocks).where(blocks.c.id == block_id).values(void))
    if found.closed_at is not None and found.rated:
        await connection.execute(insert(voidings).values(block_id=block_id))
        await connection.execute(text(f"NOTIFY {RESULTS_CHANNEL}"))
    return True
