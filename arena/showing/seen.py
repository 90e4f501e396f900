"""What a person at the table sees between turns: the interface of a kit's module `seen`.

A message to a seat brings the view as it is now, and the events since the last one. What was opened
in between (a showdown, a reveal, a doubt) gets a moment of its own, so that a person sees it.
"""

from typing import Any, Final, Protocol, cast, runtime_checkable

from arena.games.by_game import ByGame
from arena.games.game import Options
from arena.showing import plain_seen
from arena.showing.moments import Moment


@runtime_checkable
class GameSeen(Protocol):
    """The functions of a kit's module. They show nothing that the views and events do not hold."""

    def opened(self, event: Any, view: Any) -> tuple[Moment, Any] | None:
        """Return the moment of the claim that an event opens, and the view before it.

        None for an event that opens nothing.
        """

    def standing(self, view: Any) -> Moment | None:
        """Return the moment of the claim that stands in a view; None without one."""

    def after(self, view: Any, event: Any, options: Options) -> Any:
        """Return the view with what an event changed in public."""

    def between(self, public: Any, own: Any, played: Any) -> Any:
        """Return the spectator's view `public` with the seat's own hand, while that is certain.

        `own` was the seat's last own view, and `played` its answer to it, None if that is not
        known.
        """


SEEN: Final = ByGame[GameSeen](lambda kit: cast("GameSeen", kit.part("seen") or plain_seen))
"""By game."""
