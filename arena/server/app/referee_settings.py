"""`RefereeSettings`: the settings with which a referee starts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.builds.hosted import HostingTerms
from arena.records import SignUp
from arena.scheduling.ladder import TableType
from arena.server.app.tls import TlsFiles
from arena.server.failover.spreading import FULL
from arena.server.limits.limits import Limits
from arena.server.play.play_service import HELLO_SECONDS
from arena.server.play.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeSettings:
    """One referee's settings.

    By default it listens on a free port of this machine and pairs no bots by itself.
    """

    host: str = "127.0.0.1"
    port: int = 0
    """The port; 0 takes a free one."""
    table_types: Sequence[TableType] = ()
    """The tables that the ladder plays."""
    terms: Terms = field(default_factory=Terms)
    limits: Limits = field(default_factory=Limits)
    hello_seconds: float = HELLO_SECONDS
    """The time that a stream gets to identify its bot."""
    spool_directory: Path | None = None
    """The directory of results that could not be recorded, by this referee or an earlier one."""
    metrics_address: tuple[str, int] | None = None
    compiled: bool = True
    """Whether compiled rules play where they are installed."""
    read_beside: bool = False
    """Whether processes of their own answer reading calls and write the boards' checkpoints.

    Otherwise a thread answers reading calls.
    """
    tls: TlsFiles | None = None
    spectator_delay: float = 0.0
    """The delay in seconds with which spectators see matches."""
    sign_up: SignUp = SignUp.INVITE
    """The rule for who may become an owner."""
    socket: Path | None = None
    """A Unix socket over which bots also play."""
    hosting: HostingTerms | None = None
    """The limits of uploads; None if owners may upload nothing."""
    spread_load: float = FULL
    """The load of the referees in use from which bots play at one more; 0 uses all always."""
    dashboard_secret: str | None = None
    """The secret with which a dashboard proves that it may name the visitor it calls for."""
    identity_provider: tuple[str, str] | None = None
    """The issuer of the ID tokens by which owners sign in, and the arena's client id there."""
    public_addresses: Callable[[int], Sequence[str]] = lambda _port: ()
    """A function from the port to the addresses at which bots may reach this referee beside others.

    It is reached at the first that no other referee has. Without addresses of its own it must be
    the only referee.
    """
