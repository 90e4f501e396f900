"""The operator's name in the audit."""

import getpass


def actor() -> str:
    """Return "operator" with the account on this machine."""
    try:
        return f"operator ({getpass.getuser()})"
    except (KeyError, OSError):  # an account without a name, as in some containers
        return "operator"
