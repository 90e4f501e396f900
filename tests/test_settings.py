"""What the environment says is read once, and malformed settings name themselves."""

import math
from pathlib import Path

import pytest
from pydantic import ValidationError

from arena.commands.serving.own_referee import limits_of
from arena.server.limits.limits import Limits
from arena.settings import Settings, SettingsError, read_settings


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ARENA_{name.upper()}", raising=False)


def test_the_defaults() -> None:
    settings = read_settings()
    assert settings.home == Path(".arena")
    assert settings.database_url is None
    assert (settings.host, settings.port, settings.dashboard_port) == ("127.0.0.1", 50051, 8501)
    assert (settings.log_level, settings.log_format) == ("INFO", "text")
    assert settings.metrics_address is None
    assert (settings.tls_cert, settings.tls_key, settings.tls_client_ca) == (None, None, None)
    assert settings.pace == 0.5


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:pw@db/arena",
        "postgresql+psycopg://me:pw@db/arena",
        "postgres://me:pw@db/arena",
    ],
)
def test_a_database_url_gets_our_driver_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", url)
    settings = read_settings()
    assert settings.database_url == "postgresql+psycopg://me:pw@db/arena"
    assert "pw" not in repr(settings)


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_HOME", "/srv/arena")
    monkeypatch.setenv("ARENA_PORT", "0")
    monkeypatch.setenv("ARENA_LOG_LEVEL", "debug")
    monkeypatch.setenv("ARENA_HOST", "")
    monkeypatch.setenv("ARENA_PACE", "max")
    monkeypatch.setenv("ARENA_METRICS_PORT", "9464")
    monkeypatch.setenv("ARENA_LOG_FORMAT", "JSON")
    settings = read_settings()
    assert (settings.home, settings.port, settings.log_level) == (Path("/srv/arena"), 0, "DEBUG")
    assert settings.host == "127.0.0.1"
    assert settings.pace == math.inf
    assert settings.metrics_address == ("127.0.0.1", 9464)
    assert settings.log_format == "json"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("ARENA_PORT", "many", "a whole number"),
        ("ARENA_PORT", "70000", "65535 or less"),
        ("ARENA_DASHBOARD_PORT", "-1", "0 or more"),
        ("ARENA_METRICS_PORT", "99999", "65535 or less"),
        ("ARENA_BUILD_MB", "lots", "a number"),
        ("ARENA_BUILD_MB", "0", "more than 0"),
        ("ARENA_BUILD_MB", "inf", "100 or less"),
        ("ARENA_HOSTING", "perhaps", "true or false"),
        ("ARENA_LOG_LEVEL", "LOUD", '"DEBUG", "INFO", "WARNING" or "ERROR"'),
        ("ARENA_LOG_FORMAT", "xml", '"text" or "json"'),
        ("ARENA_SIGNUP", "maybe", '"open", "invite" or "closed"'),
    ],
)
def test_a_malformed_setting_says_what_was_found_and_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, why: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert str(caught.value) == f'{name} is malformed: found "{value}"; allowed is {why}.'


def test_users_of_programs_are_the_numbers_from_the_first_to_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARENA_PROGRAM_USERS", "70000-70009")
    assert read_settings().program_users == range(70_000, 70_010)


@pytest.mark.parametrize("value", ["5", "0-5", "9-3", "-1-5", "1-4294967295", "a-b", "²-³"])
def test_malformed_users_of_programs_are_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("ARENA_PROGRAM_USERS", value)
    with pytest.raises(SettingsError, match="must be FIRST-LAST, numbers of users above 0"):
        read_settings()


@pytest.mark.parametrize("value", ["fast", "-7"])
def test_a_malformed_pace_says_how_to_write_one(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("ARENA_PACE", value)
    with pytest.raises(SettingsError, match=f'found "{value}"; write 0.001 to 10,000 matches'):
        read_settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARENA_DATABASE_URL", "mysql://me:pw@db/arena"),
        ("ARENA_DASHBOARD_SECRET", "pw"),
        ("ARENA_DASHBOARD_URL", "http://me:pw@arena.example"),
        ("ARENA_OIDC_ISSUER", "ftp://me:pw@login.example"),
    ],
)
def test_what_may_hold_a_secret_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=rf"^{name} is malformed: [^.\n]+\.$") as caught:
        read_settings()
    assert "pw" not in str(caught.value)


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        read_settings().port = 1


def test_limits_that_are_not_set_are_those_of_the_referee(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits_of(read_settings()) == Limits()
    monkeypatch.setenv("ARENA_BOTS", "3")
    monkeypatch.setenv("ARENA_VERSIONS_A_DAY", "7")
    limits = limits_of(read_settings())
    assert (limits.bots_per_owner, limits.owner_versions_per_day) == (3, 7)
