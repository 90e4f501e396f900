"""The owner Ann, and an allowance that tests do not use up."""

from arena.records import Allowance, Owner
from arena.server.app.store import Store

PLENTY = Allowance(bots=20, bot_versions_a_day=24, owner_versions_a_day=50)


async def ann(store: Store) -> Owner:
    return (await store.owners.sign_up("Ann", None))[0]
