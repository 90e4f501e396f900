"""`Settings`: the environment variables `ARENA_…`, as in `ARENA_HOME=/srv/arena arena up`."""

import logging
import re
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SkipValidation, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from arena.addresses import bare_host, on_loopback
from arena.errors import UserError
from arena.records import SignUp
from arena.scheduling.pace import DEFAULT_PACE, read_pace
from arena.validation_errors import found_text, reason_text

_PREFIX = "ARENA_"
_DRIVER = "postgresql+psycopg://"
MOST_ADDRESSES: Final = 100
"""The maximum number of addresses in `public_address`; a referee takes one."""
_HIGHEST_PORT: Final = 65_535
_NO_USER: Final = 2**32 - 2
"""The first of the user ids that the kernel reserves."""
_PUBLIC_ADDRESS: Final = re.compile(
    r"(?P<host>(https?://)?(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+)):(?P<first>\d{1,5})(-(?P<last>\d{1,5}))?/?",
    re.ASCII,
)


class SettingsError(UserError, ValueError):
    """A malformed setting; the message names its environment variable."""


def _with_driver(url: str) -> str:
    for scheme in (_DRIVER, "postgresql://", "postgres://"):
        if url.startswith(scheme):
            return _DRIVER + url.removeprefix(scheme)
    raise ValueError("must start with postgresql://")


def web_address(url: str) -> str:
    """Return the address if content from there cannot be altered in transit.

    That is https://, or this machine. Raises ValueError for any other address.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise ValueError("must be an address that begins with https://")
    if parts.scheme == "http" and not on_loopback(parts.hostname):
        raise ValueError("must begin with https://, except on this machine")
    return url


def _origin(url: str) -> str:
    return web_address(url).rstrip("/")


def _upper(text: object) -> object:
    return text.upper() if isinstance(text, str) else text


def _lower(text: object) -> object:
    return text.lower() if isinstance(text, str) else text


def _pace(value: object) -> object:
    return read_pace(value) if isinstance(value, str) else value


def _users(value: object) -> object:
    if not isinstance(value, str):
        return value
    first, _, last = value.partition("-")
    if not (first.isdecimal() and last.isdecimal() and 0 < int(first) <= int(last) < _NO_USER):
        raise ValueError("must be FIRST-LAST, numbers of users above 0")
    return range(int(first), int(last) + 1)


def _packages(value: object) -> object:
    if not isinstance(value, str):
        return value
    names = [name.strip() for name in value.split(",")] if value.strip() else []
    if not all(re.fullmatch(r"[A-Za-z0-9]+([._-]+[A-Za-z0-9]+)*", name) for name in names):
        raise ValueError("must be names of packages, separated by commas, without versions")
    return tuple(names)


Port = Annotated[int, Field(ge=0, le=_HIGHEST_PORT)]
LogFormat = Literal["text", "json"]
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]


class Settings(BaseSettings):
    """The settings; each field is the environment variable `ARENA_` plus its name in capitals."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, frozen=True)

    home: Path = Path(".arena")
    """The directory of the built-in database and its log."""
    # Hidden in messages, because it may hold a password.
    database_url: Annotated[str, AfterValidator(_with_driver)] | None = Field(
        default=None, repr=False
    )
    """A Postgres server to use instead of the built-in one."""
    host: Annotated[str, AfterValidator(bare_host)] = Field(default="127.0.0.1", min_length=1)
    """The address that the referee and the dashboard listen on; IPv6 with or without brackets."""
    port: Port = 50051
    """The referee's port; 0 takes a free one."""
    public_address: str | None = None
    """The address at which bots reach this referee among several on one database.

    It is `host:port` or `https://host:port`. With a range of ports (`host:50061-50068`) a referee
    takes the first that no other referee has, and pages show the first of the range to authors.
    Without this setting the address is `host` and `port`, unless `host` means all addresses.
    """
    dashboard_port: Port = 8501
    """The dashboard's port; 0 takes a free one."""
    socket: Path | None = None
    """The Unix socket over which hosted bots play; only the referee's user may enter its directory.

    By default the socket is in a private directory of its own.
    """
    pace: Annotated[float, BeforeValidator(_pace)] = DEFAULT_PACE
    """The number of matches a second that house bots play among themselves, or `max`."""
    tls_cert: Path | None = None
    """The referee's certificate with its chain; without one the port is not encrypted."""
    tls_key: Path | None = None
    """The private key of the certificate."""
    tls_client_ca: Path | None = None
    """The authorities for the certificates that clients must show; by default they need none."""
    signup: Annotated[SignUp | None, BeforeValidator(_lower)] = None
    """The rule for who may become an owner: everyone, those with an invite, or no one.

    The values are `open`, `invite` and `closed`. By default `arena up` is open if it listens on
    this machine only; otherwise an invite is needed.
    """
    bots: int = Field(default=20, ge=1)
    """The number of bots that an owner may have, retired ones not counted."""
    versions_a_day: int = Field(default=60, ge=1)
    """The number of versions that an owner may register in 24 hours, uploads not counted."""
    hosting: bool = True
    """Whether owners may upload bots that the arena runs."""
    compiled: bool = True
    """Whether the referee plays by compiled rules where they are installed (extra `fast`)."""
    slots: int = Field(default=2, ge=0, le=256)
    """The number of hosted bots that one worker runs at a time; with 0 `arena up` has no worker."""
    check_slots: int = Field(default=2, ge=1, le=256)
    """The number of uploads that one worker checks at a time, in addition to its hosted bots.

    An owner has at most one check at a time: with two slots, an owner does not wait for the slow
    build of another owner.
    """
    build_mb: float = Field(default=20, gt=0, le=100)
    """The maximum size of an uploaded build, in MiB."""
    hosted_packages: Annotated[tuple[str, ...] | None, NoDecode, BeforeValidator(_packages)] = None
    """The installed Python packages that hosted bots may ask for in bot.toml, as `NAME,NAME`.

    numpy and onnxruntime need not be named.
    """
    uploads_a_day: int = Field(default=30, ge=1)
    """The number of builds that an owner may upload in 24 hours."""
    builds_kept: int = Field(default=20, ge=1)
    """The number of an owner's builds that are stored."""
    program_users: Annotated[SkipValidation[range], NoDecode, BeforeValidator(_users)] = range(
        2_010_000_000, 2_010_004_096
    )
    """The user ids, as `FIRST-LAST`, under which a worker that is root runs programs.

    Each program gets a user id of its own, which needs no name and owns nothing. No distribution,
    container or directory service assigns the default ids.
    """
    hosted_bots: int = Field(default=5, ge=1)
    """The number of an owner's bots that the arena runs."""
    shift_seconds: int = Field(default=60, ge=5, le=3600)
    """The length of a hosted bot's shift, after which the next bot has its turn."""
    spectator_delay: float = Field(default=0, ge=0, le=3600)
    """The delay with which spectators see matches, in seconds."""
    spread_load: float = Field(default=0.75, ge=0, le=1)
    """The load at which bots are spread over one more referee; 0 always uses all referees.

    A referee's load is the share of the last seconds in which its event loop was busy.
    """
    person_token: str | None = Field(default=None, repr=False)
    """The token of the bot that represents people who play on the dashboard's page "Play".

    `arena up` creates one.
    """
    dashboard_secret: str | None = Field(default=None, repr=False, min_length=16)
    """A secret shared by a referee and its dashboards.

    With it, a dashboard tells the referee the visitor's address with each request, so that limits
    by address apply to the visitor. `arena up` creates one.
    """
    dashboard_url: Annotated[str, AfterValidator(_origin)] | None = Field(default=None, repr=False)
    """The address at which visitors reach the pages; needed with an identity provider."""
    oidc_issuer: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, repr=False
    )
    """The identity provider (OpenID Connect) with which owners sign in on the pages."""
    oidc_client_id: str | None = None
    """The arena's client id at the identity provider."""
    oidc_client_secret: str | None = Field(default=None, repr=False)
    """The arena's secret at the identity provider; only the dashboard needs it."""
    metrics_port: Port | None = None
    """The port for metrics and readiness over HTTP; by default they are not served."""
    log_format: Annotated[LogFormat, BeforeValidator(_lower)] = "text"
    """The format of log lines: text for people, or one JSON object a line."""
    log_level: Annotated[LogLevel, BeforeValidator(_upper)] = "INFO"
    """The lowest severity of log lines that are shown."""

    @property
    def metrics_address(self) -> tuple[str, int] | None:
        """The host and port at which metrics are served; None if they are not served."""
        return None if self.metrics_port is None else (self.host, self.metrics_port)

    @property
    def public_addresses(self) -> tuple[str, ...]:
        """The addresses in `public_address`, one for each port of a range.

        `host:50061-50063` gives three. Raises SettingsError.
        """
        if self.public_address is None:
            return ()
        found = _PUBLIC_ADDRESS.fullmatch(self.public_address)
        if found is None:
            raise SettingsError(
                f"ARENA_PUBLIC_ADDRESS is malformed: {self.public_address!r} is no HOST:PORT, as "
                "play.example.org:50051 or https://play.example.org:443."
            )
        first, last = int(found["first"]), int(found["last"] or found["first"])
        if not 0 < first <= last < min(first + MOST_ADDRESSES, _HIGHEST_PORT + 1):
            raise SettingsError(
                f"ARENA_PUBLIC_ADDRESS is malformed: {self.public_address!r} has no port, or range "
                f"of up to {MOST_ADDRESSES} ports, from 1 to {_HIGHEST_PORT}."
            )
        return tuple(f"{found['host']}:{port}" for port in range(first, last + 1))

    @property
    def identity_provider(self) -> tuple[str, str] | None:
        """The issuer and the arena's client id there; None without an identity provider.

        Raises SettingsError.
        """
        if self.oidc_issuer is None and self.oidc_client_id is None:
            return None
        if self.oidc_issuer is None or self.oidc_client_id is None:
            raise SettingsError(
                "ARENA_OIDC_ISSUER and ARENA_OIDC_CLIENT_ID are set both, or neither."
            )
        return self.oidc_issuer, self.oidc_client_id

    @property
    def log_level_number(self) -> int:
        """The `log_level` as a number of the logging module."""
        return logging.getLevelNamesMapping()[self.log_level]


def read_settings() -> Settings:
    """Return the settings in the environment. Raises SettingsError for a malformed variable."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = str(first["loc"][0])
        # The message must not repeat a secret, or an address with a password.
        found = f"{found_text(first['input'])}; " if Settings.model_fields[field].repr else ""
        name, reason = _PREFIX + field.upper(), reason_text(first)
        raise SettingsError(f"{name} is malformed: {found}{reason}.") from None
