"""The page "Operate": for operators alone, with everything that they do there."""

import pytest

from tests.dashboard.test_owner_pages import Visitor, registered, visitor
from tests.scene import Scene


async def operator(scene: Scene, **asked: str) -> Visitor:
    """The operator ann, at her page."""
    await scene.key("ann")
    await scene.arena.store.owners.make_operator("ann", "operator")
    ann = await visitor(scene, "operate")
    for name, value in asked.items():
        ann.app.query_params[name] = value
    await ann.run()
    return ann


@pytest.mark.slow
async def test_who_is_no_operator_sees_nothing_of_others(scene: Scene) -> None:
    await scene.key("bob")
    ann = await visitor(scene, "operate")
    assert "You are signed in as ann, who is not an operator." in ann.sees
    assert "bob" not in ann.sees
    await ann.open("my_bots")
    assert "Operate the arena" not in str(ann.app)


async def test_an_operator_finds_owners(scene: Scene) -> None:
    await scene.key("bob")
    await registered(scene, "fox")
    ann = await operator(scene)
    assert ">bob</a>" in ann.sees and ">fox</a>" in ann.sees
    ann.app.text_input[0].set_value("b")
    await ann.run()
    assert ">bob</a>" in ann.sees and ">fox</a>" not in ann.sees
    ann.app.selectbox[0].set_value("refused")
    await ann.run()
    assert "No owner found." in ann.sees


@pytest.mark.slow
async def test_an_operator_freezes_bans_and_writes(scene: Scene) -> None:
    store = scene.arena.store
    await store.register("owl", "bob")
    ann = await operator(scene, owner="BOB")
    await ann.press("Freeze owl")
    assert "frozen</span>" in ann.sees
    await ann.press("Unfreeze owl")
    assert "frozen</span>" not in ann.sees
    ann.app.text_area[0].set_value("Your bot hangs.")
    await ann.press("Send")
    assert "Sent." in ann.sees
    await ann.press("Ban bob")
    assert "Tick the box above first" in ann.sees
    assert (await store.owners.owners(1, "bob"))[0].banned_at is None
    ann.app.checkbox[0].check()
    await ann.press("Ban bob")
    assert "banned</span>" in ann.sees
    await ann.press("Let bob in again")
    assert "banned</span>" not in ann.sees
    actions = [(row.actor, row.action) for row in await store.owners.audit(5)]
    assert actions == [
        ("operator ann", action) for action in ("unban", "ban", "message", "unfreeze", "freeze")
    ]


@pytest.mark.slow
async def test_a_block_is_voided_after_a_second_thought(scene: Scene) -> None:
    ann = await operator(scene)
    await ann.press("Void")
    assert "a voided block never counts again" in ann.sees
    ann.app.checkbox[0].check()
    await ann.press("Void")
    assert "There is no block" in ann.sees


async def test_names_and_reasons_are_text(scene: Scene) -> None:
    store = scene.arena.store
    await store.register("owl", "bob")
    ann = await operator(scene)
    asked = "<b>x</b>"
    ann.app.query_params["owner"] = asked
    await ann.run()
    assert "There is no owner of that name." in ann.sees
    assert asked not in ann.sees
