"""`--dashboard`: the address of an arena's pages, for links to them."""

from typing import Annotated

import typer

DashboardOption = Annotated[
    str,
    typer.Option(
        "--dashboard",
        envvar="ARENA_DASHBOARD",
        metavar="URL",
        help="The address of the arena's pages, for links to them.",
    ),
]
