"""Checks a bot's program against the protocol: a referee that follows a script, often a bad one."""
