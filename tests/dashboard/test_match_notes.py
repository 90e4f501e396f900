"""What a replay shows of notes, and to whom; and the page of a bot, of what its answers took."""

import pytest

from tests.bots import Peer
from tests.dashboard.pages import html, player_bytes, texts, unpacked
from tests.dashboard.test_owner_pages import Visitor
from tests.scene import Scene, playing
from tests.server.play.test_notes import MARK, Noting


async def replay(visitor: Visitor, match_id: str) -> str:
    """All that the page of a replay holds for this visitor."""
    visitor.app.query_params["match"] = match_id
    await visitor.open("replay")
    return html(visitor.app) + texts(visitor.app) + str(unpacked(player_bytes(visitor.app)))


@pytest.mark.slow
async def test_a_replay_shows_notes_to_their_owner_and_sums_to_everybody(scene: Scene) -> None:
    keys = {name: await scene.key(name) for name in ("me", "other")}
    noting = Noting(scene.port, await scene.token("noting", "me"))
    rival = Peer(scene.port, await scene.token("rival", "other"))
    async with playing([noting, rival]) as company:
        await company.go_on(2)
    match_id = noting.ended[0]
    stranger, owner, other = Visitor(), Visitor(), Visitor()
    for visitor, key in ((stranger, ""), (owner, keys["me"]), (other, keys["other"])):
        await visitor.open("my_bots")
        if key:
            await visitor.sign_in(key)
    seen = await replay(owner, match_id)
    assert seen.count(f": {MARK.decode()}") >= 2
    (*_, first) = unpacked(player_bytes(owner.app))["notes"][:1]
    assert first["text"].endswith(MARK.decode())
    assert first["usage"] == "1,000 tokens read, 20 written, $0.0003, 0.0 s"
    transcript = await scene.arena.store.transcript(match_id)
    assert transcript is not None
    assert transcript.steps[first["step"] - 1].actor == first["seat"]
    for visitor in (stranger, other):
        seen = await replay(visitor, match_id)
        assert MARK.decode() not in seen
        assert "tokens read" in seen
        assert unpacked(player_bytes(visitor.app))["notes"] is None
    stranger.app.query_params["bot"] = "noting"
    await stranger.open("bot")
    assert "Language model" in stranger.sees
    assert "Mean of" in stranger.sees
