"""Owners keep the decisions of a bot out of data sets, by a call and by a page."""

from arena.v1 import owner_pb2 as pb
from tests.server.accounts.test_owner_calls import new, owners, sign_up
from tests.service_calls import bearing, refused


async def test_an_owner_keeps_the_decisions_of_a_bot_out_of_data_sets(database: str) -> None:
    async with owners(database) as (scene, stub, registry):
        ann, bob = bearing(await sign_up(stub, "Ann")), bearing(await sign_up(stub, "Bob"))
        await registry.RegisterBot(new("fox"), metadata=ann)
        asked = pb.ShareDecisionsRequest(bot="Fox", keep=True)
        code, why = await refused(stub.ShareDecisions(asked, metadata=bob))
        assert code == "NOT_FOUND"
        assert "You have no bot Fox" in why
        for kept in (True, False):
            request = pb.ShareDecisionsRequest(bot="Fox", keep=kept)
            await stub.ShareDecisions(request, metadata=ann)
            found = await stub.ListOwnBots(pb.ListOwnBotsRequest(), metadata=ann)
            assert [bot.keeps_decisions for bot in found.bots] == [kept]
        told = [(row.action, row.subject) for row in await scene.arena.store.owners.audit(2)]
        assert told == [("share decisions", "fox"), ("keep decisions", "fox")]
