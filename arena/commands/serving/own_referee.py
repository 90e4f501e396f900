"""The referee of the settings: its TLS, and the access of programs on its machine."""

import os
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog

from arena.addresses import host_port
from arena.builds.hosted import HostingTerms
from arena.database.private_home import make_private_home
from arena.database.private_socket import make_private, socket_directory
from arena.isolation import bypass_proxies
from arena.records import SignUp
from arena.scheduling.ladder import TableType
from arena.server.app.referee_settings import RefereeSettings
from arena.server.app.tls import TlsFiles, certificate_name
from arena.server.limits.limits import Limits
from arena.server.play.terms import Terms
from arena.settings import Settings, SettingsError

log = structlog.get_logger()

_ALL_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  not bound


def sign_up_of(settings: Settings, *, alone: bool = False) -> SignUp:
    """Return the rule for who may become an owner.

    If the settings do not define it, sign-up is open if the referee serves only its own machine
    (`alone`); otherwise an invite is needed.
    """
    return settings.signup or (SignUp.OPEN if alone else SignUp.INVITE)


def referee_settings(
    settings: Settings, table_types: Sequence[TableType], host: str, *, alone: bool = False
) -> RefereeSettings:
    """Return the settings of a referee that listens on `host`; its metrics stay at ARENA_HOST.

    Raises SettingsError, DataDirectoryError and SetupError.
    """
    return RefereeSettings(
        host=host,
        port=settings.port,
        table_types=table_types,
        terms=Terms(house_pace=settings.pace),
        spool_directory=settings.home,
        metrics_address=settings.metrics_address,
        compiled=settings.compiled,
        read_beside=True,
        tls=tls_files(settings),
        spectator_delay=settings.spectator_delay,
        sign_up=sign_up_of(settings, alone=alone),
        limits=limits_of(settings),
        hosting=hosting_terms(settings),
        socket=free_socket(settings),
        dashboard_secret=settings.dashboard_secret,
        identity_provider=settings.identity_provider,
        spread_load=settings.spread_load,
        public_addresses=public_addresses(settings, host),
    )


def limits_of(settings: Settings) -> Limits:
    """Return the limits that apply to every owner."""
    return Limits(bots_per_owner=settings.bots, owner_versions_per_day=settings.versions_a_day)


def hosting_terms(settings: Settings) -> HostingTerms | None:
    """Return the limits for uploads; None if nothing is hosted."""
    if not settings.hosting:
        return None
    return HostingTerms(
        build_bytes=round(settings.build_mb * 1024 * 1024),
        uploads_a_day=settings.uploads_a_day,
        builds_kept=settings.builds_kept,
        hosted_bots=settings.hosted_bots,
        shift_seconds=settings.shift_seconds,
    )


def tls_files(settings: Settings) -> TlsFiles | None:
    """Return the files of the certificate, or None without TLS. Raises SettingsError."""
    cert, key = settings.tls_cert, settings.tls_key
    if cert is not None and key is not None:
        return TlsFiles(cert, key, settings.tls_client_ca)
    if cert is not None or key is not None:
        raise SettingsError("ARENA_TLS_CERT and ARENA_TLS_KEY are set both, or neither.")
    if settings.tls_client_ca is not None:
        raise SettingsError("ARENA_TLS_CLIENT_CA needs ARENA_TLS_CERT and ARENA_TLS_KEY.")
    return None


def own_socket(settings: Settings) -> Path | None:
    """Return the socket of hosted bots, in a directory that exists and is private.

    None on systems that cannot host bots. Raises DataDirectoryError and SetupError.
    """
    if not sys.platform.startswith("linux"):
        return None
    if settings.socket is not None:
        make_private(settings.socket.parent)
        return settings.socket.absolute()
    make_private_home(settings.home)
    return socket_directory(settings.home / "referee.sockets") / "referee.sock"


def free_socket(settings: Settings) -> Path | None:
    """Return the socket for a referee that starts; None if another referee listens there.

    Raises DataDirectoryError.
    """
    path = own_socket(settings)
    if path is None:
        return None
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return path
    log.info(
        "another referee listens on the socket; workers relay messages to this one",
        socket=str(path),
    )
    return None


def own_address(settings: Settings, port: int | None = None) -> str:
    """Return the referee's address on this machine, for clients."""
    host = _ALL_ADDRESSES.get(settings.host, settings.host)
    address = host_port(host, settings.port if port is None else port)
    return f"https://{address}" if settings.tls_cert else address


def public_addresses(settings: Settings, host: str) -> Callable[[int], Sequence[str]]:
    """Return a function from the port to the addresses at which bots may reach the referee.

    Each of several referees has another address; there are none if neither the settings nor the
    host name any. Raises SettingsError.
    """
    named = settings.public_addresses
    if named:
        return lambda _port: named
    if host in _ALL_ADDRESSES:
        return lambda _port: ()
    scheme = "https://" if settings.tls_cert else ""
    return lambda port: [f"{scheme}{host_port(host, port)}"]


def client_environment(settings: Settings) -> dict[str, str]:
    """Return the variables by which clients on the machine reach and trust the referee.

    They are added to those of this process. They exempt this referee from a proxy. With TLS,
    clients trust its certificate itself, regardless of the issuer, for the name in it, unless
    ARENA_CA and ARENA_SERVER_NAME are set. Raises SettingsError and TlsError.
    """
    return _without_proxy(settings.host) | _trust(settings)


def _without_proxy(host: str) -> dict[str, str]:
    if host in _ALL_ADDRESSES:
        return {}
    environment = dict(os.environ)
    bypass_proxies(environment, host)
    return {name: value for name, value in environment.items() if os.environ.get(name) != value}


def _trust(settings: Settings) -> dict[str, str]:
    files = tls_files(settings)
    if files is None:
        return {}
    if files.client_ca and not os.environ.get("ARENA_CLIENT_CERT"):
        raise SettingsError(
            "ARENA_TLS_CLIENT_CA asks every client for a certificate: set ARENA_CLIENT_CERT and "
            "ARENA_CLIENT_KEY for those on this machine."
        )
    trust = {"ARENA_CA": str(files.cert.absolute())}
    if name := certificate_name(files.cert):
        trust["ARENA_SERVER_NAME"] = name
    return {name: os.environ.get(name) or value for name, value in trust.items()}
