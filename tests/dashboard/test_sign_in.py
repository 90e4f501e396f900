"""Signing in on a page whose visitor clicks again, or loads it again, before all is said."""

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from arena.clients.owner_client import SignedInBy, SignUpTerms
from arena.clients.referee_client import OwnerCallError
from arena.records import Allowance, SignUp
from arena_dashboard.owners.kept_sign_in import VISIT, cookie_name

TERMS = SignUpTerms(SignUp.OPEN, Allowance(1, 1, 1))
BY_IDENTITY = SignUpTerms(SignUp.OPEN, Allowance(1, 1, 1), "https://id.example")


class Referee:
    """Says each key once, as the referee does; while it answers, the visitor clicks again."""

    def __init__(self) -> None:
        self.owners: list[str] = []
        self.sign_ins: dict[str, str] = {}
        self.meanwhile: Callable[[], None] = click
        self.tokens: set[str] = set()

    def owner(self, key: str) -> str:
        if key in self.sign_ins:
            return self.sign_ins[key]
        assert key  # of an earlier visit, which has ended
        raise OwnerCallError("No owner has this key.", stranger=True)

    def sign_up(self, name: str, invite: str) -> tuple[str, str]:
        assert not invite
        self.meanwhile()
        if name in self.owners:
            raise OwnerCallError("This name is taken.")
        self.owners.append(name)
        return name, f"key of {name}"

    def stay_signed_in(self, key: str) -> str:
        click()
        self.sign_ins[f"sign-in by {key}"] = key.removeprefix("key of ")
        return f"sign-in by {key}"

    def sign_in(self, token: str, name: str = "", invite: str = "", key: str = "") -> SignedInBy:
        assert not invite and not key
        if token in self.tokens:
            raise OwnerCallError("This ID token was used before: sign in again.")
        if not name:
            return SignedInBy("", "", "Zoë")
        self.tokens.add(token)
        click()
        return SignedInBy(name, f"sign-in by {token}", "")


def click() -> None:
    """Have the run of the page end at the next chance, as a further click does."""
    context = get_script_run_ctx()
    assert context is not None and context.script_requests is not None
    context.script_requests.request_rerun(RerunData())


def page(referee: "Any", terms: "SignUpTerms") -> None:
    # Run as a script of its own, without what this file imports.
    import streamlit as st

    from arena_dashboard.owners import owners, sign_in

    found = owners.signed_in(referee)
    if found is None:
        sign_in.show(referee, terms)
    else:
        sign_in.show_fresh_key(found)
        st.write(f"{found.name}, {found.key}")
        st.button("Sign out", on_click=owners.sign_out)


def visit(referee: Referee, terms: SignUpTerms, token: str = "") -> AppTest:
    """A new session of a browser that keeps nothing but the provider's cookie."""
    app = AppTest.from_function(page, args=(referee, terms), default_timeout=60)
    if token:
        app.secrets = {"auth": {}}
        app.user = {"is_logged_in": True, "tokens": {"id": token}}
    return app.run()


def press(app: AppTest, label: str) -> None:
    next(one for one in app.button if one.label == label).click()
    app.run()
    assert not app.exception


def test_a_second_click_on_sign_up_loses_neither_the_owner_nor_its_key() -> None:
    referee = Referee()
    app = visit(referee, TERMS)
    app.text_input[0].set_value("ann")
    press(app, "Sign up")
    app.run()
    assert referee.owners == ["ann"]
    assert [one.value for one in app.code] == ["key of ann"]
    assert app.markdown[-1].value == "ann, sign-in by key of ann"


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The cookies of a browser, which has been given a page."""
    monkeypatch.delenv("ARENA_ADDRESS", raising=False)
    cookies = {VISIT: secrets.token_urlsafe()}
    monkeypatch.setattr(ContextProxy, "cookies", property(lambda _: cookies))
    return cookies


def test_who_loads_the_page_again_before_the_browser_keeps_the_sign_in_loses_nothing(
    browser: dict[str, str],
) -> None:
    referee = Referee()
    app, early = visit(referee, TERMS), visit(referee, TERMS)
    app.text_input[0].set_value("ann")
    # The page is gone before the referee answers: Streamlit tells no cookies of it any more.
    kept = dict(browser)
    referee.meanwhile = browser.clear
    press(app, "Sign up")
    browser.update(kept)
    early.text_input[0].set_value("ann")
    press(early, "Sign up")
    for page in (visit(referee, TERMS), early):
        assert not page.error
        assert [one.value for one in page.code] == ["key of ann"]
        assert page.markdown[-1].value == "ann, sign-in by key of ann"
    assert referee.owners == ["ann"]
    del browser[VISIT]  # another browser
    assert not visit(referee, TERMS).code


def test_a_new_key_is_shown_until_its_owner_says_that_it_is_stored(
    browser: dict[str, str],
) -> None:
    referee = Referee()
    app = visit(referee, TERMS)
    app.text_input[0].set_value("bea")
    press(app, "Sign up")
    browser.clear()
    browser[cookie_name()] = "sign-in by key of bea"
    again = visit(referee, TERMS)
    assert [one.value for one in again.code] == ["key of bea"]
    press(again, "I have stored it")
    for page in (again, visit(referee, TERMS)):
        assert not page.code and page.markdown[-1].value == "bea, sign-in by key of bea"


def test_who_signs_out_before_the_browser_keeps_the_sign_in_is_signed_out(
    browser: dict[str, str],
) -> None:
    referee = Referee()
    app = visit(referee, TERMS)
    app.text_input[0].set_value("cleo")
    press(app, "Sign up")
    press(app, "Sign out")
    assert browser and visit(referee, TERMS).text_input[0].label == "Your name"


@pytest.mark.slow
def test_who_loads_the_page_again_in_a_first_sign_in_by_an_identity_stays_signed_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ARENA_ADDRESS", raising=False)
    referee, token = Referee(), "a token of the first"
    app = visit(referee, BY_IDENTITY, token)
    app.text_input[0].set_value("Zoë")
    press(app, "Continue")
    app.run()
    signed_in = f"Zoë, sign-in by {token}"
    assert app.markdown[-1].value == signed_in
    again = visit(referee, BY_IDENTITY, token)
    again.run()
    assert again.markdown[-1].value == signed_in
    # Signed out, the token is of no use to whoever has it.
    press(again, "Sign out")
    later = visit(referee, BY_IDENTITY, token)
    assert [one.value for one in later.error] == ["This ID token was used before: sign in again."]
