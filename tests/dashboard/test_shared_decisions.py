"""Owners keep the decisions of a bot out of data sets, and share its notes, on "My bots"."""

import pytest

from arena.records import Allowance
from tests.dashboard.test_owner_pages import Visitor
from tests.scene import Scene


@pytest.mark.slow
async def test_a_bots_decisions_and_notes_are_kept_and_shared_again(scene: Scene) -> None:
    key, store = await scene.key("Ann"), scene.arena.store
    ann = await store.owners.by_key(key)
    assert ann is not None
    await store.owners.register(ann, "fox", "1", Allowance(9, 9, 9))
    visitor = Visitor()
    await visitor.open("my_bots")
    await visitor.sign_in(key)
    buttons = {"Keep its decisions out of data sets": False, "Share its decisions": True}
    for button, shared in buttons.items():
        await visitor.press(button)
        (bot,) = await store.owners.bots(ann)
        assert bot.shares_decisions is shared
    for button, shared in {"Share its notes": True, "Keep its notes to yourself": False}.items():
        await visitor.press(button)
        (bot,) = await store.owners.bots(ann)
        assert bot.shares_notes is shared
