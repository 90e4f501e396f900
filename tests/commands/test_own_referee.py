"""What a referee of the settings is by default."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.addresses import on_loopback
from arena.builds.hosted import HostingTerms
from arena.commands.serving.own_referee import (
    hosting_terms,
    public_addresses,
    referee_settings,
    sign_up_of,
)
from arena.records import SignUp
from arena.settings import Settings, SettingsError, read_settings


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.7", False),
        ("arena.example", False),
    ],
)
def test_only_the_loopback_is_for_this_machine_alone(host: str, alone: bool) -> None:
    assert on_loopback(host) is alone


def test_everybody_may_sign_up_at_home_and_elsewhere_by_invite_unless_told_otherwise() -> None:
    assert sign_up_of(Settings(), alone=True) is SignUp.OPEN
    assert sign_up_of(Settings()) is SignUp.INVITE
    for alone in (True, False):
        for said in SignUp:
            assert sign_up_of(Settings(signup=said), alone=alone) is said


def test_the_setting_is_read_in_any_case_and_another_word_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARENA_SIGNUP", "Closed")
    assert read_settings().signup is SignUp.CLOSED
    monkeypatch.setenv("ARENA_SIGNUP", "all")
    with pytest.raises(SettingsError, match=r'ARENA_SIGNUP is malformed.*"open", "invite"'):
        read_settings()


@pytest.mark.parametrize(
    ("setting", "value", "field", "expected"),
    [
        ("ARENA_BUILD_MB", "1.5", "build_bytes", 1_572_864),
        ("ARENA_UPLOADS_A_DAY", "7", "uploads_a_day", 7),
        ("ARENA_BUILDS_KEPT", "7", "builds_kept", 7),
        ("ARENA_HOSTED_BOTS", "7", "hosted_bots", 7),
        ("ARENA_SHIFT_SECONDS", "7", "shift_seconds", 7),
    ],
)
def test_each_setting_of_hosting_changes_one_term(
    monkeypatch: pytest.MonkeyPatch, setting: str, value: str, field: str, expected: int
) -> None:
    assert hosting_terms(read_settings()) == HostingTerms()
    monkeypatch.setenv(setting, value)
    changed: dict[str, Any] = {field: expected}
    assert hosting_terms(read_settings()) == replace(HostingTerms(), **changed)


def test_nothing_is_hosted_where_the_operator_does_not_want_it() -> None:
    assert hosting_terms(Settings(hosting=False)) is None


@pytest.mark.parametrize(
    ("public", "host", "expected"),
    [
        (None, "10.0.0.1", ["10.0.0.1:7"]),
        (None, "0.0.0.0", []),
        ("example.org:1", "0.0.0.0", ["example.org:1"]),
        (
            "https://example.org:61-63",
            "0.0.0.0",
            [f"https://example.org:{p}" for p in (61, 62, 63)],
        ),
        ("[::1]:61-61", "::1", ["[::1]:61"]),
        ("http://one:65535/", "::1", ["http://one:65535"]),
    ],
)
def test_where_bots_may_reach_it(public: str | None, host: str, expected: list[str]) -> None:
    settings = Settings(public_address=public)
    assert list(public_addresses(settings, host)(7)) == expected


@pytest.mark.parametrize(
    "public",
    [
        *("nowhere", "one:63-61", "one:0-3", "one:1-9000", "one:9-", "one:0", "one:99999"),
        *("one:65530-65540", ":61", "one two:61", "ftp://one:61", "https://one", "::1:61"),
    ],
)
def test_a_malformed_public_address_is_refused_by_name(public: str) -> None:
    with pytest.raises(SettingsError, match="ARENA_PUBLIC_ADDRESS is malformed"):
        public_addresses(Settings(public_address=public), "::")


def test_a_referee_that_listens_elsewhere_keeps_its_metrics_at_the_host_of_the_settings(
    tmp_path: Path,
) -> None:
    socket = tmp_path / "private" / "referee.sock"
    settings = Settings(home=tmp_path / "arena", socket=socket, port=0, metrics_port=9464)
    started = referee_settings(settings, [], "10.0.0.7")
    assert (started.host, started.metrics_address) == ("10.0.0.7", ("127.0.0.1", 9464))
    assert started.public_addresses(50051) == ["10.0.0.7:50051"]
