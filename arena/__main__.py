"""The `arena` command."""

from arena import isolation


def main() -> None:
    """Run the command in the arguments; this is the entry point of the installed program.

    It isolates the process first: nothing else may be imported before.
    """
    isolation.isolate()
    from arena.termination import run_command

    run_command()


if __name__ == "__main__":
    main()
