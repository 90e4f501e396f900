"""Builds: programs of bots as their owners upload them, read and unpacked as untrusted input.

UserError
└── BuildRefusedError    an upload is no valid build; the message says what is allowed
"""
