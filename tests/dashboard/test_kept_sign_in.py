"""The cookie by which a browser stays signed in: who may have it set, and what it is like."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena_dashboard.owners import kept_sign_in
from arena_dashboard.owners.kept_sign_in import (
    HEADER,
    PATH,
    TICKET_SECONDS,
    VISIT,
    Tickets,
    tickets,
)
from arena_dashboard.serving import index_page
from arena_dashboard.serving.gate import PageGate

KEY = "arena_owner_of_a_sign_in"
OWN = {"Origin": "http://arena.example"}


@pytest.fixture
def browser() -> TestClient:
    """A browser at the dashboard's gate."""
    behind = Starlette(routes=list(kept_sign_in.ROUTES))
    gate = PageGate(behind, kept_sign_in.ROUTES, None)
    return TestClient(gate, base_url="http://arena.example")


def test_a_ticket_is_of_use_once() -> None:
    made = Tickets()
    first, second = made.issue(KEY), made.issue("")
    assert (made.redeem(first), made.redeem(first)) == (KEY, None)
    assert (made.redeem(second), made.redeem(second)) == ("", None)
    assert made.redeem("") is made.redeem("guessed") is None


def test_a_ticket_is_of_use_for_seconds() -> None:
    moments = iter([0.0, 0.0, TICKET_SECONDS - 1, TICKET_SECONDS])
    made = Tickets(lambda: next(moments))
    late, early = made.issue(KEY), made.issue(KEY)
    assert made.redeem(early) == KEY
    assert made.redeem(late) is None


def test_only_so_many_tickets_wait() -> None:
    made = Tickets(most=2)
    issued = [made.issue(KEY) for _ in range(3)]
    assert [made.redeem(one) for one in issued] == [None, KEY, KEY]


def test_a_key_is_pending_until_its_ticket_is_used_or_another_is_issued() -> None:
    made = Tickets()
    assert made.pending("") == made.pending("tab") == ""
    ticket = made.issue(KEY, visit="tab")
    made.issue("", instead_of="another", visit="tab")
    made.issue("of nobody's visit")
    assert (made.pending("tab"), made.pending(""), made.pending("other")) == (KEY, "", "")
    made.redeem(ticket)
    assert made.pending("tab") == ""
    for instead_of in (None, KEY):  # who signs out, and whose key has ended
        made.issue(KEY, visit="tab")
        made.issue("", instead_of=instead_of, visit="tab")
        assert made.pending("tab") == ""


def test_every_browser_is_known_from_its_first_page_on_and_no_script_reads_by_what() -> None:
    visitor = TestClient(Starlette(routes=list(index_page.ROUTES)))
    kept = visitor.get("/submit").headers["set-cookie"]
    assert kept.startswith(f"{VISIT}=") and "HttpOnly" in kept and "Max-Age" not in kept
    assert len(visitor.cookies[VISIT]) > 40
    assert "set-cookie" not in visitor.get("/my-bots").headers


def test_no_script_and_no_other_site_gets_the_cookie(browser: TestClient) -> None:
    answer = browser.post(PATH, headers={HEADER: tickets().issue(KEY), **OWN})
    assert answer.status_code == 204 and KEY not in answer.text
    name, _, rest = answer.headers["set-cookie"].partition("=")
    value, *attributes = rest.split("; ")
    assert (name, value) == (kept_sign_in.cookie_name(), KEY)
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(attributes)
    assert "Secure" not in attributes and "Domain" not in rest
    assert answer.headers["cache-control"] == "no-store"


def test_over_https_the_cookie_stays_there_also_behind_a_proxy(browser: TestClient) -> None:
    own = {"Origin": "https://arena.example"}
    answer = browser.post(PATH, headers={HEADER: tickets().issue(KEY), **own})
    assert "Secure" in answer.headers["set-cookie"].split("; ")


def test_a_browser_that_is_signed_out_drops_the_cookie(browser: TestClient) -> None:
    browser.post(PATH, headers={HEADER: tickets().issue(KEY), **OWN})
    assert browser.cookies.get(kept_sign_in.cookie_name()) == KEY
    browser.post(PATH, headers={HEADER: tickets().issue(""), **OWN})
    assert browser.cookies.get(kept_sign_in.cookie_name()) is None


def test_a_tab_whose_sign_in_has_ended_leaves_the_newer_one_of_another_tab(
    browser: TestClient,
) -> None:
    browser.post(PATH, headers={HEADER: tickets().issue("newer"), **OWN})
    for ended, kept in (("older", "newer"), ("newer", None)):
        browser.post(PATH, headers={HEADER: tickets().issue("", instead_of=ended), **OWN})
        assert browser.cookies.get(kept_sign_in.cookie_name()) == kept


@pytest.mark.parametrize("origin", ["http://evil.example", "http://arena.example:9", "null"])
@pytest.mark.parametrize("key", [KEY, ""])
def test_another_site_neither_sets_nor_clears_it_nor_uses_up_the_ticket(
    browser: TestClient, origin: str, key: str
) -> None:
    ticket = tickets().issue(key)
    answer = browser.post(PATH, headers={HEADER: ticket, "Origin": origin})
    assert answer.status_code == 403 and "set-cookie" not in answer.headers
    preflight = browser.options(PATH, headers={"Origin": origin})
    assert preflight.status_code == 405
    assert not [one for one in preflight.headers if one.startswith("access-control")]
    assert tickets().redeem(ticket) == key


def test_without_a_ticket_nothing_is_set(browser: TestClient) -> None:
    used = tickets().issue(KEY)
    assert tickets().redeem(used) == KEY
    for headers in ({}, {HEADER: ""}, {HEADER: "guessed"}, {HEADER: used}, {HEADER: KEY}):
        answer = browser.post(PATH, headers=headers | OWN)
        assert answer.status_code == 404 and "set-cookie" not in answer.headers
    for method in ("GET", "PUT", "DELETE"):
        ticket = tickets().issue(KEY)
        answer = browser.request(method, f"{PATH}?ticket={ticket}", headers={HEADER: ticket, **OWN})
        assert answer.status_code == 405 and "set-cookie" not in answer.headers


def test_each_arena_of_a_machine_has_a_cookie_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    names = set()
    for address in ("127.0.0.1:50051", "127.0.0.1:50052", ""):
        monkeypatch.setenv("ARENA_ADDRESS", address)
        names.add(kept_sign_in.cookie_name())
    assert len(names) == 3
