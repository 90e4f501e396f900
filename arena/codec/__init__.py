"""The translation between values of the rules and messages on the wire; nothing else translates.

Each game has its codec, derived from its classes (`PlainCodec`); `turns` and `transcript` hold the
parts common to all games.
"""
