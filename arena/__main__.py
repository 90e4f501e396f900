"""Runs the `arena` command."""

import sys


def main() -> None:
    """The entry point of the installed command."""
    try:
        from arena.cli import run

        run(sys.argv[1:])
    except ModuleNotFoundError as error:
        sys.exit(
            f"arena: {error.name} is missing: install the server with "
            "`pip install 'bluff-arena[server,dashboard]'`, or run `make setup` in a checkout."
        )


if __name__ == "__main__":
    main()
