"""The commands of `arena`, one module per subject; arena/cli.py collects them."""
