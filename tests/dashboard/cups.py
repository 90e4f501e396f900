"""An arena with a tournament: played as far as wanted, the stronger seed always in front."""

from collections.abc import Sequence
from dataclasses import replace

from arena.match.seating import moved_on
from arena.records import Block, TournamentBlock, VersionId
from arena.scheduling.formats import FormatName
from arena.server.app.store import Store, open_store
from arena.server.tournaments.tournament import TournamentRecord
from tests.recorded_results import block as new_block
from tests.recorded_results import finished
from tests.running_tournaments import begun


async def hold(
    url: str,
    name: str,
    format_name: FormatName,
    bots: Sequence[str],
    *,
    seats: int = 2,
    blocks: int = 2,
    most_blocks: int | None = None,
    withdrawn: Sequence[int] = (),
) -> TournamentRecord:
    """Create it, start it and record its blocks, at most so many; what was recorded.

    `withdrawn` are numbers of entries.
    """
    async with open_store(url) as store:
        known = {one.bot: one.id for one in await store.bots()}
        for bot in bots:
            if bot not in known:
                registered, _ = await store.register(bot, f"{bot}s-owner")
                known[bot] = registered.version_id
        rules = {"format": format_name, "seats": seats, "blocks": blocks}
        await begun(store, [known[bot] for bot in bots], name, **rules)
        for number in withdrawn:
            await store.tournaments.withdraw(name, number)
        left = most_blocks if most_blocks is not None else 10_000
        while True:
            tournament = await store.tournaments.named(name)
            record = await store.tournaments.record(tournament)
            added = tournament.plan.next_pairings(len(bots), record.played(), tournament.withdrawn)
            if added is None:
                await store.tournaments.finish(tournament.id)
                break
            await store.tournaments.add_pairings(tournament.id, added)
            record.add_pairings(added)
            for pairing in added:
                key = (pairing.round, pairing.table)
                if tournament.withdrawn.intersection(pairing.entries):
                    continue
                for _ in range(record.blocks_wanted(key)):
                    if left == 0:
                        return await store.tournaments.record(tournament)
                    left -= 1
                    versions = [tournament.version(entry) for entry in pairing.entries]
                    own = replace(new_block(seats), rated=False)
                    await store.open_blocks([TournamentBlock(tournament.id, key, own)])
                    await _play(store, versions, own)
        return await store.tournaments.record(await store.tournaments.named(name))


async def _play(store: Store, versions: Sequence[VersionId], own: Block) -> None:
    matches = []
    for position in range(len(versions)):
        order = moved_on(len(versions), position)
        seated = [versions[at] for at in order]
        match = finished(seated, own, position)
        # Registered in the order of the seeding: the lower the id, the stronger.
        placing = tuple(1 + sum(other < one for other in seated) for one in seated)
        result = replace(match.transcript.result, placing=placing)
        matches.append(replace(match, transcript=replace(match.transcript, result=result)))
    await store.record(matches)
