"""The `arena` command: which commands there are. Each lives in a module of arena/commands."""

import typer

from arena.commands import bots
from arena.commands.dashboard import dashboard
from arena.commands.database import migrate
from arena.commands.health import health
from arena.commands.play import play
from arena.commands.rating import rate, sprt
from arena.commands.results import leaderboard, matches, transcript, verify
from arena.commands.sample_bots import sample_bots
from arena.commands.serve import serve
from arena.commands.up import up

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A tournament platform for bots in games of bluff.",
)
for command in (
    up,
    serve,
    sample_bots,
    dashboard,
    health,
    migrate,
    leaderboard,
    matches,
    transcript,
    verify,
    play,
    rate,
    sprt,
):
    app.command()(command)
app.add_typer(bots.app, name="bot")
