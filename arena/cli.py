"""The `arena` command: the list of its commands, each in a module of arena/commands.

Only the module of the requested command is loaded, so that `leaderboard` does not load gRPC and
`serve` does not load numpy. The help texts of the others are read from their source files.
"""

import ast
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from arena import __version__
from arena.commands.errors import exit_with_message

COMMANDS = {
    "up": "serving.up:up",
    "serve": "serving.serve:serve",
    "dashboard": "serving.dashboard:dashboard",
    "work": "serving.work:work",
    "sample-bots": "serving.sample_bots:sample_bots",
    "health": "serving.health:health",
    "migrate": "database:migrate",
    "roles": "database:roles",
    "backup": "backup:backup",
    "restore": "backup:restore",
    "signup": "owners.login:signup",
    "login": "owners.login:login",
    "submit": "owners.submit:submit",
    "team": "owners.team:app",
    "messages": "owners.messages:messages",
    "bot": "bots:app",
    "owner": "owners.owner:app",
    "block": "owners.block:app",
    "worker": "owners.worker:app",
    "invite": "owners.invite:app",
    "policy": "owners.policy:policy",
    "audit": "owners.audit:audit",
    "tournament": "tournaments.tournament:app",
    "event": "events.event:app",
    "challenge": "challenge:challenge",
    "leaderboard": "ratings.leaderboard:leaderboard",
    "check-boards": "ratings.check_boards:check_boards",
    "history": "ratings.history:history",
    "matches": "results.matches:matches",
    "transcript": "results.matches:transcript",
    "replay": "results.replay:replay",
    "faults": "results.faults:faults",
    "verify": "results.verify:verify",
    "key": "results.key:key",
    "luck": "results.luck:luck",
    "analyse": "results.analyse:analyse",
    "deception": "results.deception:deception",
    "export": "results.export:export",
    "mcp": "mcp:mcp",
    "new-bot": "home.new_bot:new_bot",
    "bridge": "bridge:bridge",
    "play": "home.play:play",
    "check": "home.check:check_bot",
    "run": "experiments.command:run",
    "ladder-climb": "climb.command:ladder_climb",
    "test": "sequential_test.command:sequential_test",
    "solve": "solve:solve",
    "exploit": "home.exploit:exploit",
    "benchmark": "home.benchmark:benchmark",
    "rate": "ratings.rate:rate",
    "sprt": "ratings.rate:sprt",
}
"""The commands by name, as MODULE:ATTRIBUTE in arena.commands.

The attribute is a function, or a Typer app with commands below.
"""


class _Commands(TyperGroup):
    """The group of all commands; errors show a refused argument and the allowed values."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a UserError in any command or option prints its message and exits.

        Pydantic's message about a refused argument is replaced.
        """
        try:
            with exit_with_message():
                return super().invoke(ctx)
        except typer.BadParameter as error:
            reason = _reason(error.__cause__)
            if reason is not None:
                error.message = reason
            raise


def _reason(cause: BaseException | None) -> str | None:
    """Return why an argument is refused, in the arena's words.

    None if the error is not pydantic's.
    """
    # Imported here, because these imports load the games.
    from pydantic import ValidationError

    if not isinstance(cause, ValidationError):
        return None
    from arena.validation_errors import found_text, reason_text

    fault = cause.errors(include_url=False)[0]
    if fault["type"] == "value_error":
        return reason_text(fault)
    return f"{found_text(fault['input'])}; {reason_text(fault)}."


def application(arguments: Sequence[str]) -> typer.Typer:
    """Return the Typer app that lists all commands; only the one in the arguments can run."""
    asked_for = arguments[0] if arguments else None
    app = typer.Typer(
        cls=_Commands,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for name, place in COMMANDS.items():
        if name == asked_for:
            _add(app, name, place)
        else:
            # Reading the help of the others is slow, and only the list of all commands shows it.
            app.command(name, help=None if asked_for in COMMANDS else _help(place))(_not_loaded)
    return app


def _print_version(asked_for: bool) -> None:
    if asked_for:
        typer.echo(f"bluff-arena {__version__}")
        raise typer.Exit


def _options(
    _version: bool = typer.Option(
        False,
        "--version",
        callback=_print_version,
        is_eager=True,
        help="Print the version and exit.",
    ),
) -> None:
    """A tournament platform for bots in games of bluff."""  # noqa: D401 - the help of the command


def _add(app: typer.Typer, name: str, place: str) -> None:
    module, attribute = place.split(":")
    command: Callable[..., None] | typer.Typer = getattr(
        import_module(f"arena.commands.{module}"), attribute
    )
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)


def _not_loaded() -> None:
    """Stand in for a command that was not requested."""


def _help(place: str) -> str:
    """Return a command's docstring (a group's is its module's), without loading its module."""
    module, attribute = place.split(":")
    spec = find_spec(f"arena.commands.{module}")
    assert spec is not None and spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_bytes())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == attribute:
            return ast.get_docstring(node) or ""
    return (ast.get_docstring(tree) or "").partition(": ")[2]
