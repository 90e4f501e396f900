"""The team on "My bots": the captain adds and removes members, who see each other."""

from datetime import UTC, datetime

import pytest

from arena_dashboard.owners import team
from tests.dashboard.pages import html
from tests.dashboard.test_owner_pages import Visitor
from tests.scene import Scene


async def signed_in(key: str) -> Visitor:
    """Somebody on "My bots" with a key."""
    visitor = Visitor()
    await visitor.open("my_bots")
    await visitor.sign_in(key)
    return visitor


async def tick(visitor: Visitor, label: str, button: str) -> None:
    next(one for one in visitor.app.checkbox if one.label.startswith(label)).set_value(True)
    await visitor.press(button)


async def add(visitor: Visitor, name: str) -> str:
    """Add a member; return the key that the captain is shown, "" if there is none."""
    next(one for one in visitor.app.text_input if one.label == "Name of the member").set_value(name)
    await visitor.press("Add the member")
    shown = [one.value for one in visitor.app.code if one.value.startswith("arena_owner_")]
    return shown[0] if shown else ""


@pytest.mark.slow
async def test_a_captain_adds_a_member_who_signs_in_and_leaves(scene: Scene) -> None:
    ann = await signed_in(await scene.key("ann"))
    key = await add(ann, "Bob")
    assert key
    await ann.press("I have passed it on")
    assert key not in ann.sees
    assert await add(ann, "bob") == ""
    assert "bob" in ann.sees, "there is such a member already"
    bob = await signed_in(key)
    assert "ann" in html(bob.app)
    assert 'Bob<span class="ba-faint"> (you)</span>' in html(bob.app)
    assert "Add the member" not in [one.label for one in bob.app.button]
    await bob.press("Leave the team")
    assert "Tick" in bob.sees
    await tick(bob, "My key ends", "Leave the team")
    await ann.run()
    assert ">Bob<" not in html(ann.app)


@pytest.mark.slow
async def test_a_member_who_is_removed_is_not_let_in_any_more(scene: Scene) -> None:
    ann = await signed_in(await scene.key("ann"))
    bob = await signed_in(await add(ann, "Bob"))
    await ann.press("Remove the member")
    assert "Tick" in ann.sees
    await tick(ann, "The member's key", "Remove the member")
    assert ">Bob<" not in html(ann.app)
    assert "arena_owner_" not in ann.sees
    await bob.run()
    assert "Leave the team" not in [one.label for one in bob.app.button]


def test_names_of_a_team_are_text_and_no_markup() -> None:
    shown = str(team.table("<b>Ann</b>", "", [("<i>Bob</i>", datetime.now(UTC))]))
    assert "&lt;b&gt;Ann&lt;/b&gt;" in shown
    assert "&lt;i&gt;Bob&lt;/i&gt;" in shown
