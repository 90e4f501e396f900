"""A person's view of a game whose kit has no module `seen`: the views as they are received."""

from typing import Any

from arena.games.game import Options
from arena.showing.moments import Moment


def opened(event: Any, view: Any) -> tuple[Moment, Any] | None:  # noqa: ARG001
    """Return None, as no claim is opened."""
    return None


def standing(view: Any) -> Moment | None:  # noqa: ARG001
    """Return None, as nothing is claimed."""
    return None


def after(view: Any, event: Any, options: Options) -> Any:  # noqa: ARG001
    """Return the view unchanged."""
    return view


def between(public: Any, own: Any, played: Any) -> Any:  # noqa: ARG001
    """Return the spectator's view."""
    return public
