"""The commands of `arena`, a module per subject; arena/cli.py gathers them."""
