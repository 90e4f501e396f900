"""Owners look after the webhooks of their bots on "My bots"."""

import pytest

from tests.dashboard.pages import html
from tests.dashboard.test_owner_pages import Visitor
from tests.scene import Scene

URL = "https://example.org/<hook>"


async def add(visitor: Visitor, url: str, bot: str) -> None:
    next(one for one in visitor.app.text_input if one.label == "Address").set_value(url)
    next(one for one in visitor.app.selectbox if one.label == "For which bot").set_value(bot)
    await visitor.press("Add the webhook")


@pytest.mark.slow
async def test_an_owner_adds_a_webhook_sees_its_secret_once_and_removes_it(scene: Scene) -> None:
    key = await scene.key("ann")
    await scene.token("fox", "ann")
    ann = Visitor()
    await ann.open("my_bots")
    await ann.sign_in(key)
    await add(ann, "http://10.0.0.1/", "fox")
    assert "not on the public internet" in ann.sees
    await add(ann, URL, "fox")
    (secret,) = [one.value for one in ann.app.code if one.value.startswith("whsec_")]
    page = html(ann.app)
    assert "https://example.org/&lt;hook&gt;" in page
    assert ">fox</div>" in page
    await ann.run()
    assert secret not in ann.sees
    await ann.press("Remove")
    assert "example.org/" not in html(ann.app)
