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
    """The directory for results that this referee or an earlier one could not record."""
    metrics_address: tuple[str, int] | None = None
    compiled: bool = True
    """Whether to play with compiled rules where they are installed."""
    read_beside: bool = False
    """Whether separate processes answer reading calls and write the boards' checkpoints.

    Otherwise a thread answers reading calls, and no checkpoints are written.
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
    """The load of the referees in use from which one more is used; 0 always uses all referees."""
    dashboard_secret: str | None = None
    """The secret with which a dashboard proves that it may name the visitor it calls for."""
    identity_provider: tuple[str, str] | None = None
    """The issuer of the ID tokens by which owners sign in, and the arena's client id there."""
    public_addresses: Callable[[int], Sequence[str]] = lambda _port: ()
    """A function from the port to the public addresses that several referees share out.

    This referee takes the first address that no other referee has. Without any addresses it must be
    the only referee.
    """
