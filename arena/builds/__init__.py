"""Builds: programs of bots that owners upload, read and unpacked as untrusted input.

UserError
└── BuildRefusedError    an upload is no valid build; the message says what is allowed
"""
