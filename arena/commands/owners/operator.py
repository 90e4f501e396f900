"""Who runs a command of the operator, as the audit names it."""

import getpass


def actor() -> str:
    """Return the operator, and the account on this machine."""
    try:
        return f"operator ({getpass.getuser()})"
    except (KeyError, OSError):  # an account without a name, as in some containers
        return "operator"
