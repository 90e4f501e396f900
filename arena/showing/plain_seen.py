"""What a person sees of a game whose kit says nothing of it: the views as they come."""

from typing import Any

from arena.games.game import Options
from arena.showing.moments import Moment


def opened(event: Any, view: Any) -> tuple[Moment, Any] | None:  # noqa: ARG001
    """Return None: nothing is opened."""
    return None


def standing(view: Any) -> Moment | None:  # noqa: ARG001
    """Return None: nothing is claimed."""
    return None


def after(view: Any, event: Any, options: Options) -> Any:  # noqa: ARG001
    """Return the view unchanged."""
    return view


def between(public: Any, own: Any, played: Any) -> Any:  # noqa: ARG001
    """Return what everybody sees."""
    return public
