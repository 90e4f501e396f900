"""A person's view of the table between turns: the interface of a kit's module `seen`.

A message to a seat brings the present view, and the events since the last one. What was opened in
between (a showdown, a reveal, a doubt) gets a moment of its own, so that a person sees it.
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

        It is None for an event that opens nothing.
        """

    def standing(self, view: Any) -> Moment | None:
        """Return the moment of the claim that is open in a view; None without one."""

    def after(self, view: Any, event: Any, options: Options) -> Any:
        """Return the view with an event's public changes."""

    def between(self, public: Any, own: Any, played: Any) -> Any:
        """Return the spectator's view `public` as the seat sees it.

        It holds the seat's own hand while that is certain. `own` is the seat's own latest view, and
        `played` its answer to that; None if the answer is not known.
        """


SEEN: Final = ByGame[GameSeen](lambda kit: cast("GameSeen", kit.part("seen") or plain_seen))
"""The modules `seen` by game."""
