"""The translation between values of the rules and messages on the wire, which is done only here.

Each game has its codec, derived from its classes (`PlainCodec`); `turns` and `transcript` hold the
parts common to all games.
"""
